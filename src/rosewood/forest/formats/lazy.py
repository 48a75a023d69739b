"""Hypergraphs as plain text: the form of the lazy decoder, written by Moses and cdec, and Joshua's.

    # target ||| features ||| source-covered        lines that begin with # are comments
    2 3                                             numbers of nodes and edges
    1                                               a node; the number of its edges
    the house ||| lm=-2 tm=-1 ||| 2                 what an edge says, and its features
    2
    [0] is small ||| lm=-3 tm=-1 ||| 4              [0] is the node 0, the first one
    [0] is little ||| lm=-4 tm=-2 ||| 4

Nodes are numbered from 0, bottom-up, and the last one is the goal.  Joshua 5 and 6
(-dump-hypergraph) put the number of the node, from 1, in the place of the number of its edges, and
leave out the goal itself, whose edges have no rule: in its place a node is added with an edge to
each node that no other uses.  The two forms cannot be told apart for certain, hence two functions.

Features      by their names, as they are; an edge may have none
Not kept      the number of source words, the third field of Moses
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Unpack

from rosewood.corpus import lines
from rosewood.errors import ForestError, FormatError
from rosewood.forest.forest import Forest
from rosewood.forest.formats._draft import DraftEdge, DraftOptions, ForestDraft, NameOptions
from rosewood.forest.formats._fields import fields
from rosewood.shared_types import PathName

_NODE = re.compile(r"\[([0-9]{1,18})\]")


def read_lazy_hypergraph(
    source: lines.Source, *, file: PathName | None = None, **options: Unpack[DraftOptions]
) -> Forest:
    """The forest of the one hypergraph of a file, or of lines, of Moses or cdec.

    Nodes in no derivation of the goal are an error, or left out with `drop_unreachable`.
    """
    name = lines.file_name(source, file)
    reader = _Reader(source, name)
    for node in range(reader.nodes):
        line, text = reader.take(f"node {node}")
        with lines.at(name, line):
            count = lines.whole("the number of edges of a node", text.strip(" \t"))
        reader.draft.node(node, line)
        for _ in range(count):
            reader.edge(node, *reader.take(f"an edge of node {node}"))
    reader.finish()
    return reader.draft.build(reader.nodes - 1, reader.line, **options)


def read_joshua_dump(
    source: lines.Source, *, file: PathName | None = None, **names: Unpack[NameOptions]
) -> Forest:
    """The forest of the one hypergraph of a file, or of lines, of Joshua's -dump-hypergraph."""
    name = lines.file_name(source, file)
    reader = _Reader(source, name)
    draft, node, count = reader.draft, 0, 0
    for line, text in reader.rest:
        if "|||" in text:
            if not node:
                reason = "there is an edge before the first node"
                raise FormatError(reason, code="line.order", argument="edge", file=name, line=line)
            reader.edge(node, line, text)
            continue
        with lines.at(name, line):
            this = lines.whole("the number of a node", text.strip(" \t"), 1)
            if this <= node:
                reason = f"node {this} comes after node {node}"
                raise ForestError(reason, code="line.order", argument="node", value=this)
        node, count = this, count + 1
        draft.node(node, line)
    reader.check_count("nodes", count, reader.nodes)
    reader.finish()
    tops = [top for top in reader.places if top not in reader.used]
    goal = draft.node(tops[0] if len(tops) == 1 else "goal")
    if len(tops) > 1:
        for top in tops:
            draft.edges.append(DraftEdge(goal, [draft.node(top)], [0], line=reader.places[top]))
    return draft.build(goal, reader.line, **names)


class _Reader:
    """What the two forms share: comments, the sizes, edges."""

    def __init__(self, source: lines.Source, file: str | None) -> None:
        self.file = file
        self.line = 1
        self.draft = ForestDraft(file, "node", "derivation of the goal")
        self.used: set[int] = set()
        self.places: dict[int, int] = {}  # node: its first edge's line
        self.edges = 0
        self.rest = self._content(source)
        line, text = self.take("the numbers of nodes and edges")
        with lines.at(file, line):
            sizes = lines.split(text)
            if len(sizes) != 2:
                reason = f"expected the numbers of nodes and edges, not {text[:40]!r}"
                raise ForestError(reason, code="line.fields", argument="sizes")
            self.nodes, self.want = (
                lines.whole("a number of nodes or edges", size) for size in sizes
            )
            if not self.nodes:
                raise ForestError("the hypergraph has no nodes", code="forest.empty")

    def _content(self, source: lines.Source) -> Iterator[tuple[int, str]]:
        """Lines with content; after the sizes, a line with ||| is an edge that may say `#`."""
        begun = False
        for line, text in lines.read_lines(source, self.file):
            self.line = line
            comment = text.startswith("#") and not (begun and "|||" in text)
            if text.strip(" \t") and not comment:
                begun = True
                yield line, text

    def take(self, want: str) -> tuple[int, str]:
        found = next(self.rest, None)
        if found is None:
            reason = f"the file ends where {want} should be"
            raise FormatError(
                reason, code="file.damaged", argument=want, file=self.file, line=self.line
            )
        return found

    def edge(self, node: int, line: int, text: str) -> None:
        """Add an edge `words and [nodes] ||| features` (||| source words)."""
        with lines.at(self.file, line):
            parts = fields(text)
            if not 2 <= len(parts) <= 3:
                reason = f"an edge is `words ||| features`, not {text[:40]!r}"
                raise ForestError(reason, code="line.fields", argument="edge")
            tails: list[int] = []
            says: list[str | int] = []
            for word in parts[0]:
                match = _NODE.fullmatch(word)
                if match is None:
                    says.append(word)
                    continue
                tail = int(match.group(1))
                if tail >= node or tail not in self.draft:
                    reason = f"an edge of node {node} uses node {tail}, not before it"
                    raise ForestError(reason, code="line.order", argument="tail", value=tail)
                says.append(len(tails))
                tails.append(self.draft.node(tail))
                self.used.add(tail)
            values: dict[str, float] = {}
            for field in parts[1]:
                name, equals, value = field.rpartition("=")
                if not equals:
                    reason = f"a feature is name=value, not {field[:40]!r}"
                    raise ForestError(reason, code="line.value", argument="feature", value=field)
                lines.add_feature(values, name, lines.number(f"feature {name[:40]!r}", value))
            if len(parts) == 3:
                lines.whole("the number of source words", " ".join(parts[2]))
        self.places.setdefault(node, line)
        self.edges += 1
        self.draft.edges.append(DraftEdge(self.draft.node(node), tails, says, values, line))

    def finish(self) -> None:
        """Check that nothing is left, and nothing is missing."""
        rest = next(self.rest, None)
        if rest is not None:
            reason = "there are lines after the last node"
            raise FormatError(reason, code="line.value", file=self.file, line=rest[0])
        self.check_count("edges", self.edges, self.want)

    def check_count(self, what: str, found: int, told: int) -> None:
        with lines.at(self.file, self.line):
            if found != told:
                reason = f"there are {found} {what}, expected {told} from the sizes"
                raise ForestError(reason, code="file.mismatch", argument=what, value=found)
