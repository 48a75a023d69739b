"""A graph as a file tells it, on its way to a forest.

Files name their nodes as they like, in any order, and some of what they tell leads nowhere.  The
draft keeps the file's names and lines, so that what is wrong is reported in the file's own terms;
only what has passed goes to `ForestBuilder`, and the shared vocabulary and features stay clean of
what has not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypedDict, Unpack

from rosewood.corpus import Vocabulary
from rosewood.corpus.lines import at
from rosewood.errors import FormatError
from rosewood.forest.builder import ForestBuilder
from rosewood.forest.features import FeatureSpace
from rosewood.forest.forest import Forest


class NameOptions(TypedDict, total=False):
    """Names that forests share; new ones by default."""

    features: FeatureSpace | None
    vocabulary: Vocabulary | None


class DraftOptions(NameOptions, total=False):
    """What readers take that make forests of drafts."""

    drop_unreachable: bool  # leave out what is in no derivation, which is an error by default


def shared(options: DraftOptions) -> DraftOptions:
    """Options with names that all forests of a file share."""
    features, vocabulary = options.get("features"), options.get("vocabulary")
    return {
        **options,
        "features": FeatureSpace() if features is None else features,
        "vocabulary": Vocabulary() if vocabulary is None else vocabulary,
    }


class DraftEdge(NamedTuple):
    """An edge of a draft; see `ForestBuilder.edge`."""

    head: int
    tails: Sequence[int]
    says: Sequence[str | int] | None
    values: Mapping[str, float] = MappingProxyType({})
    line: int | None = None
    rule: int | None = None


class ForestDraft:
    """Nodes by the file's names, edges with their lines.

    `kind` is what the file calls a node; `whole` what a node has to be part of.  Readers add to
    `edges`.
    """

    def __init__(self, file: str | None, kind: str, whole: str) -> None:
        self.file, self.kind, self.whole = file, kind, whole
        self._number: dict[int | str, int] = {}
        self._name: list[int | str] = []
        self._line: list[int | None] = []
        self._span: list[tuple[int, int] | None] = []
        self.edges: list[DraftEdge] = []

    def node(
        self, name: int | str, line: int | None = None, span: tuple[int, int] | None = None
    ) -> int:
        """The node of this name, a new one where it is new."""
        number = self._number.setdefault(name, len(self._name))
        if number == len(self._name):
            self._name.append(name)
            self._line.append(line)
            self._span.append(span)
        return number

    def __contains__(self, name: int | str) -> bool:
        return name in self._number

    def build(
        self,
        root: int,
        line: int | None = None,
        *,
        drop_unreachable: bool = False,
        **names: Unpack[NameOptions],
    ) -> Forest:
        """The forest of the root; nodes in none of its derivations are refused or left out."""
        live = self._live_edges(root)
        kept = sorted({root, *(self.edges[e].head for e in live)})
        if not any(self.edges[e].head == root for e in live):
            reason = f"there is no {self.whole}"
            raise FormatError(reason, file=self.file, line=line, code="forest.empty")
        if not drop_unreachable and len(kept) < len(self._name):
            have = set(kept)
            idle = next(v for v in range(len(self._name)) if v not in have)
            raise FormatError(
                f"{self.kind} {self._name[idle]} is part of no {self.whole} "
                "(drop_unreachable=True leaves such parts out)",
                file=self.file,
                line=self._line[idle],
                code="forest.unreachable",
                value=self._name[idle],
            )
        self._refuse_cycle(live)
        builder = ForestBuilder(**names)
        place = {node: builder.node(self._span[node]) for node in kept}
        for number in live:
            edge = self.edges[number]
            with at(self.file, edge.line):
                tails = [place[t] for t in edge.tails]
                builder.edge(place[edge.head], tails, edge.says, edge.values, rule=edge.rule)
        with at(self.file, line):
            return builder.build(place[root])

    def _live_edges(self, root: int) -> list[int]:
        """The edges of derivations of the root: all tails derivable, the head used."""
        users: list[list[int]] = [[] for _ in self._name]
        for number, edge in enumerate(self.edges):
            for tail in edge.tails:
                users[tail].append(number)
        waits = [len(edge.tails) for edge in self.edges]
        derivable = {self.edges[e].head for e, count in enumerate(waits) if not count}
        todo = list(derivable)
        while todo:
            for number in users[todo.pop()]:
                waits[number] -= 1
                head = self.edges[number].head
                if not waits[number] and head not in derivable:
                    derivable.add(head)
                    todo.append(head)
        into: list[list[int]] = [[] for _ in self._name]
        for number, edge in enumerate(self.edges):
            if not waits[number]:
                into[edge.head].append(number)
        used, todo = {root}, [root]
        while todo:
            for number in into[todo.pop()]:
                for tail in self.edges[number].tails:
                    if tail not in used:
                        used.add(tail)
                        todo.append(tail)
        return [e for e, edge in enumerate(self.edges) if not waits[e] and edge.head in used]

    def _refuse_cycle(self, live: list[int]) -> None:
        """Order the nodes bottom-up; what cannot be ordered holds a cycle."""
        users: dict[int, list[int]] = {}
        missing: dict[int, int] = {}  # node: tail slots of its edges that are not ordered yet
        for number in live:
            edge = self.edges[number]
            missing[edge.head] = missing.get(edge.head, 0) + len(edge.tails)
            for tail in edge.tails:
                users.setdefault(tail, []).append(edge.head)
        todo = [node for node, count in missing.items() if not count]
        while todo:
            node = todo.pop()
            del missing[node]
            for head in users.get(node, ()):
                missing[head] -= 1
                if not missing[head]:
                    todo.append(head)
        if not missing:
            return
        below = {}  # an edge from each unordered node to another one
        for number in live:
            edge = self.edges[number]
            stuck = [t for t in edge.tails if t in missing]
            if edge.head in missing and stuck:
                below[edge.head] = (stuck[0], edge.line)
        node, seen = next(iter(missing)), dict[int, None]()
        while node not in seen:
            seen[node] = None
            node = below[node][0]
        walk = list(seen)
        cycle = [node, *reversed(walk[walk.index(node) :])]
        names = [str(self._name[v]) for v in cycle]
        shown = names if len(names) < 8 else [*names[:6], "…", names[-1]]
        reason = f"there is a cycle: {self.kind} {' -> '.join(shown)}"
        raise FormatError(reason, code="forest.cycle", file=self.file, line=below[node][1])
