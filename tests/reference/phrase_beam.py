"""Phrase-based search with limits: which hypotheses are made, and from which of them it goes on.

All hypotheses there are come from phrase_graph.py; here some of them are chosen, stack by stack.
Whatever two numbers that differ by rounding alone have decided is told (`is_tied`), for then
another program may decide otherwise.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from heapq import heappop, heappush
from itertools import pairwise
from math import inf
from typing import TypeVar

from rosewood.decode import SearchSettings
from tests.reference.phrase_graph import Edge, Hypothesis, SearchGraph
from tests.reference.phrase_search import LOG_OF_TEN, Option, Problem

ROUNDING = 1e-7

_T = TypeVar("_T")
Cells = dict[tuple[Hypothesis, Option], Edge]
Grid = tuple[list[Hypothesis], list[Option]]


def alone(problem: Problem, option: Option) -> float:
    """What an option is worth whatever stands around it."""
    values = dict(option.features)
    values["word_penalty"] = -len(option.target)
    values["phrase_penalty"] = 1.0
    for name, model in problem.language_models.items():
        state, total = model.no_context, 0.0
        for word in option.target:
            score, state = model.advance(state, word)
            total += LOG_OF_TEN * score
        values[name] = total
    return problem.score(values)


def best_first(scores: Mapping[_T, float]) -> list[_T]:
    return sorted(scores, key=scores.__getitem__, reverse=True)


class FutureScores:
    """The best that words which are not translated yet may be worth, by themselves."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._jump = max(problem.weights.get("distortion", 0.0), 0.0)
        options = [(option, alone(problem, option)) for option in problem.options]

        @cache
        def best(begin: int, end: int) -> float:
            if begin == end:
                return 0.0
            return max(
                (
                    score + best(option.end, end)
                    for option, score in options
                    if option.begin == begin and option.end <= end
                ),
                default=-inf,
            )

        self.best = best

    def of(self, covered: Iterable[int], at: int) -> float:
        """After the words in `covered`, the last of them before `at`: gaps from left to right, and
        the jumps to them."""
        score, done = 0.0, {*covered, self._problem.length}
        begin = 0
        for word in sorted(done):
            if begin < word:
                score += self.best(begin, word) - self._jump * abs(begin - at)
                at = word
            begin = word + 1
        return score


class BeamGraph(SearchGraph):
    """What a search with limits finds of the whole graph."""

    def __init__(self, problem: Problem, settings: SearchSettings) -> None:
        super().__init__(problem)
        self._settings = settings
        self._future = FutureScores(problem)
        self._alone = {id(option): alone(problem, option) for option in problem.options}
        self.pops = 0
        self.is_narrowed = self.is_tied = False
        self._from: defaultdict[Hypothesis, list[Edge]] = defaultdict(list)
        for edge in self.edges:
            self._from[edge.tail].append(edge)
        self._scores = {self.start: 0.0}
        kept = [self.start]
        made: list[Edge] = []
        to_come: list[list[tuple[Grid, Cells]]] = [[] for _ in range(problem.length + 1)]
        for stack in range(problem.length + 1):
            if stack > 0:
                edges = self._filled(stack, to_come[stack])
                made += edges
                kept = self._kept(edges, is_last=stack == problem.length)
            for grid, cells in self._grids(kept):
                to_come[stack + grid[1][0].end - grid[1][0].begin].append((grid, cells))
        made += [self._last_edge(node) for node in kept]
        useful: set[Hypothesis | None] = {None}
        for edge in reversed(made):
            if edge.head in useful:
                useful.add(edge.tail)
        self.edges = [edge for edge in made if edge.head in useful]
        self.nodes = [node for node in self.nodes if node in useful]

    # -- where to go on ----------------------------------------------------------------------------

    def _grids(self, nodes: Sequence[Hypothesis]) -> list[tuple[Grid, Cells]]:
        """Nodes that look the same to a step, and options that do, make a grid."""
        looks = {
            (model.kind, way) for model in self.problem.reorderings for way in model.directions
        }
        found: defaultdict[object, Cells] = defaultdict(dict)
        for node in nodes:
            for edge in self._from[node]:
                option = edge.option
                if option is None:
                    continue
                first = _links(option, 0) if ("word", "forward") in looks else None
                last = _links(option, -1) if ("word", "backward") in looks else None
                key = node.covered, node.last, node.stack, node.bits, option.span, first, last
                found[key][node, option] = edge
        grids = []
        for cells in found.values():
            rows = {node: self._row(edge) for (node, _), edge in cells.items()}
            columns = {option: self._column(edge) for (_, option), edge in cells.items()}
            grid = best_first(rows), best_first(columns)
            grids.append((grid, cells))
        return grids

    def _row(self, edge: Edge) -> float:
        """What the step is worth as far as it depends on where it comes from."""
        return self._scores[edge.tail] + self._part(edge, "_forward_")

    def _column(self, edge: Edge) -> float:
        """The same of its option."""
        return self._alone[id(edge.option)] + self._part(edge, "_backward_")

    def _part(self, edge: Edge, direction: str) -> float:
        return self.problem.score({n: v for n, v in edge.values.items() if direction in n})

    # -- stacks ------------------------------------------------------------------------------------

    def _filled(self, stack: int, grids: list[tuple[Grid, Cells]]) -> list[Edge]:
        """The hypotheses that are made: all, or the best, as long as there may be more."""
        how, every = self._settings, sum(len(cells) for _, cells in grids)
        wanted = every if how.search == "full" or how.pop_limit is None else how.pop_limit
        limit = min(wanted, every)
        if how.max_pops is not None:
            share = max(1, (how.max_pops - self.pops) // (self.problem.length + 1 - stack))
            self.is_narrowed |= share < limit
            limit = min(limit, share)
        edges = [edge for _, cells in grids for edge in cells.values()]
        if limit < every:
            edges = self._best_of(grids, limit)
        self.pops += len(edges)
        for edge in edges:
            assert edge.head is not None
            score = self._score(edge)
            self._scores[edge.head] = max(score, self._scores.get(edge.head, -inf))
        return edges

    def _best_of(self, grids: list[tuple[Grid, Cells]], limit: int) -> list[Edge]:
        """Cube pruning: the best cell of those that can be reached, again and again.

        The first one of a grid can; behind one the next of its row; behind the first of a row, the
        first of the next row."""
        heap: list[tuple[float, int, int, int]] = []

        def reach(number: int, row: int, column: int) -> None:
            (rows, columns), cells = grids[number]
            if row < len(rows) and column < len(columns):
                edge = cells[rows[row], columns[column]]
                heappush(heap, (-self._total(edge), number, row, column))

        for number, ((rows, columns), cells) in enumerate(grids):
            first = [self._row(cells[row, columns[0]]) for row in rows]
            self._check(first)
            self._check([self._column(cells[rows[0], column]) for column in columns])
            reach(number, 0, 0)
        made = []
        while len(made) < limit:
            worth, number, row, column = heappop(heap)
            (rows, columns), cells = grids[number]
            made.append(cells[rows[row], columns[column]])
            self.is_tied |= bool(heap) and heap[0][0] - worth < ROUNDING
            reach(number, row, column + 1)
            if column == 0:
                reach(number, row + 1, 0)
        self.is_tied |= bool(heap) and abs(heap[0][0] + self._total(made[-1])) < ROUNDING
        return made

    def _check(self, descending: Sequence[float]) -> None:
        self.is_tied |= any(one - other < ROUNDING for one, other in pairwise(descending))

    def _score(self, edge: Edge) -> float:
        return self._scores[edge.tail] + self.problem.score(edge.values)

    def _total(self, edge: Edge) -> float:
        assert edge.head is not None
        return self._score(edge) + self._future.of(edge.head.covered, edge.head.last[1])

    def _kept(self, edges: Sequence[Edge], *, is_last: bool) -> list[Hypothesis]:
        """Nodes from which the search goes on; those of the last stack are all looked at."""
        nodes = list(dict.fromkeys(edge.head for edge in edges if edge.head is not None))
        if is_last:
            return nodes
        totals = {
            node: self._scores[node] + self._future.of(node.covered, node.last[1]) for node in nodes
        }
        nodes = best_first(totals)
        count = len(nodes)
        if self._settings.beam is not None:
            least = totals[nodes[0]] - self._settings.beam
            count = sum(totals[node] >= least for node in nodes)
            self.is_tied |= any(0 < abs(totals[node] - least) < ROUNDING for node in nodes[1:])
        if self._settings.stack_size is not None:
            count = min(count, self._settings.stack_size)
        if 0 < count < len(nodes):
            self._check([totals[node] for node in nodes[count - 1 : count + 1]])
        return nodes[:count]


def _links(option: Option, target: int) -> tuple[bool, bool, bool]:
    return option.is_linked(-1, target), option.is_linked(0, target), option.has_links(target)
