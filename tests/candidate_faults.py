"""Faults in files of candidates: JSON lines, Moses n-best lists and tables."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from tests.refusals import fault

GOOD = b'{"id": "a", "refs": ["r"], "hyps": [{"text": "x", "features": {"lm": 1, "tm": 2}}]}\n'


def line(id: str = '"b"', refs: str = '["r"]', features: str = '{"lm": 1, "tm": 2}') -> bytes:
    """A line of JSON with something in it changed."""
    hyps = f'[{{"text": "x", "features": {features}}}]'
    return f'{{"id": {id}, "refs": {refs}, "hyps": {hyps}}}\n'.encode()


class Kind(NamedTuple):
    """A kind of bad input: its files, the first one the candidates, and what must be told."""

    name: str
    files: dict[str, bytes]
    line: int | None
    expected: str
    options: Mapping[str, Any] = MappingProxyType({})
    file: str | None = None  # the one to blame, if it is not the first
    always: bool = False  # whether it stops even where bad lists are skipped


def jsonl(name: str, second: bytes, expected: str, *, line: int = 2) -> Kind:
    return Kind(name, {"in.jsonl": GOOD + second}, line, expected)


def moses(name: str, text: str, line: int, expected: str) -> Kind:
    return Kind(name, {"in.nbest": text.encode()}, line, expected)


def tsv(name: str, text: str, line: int, expected: str, *, always: bool = False) -> Kind:
    return Kind(name, {"in.tsv": text.encode()}, line, expected, always=always)


HEAD = "id\ttext\tref\tlm\trule:1\tscore:c\n"
ROW = "a\tx\tr\t1\t\t0.5\n"
TWO = "0 ||| a ||| lm= 1 tm= 2 3 ||| 4\n"

JSON_LINES = [
    jsonl("empty line", b"\n", fault("line.empty")),
    jsonl("line of blanks", b" \t \n", fault("line.empty")),
    jsonl("no JSON", b"{id: 1}\n", fault("line.format")),
    jsonl("cut off", line()[:40] + b"\n", fault("line.format")),
    jsonl("two objects on a line", line().strip() + line(), fault("line.fields")),
    jsonl("an array", b"[1, 2]\n", fault("line.value", argument="a list")),
    jsonl("a string", b'"x"\n', fault("line.value", argument="a list", value="x")),
    jsonl("too deep", b'{"id": ' + b"[" * 200_000 + b"\n", fault("line.depth")),
    jsonl("NaN", line(features='{"lm": NaN, "tm": 2}'), fault("line.number", value="NaN")),
    jsonl(
        "Infinity",
        line(features='{"lm": 1, "tm": -Infinity}'),
        fault("line.number", value="-Infinity"),
    ),
    jsonl(
        "too large", line(features='{"lm": 1e999, "tm": 2}'), fault("line.number", argument="lm")
    ),
    jsonl(
        "too large and whole",
        line(features=f'{{"lm": 1{"0" * 400}, "tm": 2}}'),
        fault(
            "line.number",
            argument="lm",
            value=10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000,
        ),
    ),
    jsonl(
        "thousands of digits",
        line(features=f'{{"lm": 1{"0" * 9999}, "tm": 2}}'),
        fault("line.number"),
    ),
    jsonl(
        "a string for a number",
        line(features='{"lm": "1", "tm": 2}'),
        fault("line.number", argument="lm", value="1"),
    ),
    jsonl(
        "a truth value for a number",
        line(features='{"lm": true, "tm": 2}'),
        fault("line.number", argument="lm", value=True),
    ),
    jsonl(
        "null for a number",
        line(features='{"lm": null, "tm": 2}'),
        fault("line.number", argument="lm"),
    ),
    jsonl(
        "a list for a number",
        line(features='{"lm": [1], "tm": 2}'),
        fault("line.number", argument="lm"),
    ),
    jsonl(
        "missing feature",
        line(features='{"lm": 1}'),
        fault("line.fields", argument="feature", value="tm"),
    ),
    jsonl(
        "unknown feature",
        line(features='{"lm": 1, "tm": 2, "x": 3}'),
        fault("line.unknown", argument="feature", value="x"),
    ),
    jsonl(
        "unknown score",
        b'{"id": 1, "refs": ["r"], "hyps": [{"text": "", "features": '
        b'{"lm": 1, "tm": 2}, "scores": {"c": 1}}]}\n',
        fault("line.unknown", argument="score", value="c"),
    ),
    jsonl(
        "sparse NaN",
        line(features='{"lm": 1, "tm": 2, "r:1": "x"}'),
        fault("line.number", argument="r:1", value="x"),
    ),
    jsonl(
        "features that are a list",
        line(features="[1, 2]"),
        fault("line.value", argument='candidate 1: "features"'),
    ),
    jsonl(
        "duplicate key",
        b'{"id": 1, "id": 2, "hyps": []}\n',
        fault("line.duplicate", argument="key", value="id"),
    ),
    jsonl(
        "duplicate feature",
        line(features='{"lm": 1, "lm": 2}'),
        fault("line.duplicate", argument="key", value="lm"),
    ),
    jsonl("duplicate id", line('"a"'), fault("line.duplicate", argument="id", value="a")),
    jsonl("no id", b'{"hyps": [{"text": ""}]}\n', fault("line.fields", argument="id")),
    jsonl("empty id", line('""'), fault("line.value", argument='"id"', value="")),
    jsonl("id is a fraction", line("1.5"), fault("line.value", argument='"id"', value=1.5)),
    jsonl("id is true", line("true"), fault("line.value", argument='"id"', value=True)),
    jsonl("no hyps", b'{"id": "b", "refs": ["r"]}\n', fault("line.fields", argument="hyps")),
    jsonl("empty hyps", b'{"id": "b", "refs": ["r"], "hyps": []}\n', fault("line.empty")),
    jsonl(
        "hyps is an object", b'{"id": "b", "hyps": {}}\n', fault("line.value", argument='"hyps"')
    ),
    jsonl(
        "hyp is a string",
        b'{"id": "b", "hyps": ["x"]}\n',
        fault("line.value", argument="candidate 1", value="x"),
    ),
    jsonl(
        "no text",
        b'{"id": "b", "hyps": [{"features": {}}]}\n',
        fault("line.fields", argument="text", value=1),
    ),
    jsonl(
        "text is null",
        b'{"id": "b", "hyps": [{"text": null}]}\n',
        fault("line.value", argument='candidate 1: "text"'),
    ),
    jsonl(
        "too few references", line(refs="[]"), fault("line.fields", argument="references", value=0)
    ),
    jsonl(
        "too many references",
        line(refs='["r", "s"]'),
        fault("line.fields", argument="references", value=2),
    ),
    jsonl(
        "references in a string",
        line(refs='"r"'),
        fault("line.value", argument='"refs"', value="r"),
    ),
    jsonl(
        "a number for a reference",
        line(refs="[1]"),
        fault("line.value", argument="a reference", value=1),
    ),
    jsonl(
        "src is a list",
        b'{"id": 1, "src": ["x"], "hyps": []}\n',
        fault("line.value", argument='"src"'),
    ),
    jsonl("half of a surrogate pair", line(refs='["\\ud800"]'), fault("file.encoding")),
    jsonl("no UTF-8", line('"\xff"').replace(b"\xc3\xbf", b"\xff"), fault("file.encoding")),
    Kind("UTF-16", {"in.jsonl": GOOD.decode().encode("utf-16")}, 1, fault("file.encoding")),
    Kind(
        "a feature without a name",
        {"in.jsonl": line(features='{"": 1}')},
        1,
        fault("line.value", argument="feature"),
    ),
]

MOSES = [
    moses("empty row", TWO + "\n", 2, fault("line.empty")),
    moses("two fields", TWO + "0 ||| a\n", 2, fault("line.fields", value=2)),
    moses(
        "id is a word",
        TWO + "x ||| a ||| lm= 1\n",
        2,
        fault("line.number", argument="the id, the first field,", value="x"),
    ),
    moses(
        "negative id",
        TWO + "-1 ||| a ||| lm= 1\n",
        2,
        fault("line.number", argument="the id, the first field,", value="-1"),
    ),
    moses(
        "id comes back",
        TWO + TWO.replace("0", "1") + TWO,
        3,
        fault("line.duplicate", argument="id", value="0"),
    ),
    moses(
        "nan",
        TWO + "0 ||| a ||| lm= nan tm= 2 3 ||| 4\n",
        2,
        fault("line.number", argument="feature 'lm_0'", value="nan"),
    ),
    moses(
        "no number",
        "0 ||| a ||| lm= x ||| 4\n",
        1,
        fault("line.number", argument="feature 'lm_0'", value="x"),
    ),
    moses(
        "name without a value",
        TWO + "0 ||| a ||| lm= tm= 2 3 ||| 4\n",
        2,
        fault("line.value", argument="lm"),
    ),
    moses(
        "last name without a value",
        TWO + "0 ||| a ||| lm= 1 tm= ||| 4\n",
        2,
        fault("line.value", argument="tm"),
    ),
    moses(
        "value without a name",
        "0 ||| a ||| 1 lm= 2\n",
        1,
        fault("line.value", argument="feature", value="1"),
    ),
    moses(
        "value behind a pair",
        "0 ||| a ||| lm=1 2\n",
        1,
        fault("line.value", argument="feature", value="2"),
    ),
    moses(
        "sparse feature twice",
        "0 ||| a ||| r:1= 1 r:1= 2\n",
        1,
        fault("line.duplicate", argument="feature", value="r:1"),
    ),
    moses("a pair without a name", "0 ||| a ||| =1\n", 1, fault("line.value", argument="feature")),
    moses(
        "fewer values",
        TWO + "0 ||| a ||| lm= 1 tm= 2 ||| 4\n",
        2,
        fault("line.fields", argument="feature", value="tm_1"),
    ),
    moses(
        "more values",
        TWO + "1 ||| a ||| lm= 1 5 tm= 2 3 ||| 4\n",
        2,
        fault("line.unknown", argument="feature", value="lm_1"),
    ),
    moses(
        "bad total",
        TWO + "0 ||| a ||| lm= 1 tm= 2 3 ||| -inf\n",
        2,
        fault("line.number", argument="the score, behind the features,", value="-inf"),
    ),
    moses(
        "no total",
        TWO + "0 ||| a ||| lm= 1 tm= 2 3\n",
        2,
        fault("line.fields", argument="score", value="model"),
    ),
    Kind(
        "n-best row that is not UTF-8",
        {"in.nbest": TWO.encode() + b"0 ||| \xe9 ||| lm= 1\n"},
        2,
        fault("file.encoding"),
    ),
]

TABLES = [
    tsv(
        "no column id",
        "name\ttext\n",
        1,
        fault("line.fields", argument="header", value="id"),
        always=True,
    ),
    tsv(
        "no column text",
        "id\tlm\na\t1\n",
        1,
        fault("line.fields", argument="header", value="text"),
        always=True,
    ),
    tsv(
        "column twice",
        "id\ttext\tlm\tlm\n",
        1,
        fault("line.duplicate", argument="header", value="lm"),
        always=True,
    ),
    tsv(
        "column without a name",
        "id\ttext\t\n",
        1,
        fault("line.fields", argument="header", value=""),
        always=True,
    ),
    tsv("no rows", HEAD, None, fault("tuning.no-lists", value=0), always=True),
    tsv("too few fields", HEAD + ROW + "a\tx\tr\t1\n", 3, fault("line.fields", value=4)),
    tsv("too many fields", HEAD + ROW + ROW.strip() + "\t\n", 3, fault("line.fields", value=7)),
    tsv("empty row of a table", HEAD + ROW + "\n", 3, fault("line.empty")),
    tsv("row without an id", HEAD + ROW + ROW[1:], 3, fault("line.value", argument="id")),
    tsv(
        "empty number",
        HEAD + ROW.replace("1", ""),
        2,
        fault("line.number", argument="feature 'lm'", value=""),
    ),
    tsv(
        "a word for a number",
        HEAD + ROW.replace("1", "x"),
        2,
        fault("line.number", argument="feature 'lm'", value="x"),
    ),
    tsv(
        "decimal comma",
        HEAD + ROW.replace("0.5", "0,5"),
        2,
        fault("line.number", argument="score 'c'", value="0,5"),
    ),
    tsv(
        "sparse word",
        HEAD + ROW.replace("\t\t", "\ty\t"),
        2,
        fault("line.number", argument="feature 'rule:1'", value="y"),
    ),
    tsv(
        "reference changes",
        HEAD + ROW + ROW.replace("r", "s"),
        3,
        fault("line.value", argument="references"),
    ),
    tsv(
        "id comes back in a table",
        HEAD + ROW + "b" + ROW[1:] + ROW,
        4,
        fault("line.duplicate", argument="id", value="a"),
    ),
]
