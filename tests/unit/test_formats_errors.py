"""Bad input of every format: each is refused with its place and its own reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.refusals import fault, refuses

from rosewood.errors import FormatError
from rosewood.forest.formats import (
    read_cdec_json,
    read_htk,
    read_joshua_disk,
    read_joshua_dump,
    read_lazy_hypergraph,
    read_moses_graphs,
    read_plf,
    read_plf_file,
)


def refuse(read: Callable[..., Any], *arguments: Any, line: int | None, **expected: Any) -> None:
    def read_all() -> None:
        found = read(*arguments, file="input")
        if not hasattr(found, "num_nodes"):
            list(found)

    with refuses(FormatError, line=line, file="input", **expected):
        read_all()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", fault("line.value")),
        ("hello", fault("line.value")),
        ("(" * 100000, fault("line.value", argument="word")),
        ("((('a',1,1)", fault("line.value")),
        ("((('a',1,1)),) x", fault("line.value", argument="lattice")),
        ("((('a',1,1),(", fault("line.value", argument="word")),
        ("((('a,1,1),),)", fault("line.value", argument="word")),
        ("((('a'),),)", fault("line.fields", argument="distance", value="a")),
        (
            "((('a',0.5),),)",
            fault("line.number", argument="the distance, the last part of an arc,", value="0.5"),
        ),
        (
            "((('a',1,0),),)",
            fault("line.number", argument="the distance, the last part of an arc,", value="0"),
        ),
        (
            "((('a',1," + "9" * 9999 + "),),)",
            fault("line.number", argument="the distance, the last part of an arc,"),
        ),
        ("((('a',1,2),),)", fault("line.value", argument="distance", value=2)),
        ("((('a',nan,1),),)", fault("line.number", argument="a score", value="nan")),
        ("((('a',1e999,1),),)", fault("line.number", argument="a score", value="1e999")),
        ("((('a',1_0,1),),)", fault("line.number", argument="a score", value="1_0")),
        ("((('a',1,1),('b',1,2,1)),)", fault("line.fields", argument="scores", value=2)),
        ("((('a\\n',1,1),),)", fault("line.value", argument="escape", value="n")),
        ("((('',1,1),),)", fault("line.value", argument="word", value="")),
        (
            "((('a',{'f':1,'f':2},1),),)",
            fault("line.duplicate", argument="feature", value="f"),
        ),
        ("((('a',{'f' 1},1),),)", fault("line.value")),
        ("((('a',{f:1},1),),)", fault("line.value", argument="feature")),
        ("((('a',f=1,2,1),),)", fault("line.order", argument="scores", value="2")),
        ("((('a',__import__('os'),1),),)", fault("line.value")),
        ("((),)", fault("forest.empty")),
    ],
)
def test_plf(text: str, expected: dict[str, Any]) -> None:
    refuse(read_plf, text, line=1, **expected)


def test_plf_places() -> None:
    refuse(
        read_plf,
        "(\n(\n('a',x,1),),)",
        line=3,
        **fault("line.number", argument="a score", value="x"),
    )
    refuse(read_plf_file, ["()", ""], line=2, **fault("line.value", argument="lattice"))
    refuse(read_plf_file, ["()", "(("], line=2, **fault("line.value"))


FIRST = "0 hyp=0 stack=0"


@pytest.mark.parametrize(
    ("lines", "line", "expected"),
    [
        (
            ["x hyp=0"],
            1,
            fault("line.number", argument="the sentence's number, the first field,", value="x"),
        ),
        (["0 [X -> [1]"], 1, fault("line.value")),
        ([FIRST, "0 stack=1"], 2, fault("line.fields", argument="hyp")),
        ([FIRST, FIRST], 2, fault("line.duplicate", argument="hyp", value=0)),
        ([FIRST, "0 hyp=1 hyp=1"], 2, fault("line.duplicate", argument="hyp=")),
        ([FIRST, "0 hyp=1 out=a"], 2, fault("line.fields", argument="back", value=1)),
        (
            [FIRST, "0 hyp=1 back=0 transition=-1 out=a"],
            2,
            fault("line.fields", argument="forward", value=1),
        ),
        (
            [FIRST, "0 hyp=1 back=0 forward=-1 out=a"],
            2,
            fault("line.fields", argument="transition", value=1),
        ),
        (
            [FIRST, "0 hyp=1 back=0 transition=nan forward=-1 out=a"],
            2,
            fault("line.number", argument="transition=", value="nan"),
        ),
        (
            [FIRST, "0 hyp=1 back=0 score=inf forward=-1 out=a"],
            2,
            fault("line.number", argument="score=", value="inf"),
        ),
        (
            [FIRST, "0 hyp=1 covered=3 out=a"],
            2,
            fault("line.value", argument="covered", value="3"),
        ),
        ([FIRST, "0 hyp=1 weather=fine out=a"], 2, fault("line.unknown", argument="weather")),
        (
            [FIRST, '0 hyp=1 scores="core=(1) out=a'],
            2,
            fault("line.value", argument="scores"),
        ),
        (
            [FIRST, '0 hyp=1 back=0 transition=1 forward=-1 scores="1 2" out="a|b"'],
            2,
            fault("line.value", argument="scores", value='"1 2"'),
        ),
        (
            [FIRST, '0 hyp=1 back=0 transition=1 forward=-1 scores="core=(1,x)" out="a|b"'],
            2,
            fault("line.number", argument="a score in core=(…)", value="x"),
        ),
        (
            [FIRST, '0 hyp=1 back=0 transition=1 forward=-1 scores="core=()" out="a|b|c|d"'],
            2,
            fault("line.value", argument="out", value="a|b|c|d"),
        ),
        (
            [FIRST, "0 hyp=1 back=7 transition=1 forward=-1 out=a"],
            2,
            fault("line.unknown", argument="back", value=7),
        ),
        (
            [FIRST, "0 hyp=1 back=0 transition=1 recombined=8 forward=-1 out=a"],
            2,
            fault("line.unknown", argument="recombined"),
        ),
        (
            [FIRST, "0 hyp=1 back=0 transition=1 recombined=1 forward=-1 out=a"],
            2,
            fault("line.unknown", argument="recombined"),
        ),
        (
            [
                FIRST,
                "0 hyp=1 back=0 transition=1 forward=2 out=a",
                "0 hyp=2 back=1 transition=1 forward=-1 out=a",
                "0 hyp=3 back=2 transition=1 recombined=1 forward=2 out=a",
            ],
            4,
            fault("forest.cycle"),
        ),
        ([FIRST, "1 hyp=0", "0 hyp=1"], 1, fault("forest.empty")),
        (
            ["0 _EMPTYSEARCHGRAPH_", FIRST],
            2,
            fault("line.value", argument="sentence", value=0),
        ),
        (
            ["0 _EMPTYSEARCHGRAPH_", "1 _EMPTYSEARCHGRAPH_", FIRST],
            3,
            fault("line.order", argument="sentence", value=0),
        ),
    ],
)
def test_moses(lines: list[str], line: int, expected: dict[str, Any]) -> None:
    refuse(read_moses_graphs, lines, line=line, **expected)


@pytest.mark.parametrize(
    ("lines", "line", "expected"),
    [
        ([], None, fault("line.fields", argument="N, L")),
        (["I=0"], 1, fault("line.fields", argument="N, L")),
        (["N=2 L=1", "hello"], 2, fault("line.value")),
        (["N=2 L=1", "N=3"], 2, fault("line.duplicate", argument="the number of nodes")),
        (
            ["base=1", "N=2 L=1", "J=0 S=0 E=1"],
            3,
            fault("line.value", argument="base", value=1.0),
        ),
        (
            ["base=x", "N=2 L=1", "J=0 S=0 E=1"],
            3,
            fault("line.number", argument="base=", value="x"),
        ),
        (["SUBLAT=a"], 1, fault("file.kind", argument="SUBLAT")),
        (["."], 1, fault("file.kind", argument=".")),
        (["dir=b"], 1, fault("line.value", argument="dir", value="b")),
        (["N=2 L=1", "J=0 S=0 E=2"], 2, fault("line.number", argument="E=", value="2")),
        (["N=2 L=1", "J=0 S=0"], 2, fault("line.fields", argument="E", value=0)),
        (
            ["N=2 L=2", "J=0 S=0 E=1", "J=0 S=0 E=1"],
            3,
            fault("line.duplicate", argument="link", value=0),
        ),
        (["N=2 L=2", "I=0", "I=0"], 3, fault("line.duplicate", argument="node", value=0)),
        (["N=2 L=2", "J=0 S=0 E=1"], 2, fault("file.mismatch", argument="links", value=1)),
        (
            ["N=2 L=1", "I=0", "J=0 S=0 E=1"],
            3,
            fault("file.mismatch", argument="nodes", value=1),
        ),
        (["N=2 L=1", "J=0 S=0 E=1 a=-1 a=-1"], 2, fault("line.duplicate", argument="a=")),
        (
            ["N=2 L=1", "J=0 S=0 E=1 a=-1e999"],
            2,
            fault("line.number", argument="a=", value="-1e999"),
        ),
        (["N=2 L=1", "J=0 S=0 E=1 W=\\377"], 2, fault("file.encoding", value="\\377")),
        (["N=2 L=1", 'J=0 S=0 E=1 W=""'], 2, fault("line.value", argument="W")),
        (["N=2 L=1", "J=0 S=0 E=1", "U=late"], 3, fault("line.order", argument="U")),
        (
            ["base=0", "N=2 L=1", "J=0 S=0 E=1 a=-1"],
            3,
            fault("line.value", argument="a", value=-1.0),
        ),
        (
            ["N=2 L=1", "I=0", "I=1 W=a", "J=0 S=0 E=1 W=b"],
            4,
            fault("line.value", argument="W"),
        ),
        (
            ["N=3 L=2", "J=0 S=0 E=2", "J=1 S=1 E=2"],
            3,
            fault("line.fields", argument="start", value=2),
        ),
        (
            ["N=4 L=4 start=0", "J=0 S=0 E=1", "J=1 S=1 E=2", "J=2 S=2 E=1", "J=3 S=2 E=3"],
            4,
            fault("forest.cycle"),
        ),
    ],
)
def test_htk(lines: list[str], line: int | None, expected: dict[str, Any]) -> None:
    refuse(read_htk, lines, line=line, **expected)


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
    refuse(read_cdec_json, text.split("\n"), line=line, **expected)


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
    refuse(read_joshua_disk, lines, [RULE], line=line, **expected)


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
    refuse(read_lazy_hypergraph, lines, line=line, **expected)


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
    refuse(read_joshua_dump, lines, line=line, **expected)
