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
from tests.strategies import forests
from tests.zoo import SMALL

from rosewood.corpus import Vocabulary
from rosewood.errors import FormatError
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
    with pytest.raises(Exception, match="name is one line"):
        write_forests([("a\nb", Forest.empty())], tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


BAD = {
    "0 <- ||| a ||| x=1 ||| 1 ||| 2": (1, "an edge is"),
    "0 ||| a": (1, "begins with `head <- tails`"),
    "x <- ||| a": (1, "the head is 'x'"),
    "0 <- -1 ||| a": (1, "a tail is '-1'"),
    "99999999999 <- ||| a": (1, "the head is '99999999999'"),
    "0 <- ||| [0]": (1, "says its tail 0, but it has 0 tails"),
    "0 <- ||| a\n1 <- 0 ||| b": (1, "edge 1 does not say its tail 0"),
    "0 <- ||| a[b": (1, "write a backslash before"),
    "0 <- ||| a\\q": (1, "is no escape"),
    "0 <- ||| a\\": (1, "is no escape"),
    "0 <- ||| \\u{ffffff}": (1, "is no escape"),
    "0 <- ||| a ||| x": (1, "a feature is name=value"),
    "0 <- ||| a ||| x=one": (1, "is 'one', want a finite number"),
    "0 <- ||| a ||| x=nan": (1, "is 'nan', want"),
    "0 <- ||| a ||| x=1_0": (1, "is '1_0', want"),
    "0 <- ||| a ||| x=1e999": (1, "is '1e999', which is too large"),
    "0 <- ||| a ||| x=1 x=2": (1, "stands twice"),
    "0 <- ||| a ||| ||| r": (1, "the rule is 'r'"),
    "0 <- ||| a\rb": (1, "carriage return"),
    "0 <- ||| a\n1 <- ||| b": (1, "several roots"),
    "0 <- 1 ||| [0]\n1 <- 0 ||| [0]": (1, "no root"),
    "0 <- 0 ||| [0]\n1 <- 0 ||| [0]": (1, "cycle"),
    "1 <- 0 ||| [0]": (1, "node 0 has no edges"),
    "node": (1, "`node` needs"),
    "node 0\nnode 0": (2, "described twice"),
    "node 0 span=1": (1, "want first:last"),
    "node 0 span=1:x": (1, "the span is 'x'"),
    "node 0 colour=red": (1, "a node has span= and state="),
    "node 0 span=3:1\n0 <- ||| a": (1, "covers source words"),
    "0 <- ||| a\ndense x": (2, "before the edges"),
    "dense x x\n0 <- ||| a": (1, "named twice"),
    "": (None, "the forest has no nodes"),
}


@pytest.mark.parametrize("text", BAD)
def test_bad_texts_are_named(text):
    line, reason = BAD[text]
    with pytest.raises(FormatError) as caught:
        parse_forest(text, file="some.forest")
    assert reason in str(caught.value)
    assert str(caught.value).startswith("some.forest:")
    if line is not None:  # the line `forest` is left out here, and counted by nobody
        assert caught.value.line == line


def test_more_bad_files(tmp_path):
    path = tmp_path / "bad"
    path.write_bytes(b"forest\n0 <- ||| \xff\n")
    with pytest.raises(FormatError, match="not UTF-8"):
        list(read_forests(path))
    with pytest.raises(FormatError, match=r"<text>:1: a forest begins with"):
        list(read_forests(["0 <- ||| a"]))
    with pytest.raises(FormatError, match="there are 2 forests"):
        parse_forest("forest 1\nnode 0\nforest 2\nnode 0\n")
    with pytest.raises(FormatError, match="dense features are"):
        list(read_forests(["forest", "dense a", "node 0", "forest", "dense b", "node 0"]))


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
