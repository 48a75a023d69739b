"""Phrase tables and grammars of other programs: what becomes of each line."""

from __future__ import annotations

import gzip
import io
import lzma
from math import log

import numpy as np
import pytest
from tests.refusals import check, refuses
from tests.rule_text_tables import PHRASES, X1, X2, grammar, near, phrases, stream, written

from rosewood import _core
from rosewood.errors import DamagedFileError, FormatError, RuleError
from rosewood.rules import Gap, Rule, RuleTable
from rosewood.rules.formats import (
    Imported,
    export_moses,
    import_grammar,
    import_moses,
)
from rosewood.rules.formats.grammar import kind_of_grammar

# -- Moses -----------------------------------------------------------------------------------------


def test_a_phrase_table(tmp_path):
    found = import_moses(stream(PHRASES), tmp_path / "t")
    table = RuleTable.open(tmp_path / "t")
    assert found == Imported(rules=3, zeros=1)
    assert table.features == ("phrase_fe", "lexical_fe", "phrase_ef", "lexical_ef")
    assert table.facts == {
        "made_from": {"moses": "<stream>"}, "scores": list(table.features), "zeros": 1,
    }  # fmt: skip
    best, other = table.lookup("das haus")  # by p(e|f), not as they stand
    assert best.target == ("house",)
    assert best.features == {"phrase_fe": 0.0, "lexical_fe": -100.0, "phrase_ef": near(log(0.75)),
                             "lexical_ef": near(log(0.5))}  # fmt: skip
    assert (other.links, best.links) == (((0, 0), (1, 1)), ((1, 0),))
    assert (other.count, other.source_count, other.target_count) == (2.0, 8.0, 4.0)
    text = written(table)
    assert sorted(text.splitlines()) == sorted(PHRASES.splitlines())  # even 0 is 0 again


def test_the_order_of_lines_does_not_matter(tmp_path):
    lines = PHRASES.splitlines()
    one, other = (phrases("\n".join(some), tmp_path / n)
                  for n, some in (("a", lines), ("b", lines[::-1])))  # fmt: skip
    assert [*one] == [*other]
    assert written(one) == written(other)


@pytest.mark.parametrize(("ending", "packed"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_compressed_files(tmp_path, ending, packed):
    file = tmp_path / f"phrase-table{ending}"
    file.write_bytes(packed(PHRASES.encode()))
    import_moses(file, tmp_path / "t")
    out = tmp_path / f"again{ending}"
    export_moses(RuleTable.open(tmp_path / "t"), out)
    import_moses(out, tmp_path / "u")
    assert [*RuleTable.open(tmp_path / "u")] == [*RuleTable.open(tmp_path / "t")]
    file.write_bytes(file.read_bytes()[:-9])
    with refuses(DamagedFileError, "file.damaged"):
        import_moses(file, tmp_path / "damaged")
    assert not (tmp_path / "damaged").exists()


def test_a_fifth_score_that_is_e_is_the_rule_penalty(tmp_path):
    text = "a ||| x ||| 1 1 1 1 2.718 ||| 0-0 ||| 1 1\nb ||| x ||| 1 1 1 1 2.718\n"
    table = phrases(text, tmp_path / "t")
    assert table.features[4] == "rule_penalty"
    assert [rule.features["rule_penalty"] for rule in table] == [1.0, 1.0]
    assert table[0].count == 0.0
    assert "1 1 1 1 2.718 |||" in written(table)
    other = phrases(text.replace("2.718\n", "2\n"), tmp_path / "u")
    assert other.features[4] == "score_5"


def test_names_for_scores(tmp_path):
    text = "a ||| x ||| 0.5 0.25\n"
    assert phrases(text, tmp_path / "t").features == ("score_1", "score_2")
    table = phrases(text, tmp_path / "t", scores=["phrase_ef", "my"])
    assert table.features == ("phrase_ef", "my")
    assert written(table, scores=["my"]) == "a ||| x ||| 0.25 ||| ||| ||| |||\n"
    with refuses(RuleError, "argument.shape", argument="scores", value=3):
        phrases(text, tmp_path / "t", scores=["a", "b", "c"])
    with refuses(RuleError, "argument.duplicate", argument="scores"):
        phrases(text, tmp_path / "t", scores=["a", "a"])
    with refuses(RuleError, "features.missing", argument="none"):
        written(table, scores=["none"])


def test_what_moses_does_itself_is_not_a_score(tmp_path):
    features = {"rule_penalty": 1.0, "phrase_ef": log(0.5), "extra": 0.0, "phrase_fe": 0.0,
                "orientation_backward_monotone": 0.0}  # fmt: skip
    table = RuleTable.build(tmp_path / "t", [Rule(("a",), ("x",), features=features)])
    assert written(table).split(" ||| ")[2] == "1 0.5 1"


def test_numbers_need_as_many_digits_as_they_need(tmp_path):
    values = [0.0, log(1 / 3), -1e-5, -1e-9, -20.123456, -99.9, -100.0, 3.5, near(-0.1)]
    rules = [Rule((f"w{n}",), ("x",), features={"f": near(v)}) for n, v in enumerate(values)]
    table = RuleTable.build(tmp_path / "t", rules)
    again = phrases(written(table), tmp_path / "u", scores=["f"])
    assert [rule.features for rule in again] == [rule.features for rule in table]


def test_what_tables_do_not_have_is_told(tmp_path):
    text = "a ||| x ||| 1 ||| ||| ||| name 1 ||| {{P 1}}\nb ||| x ||| 1 ||| ||| 1 ||| |||\n"
    found = import_moses(stream(text), tmp_path / "t")
    assert found.left_out == 1
    assert [line for line in found.told() if "sparse" in line]


def test_a_grammar_is_no_phrase_table(tmp_path):
    with refuses(FormatError, "file.kind"):
        phrases("a [X] ||| x [X] ||| 1\nb [X] ||| y [X] ||| 1\n", tmp_path / "t")
    assert len(phrases("a [X] ||| x [X] ||| 1\nb ||| y ||| 1\n", tmp_path / "t")) == 2


# -- grammars --------------------------------------------------------------------------------------


def test_a_grammar_of_moses(tmp_path):
    text = (
        "[X][X] von [X][X] [X] ||| [X][X] 's [X][X] [X] ||| 1 1 0.5 1 ||| 0-2 1-1 2-0 ||| 2 2 1\n"
        "klein [X] ||| small [X] ||| 1 1 1 1 ||| 0-0\n"
        "a [X][NP] [X] ||| x [X][NP] [VP] ||| 1 1 1 1 ||| 1-1\n"
    )
    table = grammar(text, tmp_path / "t", "moses")
    assert table.labels == ("X", "X][NP", "X][VP")
    swapped, phrase = table.lookup("[X,1] von [X,2]")[0], table.lookup("klein")[0]
    assert (swapped.source, swapped.target) == ((X1, "von", X2), (X2, "'s", X1))
    assert swapped.links == ((1, 1),)
    assert (swapped.count, swapped.features["phrase_ef"]) == (1.0, near(log(0.5)))
    assert (phrase.target, phrase.left) == (("small",), "X")
    assert [rule.left for rule in table if rule.source[0] == "a"] == ["X][VP"]
    lines = written(table, "moses").splitlines()
    assert [line.removesuffix(" ||| |||") for line in sorted(lines)] == sorted(
        line + " |||" * (5 - line.count("|||") - 1) for line in text.splitlines()
    )


def test_a_grammar_of_cdec(tmp_path):
    text = (
        "[X] ||| das [X,1] ist [NP,2] ||| the [2] is [1] ||| A=0.5 B=-2;C=1 ||| 0-0 2-2\n"
        "[S] ||| [X] ||| [1] ||| 0.25 A=1\n"
        "[X] ||| weg ||| ||| A=3\n"
    )
    table = grammar(text, tmp_path / "t", "cdec")
    assert table.features == ("A", "B", "C", "PhraseModel_0")
    rule = table.lookup("das [X,1] ist [NP,2]")[0]
    assert rule.target == ("the", Gap("NP", 2), "is", X1)
    assert rule.features == {"A": 0.5, "B": -2.0, "C": 1.0, "PhraseModel_0": 0.0}
    glue = table.lookup("[X,1]")[0]
    assert (glue.left, glue.target) == ("S", (X1,))
    assert table.lookup("weg")[0].target == ()
    first = written(table, "cdec").splitlines()[0]
    assert first == "[S] ||| [X,1] ||| [1] ||| A=1 B=0 C=0 PhraseModel_0=0.25"


def test_a_grammar_of_joshua(tmp_path):
    text = "[VP] ||| [NP,1] a [IN,2] ||| [IN,2] x [NP,1] ||| 0.5 -3 count=2\n"
    table = grammar(text, tmp_path / "t", "joshua")
    assert table[0].features == {"tm_pt_0": -0.5, "tm_pt_1": 3.0, "count": 2.0}
    assert written(table, "joshua") == text
    named = grammar("[X] ||| a ||| x ||| tm_pt_1=2 7\n", tmp_path / "u", "joshua")
    assert named[0].features == {"tm_pt_1": 2.0, "tm_pt_0": -7.0}
    assert written(named, "joshua") == "[X] ||| a ||| x ||| tm_pt_1=2 7\n"
    bare = grammar("[NP] ||| a [NN] [X] ||| [X,2] x [NN,1] ||| 1\n", tmp_path / "v", "joshua")
    assert bare[0].target == (Gap("X", 2), "x", Gap("NN", 1))


def test_what_looks_like_a_gap_and_is_a_word(tmp_path):
    table = grammar("[X] ||| [a,b] [] [X,0] ||| [a] [0] ||| A=1\n", tmp_path / "t", "cdec")
    assert table[0].source == ("[a,b]", "[]", "[X,0]")
    assert table[0].target == ("[a]", "[0]")


@pytest.mark.parametrize(
    ("line", "want"),
    [
        ("a [X] ||| b [X] ||| 1 1 ||| 0-0", "moses"),
        ("[X] ||| a ||| b ||| A=1", "cdec"),
        ("[X] ||| a ||| b", "cdec"),
        ("[X] ||| a ||| b ||| A=1 2", None),
    ],
)
def test_formats_are_told_from_a_line(line, want, tmp_path):
    assert kind_of_grammar(line) == want
    file = tmp_path / "grammar"
    file.write_text(f"\n{line}\n")
    if want is None:
        with refuses(FormatError, "rules.format-unclear") as caught:
            import_grammar(file, tmp_path / "t")
        assert caught.value.line == 2
    else:
        assert import_grammar(file, tmp_path / "t").rules == 1


BAD = [
    ("moses_phrases", "a house", "line.fields", None),
    ("moses_phrases", "a ||| b ||| 1 ||| ||| ||| ||| ||| x", "line.fields", None),
    ("moses_phrases", " ||| b ||| 1", "line.empty", "source"),
    ("moses_phrases", "a ||| b |||", "line.empty", "scores"),
    ("moses_phrases", "a ||| b ||| 1 2", "line.fields", "scores"),
    ("moses_phrases", "a ||| b ||| x", "line.number", "probability"),
    ("moses_phrases", "a ||| b ||| nan", "line.number", "probability"),
    ("moses_phrases", "a ||| b ||| -0.5", "line.value", "probability"),
    ("moses_phrases", "a ||| b ||| inf", "line.value", "probability"),
    ("moses_phrases", "a|||b ||| c ||| 1", "line.value", "fields"),
    ("moses_phrases", "a |||| b ||| c ||| 1", "line.value", "fields"),
    ("moses_phrases", "a ||| b ||| 1 ||| 0-1", "line.unknown", "alignment"),
    ("moses_phrases", "a ||| b ||| 1 ||| 0", "line.number", "alignment"),
    ("moses_phrases", "a ||| b ||| 1 ||| 0--1", "line.number", "alignment"),
    ("moses_phrases", "a ||| b ||| 1 ||| ||| 1 2 3 4", "line.fields", "counts"),
    ("moses_phrases", "a ||| b ||| 1 ||| ||| -1", "line.number", "counts"),
    ("moses_phrases", "first ||| f ||| 1", "line.duplicate", None),
    ("moses_grammar", "a ||| b [X] ||| 1", "line.value", "label"),
    ("moses_grammar", "a [X] b [X] ||| b [X] ||| 1", "line.value", "symbol"),
    ("moses_grammar", "[X][X] [X] ||| b [X] ||| 1", "line.fields", "gap"),
    ("moses_grammar", "[X][X] [X] ||| [X][X] [X] ||| 1", "line.fields", "alignment"),
    ("moses_grammar", "[X][X] [X] ||| [X][Y] [X] ||| 1 ||| 0-0", "line.value", "gap"),
    ("moses_grammar", "a [X][X] [X] ||| [X][X] [X] ||| 1 ||| 0-0", "line.value", "alignment"),
    ("moses_grammar", "[X][X] [X][X] [X] ||| [X][X] [X][X] [X] ||| 1 ||| 0-0 1-0",
     "line.duplicate", "alignment"),
    ("cdec", "a ||| b ||| A=1", "line.value", "label"),
    ("cdec", "[X] ||| a [X,1] ||| b ||| A=1", "line.fields", "gap"),
    ("cdec", "[X] ||| a [X,1] ||| [2] ||| A=1", "line.unknown", "gap"),
    ("cdec", "[X] ||| [X,1] a ||| [1] [1] ||| A=1", "line.unknown", "gap"),
    ("cdec", "[X] ||| [X,1] [X,1] ||| [1] ||| A=1", "line.duplicate", "gap"),
    ("cdec", "[X] ||| [X,1] ||| [Y,1] ||| A=1", "line.value", "gap"),
    ("cdec", "[X] ||| a ||| b ||| A=x", "line.number", "features"),
    ("cdec", "[X] ||| a ||| b ||| A=1 A=2", "line.duplicate", "features"),
    ("cdec", "[X] ||| a ||| b ||| =2", "line.empty", "features"),
    ("joshua", "[X] ||| a ||| b ||| 1e99", "line.number", "features"),
    ("joshua", "[X] ||| [X,1] [X,2] ||| [X,1] [X,2] ||| ||| 0-1", "line.value", "gap"),
]  # fmt: skip
FIRST = {
    "moses_phrases": "first ||| f ||| 1", "moses_grammar": "first [X] ||| f [X] ||| 1",
    "cdec": "[X] ||| first ||| f ||| A=1", "joshua": "[X] ||| first ||| f ||| A=1",
}  # fmt: skip


@pytest.mark.parametrize(("format", "line", "code", "argument"), BAD)
def test_bad_lines_tell_file_line_and_reason(tmp_path, format, line, code, argument):
    file = tmp_path / "rules.txt"
    file.write_text(f"{FIRST[format]}\n\n{line}\n")

    def read(**more) -> Imported:
        if format == "moses_phrases":
            return import_moses(file, tmp_path / "t", **more)
        return import_grammar(file, tmp_path / "t", format=format.removesuffix("_grammar"), **more)

    with refuses(FormatError, code, argument=argument, file=str(file), line=3) as caught:
        read()
    assert not (tmp_path / "t").exists()
    found = read(on_bad_line="skip")
    assert (found.rules, found.skipped) == (1, 1)
    check(found.examples[0], FormatError, code, argument=argument, file=str(file), line=3)
    assert str(found.examples[0]) == str(caught.value)
    table = RuleTable.open(tmp_path / "t")
    assert [*table.source_words] == ["first"]  # bad lines leave nothing behind
    assert table.facts["skipped"] == 1


def test_bytes_that_are_no_text(tmp_path):
    with refuses(FormatError, "file.encoding", line=1):
        import_moses(io.BytesIO(b"a \xff ||| b ||| 1\n"), tmp_path / "t")


def test_files_without_rules(tmp_path):
    for text in ("", "\n \n"):
        with refuses(FormatError, "file.empty"):
            phrases(text, tmp_path / "t")
    (tmp_path / "empty").write_text("")
    with refuses(FormatError, "file.empty"):
        import_grammar(tmp_path / "empty", tmp_path / "t")
    with refuses(RuleError, "argument.missing", argument="format"):
        import_grammar(stream("x"), tmp_path / "t")
    with refuses(RuleError, "argument.choice", argument="format", value="hiero"):
        grammar("x", tmp_path / "t", "hiero")
    with refuses(RuleError, "argument.choice", argument="on_bad_line", value="ignore"):
        phrases("x", tmp_path / "t", on_bad_line="ignore")


@pytest.mark.parametrize("block", [5, 64, 4096])
def test_lines_that_are_too_long(block):
    text = f"a ||| x ||| 1\n{'y ' * 500}||| x ||| 1\nb ||| x ||| 1\n{'z' * 300}".encode()
    data = np.frombuffer(text, np.uint8)

    def read(skip: bool):
        reader = _core.RuleTextReader(_core.RuleFormat.moses_phrases, "score_", 100, skip)
        for begin in range(0, len(data), block):
            if bad := reader.feed(data[begin : begin + block]):
                return bad
        return reader.finish() or reader

    line, _, code, _ = read(False)
    assert (line, code) == (2, "corpus.too-long")
    reader = read(True)
    assert ([bad[0] for bad in reader.examples], len(reader.rules)) == ([2, 4], 2)


def test_more_features_than_a_table_holds(tmp_path):
    text = "".join(f"[X] ||| w{n} ||| x ||| F{n}=1\n" for n in range(5000))
    with refuses(FormatError, "rules.too-many-features"):
        grammar(text, tmp_path / "t", "cdec")
