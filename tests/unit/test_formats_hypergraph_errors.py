"""Bad hypergraphs of every format: each is refused with its place and its own reason."""

from __future__ import annotations

from typing import Any

import pytest
from tests.refusals import fault, reader_refuses, refuses

from rosewood.errors import FormatError
from rosewood.forest.formats import (
    read_cdec_json,
    read_joshua_disk,
    read_joshua_dump,
    read_lazy_hypergraph,
)

A = '"edges":[{"rule":"[X] ||| a ||| a"}],"node":{"in_edges":[0]}'


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("", 1, fault("line.value")),
        ("[]", 1, fault("line.value")),
        ("{}", 1, fault("forest.empty")),
        ("{" + A, 1, fault("line.value")),
        ("{" + A + "} {", 1, fault("line.value")),
        ('{\n"rules": [1,\n x]}', 3, fault("line.format")),
        ('{"rules":' + "[" * 200000, 1, fault("line.format")),
        ('{"rules":[NaN]}', 1, fault("line.number", value="NaN")),
        ('{"rules":' + "9" * 9999 + "}", 1, fault("line.format")),
        ('{"rules":[1]}', 1, fault("line.fields", argument='"rules"')),
        ('{"rules":[1,"[X] ||| a"]}', 1, fault("line.fields", argument="rule")),
        (
            '{"rules":[1,"a ||| b ||| c",1,"a ||| b ||| c"]}',
            1,
            fault("line.duplicate", argument="rules", value=1),
        ),
        ('{"features":[1]}', 1, fault("line.value", argument="a feature", value=1)),
        ('{"features":["\\ud800"]}', 1, fault("file.encoding", argument="a feature")),
        (
            '{"weather":1}',
            1,
            fault("line.unknown", argument="hypergraph", value="weather"),
        ),
        ('{"edges":[{"a":1,"a":2}]}', 1, fault("line.duplicate")),
        ('{"edges":[{"tail":[-1]}]}', 1, fault("line.value", argument="tail", value=-1)),
        ('{"edges":[{"rule":7}]}', 1, fault("line.unknown", argument="rule", value=7)),
        (
            '{"edges":[{"feats":[0,1]}]}',
            1,
            fault("line.unknown", argument="feature", value=0),
        ),
        (
            '{"edges":[{"feats":["f","x"]}]}',
            1,
            fault("line.value", argument="feature 'f'", value="x"),
        ),
        (
            '{"edges":[{"feats":["f",1e999]}]}',
            1,
            fault("line.number", argument="feature", value="f"),
        ),
        (
            '{"edges":[{"feats":["f",1,"f",1]}]}',
            1,
            fault("line.duplicate", argument="feature", value="f"),
        ),
        (
            '{"edges":[{"tail":[0],"rule":"[X] ||| a ||| [2]"}]}',
            1,
            fault("forest.slots", value=1),
        ),
        (
            "{" + A + ',\n"node":{"in_edges":[1]}}',
            2,
            fault("line.value", argument="in_edges of node 1", value=1),
        ),
        (
            "{" + A + ',\n"node":{"in_edges":[0]}}',
            2,
            fault("line.duplicate", argument="in_edges", value=0),
        ),
        (
            "{" + A + ',\n"edges":[{"rule":"[X] ||| a ||| a"}]}',
            2,
            fault("forest.unreachable", value=1),
        ),
        (
            "{" + A + ',"edges":[{}],"node":{"in_edges":[1]}}',
            1,
            fault("line.value", argument="rule"),
        ),
        (
            '{"edges":[{"tail":[5]}],"node":{"in_edges":[0]}}',
            1,
            fault("line.unknown", argument="tail", value=5),
        ),
        (
            '{"edges":[{},{"tail":[1]}],"node":{"in_edges":[0]},'
            '"edges":[{"tail":[0]}],"node":{"in_edges":[1,2]}}',
            1,
            fault("forest.cycle"),
        ),
    ],
)
def test_cdec(text: str, line: int, expected: dict[str, Any]) -> None:
    reader_refuses(read_cdec_json, text.split("\n"), line=line, **expected)


RULE = "7 pt -LZF- [X] ||| a ||| b [X,1] ||| 1.5"
SENTENCE = "#SENT: 0 1 1 1"
ITEM = "#I 1 0 1 X 1 ST nullstate"


@pytest.mark.parametrize(
    ("lines", "line", "expected"),
    [
        (["hello"], 1, fault("line.fields", argument="sentence")),
        ([SENTENCE], 1, fault("file.damaged")),
        (["#SENT: 0 1 999999999 1", ITEM, "0.0 0 0 X a"], 3, fault("file.damaged")),
        (["#SENT: 0 1 0 0"], 1, fault("forest.empty", value=0)),
        ([SENTENCE, "#I 1"], 2, fault("line.fields", argument="item")),
        (
            [SENTENCE, "#I 1 2 1 X 1 ST s"],
            2,
            fault("line.value", argument="span", value=(2, 1)),
        ),
        ([SENTENCE, ITEM], 2, fault("file.damaged")),
        ([SENTENCE, ITEM, "-1"], 3, fault("line.fields", argument="edge")),
        (
            [SENTENCE, ITEM, "-Infinity 0 7"],
            3,
            fault("line.number", argument="the best score", value="-Infinity"),
        ),
        ([SENTENCE, ITEM, "-1.0 2 1"], 3, fault("line.fields", argument="tails")),
        ([SENTENCE, ITEM, "-1.0 1 1 7"], 3, fault("line.order", argument="item", value=1)),
        ([SENTENCE, ITEM, "-1.0 0 8"], 3, fault("line.unknown", argument="rule", value=8)),
        ([SENTENCE, ITEM, "-1.0 0 7"], 3, fault("forest.slots", value=1)),
        ([SENTENCE, ITEM, "-1.0 0 0"], 3, fault("line.fields", argument="unknown word")),
        ([SENTENCE, ITEM, "-1.0 0 -1 x"], 3, fault("line.fields", argument="rule")),
        (["#SENT: 0 1 1 2", ITEM, "-1.0 0 -1"], 1, fault("file.mismatch", value=1)),
        (
            [SENTENCE, ITEM, "-1.0 0 -1", SENTENCE],
            4,
            fault("line.duplicate", argument="sentence", value=0),
        ),
    ],
)
def test_joshua_items(lines: list[str], line: int, expected: dict[str, Any]) -> None:
    reader_refuses(read_joshua_disk, lines, [RULE], line=line, **expected)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (
            "7 pt [X] ||| a ||| b |||",
            fault("line.fields", argument="rule", line=1, file="rules"),
        ),
        (
            RULE.replace("7", "0", 1),
            fault("line.number", argument="the rule's number", value="0", line=1, file="rules"),
        ),
        (
            RULE + "\n" + RULE,
            fault("line.duplicate", argument="rule", value=7, line=2, file="rules"),
        ),
        (
            RULE.replace("1.5", "nan"),
            fault("line.number", argument="a score", value="nan", line=1, file="rules"),
        ),
    ],
)
def test_joshua_rules(rule: str, expected: dict[str, Any]) -> None:
    with refuses(FormatError, **expected):
        list(read_joshua_disk([], rule.split("\n"), rules_file="rules"))


@pytest.mark.parametrize(
    ("lines", "line", "expected"),
    [
        ([], 1, fault("file.damaged")),
        (["# x", "3"], 2, fault("line.fields", argument="sizes")),
        (["0 0"], 1, fault("forest.empty")),
        (
            ["1 1", "x"],
            2,
            fault("line.number", argument="the number of edges of a node", value="x"),
        ),
        (["1 1", "1", "a"], 3, fault("line.fields", argument="edge")),
        (["1 1", "1", "[0] ||| f=1"], 3, fault("line.order", argument="tail", value=0)),
        (["1 1", "1", "a ||| f"], 3, fault("line.value", argument="feature", value="f")),
        (
            ["1 1", "1", "a ||| f=-inf"],
            3,
            fault("line.number", argument="feature 'f'", value="-inf"),
        ),
        (["1 1", "1", "a ||| =1"], 3, fault("line.value", argument="feature")),
        (
            ["1 1", "1", "a ||| ||| x"],
            3,
            fault("line.number", argument="the number of source words", value="x"),
        ),
        (["1 1", "2", "a |||"], 3, fault("file.damaged")),
        (["1 2", "1", "a |||"], 3, fault("file.mismatch", argument="edges", value=1)),
        (["1 1", "1", "a |||", "1"], 4, fault("line.value")),
        (["999999999 1", "1", "a |||"], 3, fault("file.damaged")),
    ],
)
def test_lazy_hypergraph(lines: list[str], line: int, expected: dict[str, Any]) -> None:
    reader_refuses(read_lazy_hypergraph, lines, line=line, **expected)


@pytest.mark.parametrize(
    ("lines", "line", "expected"),
    [
        (["1 1", "a |||"], 2, fault("line.order", argument="edge")),
        (
            ["1 1", "0", "a |||"],
            2,
            fault("line.number", argument="the number of a node", value="0"),
        ),
        (
            ["2 2", "2", "a |||", "1", "b |||"],
            4,
            fault("line.order", argument="node", value=1),
        ),
        (["2 1", "1", "a |||"], 3, fault("file.mismatch", argument="nodes", value=1)),
        (["1 0", "1"], 2, fault("forest.empty")),
    ],
)
def test_joshua_dump(lines: list[str], line: int, expected: dict[str, Any]) -> None:
    reader_refuses(read_joshua_dump, lines, line=line, **expected)
