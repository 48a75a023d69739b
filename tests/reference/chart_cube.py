"""Cube pruning over a chart, step by step.  Native: core/decode/chart_points.cpp.

Rules and where they match come from the decoder; which of the hypotheses are looked at, in which
order, and which are one node, is worked out here.  Every sum has the order of the native one, so
that ties are ties here, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import groupby
from math import inf
from typing import Any

from rosewood.lm import chart_score
from tests.reference.phrase_search import LOG_OF_TEN

GLUE = -1  # as a label, and as an option


@dataclass
class Node:
    """Hypotheses of a cell that cannot be told apart."""

    number: int
    score: float
    state: tuple[Any, ...]
    edges: list[tuple[Node, ...]] = field(default_factory=list)  # their tails


@dataclass
class Grid:
    """Options, best first, by the nodes of each gap, best first."""

    options: list[int]
    gaps: list[list[Node]]

    def size(self, dimension: int) -> int:
        return len(self.gaps[dimension - 1]) if dimension else len(self.options)


class CubeSearch:
    """The search of one sentence, with the limits of the decoder's settings."""

    def __init__(self, decoder: Any, options: Any, joined: Sequence[str] | None = None) -> None:
        """`joined`: labels that glue joins, besides the first; None: all."""
        names = decoder.table.labels
        self.joined = {names.index(name) for name in (joined or names)} | {0}
        self.models = list(decoder.language_models.values())
        self.weights = decoder.weights
        self.model_weights = [decoder.weights[name] for name in decoder.language_models]
        self.settings, self.options = decoder.settings, options
        self.left = options.native.left.tolist()
        self.pops = 0
        self.cells: dict[tuple[int, int, int], list[Node]] = {}
        self.nodes: list[Node] = []
        self._set_options()
        self._fill_spans()
        self._fill_glue()

    # -- scores ------------------------------------------------------------------------------------

    def _language(self, parts: list[Any]) -> tuple[float, tuple[Any, ...]]:
        """The score of words and states of smaller parts, and the state of the whole."""
        score, states = 0.0, []
        for k, model in enumerate(self.models):
            own = [part if isinstance(part, str) else part[k] for part in parts]
            value, state = chart_score(model, own)
            score += self.model_weights[k] * (value * LOG_OF_TEN)
            states.append(state)
        return score, tuple(states)

    def _set_options(self) -> None:
        options = self.options
        self.score, self.symbols, self.estimate = [], [], []
        names = options.features_alone
        for number in range(len(options)):
            row = options.native.features.reshape(len(options), -1)[number].tolist()
            score = 0.0
            for name, value in zip(names, row, strict=True):
                score += self.weights[name] * value
            start, end = options.target_start[number : number + 2]
            target = options.target[start:end].tolist()
            said: list[str | int] = [s if s < 0 else options.word(s) for s in target]
            words = 0.0
            for is_word, run in groupby(said, lambda symbol: isinstance(symbol, str)):
                if is_word:
                    words += self._language(list(run))[0]
            self.score.append(score)
            self.symbols.append(said)
            self.estimate.append(score + words)

    # -- cells -------------------------------------------------------------------------------------

    def _ranks(self) -> dict[int, int]:
        """Rules whose source is a single gap lead from smaller ranks to larger ones."""
        steps = {
            (gaps[0][2], self.left[option])
            for begin, end, first, last, gaps in self.options.native.matches
            if len(gaps) == 1 and gaps[0][:2] == (begin, end)
            for option in range(first, last)
        }
        ranks = dict.fromkeys([label for step in steps for label in step], 0)
        for _ in steps:
            for low, high in steps:
                ranks[high] = max(ranks[high], ranks[low] + 1)
        return ranks

    def _grid(self, match: Any) -> list[Grid]:
        _, _, first, last, gaps = match
        nodes = [self.cells.get((begin, end, label), []) for begin, end, label in gaps]
        if not all(nodes):
            return []
        return [Grid(sorted(range(first, last), key=lambda n: (-self.estimate[n], n)), list(nodes))]

    def _fill_spans(self) -> None:
        ranks = self._ranks()
        for (begin, end), group in groupby(self.options.native.matches, lambda match: match[:2]):
            plain: list[Any] = []
            unary: list[Any] = []
            for match in group:
                if match[2] == match[3]:  # glue rules of the table
                    continue
                gaps = match[4]
                is_unary = len(gaps) == 1 and gaps[0][:2] == (begin, end)
                (unary if is_unary else plain).append(match)
            self._fill(begin, end, [grid for match in plain for grid in self._grid(match)])
            for match in sorted(unary, key=lambda match: ranks[match[4][0][2]]):
                self._close((begin, end, match[4][0][2]))
                self._fill(begin, end, self._grid(match))
            for key in [key for key in self.cells if key[:2] == (begin, end)]:
                self._close(key)

    def _fill_glue(self) -> None:
        length = len(self.options.words)
        begin = tuple(chart_score(model, [], begin=True)[1] for model in self.models)
        self.cells[0, 0, GLUE] = [self._node(0.0, begin)]
        for end in range(1, length + 1):
            grids = []
            for middle in range(end):
                before = self.cells.get((0, middle, GLUE), [])
                labels = [label for b, e, label in self.cells if (b, e) == (middle, end)]
                for label in labels:
                    behind = self.cells[middle, end, label]
                    if label in self.joined and before and behind:
                        grids.append(Grid([GLUE], [before, behind]))
            self._fill(0, end, grids)
            self._close((0, end, GLUE))
        self.final = self.cells.get((0, length, GLUE), [])

    def _close(self, key: tuple[int, int, int]) -> None:
        nodes = self.cells.get(key)
        if not nodes:
            return
        nodes.sort(key=lambda node: (-node.score, node.number))
        beam = inf if self.settings.beam is None else self.settings.beam
        kept = [node for node in nodes if node.score >= nodes[0].score - beam]
        self.cells[key] = kept[: self.settings.cell_size]

    # -- hypotheses --------------------------------------------------------------------------------

    def _node(self, score: float, state: tuple[Any, ...]) -> Node:
        self.nodes.append(Node(len(self.nodes), score, state))
        return self.nodes[-1]

    def _look(self, grid: Grid, place: tuple[int, ...]) -> tuple[float, tuple[Any, ...]]:
        option = grid.options[place[0]]
        tails = [nodes[at] for nodes, at in zip(grid.gaps, place[1:], strict=True)]
        score = self.weights["glue"] if option == GLUE else self.score[option]
        for tail in tails:
            score += tail.score
        symbols = [-1, -2] if option == GLUE else self.symbols[option]
        parts = [s if isinstance(s, str) else tails[-1 - s].state for s in symbols]
        value, state = self._language(parts)
        return score + value, state

    def _fill(self, begin: int, end: int, grids: list[Grid]) -> None:
        """The best first: of equal ones, the one that was looked at first."""
        heap: list[tuple[float, int]] = []
        points: list[tuple[Grid, tuple[int, ...], float, tuple[Any, ...]]] = []

        def look(grid: Grid, place: tuple[int, ...]) -> tuple[float, int]:
            points.append((grid, place, *self._look(grid, place)))
            return -points[-1][2], len(points) - 1

        heap = [look(grid, (0,) * (1 + len(grid.gaps))) for grid in grids]
        heapify(heap)
        seen: set[tuple[int, tuple[int, ...]]] = set()
        own: dict[tuple[int, Any], Node] = {}
        for key, nodes in self.cells.items():
            if key[:2] == (begin, end):
                own |= {(key[2], node.state): node for node in nodes}
        pops = 0
        while heap and pops < (self.settings.pop_limit or inf):
            pops += 1
            grid, place, score, state = points[heappop(heap)[1]]
            self._accept((begin, end), own, grid, place, score, state)
            for d in reversed(range(len(place))):
                next_place = (*place[:d], place[d] + 1, *place[d + 1 :])
                if next_place[d] < grid.size(d) and (id(grid), next_place) not in seen:
                    seen.add((id(grid), next_place))
                    heappush(heap, look(grid, next_place))
        self.pops += pops

    def _accept(
        self,
        span: tuple[int, int],
        own: dict[tuple[int, Any], Node],
        grid: Grid,
        place: tuple[int, ...],
        score: float,
        state: tuple[Any, ...],
    ) -> None:
        option = grid.options[place[0]]
        label = GLUE if option == GLUE else self.left[option]
        node = own.get((label, state))
        if node is None:
            node = own[label, state] = self._node(score, state)
            self.cells.setdefault((*span, label), []).append(node)
        node.score = max(node.score, score)
        tails = zip(grid.gaps, place[1:], strict=True)
        node.edges.append(tuple(nodes[at] for nodes, at in tails))

    # -- what was found ----------------------------------------------------------------------------

    def best_score(self) -> float:
        def ended(node: Node) -> float:
            score = node.score
            for k, model in enumerate(self.models):
                with_end, _ = chart_score(model, [node.state[k]], begin=True, end=True)
                without, _ = chart_score(model, [node.state[k]], begin=True)
                score += self.model_weights[k] * LOG_OF_TEN * (with_end - without)
            return score

        return max(map(ended, self.final), default=-inf)

    def size(self) -> tuple[int, int]:
        """Nodes and edges of the forest: those that lead to the whole sentence, and its root."""
        if not self.final:
            return 1, 0
        seen: dict[int, Node] = {}
        waiting = list(self.final)
        while waiting:
            node = waiting.pop()
            if node.number not in seen:
                seen[node.number] = node
                waiting += [tail for tails in node.edges for tail in tails]
        first = 1  # the beginning of the sentence, which no edge of ours leads to
        edges = sum(len(node.edges) for node in seen.values()) + first + len(self.final)
        return len(seen) + 1, edges
