"""Hypergraphs in cdec's JSON form.

    {"rules":[1,"[X] ||| a ||| a",2,"[X] ||| b [X] ||| b [1]"], "features":["f1","f2"],
     "edges":[{"tail":[],"feats":[0,-0.5],"rule":1}], "node":{"in_edges":[0],"cat":"X"},
     "edges":[{"tail":[0],"feats":["f3",1,1,2],"rule":2}], "node":{"in_edges":[1],"cat":"Goal"}}

The keys "edges" and "node" come again and again, which general readers of JSON lose: nodes are
numbered from 0 in the order of "node", edges in the order in which they stand.  The last node is
the goal.  A node without in_edges that others use is a starting point and says nothing, as in cdec.

Read          "rules" as pairs of number and string; "rule" of an edge as a number or the string
              itself; no rules at all (then an edge says its tails in order); features by number or
              by name; null for an empty list; "is_sorted"; "spans", the first two of which become
              the nodes' spans where all edges of each node have them, and the same ones
Features      by their names; the rule of an edge is its number, where it has one
Not kept      categories, source sides, features and alignments inside rule strings (cdec copies the
              features of its rules to "feats")
Not read      the binary form of later releases
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn, Unpack

from rosewood.corpus import lines
from rosewood.errors import ForestError, RosewoodError
from rosewood.forest.forest import Forest
from rosewood.forest.formats._draft import DraftEdge, DraftOptions, ForestDraft
from rosewood.forest.formats._fields import check_slots, fields, parse_target
from rosewood.shared_types import PathName

_SPACE = re.compile(r"[ \t\r\n]*")


class _Hypergraph:
    """The parts of a hypergraph, in the order of the file."""

    def __init__(self) -> None:
        self.rules: dict[int, list[str | int]] = {}
        self.features: list[str] = []
        self.edges: list[DraftEdge] = []  # their heads are not known yet
        self.spans: list[tuple[int, int] | None] = []  # of edges
        self.nodes: list[tuple[int, list[int]]] = []  # line, in_edges

    def read(self, key: str, value: Any, line: int) -> None:
        if key == "rules":
            if self.rules:
                raise lines.given_twice("rules")
            for number, text in _pairs(value, '"rules"'):
                if not _is_whole(number) or not 0 <= number < 2**63:
                    reason = f'"rules" has the number {_show(number)}'
                    raise ForestError(reason, code="line.number", argument="rules", value=number)
                if number in self.rules:
                    raise lines.given_twice("rules", number)
                self.rules[number] = _target(text)
        elif key == "features":
            if self.features:
                raise lines.given_twice("features")
            self.features = [_string(name, "a feature") for name in _list(value, '"features"')]
        elif key == "edges":
            for edge in _list(value, '"edges"'):
                try:
                    self.edge(edge, line)
                except RosewoodError as error:
                    raise error.restated(f"edge {len(self.edges)}: {error}") from error
        elif key == "node":
            self.nodes.append((line, self.node(value)))
        elif key != "is_sorted":
            reason = f"{key[:40]!r} is not a field of a hypergraph"
            raise ForestError(reason, code="line.unknown", argument="hypergraph", value=key)

    def node(self, value: Any) -> list[int]:
        name = f"node {len(self.nodes)}"
        if not isinstance(value, dict):
            raise _not(name, value, "an object")
        for key in value:
            if key not in ("in_edges", "cat"):
                reason = f"{name} has {key[:40]!r}, which nodes do not have"
                raise ForestError(reason, code="line.unknown", argument="node", value=key)
        if value.get("cat") is not None:
            _string(value["cat"], f"the category of {name}")
        return _wholes(value.get("in_edges"), f"in_edges of {name}", len(self.edges))

    def edge(self, value: Any, line: int) -> None:
        if not isinstance(value, dict):
            raise _not("edge", value, "an object")
        for key in value:
            if key not in ("tail", "feats", "rule", "spans"):
                reason = f"it has {key[:40]!r}, which edges do not have"
                raise ForestError(reason, code="line.unknown", argument="edge", value=key)
        tails = _wholes(value.get("tail"), "tail", 2**31 - 1)
        rule, says = value.get("rule"), None
        if isinstance(rule, str):
            rule, says = None, _target(rule)
        elif rule is not None:
            if not _is_whole(rule) or rule not in self.rules:
                reason = f"there is no rule {_show(rule)}"
                raise ForestError(reason, code="line.unknown", argument="rule", value=rule)
            says = self.rules[rule]
        if says is not None:
            check_slots(says, len(tails), "of the edge" if rule is None else rule)
        values: dict[str, float] = {}
        for name, number in _pairs(value.get("feats"), "feats"):
            if _is_whole(name):
                if not 0 <= name < len(self.features):
                    count = len(self.features)
                    reason = f"it has feature {_show(name)}, but there are {count}"
                    raise ForestError(reason, code="line.unknown", argument="feature", value=name)
                name = self.features[name]
            name = _string(name, "a feature")
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise _not(f"feature {name[:40]!r}", number, "a number")
            lines.add_feature(values, name, _finite(number, name))
        span = None
        if "spans" in value:
            spans = _list(value["spans"], "spans")
            if len(spans) > 4 or not all(_is_whole(place) for place in spans):
                raise _not("spans", spans, "up to four whole numbers")
            if len(spans) > 1 and 0 <= spans[0] <= spans[1] < 2**31:
                span = spans[0], spans[1]
        self.edges.append(DraftEdge(-1, tails, says, values, line, rule))
        self.spans.append(span)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _show(value: Any) -> str:
    text = json.dumps(value) if not isinstance(value, int) or abs(value) < 10**40 else "a number"
    return text if len(text) <= 40 else text[:40] + "…"


def _not(what: str, value: Any, expected: str) -> ForestError:
    reason = f"{what} is {_show(value)}, expected {expected}"
    return ForestError(reason, code="line.value", argument=what, value=value)


def _list(value: Any, what: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise _not(what, value, "a list")
    return value


def _pairs(value: Any, what: str) -> list[tuple[Any, Any]]:
    items = _list(value, what)
    if len(items) % 2:
        reason = f"{what} has {len(items)} items, expected pairs"
        raise ForestError(reason, code="line.fields", argument=what)
    return list(zip(items[::2], items[1::2], strict=True))


def _wholes(value: Any, what: str, limit: int) -> list[int]:
    items = _list(value, what)
    for item in items:
        if not _is_whole(item) or not 0 <= item < limit:
            raise _not(what, item, f"whole numbers below {limit}")
    return items


def _string(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise _not(what, value, "a string")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        reason = f"{what} has half of a surrogate pair"
        raise ForestError(reason, code="file.encoding", argument=what) from error
    return value


def _finite(value: float, name: str) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        reason = f"feature {name[:40]!r} is too large"
        raise ForestError(reason, code="line.number", argument="feature", value=name)
    return number


def _target(rule: Any) -> list[str | int]:
    """The target side of `[X] ||| source ||| target ||| features ||| alignment`."""
    text = _string(rule, "a rule")
    sides = fields(text)
    if len(sides) < 3:
        reason = f"the rule {text[:60]!r} has no target side"
        raise ForestError(reason, code="line.fields", argument="rule")
    return parse_target(sides[2])


def _refuse_constant(name: str) -> NoReturn:
    raise ForestError(f"{name} is not a number in JSON", code="line.number", value=name)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        reason = f"a key is given twice in {_show([key for key, _ in pairs])}"
        raise ForestError(reason, code="line.duplicate")
    return found


def read_cdec_json(
    source: lines.Source, *, file: PathName | None = None, **options: Unpack[DraftOptions]
) -> Forest:
    """The forest of the one hypergraph of a file, or of lines.

    Nodes in no derivation of the goal are an error, or left out with `drop_unreachable`.
    """
    name = lines.file_name(source, file)
    text = "\n".join(line for _, line in lines.read_lines(source, name))
    graph = _Hypergraph()
    for key, value, line in _parts(text, name):
        with lines.at(name, line):
            graph.read(key, value, line)
    return _forest(graph, name, options)


def _parts(text: str, file: str | None) -> list[tuple[str, Any, int]]:
    """The keys and values of the outermost object, with the lines where the values begin."""
    decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant)
    parts: list[tuple[str, Any, int]] = []
    place, line, counted = 0, 1, 0

    def skip() -> str:
        nonlocal place, line, counted
        match = _SPACE.match(text, place)
        place = place if match is None else match.end()
        line, counted = line + text.count("\n", counted, place), place
        return text[place : place + 1]

    def take(marks: str, where: str) -> str:
        nonlocal place
        found = skip()
        if not found or found not in marks:
            shown = repr(found) if found else "the end of the text"
            reason = f"expected {' or '.join(map(repr, marks))} {where}, not {shown}"
            raise ForestError(reason, code="line.value", expected=marks)
        place += 1
        return found

    def value() -> Any:
        nonlocal place
        skip()
        try:
            found, place = decoder.raw_decode(text, place)
        except json.JSONDecodeError as error:
            nonlocal line
            line = error.lineno
            reason = f"it is not JSON: {error.msg} at column {error.colno}"
            raise ForestError(reason, code="line.format") from error
        except (ValueError, RecursionError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise ForestError(f"it is not JSON: {reason}", code="line.format") from error
        return found

    try:
        take("{", "at the beginning")
        if skip() != "}":
            while True:
                key = _string(value(), "a key")
                take(":", f"after {key[:40]!r}")
                skip()
                begin = line
                parts.append((key, value(), begin))
                if take(",}", "after a value") == "}":
                    break
        else:
            take("}", "at the end")
        if skip():
            raise ForestError("there is more after the hypergraph", code="line.value")
    except RosewoodError as error:
        with lines.at(file, line):
            raise error
    return parts


def _forest(graph: _Hypergraph, file: str | None, options: DraftOptions) -> Forest:
    with lines.at(file, 1):
        if not graph.nodes:
            raise ForestError("the hypergraph has no nodes", code="forest.empty")
        if len({edge.says is None for edge in graph.edges}) > 1:
            reason = "some edges have a rule, and some have none"
            raise ForestError(reason, code="line.value", argument="rule")
    spans = _spans(graph)
    draft = ForestDraft(file, "node", f"derivation of the goal, node {len(graph.nodes) - 1}")
    for number, (line, _) in enumerate(graph.nodes):
        draft.node(number, line, spans[number] if spans else None)
    used = {tail for edge in graph.edges for tail in edge.tails}
    taken: set[int] = set()
    for number, (line, into) in enumerate(graph.nodes):
        if not into and number in used:
            draft.edges.append(DraftEdge(number, (), [], line=line))
        for place in into:
            edge = graph.edges[place]
            with lines.at(file, line):
                if place in taken:
                    raise lines.given_twice("in_edges", place)
            with lines.at(file, edge.line):
                for tail in edge.tails:
                    if tail >= len(graph.nodes):
                        reason = f"edge {place} has tail {tail}, which is no node"
                        raise ForestError(reason, code="line.unknown", argument="tail", value=tail)
            taken.add(place)
            draft.edges.append(edge._replace(head=number))
    if len(taken) < len(graph.edges):
        idle = next(e for e in range(len(graph.edges)) if e not in taken)
        with lines.at(file, graph.edges[idle].line):
            reason = f"edge {idle} is in no node's in_edges"
            raise ForestError(reason, code="forest.unreachable", value=idle)
    return draft.build(len(graph.nodes) - 1, graph.nodes[-1][0], **options)


def _spans(graph: _Hypergraph) -> list[tuple[int, int]] | None:
    """The spans of the nodes, where the file tells them of all, without contradiction."""
    spans: list[tuple[int, int]] = []
    for _, into in graph.nodes:
        found = {graph.spans[e] for e in into}
        span = found.pop() if len(found) == 1 else None
        if span is None:
            return None
        spans.append(span)
    return spans
