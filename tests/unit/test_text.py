"""The text form: exact round trips, and errors with a line and a reason."""

from __future__ import annotations

import contextlib
import gzip
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import fault, refuses
from tests.strategies import forests
from tests.zoo import SMALL

from rosewood.corpus import Vocabulary
from rosewood.errors import ForestError, FormatError
from rosewood.forest import (
    FeatureSpace,
    Forest,
    ForestBuilder,
    NamedForest,
    format_forest,
    parse_forest,
    read_forests,
    write_forests,
)

SAMPLE = """\
# a forest of two strings
forest toy 1
dense lm

0 <- ||| the mat ||| lm=-1.5 r:1=1
1 <- ||| a cat ||| lm=-2
5 <- 0 1 ||| [1] on [0] ||| lm=-1e-3 ||| 7
5 <- 0 1 ||| [0] of [1]
"""


def test_sample():
    forest = parse_forest(SAMPLE)
    assert forest.features.names == ["lm", "r:1"]
    assert forest.k_best([0.0, 0.0, 1.0, 0.0], 9).texts() == [
        "a cat on the mat",
        "the mat of a cat",
    ]
    assert forest.edge_features(2) == {"lm": -0.001}
    assert forest.rule.tolist() == [-1, -1, 7, -1]
    assert [n for n, _, _ in read_forests(SAMPLE.split("\n"))] == ["toy 1"]


@settings(max_examples=60, deadline=None)
@given(forests())
def test_round_trip(forest):
    text = format_forest(forest, "name")
    again = parse_forest(text, features=forest.features, vocabulary=forest.vocabulary)
    assert again == forest
    assert format_forest(parse_forest(text), "name") == text


@pytest.mark.parametrize("name", SMALL)
def test_round_trip_of_the_zoo(name):
    forest = SMALL[name]().forest
    if name == "unreachable":
        return
    text = format_forest(forest)
    again = parse_forest(text, features=forest.features, vocabulary=forest.vocabulary)
    assert again.num_derivations() == forest.num_derivations()
    assert format_forest(again) == text


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.text(max_size=5), max_size=4),
    st.dictionaries(
        st.text(min_size=1, max_size=5), st.floats(allow_nan=False, allow_infinity=False)
    ),
    st.integers(-(2**63), 2**63 - 1),
)
def test_any_word_name_and_number(words, features, rule):
    b = ForestBuilder()
    node = b.node((3, 4), state=rule)
    b.edge(node, says=words, features=features, rule=rule)
    forest = b.build(node)
    text = format_forest(forest)
    again = parse_forest(text)
    assert again.says(0) == words
    assert again.edge_features(0) == features
    assert again.rule.tolist() == [rule]
    assert again.state.tolist() == [rule]
    assert again.span.tolist() == [[3, 4]]
    text.encode()  # lone surrogates are written by number


def test_files(tmp_path):
    words, space = Vocabulary(), FeatureSpace()
    first = parse_forest("0 <- ||| a ||| x=1", features=space, vocabulary=words)
    second = parse_forest("0 <- ||| b ||| y=2", features=space, vocabulary=words)
    path = tmp_path / "two.forest"
    write_forests([("1", first), NamedForest("2", second)], path)
    found = list(read_forests(path))
    assert [item.name for item in found] == ["1", "2"]
    assert found[0].forest.features is found[1].forest.features
    assert found[1].forest.best([0.0]).text == "b"
    assert [p.name for p in tmp_path.iterdir()] == ["two.forest"]
    stream = io.StringIO()
    write_forests([("x", first)], stream)
    assert stream.getvalue() == "forest x\n0 <- ||| a ||| x=1\n"
    assert list(read_forests([])) == []


def test_a_failed_write_leaves_nothing(tmp_path):
    with refuses(ForestError, "argument.value", argument="name"):
        write_forests([("a\nb", Forest.empty())], tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


BAD = {
    "0 <- ||| a ||| x=1 ||| 1 ||| 2": fault("line.fields", argument="edge", line=1),
    "0 ||| a": fault("line.value", argument="edge", line=1),
    "x <- ||| a": fault("line.number", argument="the head", value="x", line=1),
    "0 <- -1 ||| a": fault("line.number", argument="a tail", value="-1", line=1),
    "99999999999 <- ||| a": fault("line.number", argument="the head", value="99999999999", line=1),
    "0 <- ||| [0]": fault("argument.range", argument="tail", value=0, line=1),
    "0 <- ||| a\n1 <- 0 ||| b": fault("argument.missing", argument="yield", line=1),
    "0 <- ||| a[b": fault("line.value", argument="word", value="a[b", line=1),
    "0 <- ||| a\\q": fault("line.value", argument="escape", value="q", line=1),
    "0 <- ||| a\\": fault("line.value", argument="escape", value="", line=1),
    "0 <- ||| \\u{ffffff}": fault("line.value", argument="escape", value="u{ffffff}", line=1),
    "0 <- ||| a ||| x": fault("line.value", argument="feature", value="x", line=1),
    "0 <- ||| a ||| x=one": fault("line.number", argument="feature 'x'", value="one", line=1),
    "0 <- ||| a ||| x=nan": fault("line.number", argument="feature 'x'", value="nan", line=1),
    "0 <- ||| a ||| x=1_0": fault("line.number", argument="feature 'x'", value="1_0", line=1),
    "0 <- ||| a ||| x=1e999": fault("line.number", argument="feature 'x'", value="1e999", line=1),
    "0 <- ||| a ||| x=1 x=2": fault("line.duplicate", argument="feature", value="x", line=1),
    "0 <- ||| a ||| ||| r": fault("line.number", argument="the rule", value="r", line=1),
    "0 <- ||| a\rb": fault("line.value", argument="\\r", line=1),
    "0 <- ||| a\n1 <- ||| b": fault("forest.root", value=(0, 1), line=1),
    "0 <- 1 ||| [0]\n1 <- 0 ||| [0]": fault("forest.root", value=(), line=1),
    "0 <- 0 ||| [0]\n1 <- 0 ||| [0]": fault("forest.cycle", line=1),
    "1 <- 0 ||| [0]": fault("forest.no-edges", value=0, line=1),
    "node": fault("line.fields", argument="node", line=1),
    "node 0\nnode 0": fault("line.duplicate", argument="node", value=0, line=2),
    "node 0 span=1": fault("line.value", argument="span", value="1", line=1),
    "node 0 span=1:x": fault("line.number", argument="the span", value="x", line=1),
    "node 0 colour=red": fault("line.unknown", argument="node", value="colour=red", line=1),
    "node 0 span=3:1\n0 <- ||| a": fault("argument.value", argument="span", value=0, line=1),
    "0 <- ||| a\ndense x": fault("line.order", argument="dense", line=2),
    "dense x x\n0 <- ||| a": fault("argument.duplicate", argument="dense", line=1),
    "": fault("forest.empty", line=1),
}


@pytest.mark.parametrize("text", BAD)
def test_bad_texts_are_named(text):
    with refuses(FormatError, **BAD[text], file="some.forest"):
        parse_forest(text, file="some.forest")


def test_more_bad_files(tmp_path):
    path = tmp_path / "bad"
    path.write_bytes(b"forest\n0 <- ||| \xff\n")
    with refuses(FormatError, "file.encoding", line=2):
        list(read_forests(path))
    with refuses(FormatError, "line.order", argument="forest", line=1):
        list(read_forests(["0 <- ||| a"]))
    with refuses(FormatError, "file.format", value=2):
        parse_forest("forest 1\nnode 0\nforest 2\nnode 0\n")
    with refuses(FormatError, "line.value", argument="dense", line=5):
        list(read_forests(["forest", "dense a", "node 0", "forest", "dense b", "node 0"]))


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from([*"01 \n\\[]|#=<-.e", "|||", "<-", "node", "dense", "forest", "span="])
    )
)
def test_nonsense_never_crashes(pieces):
    with contextlib.suppress(FormatError):
        parse_forest("".join(pieces))


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text_never_crashes(text):
    with contextlib.suppress(FormatError):
        parse_forest(text)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([b"", SAMPLE.encode(), gzip.compress(SAMPLE.encode(), mtime=0)]),
    st.binary(max_size=120),
    st.integers(0, 300),
    st.integers(0, 20),
    st.sampled_from(["", ".gz", ".xz", ".zst"]),
)
def test_any_bytes_never_crash(right, noise, at, left_out, suffix):
    """A file of noise, or a right one with noise put into it in place of some bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"input{suffix}"
        path.write_bytes(right[:at] + noise + right[at + left_out :])
        with contextlib.suppress(FormatError):
            list(read_forests(path))
