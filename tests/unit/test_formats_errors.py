"""Bad input of every format: each is refused with its place and its own reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

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


def refuse(read: Callable[..., Any], *arguments: Any, line: int | None, reason: str) -> None:
    def read_all() -> None:
        found = read(*arguments, file="input")
        if not hasattr(found, "num_nodes"):
            list(found)

    with pytest.raises(FormatError) as caught:
        read_all()
    assert reason in caught.value.reason
    assert (caught.value.file, caught.value.line) == ("input", line)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "column 1: want '(' at the beginning of a lattice, not the end of the text"),
        ("hello", "column 1: want '(' at the beginning of a lattice, not 'hello'"),
        ("(" * 100000, "column 4: an arc begins with a quoted word, not '('"),
        ("((('a',1,1)", "column 12: want ')' or ',' after an arc, not the end of the text"),
        ("((('a',1,1)),) x", "column 16: there is more after the lattice: 'x'"),
        ("((('a',1,1),(", "column 14: an arc begins with a quoted word, not the end"),
        ("((('a,1,1),),)", "a quoted word has no end"),
        ("((('a'),),)", "column 8: the arc of 'a' has no distance"),
        ("((('a',0.5),),)", "the distance, the last part of an arc, is '0.5', want a whole number"),
        ("((('a',1,0),),)", "the distance, the last part of an arc, is '0', want a whole number"),
        ("((('a',1," + "9" * 9999 + "),),)", "the distance, the last part of an arc, is '9999"),
        ("((('a',1,2),),)", "an arc of state 0 leads to state 2, but the last one is 1"),
        ("((('a',nan,1),),)", "a score is 'nan', want a finite number"),
        ("((('a',1e999,1),),)", "a score is '1e999', which is too large"),
        ("((('a',1_0,1),),)", "a score is '1_0', want a finite number"),
        ("((('a',1,1),('b',1,2,1)),)", "an arc has 2 scores, want 1"),
        ("((('a\\n',1,1),),)", "a backslash stands before 'n'"),
        ("((('',1,1),),)", "an arc has an empty word; one that says nothing is '*EPS*'"),
        ("((('a',{'f':1,'f':2},1),),)", "feature 'f' stands twice"),
        ("((('a',{'f' 1},1),),)", "want ':' after the name of a feature, not '1'"),
        ("((('a',{f:1},1),),)", "want the quoted name of a feature, not 'f:1'"),
        ("((('a',f=1,2,1),),)", "the score '2' stands after features with names"),
        ("((('a',__import__('os'),1),),)", "want ',' between the parts of an arc, not '('"),
        ("((),)", "there is no path from the start to the end"),
    ],
)
def test_plf(text: str, reason: str) -> None:
    refuse(read_plf, text, line=1, reason=reason)


def test_plf_places() -> None:
    refuse(read_plf, "(\n(\n('a',x,1),),)", line=3, reason="column 10: a score is 'x'")
    refuse(read_plf_file, ["()", ""], line=2, reason="the line is empty; a lattice without words")
    refuse(read_plf_file, ["()", "(("], line=2, reason="column 3: want '('")


FIRST = "0 hyp=0 stack=0"


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        (["x hyp=0"], 1, "the sentence's number, the first field, is 'x'"),
        (["0 [X -> [1]"], 1, "want name=value, not '[X -> [1]'"),
        ([FIRST, "0 stack=1"], 2, "the line has no hyp="),
        ([FIRST, FIRST], 2, "hypothesis 0 stands twice"),
        ([FIRST, "0 hyp=1 hyp=1"], 2, "hyp= stands twice"),
        ([FIRST, "0 hyp=1 out=a"], 2, "hypothesis 1 has no back=; only the first one"),
        ([FIRST, "0 hyp=1 back=0 transition=-1 out=a"], 2, "hypothesis 1 has no forward="),
        ([FIRST, "0 hyp=1 back=0 forward=-1 out=a"], 2, "hypothesis 1 has no transition="),
        ([FIRST, "0 hyp=1 back=0 transition=nan forward=-1 out=a"], 2, "transition= is 'nan'"),
        ([FIRST, "0 hyp=1 back=0 score=inf forward=-1 out=a"], 2, "score= is 'inf'"),
        ([FIRST, "0 hyp=1 covered=3 out=a"], 2, "covered= is '3', want first-last"),
        ([FIRST, "0 hyp=1 weather=fine out=a"], 2, "weather= is no field of a search graph"),
        ([FIRST, '0 hyp=1 scores="core=(1) out=a'], 2, 'scores=" has no closing "'),
        (
            [FIRST, '0 hyp=1 back=0 transition=1 forward=-1 scores="1 2" out="a|b"'],
            2,
            'scores= is \'"1 2"\', want "core=(…) …" or [ name: … ]',
        ),
        (
            [FIRST, '0 hyp=1 back=0 transition=1 forward=-1 scores="core=(1,x)" out="a|b"'],
            2,
            "a score in core=(…) is 'x'",
        ),
        (
            [FIRST, '0 hyp=1 back=0 transition=1 forward=-1 scores="core=()" out="a|b|c|d"'],
            2,
            "words with several factors are not read",
        ),
        (
            [FIRST, "0 hyp=1 back=7 transition=1 forward=-1 out=a"],
            2,
            "hypothesis 1 has back=7, which is not in the graph",
        ),
        (
            [FIRST, "0 hyp=1 back=0 transition=1 recombined=8 forward=-1 out=a"],
            2,
            "hypothesis 1 is recombined with 8, which is not in the graph",
        ),
        (
            [FIRST, "0 hyp=1 back=0 transition=1 recombined=1 forward=-1 out=a"],
            2,
            "hypothesis 1 is recombined with 1, and so with itself",
        ),
        (
            [
                FIRST,
                "0 hyp=1 back=0 transition=1 forward=2 out=a",
                "0 hyp=2 back=1 transition=1 forward=-1 out=a",
                "0 hyp=3 back=2 transition=1 recombined=1 forward=2 out=a",
            ],
            4,
            "there is a cycle: hypothesis 1 -> 2 -> 1",
        ),
        ([FIRST, "1 hyp=0", "0 hyp=1"], 1, "there is no path from hyp=0"),
        (["0 _EMPTYSEARCHGRAPH_", FIRST], 2, "has hypotheses and is marked as empty"),
        (["0 _EMPTYSEARCHGRAPH_", "1 _EMPTYSEARCHGRAPH_", FIRST], 3, "sentence 0 goes on after"),
    ],
)
def test_moses(lines: list[str], line: int, reason: str) -> None:
    refuse(read_moses_graphs, lines, line=line, reason=reason)


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        ([], None, "the lattice does not tell the numbers of its nodes, N=, and links, L="),
        (["I=0"], 1, "the header does not tell the numbers of nodes, N=, and links, L="),
        (["N=2 L=1", "hello"], 2, "want name=value, not 'hello'"),
        (["N=2 L=1", "N=3"], 2, "the number of nodes stands twice"),
        (["base=1", "N=2 L=1", "J=0 S=0 E=1"], 3, "base= is 1, which is the base of no logarithm"),
        (["base=x", "N=2 L=1", "J=0 S=0 E=1"], 3, "base= is 'x', want a finite number"),
        (["SUBLAT=a"], 1, "sub-lattices are not read"),
        (["."], 1, "sub-lattices are not read"),
        (["dir=b"], 1, "dir= is 'b'; only forward lattices"),
        (["N=2 L=1", "J=0 S=0 E=2"], 2, "E= is '2', want a whole number from 0 to 1"),
        (["N=2 L=1", "J=0 S=0"], 2, "link 0 has no E="),
        (["N=2 L=2", "J=0 S=0 E=1", "J=0 S=0 E=1"], 3, "link 0 stands twice"),
        (["N=2 L=2", "I=0", "I=0"], 3, "node 0 stands twice"),
        (["N=2 L=2", "J=0 S=0 E=1"], 2, "there are 1 links, the header tells 2"),
        (["N=2 L=1", "I=0", "J=0 S=0 E=1"], 3, "there are 1 nodes, the header tells 2"),
        (["N=2 L=1", "J=0 S=0 E=1 a=-1 a=-1"], 2, "a= stands twice"),
        (["N=2 L=1", "J=0 S=0 E=1 a=-1e999"], 2, "a= is '-1e999', which is too large"),
        (["N=2 L=1", "J=0 S=0 E=1 W=\\377"], 2, "the bytes of '\\\\377' are not UTF-8"),
        (["N=2 L=1", 'J=0 S=0 E=1 W=""'], 2, "W= is empty"),
        (["N=2 L=1", "J=0 S=0 E=1", "U=late"], 3, "U= stands after the header"),
        (
            ["base=0", "N=2 L=1", "J=0 S=0 E=1 a=-1"],
            3,
            "a= is -1; with base=0 it is a likelihood, above zero",
        ),
        (
            ["N=2 L=1", "I=0", "I=1 W=a", "J=0 S=0 E=1 W=b"],
            4,
            "link 0 and node 1, where it leads, both have a word",
        ),
        (
            ["N=3 L=2", "J=0 S=0 E=2", "J=1 S=1 E=2"],
            3,
            "the header has no start=, and 2 nodes can be the start: 0, 1",
        ),
        (
            ["N=4 L=4 start=0", "J=0 S=0 E=1", "J=1 S=1 E=2", "J=2 S=2 E=1", "J=3 S=2 E=3"],
            4,
            "there is a cycle: node 1 -> 2 -> 1",
        ),
    ],
)
def test_htk(lines: list[str], line: int | None, reason: str) -> None:
    refuse(read_htk, lines, line=line, reason=reason)


A = '"edges":[{"rule":"[X] ||| a ||| a"}],"node":{"in_edges":[0]}'


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 1, "want '{' at the beginning, not the end of the text"),
        ("[]", 1, "want '{' at the beginning, not '['"),
        ("{}", 1, "the hypergraph has no nodes"),
        ("{" + A, 1, "want ',' or '}' after a value, not the end of the text"),
        ("{" + A + "} {", 1, "there is more after the hypergraph"),
        ('{\n"rules": [1,\n x]}', 3, "it is not JSON: Expecting value at column 2"),
        ('{"rules":' + "[" * 200000, 1, "it is not JSON: nested too deeply"),
        ('{"rules":[NaN]}', 1, "there is a number NaN"),
        ('{"rules":' + "9" * 9999 + "}", 1, "it is not JSON: Exceeds the limit"),
        ('{"rules":[1]}', 1, '"rules" has 1 items, want pairs'),
        ('{"rules":[1,"[X] ||| a"]}', 1, "the rule '[X] ||| a' has no target side"),
        ('{"rules":[1,"a ||| b ||| c",1,"a ||| b ||| c"]}', 1, "rule 1 stands twice"),
        ('{"features":[1]}', 1, "a feature is 1, want a string"),
        ('{"features":["\\ud800"]}', 1, "a feature has half of a surrogate pair"),
        ('{"weather":1}', 1, "'weather' is no part of a hypergraph"),
        ('{"edges":[{"a":1,"a":2}]}', 1, 'a key stands twice in ["a", "a"]'),
        ('{"edges":[{"tail":[-1]}]}', 1, "edge 0: tail has -1, want whole numbers below"),
        ('{"edges":[{"rule":7}]}', 1, "edge 0: there is no rule 7"),
        ('{"edges":[{"feats":[0,1]}]}', 1, "edge 0: it has feature 0, but there are 0"),
        ('{"edges":[{"feats":["f","x"]}]}', 1, "edge 0: feature 'f' is \"x\", want a number"),
        ('{"edges":[{"feats":["f",1e999]}]}', 1, "edge 0: feature 'f' is too large"),
        ('{"edges":[{"feats":["f",1,"f",1]}]}', 1, "edge 0: feature 'f' stands twice"),
        (
            '{"edges":[{"tail":[0],"rule":"[X] ||| a ||| [2]"}]}',
            1,
            "edge 0: rule of the edge has [2], but its edge has 1 tails",
        ),
        (
            "{" + A + ',\n"node":{"in_edges":[1]}}',
            2,
            "in_edges of node 1 has 1, want whole numbers",
        ),
        ("{" + A + ',\n"node":{"in_edges":[0]}}', 2, "edge 0 stands twice in in_edges"),
        (
            "{" + A + ',\n"edges":[{"rule":"[X] ||| a ||| a"}]}',
            2,
            "edge 1 is in no node's in_edges",
        ),
        ("{" + A + ',"edges":[{}],"node":{"in_edges":[1]}}', 1, "some edges have a rule, and some"),
        (
            '{"edges":[{"tail":[5]}],"node":{"in_edges":[0]}}',
            1,
            "edge 0 has tail 5, which is no node",
        ),
        (
            '{"edges":[{},{"tail":[1]}],"node":{"in_edges":[0]},'
            '"edges":[{"tail":[0]}],"node":{"in_edges":[1,2]}}',
            1,
            "there is a cycle: node 1 -> 1",
        ),
    ],
)
def test_cdec(text: str, line: int, reason: str) -> None:
    refuse(read_cdec_json, text.split("\n"), line=line, reason=reason)


RULE = "7 pt -LZF- [X] ||| a ||| b [X,1] ||| 1.5"
SENTENCE = "#SENT: 0 1 1 1"
ITEM = "#I 1 0 1 X 1 ST nullstate"


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        (["hello"], 1, "want `#SENT: number length items edges`, not 'hello'"),
        ([SENTENCE], 1, "the file ends where an item should be"),
        (["#SENT: 0 1 999999999 1", ITEM, "0.0 0 0 X a"], 3, "the file ends where an item"),
        (["#SENT: 0 1 0 0"], 1, "sentence 0 has no items"),
        ([SENTENCE, "#I 1"], 2, "want `#I item begin end category edges ST state`, not '#I 1'"),
        ([SENTENCE, "#I 1 2 1 X 1 ST s"], 2, "the item covers source words 2 to 1"),
        ([SENTENCE, ITEM], 2, "the file ends where an edge of item 1 should be"),
        ([SENTENCE, ITEM, "-1"], 3, "want `score tails… rule`, not '-1'"),
        ([SENTENCE, ITEM, "-Infinity 0 7"], 3, "the best score is '-Infinity'"),
        ([SENTENCE, ITEM, "-1.0 2 1"], 3, "the edge tells of 2 tails and a rule, and has fewer"),
        ([SENTENCE, ITEM, "-1.0 1 1 7"], 3, "item 1 is a tail of item 1 and not before it"),
        ([SENTENCE, ITEM, "-1.0 0 8"], 3, "rule 8 is not in the file of rules"),
        ([SENTENCE, ITEM, "-1.0 0 7"], 3, "rule 7 has [1], but its edge has 0 tails"),
        ([SENTENCE, ITEM, "-1.0 0 0"], 3, "rule 0 is an unknown word"),
        ([SENTENCE, ITEM, "-1.0 0 -1 x"], 3, "there is more after the rule: 'x'"),
        (["#SENT: 0 1 1 2", ITEM, "-1.0 0 -1"], 1, "sentence 0 has 1 edges, its line tells 2"),
        ([SENTENCE, ITEM, "-1.0 0 -1", SENTENCE], 4, "sentence 0 stands twice"),
    ],
)
def test_joshua_items(lines: list[str], line: int, reason: str) -> None:
    refuse(read_joshua_disk, lines, [RULE], line=line, reason=reason)


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("7 pt [X] ||| a ||| b |||", "a rule is `number owner -LZF- category"),
        (RULE.replace("7", "0", 1), "the rule's number is '0'"),
        (RULE + "\n" + RULE, "rule 7 stands twice"),
        (RULE.replace("1.5", "nan"), "a score is 'nan'"),
    ],
)
def test_joshua_rules(rule: str, reason: str) -> None:
    with pytest.raises(FormatError, match=re.escape(reason)) as caught:
        list(read_joshua_disk([], rule.split("\n"), rules_file="rules"))
    assert caught.value.file == "rules"


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        ([], 1, "the file ends where the numbers of nodes and edges should be"),
        (["# x", "3"], 2, "want the numbers of nodes and edges, not '3'"),
        (["0 0"], 1, "the hypergraph has no nodes"),
        (["1 1", "x"], 2, "the number of edges of a node is 'x'"),
        (["1 1", "1", "a"], 3, "an edge is `words ||| features`, not 'a'"),
        (["1 1", "1", "[0] ||| f=1"], 3, "an edge of node 0 uses node 0, not before it"),
        (["1 1", "1", "a ||| f"], 3, "a feature is name=value, not 'f'"),
        (["1 1", "1", "a ||| f=-inf"], 3, "feature 'f' is '-inf', want a finite number"),
        (["1 1", "1", "a ||| =1"], 3, "a feature has no name"),
        (["1 1", "1", "a ||| ||| x"], 3, "the number of source words is 'x'"),
        (["1 1", "2", "a |||"], 3, "the file ends where an edge of node 0 should be"),
        (["1 2", "1", "a |||"], 3, "there are 1 edges, the sizes tell 2"),
        (["1 1", "1", "a |||", "1"], 4, "there is more after the last node"),
        (["999999999 1", "1", "a |||"], 3, "the file ends where node 1 should be"),
    ],
)
def test_lazy_hypergraph(lines: list[str], line: int, reason: str) -> None:
    refuse(read_lazy_hypergraph, lines, line=line, reason=reason)


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        (["1 1", "a |||"], 2, "an edge stands before the first node"),
        (["1 1", "0", "a |||"], 2, "the number of a node is '0'"),
        (["2 2", "2", "a |||", "1", "b |||"], 4, "node 1 stands after node 2"),
        (["2 1", "1", "a |||"], 3, "there are 1 nodes, the second line tells 2"),
        (["1 0", "1"], 2, "there is no derivation of the goal"),
    ],
)
def test_joshua_dump(lines: list[str], line: int, reason: str) -> None:
    refuse(read_joshua_dump, lines, line=line, reason=reason)
