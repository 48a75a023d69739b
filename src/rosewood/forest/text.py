r"""The text form of forests: for people to read and write, and exact.

    forest 17                                   a forest begins; the rest of the line is its name
    dense lm phrase                             names of its dense features, if it has any
    node 0 span=0:2 state=5                     only where a node has a span or a state
    0 <- ||| the mat ||| lm=-1.5 phrase=-0.5    head <- tails ||| what it says ||| features
    1 <- ||| a cat ||| lm=-2
    2 <- 0 1 ||| [1] on [0] ||| lm=-1 r:7=1 ||| 7    and, where there is one, the rule's number
    # lines that begin with # and empty lines are passed over

Nodes may stand in any order and have any numbers from 0 on; the root is the node that is nobody's
tail.  In words and names a backslash writes what would be misread: `\s` space, `\t`, `\n`, `\r`,
`\\`, `\e` nothing at all (the empty word), `\u{…}` any other character by number, and before `[`,
`|`, `#` and `=` the character itself.  Numbers are written so that reading gives the same bits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from os import PathLike
from types import MappingProxyType
from typing import Any, NamedTuple, TextIO

from rosewood.corpus import Vocabulary, lines
from rosewood.errors import ForestError, FormatError
from rosewood.forest.builder import ForestBuilder
from rosewood.forest.features import FeatureSpace
from rosewood.forest.forest import Forest
from rosewood.output import whole_file
from rosewood.shared_types import PathName


class NamedForest(NamedTuple):
    """A forest of a file, its name there, and other facts in the file."""

    name: str
    forest: Forest
    info: Mapping[str, Any] = MappingProxyType({})


# -- writing ---------------------------------------------------------------------------------------

_PLAIN = re.compile(r"[^\s\\\[|#=\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
_ESCAPES = {" ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\"}


def _escape(word: str) -> str:
    if _PLAIN.fullmatch(word):
        return word
    return "".join(_escape_character(c) for c in word) or "\\e"


def _escape_character(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character in "[|#=":
        return "\\" + character
    if _PLAIN.fullmatch(character):
        return character
    return f"\\u{{{ord(character):x}}}"


def format_forest(forest: Forest, name: str = "") -> str:
    """The text form of one forest."""
    return "".join(_lines(forest, name))


def _lines(forest: Forest, name: str) -> Iterator[str]:
    if "\n" in name or name != name.strip():
        reason = f"name is {name!r}, expected one line without spaces around it"
        raise ForestError(reason, code="argument.value", argument="name", value=name)
    yield f"forest {name}".rstrip() + "\n"
    if forest.features.dense:
        yield "dense " + " ".join(_escape(n) for n in forest.features.dense) + "\n"
    if forest.span is not None or forest.state is not None:
        for node in range(forest.num_nodes):
            parts = [f"node {node}"]
            if forest.span is not None:
                parts.append("span={}:{}".format(*forest.span[node].tolist()))
            if forest.state is not None:
                parts.append(f"state={forest.state[node]}")
            yield " ".join(parts) + "\n"
    elif forest.num_edges == 0:
        yield "node 0\n"
    for edge in range(forest.num_edges):
        tails = "".join(f" {t}" for t in forest.tails(edge).tolist())
        says = " ".join(
            f"[{symbol}]" if isinstance(symbol, int) else _escape(symbol)
            for symbol in forest.says(edge)
        )
        dense, values = forest.features.dense, forest.edge_features(edge)
        # Sparse features by name: the text does not depend on the order they were met in.
        names = [*dense, *sorted(values.keys() - set(dense))]
        features = " ".join(f"{_escape(n)}={_number(values[n])}" for n in names)
        rule = "" if forest.rule is None else f" ||| {forest.rule[edge]}"
        line = f"{forest.head[edge]} <-{tails} ||| {says} ||| {features}{rule}"
        yield re.sub(r"  +", " ", line).rstrip() + "\n"


def _number(value: float) -> str:
    """The shortest text that reads back as the same bits; whole numbers without a point."""
    short = repr(value)
    return short.removesuffix(".0") if "e" not in short else short


def write_forests(
    forests: Iterable[NamedForest | tuple[str, Forest]], target: PathName | TextIO
) -> None:
    """Write forests in text form, one after the other; a file appears whole or not at all."""
    if not isinstance(target, str | PathLike):
        for name, forest, *_ in forests:
            target.writelines(_lines(forest, name))
        return
    with whole_file(target) as file:
        for name, forest, *_ in forests:
            for line in _lines(forest, name):
                file.write(line.encode())


# -- reading ---------------------------------------------------------------------------------------


def parse_forest(
    text: str,
    *,
    features: FeatureSpace | None = None,
    vocabulary: Vocabulary | None = None,
    file: str | None = None,
) -> Forest:
    """The one forest of a text; the line `forest` may be left out."""
    rows = text.split("\n")
    headless = not any(lines.split(line)[:1] == ["forest"] for line in rows)
    numbered: Iterable[tuple[int, str]] = lines.read_lines(rows, file)
    if headless:
        numbered = chain([(1, "forest")], numbered)
    found = list(_parse(numbered, features, vocabulary, file))
    if len(found) != 1:
        reason = f"there are {len(found)} forests, expected one"
        raise FormatError(reason, code="file.format", value=len(found), expected=1, file=file)
    return found[0].forest


def read_forests(
    source: lines.Source,
    *,
    features: FeatureSpace | None = None,
    vocabulary: Vocabulary | None = None,
    file: str | None = None,
) -> Iterator[NamedForest]:
    """The forests of a file in text form (or of lines), one at a time; they share their names."""
    words = Vocabulary() if vocabulary is None else vocabulary
    name = lines.file_name(source, file)
    yield from _parse(lines.read_lines(source, name), features, words, name)


class _Pending(NamedTuple):
    """A forest being read."""

    name: str
    line: int
    builder: ForestBuilder
    nodes: dict[int, int]
    tails: set[int]
    states: dict[int, int]
    spans: dict[int, tuple[int, int]]
    edges: list[tuple[int, int, list[int], list[str | int], dict[str, float], int | None]]


def _parse(
    numbered: Iterable[tuple[int, str]],
    features: FeatureSpace | None,
    vocabulary: Vocabulary | None,
    file: str | None,
) -> Iterator[NamedForest]:
    space, words = features, vocabulary
    pending: _Pending | None = None
    for place, raw in numbered:
        line = raw.strip(" \t")
        if not line or line.startswith("#"):
            continue
        fields = lines.split(line)
        if fields[0] == "forest":
            if pending is not None:
                yield _finish(pending, file)
            builder = ForestBuilder(space, words)
            space, words = builder.features, builder.vocabulary
            name = line[len("forest") :].strip(" \t")
            pending = _Pending(name, place, builder, {}, set(), {}, {}, [])
            continue
        with lines.at(file, place):
            if "\r" in line:
                reason = "there is a carriage return inside the line"
                raise ForestError(reason, code="line.value", argument="\\r")
            if pending is None:
                reason = f"expected a line `forest` before the first node, not {line[:40]!r}"
                raise ForestError(reason, code="line.order", argument="forest")
            if fields[0] == "dense":
                space = _declare_dense(pending, [_unescape(f) for f in fields[1:]], features)
                pending = pending._replace(builder=ForestBuilder(space, words))
            elif fields[0] == "node":
                _read_node(pending, fields)
            else:
                _read_edge(pending, place, line)
    if pending is not None:
        yield _finish(pending, file)


def _declare_dense(pending: _Pending, names: list[str], given: FeatureSpace | None) -> FeatureSpace:
    have = pending.builder.features
    if pending.edges:
        raise ForestError("`dense` must come before the edges", code="line.order", argument="dense")
    if list(have.dense) == names:
        return have
    if given is not None or have.dense or len(have.sparse):
        reason = f"the dense features are {names}, expected {list(have.dense)}"
        raise ForestError(reason, code="line.value", argument="dense")
    return FeatureSpace(names)


def _read_node(pending: _Pending, fields: list[str]) -> None:
    if len(fields) < 2:
        raise ForestError("`node` needs the node's number", code="line.fields", argument="node")
    node = lines.whole("the node", fields[1])
    if node in pending.nodes:
        raise lines.given_twice("node", node)
    pending.nodes[node] = len(pending.nodes)
    for field in fields[2:]:
        name, _, value = field.partition("=")
        if name == "span":
            begin, colon, end = value.partition(":")
            if not colon:
                reason = f"the span is {value!r}, expected first:last"
                raise ForestError(reason, code="line.value", argument="span", value=value)
            span = lines.whole("the span", begin), lines.whole("the span", end)
            pending.spans[node] = span
        elif name == "state":
            pending.states[node] = lines.whole("the state", value, -(2**63), 2**63 - 1)
        else:
            reason = f"a node has span= and state=, not {field[:40]!r}"
            raise ForestError(reason, code="line.unknown", argument="node", value=field)


def _read_edge(pending: _Pending, number: int, line: str) -> None:
    fields = [field.strip(" \t") for field in line.split("|||")]
    if not 2 <= len(fields) <= 4:
        reason = "an edge is `head <- tails ||| words ||| features` (||| rule)"
        raise ForestError(reason, code="line.fields", argument="edge")
    left, arrow, right = fields[0].partition("<-")
    if not arrow:
        reason = f"an edge begins with `head <- tails`, not {fields[0][:40]!r}"
        raise ForestError(reason, code="line.value", argument="edge")
    head = lines.whole("the head", left.strip(" \t"))
    tails = [lines.whole("a tail", t) for t in lines.split(right)]
    says = [_symbol(word) for word in lines.split(fields[1])]
    values: dict[str, float] = {}
    for item in lines.split(fields[2]) if len(fields) > 2 else ():
        name, value = _feature(item)
        if name in values:
            raise lines.given_twice("feature", name)
        values[name] = value
    rule = None
    if len(fields) > 3:
        rule = lines.whole("the rule", fields[3], -(2**63), 2**63 - 1)
    for node in (head, *tails):
        pending.nodes.setdefault(node, len(pending.nodes))
    pending.tails.update(tails)
    pending.edges.append((number, head, tails, says, values, rule))


def _symbol(text: str) -> str | int:
    slot = re.fullmatch(r"\[([0-9]{1,9})\]", text)
    return int(slot.group(1)) if slot else _unescape(text)


def _feature(text: str) -> tuple[str, float]:
    place = re.search(r"(?<!\\)(?:\\\\)*=", text)
    if place is None:
        reason = f"a feature is name=value, not {text[:40]!r}"
        raise ForestError(reason, code="line.value", argument="feature", value=text)
    name, value = text[: place.end() - 1], text[place.end() :]
    return _unescape(name), lines.number(f"feature {name[:40]!r}", value)


_CODES = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "\\": "\\", "e": ""}
_ESCAPED = re.compile(r"\\(u\{([0-9a-f]{1,6})\}|.|$)", re.DOTALL)


def _unescape(text: str) -> str:
    if "\\" not in text:
        if "[" in text or "|" in text or "#" in text:
            reason = f"in {text[:40]!r}, write a backslash before [ | #"
            raise ForestError(reason, code="line.value", argument="word", value=text)
        return text

    def replace(match: re.Match[str]) -> str:
        code = match.group(1)
        if match.group(2) is not None and int(match.group(2), 16) < 0x110000:
            return chr(int(match.group(2), 16))
        if code in _CODES:
            return _CODES[code]
        if code and code in "[|#=":
            return code
        reason = f"in {text[:40]!r}, \\{code} is not an escape"
        raise ForestError(reason, code="line.value", argument="escape", value=code)

    return _ESCAPED.sub(replace, text)


def _finish(pending: _Pending, file: str | None) -> NamedForest:
    """Sort and check a forest; errors without a line of their own get the forest's first line."""
    order = sorted(pending.nodes)
    number_of = {node: place for place, node in enumerate(order)}
    roots = [node for node in order if node not in pending.tails]
    builder = pending.builder
    with lines.at(file, pending.line):
        if not order:
            raise ForestError("the forest has no nodes", code="forest.empty")
        if not roots:
            reason = "the forest has no root: every node is a tail of some edge"
            raise ForestError(reason, code="forest.root", value=())
        if len(roots) > 1:
            reason = f"the forest has several roots: nodes {roots[:5]} are not tails"
            raise ForestError(reason, code="forest.root", value=tuple(roots))
        for node in order:
            builder.node(pending.spans.get(node), state=pending.states.get(node))
    for line, head, tails, says, values, rule in pending.edges:
        with lines.at(file, line):
            builder.edge(number_of[head], [number_of[t] for t in tails], says, values, rule=rule)
    with lines.at(file, pending.line):
        return NamedForest(pending.name, builder.build(number_of[roots[0]]))
