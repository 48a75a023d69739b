"""PLF, Moses search graphs and HTK lattices against paths written out by hand."""

from __future__ import annotations

import gzip
import lzma
import math
from pathlib import Path

import pytest
from tests.refusals import refuses
from tests.told import derivations, expected

from rosewood.corpus import Vocabulary
from rosewood.errors import DamagedFileError, FormatError
from rosewood.forest import FeatureSpace
from rosewood.forest.formats import read_htk, read_moses_graphs, read_plf, read_plf_file

GOLDEN = Path(__file__).parent.parent / "golden" / "formats"


# -- PLF -------------------------------------------------------------------------------------------


def test_plf_file() -> None:
    first, second, third, fourth = read_plf_file(GOLDEN / "lattice.plf")
    assert derivations(first) == expected(
        ("einen wett bewerb geht's", {"score": 1 + 0.5 + 2 + 1}),
        ("einen wettbewerb geht's", {"score": 1 + 0.25 + 1}),
        ("einen geht's", {"score": 1 + 0.125 + 1}),
    )
    assert derivations(second) == expected(
        ("A", {"score": 0.5}),
        ("D'", {"LatticeCost": 0.1, "UsesDPrime": 1.0}),
        ("B", {}),
    )
    assert derivations(third) == expected(
        ("x", {"score_1": 0.5, "score_2": 0.25}),
        ("y", {"score_1": 1, "score_2": 2, "pos": 3, "tag=x": -1}),
    )
    assert derivations(fourth) == expected(("", {}))
    assert first.vocabulary is fourth.vocabulary
    assert first.features is fourth.features


def test_plf_shape() -> None:
    forest = read_plf("((('a',1,1),('b',2,1)),(('c',3,1),))")
    assert (forest.num_nodes, forest.num_edges) == (3, 4)
    assert [forest.says(e) for e in range(4)] == [[], [0, "a"], [0, "b"], [0, "c"]]
    assert forest.arity().tolist() == [0, 1, 1, 1]


def test_plf_options() -> None:
    text = "((('a b',0.5,1),('-',0.25,1)),)"
    forest = read_plf(text, score_names=["p"], probabilities=True, epsilon=["-"])
    assert derivations(forest) == expected(
        ("a b", {"p": math.log(0.5)}), ("", {"p": math.log(0.25)})
    )
    assert forest.says(1) == [0, "a", "b"]


def test_plf_takes_white_space_and_line_breaks() -> None:
    spread = '(\n (\n  ("a" , 1.5e0 , 1 ,) ,\n ) ,\n)\n'
    assert derivations(read_plf(spread)) == expected(("a", {"score": 1.5}))


def test_plf_unreachable_states() -> None:
    text = "((('a',1,2),),(('b',1,1),),)"
    with refuses(FormatError, "forest.unreachable", value=1, line=1):
        read_plf(text)
    assert derivations(read_plf(text, drop_unreachable=True)) == expected(("a", {"score": 1}))


def test_plf_shares_names() -> None:
    words, space = Vocabulary(["z"]), FeatureSpace(["score"])
    forest = read_plf("((('z',2,1),),)", vocabulary=words, features=space)
    assert forest.vocabulary is words
    assert forest.features is space
    assert forest.dense[:, 0].tolist() == [0, 2]
    with refuses(FormatError, "line.value", argument="distance", value=9, line=1):
        read_plf("((('new',2,9),),)", vocabulary=words)
    assert "new" not in words  # what was refused leaves no trace


def test_plf_long_lattice() -> None:
    text = "(" + "(('a',0.5,1),('b',1,1),)," * 3000 + ")"
    assert read_plf(text).num_derivations() == 2**3000


# -- Moses -----------------------------------------------------------------------------------------


def test_moses_plain() -> None:
    graphs = dict(read_moses_graphs(GOLDEN / "plain.osg"))
    assert list(graphs) == [0, 3, 4]
    assert derivations(graphs[0]) == expected(
        ("the house", {"transition": -1.5 - 1.75}),
        ('the " big " building', {"transition": -1.5 - 2.5}),
        ("this , house", {"transition": -2 - 1.75}),
        ('this , " big " building', {"transition": -2 - 2.5}),
        ("home", {"transition": -5}),
    )
    assert graphs[3].is_empty
    assert derivations(graphs[4]) == expected(("yes", {"transition": -1}))
    assert graphs[0].vocabulary is graphs[4].vocabulary
    assert graphs[0].rule is not None
    assert sorted(graphs[0].rule.tolist()) == [-1, -1, -1, 1, 2, 4, 5, 6]


def test_moses_dead_ends_are_kept_out_or_refused() -> None:
    with refuses(FormatError, "forest.unreachable", value=3, line=4):
        next(read_moses_graphs(GOLDEN / "plain.osg", drop_unreachable=False))


def test_moses_extended() -> None:
    graphs = dict(read_moses_graphs(GOLDEN / "extended.osgx"))
    assert derivations(graphs[7]) == expected(
        ('the " house', {"transition": -3.25, "core_0": -3, "core_1": 0.5, 'pp_a~"b': 2}),
        ("the", {"transition": -3.5, "core_0": -4, "core_1": 1.5, 'pp_a~"b': 2}),
    )
    assert derivations(graphs[8]) == expected(
        ("yes", {"transition": -1, "d_0": -2, "d_2": -0.5, "w": -1, "lm": -6})
    )


def test_moses_names_of_core_scores() -> None:
    lines = (GOLDEN / "extended.osgx").read_text().splitlines()[:4]
    ((_, forest),) = read_moses_graphs(lines, core_names=["lm", "tm"])
    assert forest.features.names == ["transition", "lm", "tm", 'pp_a~"b']
    with refuses(FormatError, "line.fields", argument="core_names", value=2, line=2, file="graph"):
        next(read_moses_graphs(lines, core_names=["lm"], file="graph"))


def test_moses_oldest_form() -> None:
    line = "0 hyp=5 stack=1 back=0 score=-1 transition=-1 forward=-1 fscore=0 covered=0-0"
    lines = ["0 hyp=0 stack=0", line + " out=I am , pC=-0.4, c=-0.9"]
    ((_, forest),) = read_moses_graphs(lines)
    assert derivations(forest) == expected(("I am", {"transition": -1, "pC": -0.4, "c": -0.9}))


def test_moses_recombination_of_the_recombined() -> None:
    lines = [
        "0 hyp=0 stack=0",
        "0 hyp=1 back=0 transition=-1 recombined=2 forward=3 out=a",
        "0 hyp=2 back=0 transition=-2 recombined=3 forward=3 out=b",
        "0 hyp=3 back=0 transition=-3 forward=4 out=c",
        "0 hyp=4 back=1 transition=0 forward=-1 out=d",
    ]
    ((_, forest),) = read_moses_graphs(lines)
    assert sorted(text for text, _ in derivations(forest)) == ["a d", "b d", "c d"]


def test_moses_failed_sentence() -> None:
    lines = ["2 hyp=0 stack=0"]
    with refuses(FormatError, "forest.empty", line=1):
        list(read_moses_graphs(lines))
    ((sentence, forest),) = read_moses_graphs(lines, allow_empty=True)
    assert (sentence, forest.is_empty) == (2, True)


# -- HTK -------------------------------------------------------------------------------------------


def test_htk_words_on_links() -> None:
    forest = read_htk(GOLDEN / "links.slf")
    log = math.log(10)
    assert derivations(forest) == expected(
        ("<s> FOUR", {"acoustic": -5 * log, "lm": -1.5 * log, "posterior": 1}),
        ("<s> 'FOR", {"acoustic": -6 * log, "lm": -0.5 * log, "posterior": 1}),
        ("<s> café au", {"acoustic": -7 * log, "ngram": -log, "posterior": 1}),
    )
    assert forest.rule is not None
    assert forest.rule.tolist() == [-1, 0, 1, 2, 3, 4]


def test_htk_words_on_nodes() -> None:
    assert derivations(read_htk(GOLDEN / "nodes.slf")) == expected(
        ("zero nine", {"lm": -1.5}),
        ("oh nine", {"lm": -2.25}),
        ("zero", {"lm": -3.5}),
    )


def test_htk_likelihoods_and_a_word_at_the_start() -> None:
    lines = ["base=0", "N=2 L=1", "I=0 W=<s>", "I=1 W='it''s'", "J=0 S=0 E=1 a=0.25 x3=1"]
    with refuses(FormatError, "line.value", argument="W", line=4):
        read_htk(lines)
    forest = read_htk(lines, quotes=False)
    assert derivations(forest) == expected(("<s> 'it''s'", {"acoustic": math.log(0.25)}))


def test_htk_without_node_lines() -> None:
    lines = ["NODES=2", "LINKS=2", "J=0 S=0 E=1 W=a x1=-0.5", "J=1 S=0 E=1"]
    assert derivations(read_htk(lines)) == expected(("a", {"x1": -0.5}), ("", {}))


def test_htk_unreachable_nodes() -> None:
    lines = ["N=4 L=2 start=0 end=1", "J=0 S=0 E=1 W=a", "J=1 S=0 E=2 W=b"]
    with refuses(FormatError, "forest.unreachable", value=3, line=3):
        read_htk(lines)
    lines[0] = "N=3 L=2 start=0 end=1"
    with refuses(FormatError, "forest.unreachable", value=2, line=3):
        read_htk(lines)
    assert derivations(read_htk(lines, drop_unreachable=True)) == expected(("a", {}))


def test_htk_unknown_fields_only_when_told() -> None:
    lines = ["N=2 L=1", "J=0 S=0 E=1 W=a q=7"]
    with refuses(FormatError, "line.unknown", argument="q", line=2):
        read_htk(lines)
    assert derivations(read_htk(lines, ignore={"q"})) == expected(("a", {}))


# -- files -----------------------------------------------------------------------------------------


def test_compressed_files(tmp_path: Path) -> None:
    data = (GOLDEN / "links.slf").read_bytes()
    (tmp_path / "a.slf.gz").write_bytes(gzip.compress(data))
    (tmp_path / "a.slf.xz").write_bytes(lzma.compress(data.replace(b"\n", b"\r\n")))
    want = read_htk(GOLDEN / "links.slf")
    assert read_htk(tmp_path / "a.slf.gz") == want
    assert read_htk(str(tmp_path / "a.slf.xz")) == want
    (tmp_path / "cut.slf.gz").write_bytes(gzip.compress(data)[:-20])
    with refuses(DamagedFileError, "file.damaged", line=1):
        read_htk(tmp_path / "cut.slf.gz")
    with refuses(FormatError, "file.kind", value=".bz2"):
        read_htk(tmp_path / "a.slf.bz2")
    with pytest.raises(FileNotFoundError):
        read_htk(tmp_path / "nothing")


def test_bytes_that_are_not_text(tmp_path: Path) -> None:
    file = tmp_path / "latin.slf"
    file.write_bytes(b"N=2 L=1\nJ=0 S=0 E=1 W=caf\xe9\n")
    with refuses(FormatError, "file.encoding", line=2):
        read_htk(file)
    with refuses(FormatError, "argument.type", line=1):
        read_htk([b"N=2 L=1"])  # type: ignore[list-item]
    with refuses(FormatError, "file.encoding", line=1):
        read_plf("((('\ud800"[1:])
