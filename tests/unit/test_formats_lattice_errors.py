"""Bad lattices of every format: each is refused with its place and its own reason."""

from __future__ import annotations

from typing import Any

import pytest
from tests.refusals import fault, reader_refuses

from rosewood.forest.formats import read_htk, read_moses_graphs, read_plf, read_plf_file


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
    reader_refuses(read_plf, text, line=1, **expected)


def test_plf_places() -> None:
    reader_refuses(
        read_plf,
        "(\n(\n('a',x,1),),)",
        line=3,
        **fault("line.number", argument="a score", value="x"),
    )
    reader_refuses(read_plf_file, ["()", ""], line=2, **fault("line.value", argument="lattice"))
    reader_refuses(read_plf_file, ["()", "(("], line=2, **fault("line.value"))


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
    reader_refuses(read_moses_graphs, lines, line=line, **expected)


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
    reader_refuses(read_htk, lines, line=line, **expected)
