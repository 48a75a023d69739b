"""Forests with cycles of unary edges, summed exactly (Li & Eisner 2009, footnote 2).

A `Forest` has no cycles; decoders with unary rules may make some.  Where every edge of a cycle has
one tail, the infinitely many derivations add up in closed form: over the nodes of a strongly
connected component, values = base + A values, so values = A* base, with A* from the semiring's star
by elimination (Lehmann 1977).  Products keep their order, so the semiring need not commute.

Input       nodes 0..V-1; edge i has head[i], tails[i], weights[i]; any order
Refused     a cycle through an edge with two tails or more: its sum is no longer linear
Unused      edges with a tail that has no derivation stand in none either: they are left out first
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from rosewood.arguments import check_length
from rosewood.arrays import LongArray, not_below
from rosewood.errors import CycleError, ForestError, SemiringError
from rosewood.forest.forest import Forest
from rosewood.forest.semirings import Semiring, star

T = TypeVar("T")


class Unrolled(NamedTuple, Generic[T]):
    """An acyclic forest with the same total weight, and where its parts came from."""

    forest: Forest
    weights: list[T]  # one an edge of `forest`
    edge_map: LongArray  # the edge each new edge was; -1 where it stands for paths in a cycle
    node_map: LongArray  # the node each new node was; -1 for its derivations outside its cycles


def inside_cyclic(
    nodes: int,
    head: Sequence[int],
    tails: Sequence[Sequence[int]],
    weights: Sequence[T],
    semiring: Semiring[T],
) -> list[T]:
    """The value of each node: the sum over its derivations, infinitely many on a cycle."""
    graph = _Graph(nodes, head, tails, weights)
    values = [semiring.zero] * nodes

    def base(node: int, component: dict[int, int]) -> T:
        total = semiring.zero
        for edge in graph.into[node]:
            if component.keys().isdisjoint(tails[edge]):
                product = weights[edge]
                for tail in tails[edge]:
                    product = semiring.times(product, values[tail])
                total = semiring.plus(total, product)
        return total

    for component in graph.components(range(nodes)):
        place = {node: i for i, node in enumerate(component)}
        if not graph.is_cycle(component):
            values[component[0]] = base(component[0], {})
            continue
        bases = [base(node, place) for node in component]
        for node, row in zip(component, graph.closure(component, semiring), strict=True):
            for i, x in row.items():
                values[node] = semiring.plus(values[node], semiring.times(x, bases[i]))
    return values


def unroll(
    nodes: int,
    head: Sequence[int],
    tails: Sequence[Sequence[int]],
    weights: Sequence[T],
    semiring: Semiring[T],
    root: int,
) -> Unrolled[T]:
    """The same total of `root` without cycles: for whatever is computed from weights alone.

    A node on a cycle becomes two: one keeps its edges from outside the cycle, the other has an edge
    from each of those of its component, weighing all paths between the two at once.  What the paths
    are to be remembered for must be in the weights: features as an expectation, edges in VITERBI.
    """
    graph = _Graph(nodes, head, tails, weights)
    if not 0 <= root < nodes:
        raise not_below("node", root, nodes, "root: ")
    made = _Maker[T]()
    components = graph.components([root])
    member = {node: i for i, component in enumerate(components) for node in component}
    entered = {root}  # nodes that something outside their own component uses
    for node, own in member.items():
        for edge in graph.into[node]:
            entered.update(tail for tail in tails[edge] if member[tail] != own)
    number: dict[int, int] = {}
    for component in components:
        if not graph.is_cycle(component):
            node = component[0]
            number[node] = made.node(node)
            made.keep(graph.into[node], tails, number, weights)
            continue
        closure = graph.closure(component, semiring)
        inside = set(component)
        inner: dict[int, int] = {}
        for i, node in enumerate(component):
            kept = [e for e in graph.into[node] if inside.isdisjoint(tails[e])]
            if kept:
                inner[i] = made.node(-1)
                made.keep(kept, tails, number, weights)
        for i, node in enumerate(component):
            if node in entered:
                number[node] = made.node(node)
                for j, base in inner.items():
                    made.add(-1, [base], closure[i][j])
    return made.finish()  # the root's component came last, and only the root was entered there


class _Maker(Generic[T]):
    """Collects nodes bottom-up, each followed by its edges."""

    def __init__(self) -> None:
        self.node_map: list[int] = []
        self.edge_start = [0]
        self.tail_start = [0]
        self.tail: list[int] = []
        self.edge_map: list[int] = []
        self.weights: list[T] = []

    def node(self, old: int) -> int:
        self.node_map.append(old)
        self.edge_start.append(len(self.edge_map))
        return len(self.node_map) - 1

    def add(self, old: int, tails: Iterable[int], weight: T) -> None:
        self.tail.extend(tails)
        self.tail_start.append(len(self.tail))
        self.edge_map.append(old)
        self.weights.append(weight)
        self.edge_start[-1] = len(self.edge_map)

    def keep(
        self,
        edges: Iterable[int],
        tails: Sequence[Sequence[int]],
        number: dict[int, int],
        weights: Sequence[T],
    ) -> None:
        for edge in edges:
            self.add(edge, (number[t] for t in tails[edge]), weights[edge])

    def finish(self) -> Unrolled[T]:
        return Unrolled(
            Forest(self.edge_start, self.tail_start, self.tail),
            self.weights,
            np.array(self.edge_map, dtype=np.int64),
            np.array(self.node_map, dtype=np.int64),
        )


class _Graph(Generic[T]):
    """Edges by head, without those that no derivation uses."""

    def __init__(
        self,
        nodes: int,
        head: Sequence[int],
        tails: Sequence[Sequence[int]],
        weights: Sequence[T],
    ) -> None:
        check_length("tails", tails, len(head), "edge", error=ForestError)
        check_length("weights", weights, len(head), "edge", error=ForestError)
        for edge, names in enumerate(tails):
            for node in (head[edge], *names):
                if not 0 <= node < nodes:
                    raise not_below("node", node, nodes, f"edge {edge}: ")
        self.tails, self.weights = tails, weights
        self.into: list[list[int]] = [[] for _ in range(nodes)]
        derivable = _derivable(nodes, head, tails)
        for edge, node in enumerate(head):
            if all(derivable[tail] for tail in tails[edge]):
                self.into[node].append(edge)

    def components(self, starts: Iterable[int]) -> list[list[int]]:
        """Strongly connected components of what can be reached, tails before heads (Tarjan)."""
        order: dict[int, int] = {}  # when a node was met
        low: dict[int, int] = {}
        open_nodes: list[int] = []
        is_open: set[int] = set()
        found: list[list[int]] = []
        for start in starts:
            if start in order:
                continue
            calls = [(start, iter(self._below(start)))]
            order[start] = low[start] = len(order)
            open_nodes.append(start)
            is_open.add(start)
            while calls:
                node, rest = calls[-1]
                for tail in rest:
                    if tail not in order:
                        order[tail] = low[tail] = len(order)
                        open_nodes.append(tail)
                        is_open.add(tail)
                        calls.append((tail, iter(self._below(tail))))
                        break
                    if tail in is_open:
                        low[node] = min(low[node], order[tail])
                else:
                    calls.pop()
                    if calls:
                        low[calls[-1][0]] = min(low[calls[-1][0]], low[node])
                    if low[node] == order[node]:
                        component = [open_nodes.pop()]
                        while component[-1] != node:
                            component.append(open_nodes.pop())
                        is_open.difference_update(component)
                        found.append(sorted(component))
        return found

    def _below(self, node: int) -> list[int]:
        return [tail for edge in self.into[node] for tail in self.tails[edge]]

    def is_cycle(self, component: list[int]) -> bool:
        return len(component) > 1 or component[0] in self._below(component[0])

    def closure(self, component: list[int], semiring: Semiring[T]) -> list[dict[int, T]]:
        """Rows of A*: entry j of row i is the sum over all paths that derive node i from node j."""
        plus, times = semiring.plus, semiring.times
        rows = self._matrix(component, semiring)
        for k, pivot in enumerate(rows):
            if k in pivot:
                round_trips = self._star(component[k], pivot[k], semiring)
                pivot = {j: times(round_trips, x) for j, x in pivot.items()}
                rows[k] = pivot
            for i, row in enumerate(rows):
                left = row.get(k)
                if i != k and left is not None:
                    for j, x in pivot.items():
                        path = times(left, x)
                        row[j] = plus(row[j], path) if j in row else path
        for i, row in enumerate(rows):
            row[i] = plus(semiring.one, row[i]) if i in row else semiring.one
        return rows

    def _matrix(self, component: list[int], semiring: Semiring[T]) -> list[dict[int, T]]:
        place = {node: i for i, node in enumerate(component)}
        rows: list[dict[int, T]] = [{} for _ in component]
        for node, row in zip(component, rows, strict=True):
            for edge in self.into[node]:
                if place.keys().isdisjoint(self.tails[edge]):
                    continue
                if len(self.tails[edge]) > 1:
                    names = ", ".join(map(str, component[:10]))
                    raise CycleError(
                        f"edge {edge} into node {node} is on a cycle and has "
                        f"{len(self.tails[edge])} tails: only cycles of unary edges can be summed "
                        f"(nodes of the cycle: {names}{', …' if len(component) > 10 else ''})",
                        code="forest.cycle", value=edge,
                    )  # fmt: skip
                j = place[self.tails[edge][0]]
                weight = self.weights[edge]
                row[j] = semiring.plus(row[j], weight) if j in row else weight
        return rows

    def _star(self, node: int, weight: T, semiring: Semiring[T]) -> T:
        if getattr(semiring, "star", None) is None:
            reason = f"node {node} is on a cycle: {type(semiring).__name__} has no star to sum it"
            raise SemiringError(reason, code="semiring.star", argument="semiring", value=node)
        try:
            return star(semiring, weight)
        except SemiringError as error:
            reason = f"the cycles through node {node} cannot be summed: {error}"
            raise error.restated(reason, CycleError, argument="node") from error


def _derivable(nodes: int, head: Sequence[int], tails: Sequence[Sequence[int]]) -> list[bool]:
    """Which nodes have a derivation at all."""
    derivable = [False] * nodes
    users: list[list[int]] = [[] for _ in range(nodes)]
    missing = [len(names) for names in tails]  # slots whose node has no derivation yet
    for edge, names in enumerate(tails):
        for node in names:
            users[node].append(edge)
    ready = [edge for edge, count in enumerate(missing) if count == 0]
    while ready:
        node = head[ready.pop()]
        if not derivable[node]:
            derivable[node] = True
            for edge in users[node]:
                missing[edge] -= 1
                if missing[edge] == 0:
                    ready.append(edge)
    return derivable
