"""Phrase-based search from phrase to phrase, without limits: what is alike for the future is one.

Values come from one hypothesis and one option alone, where phrase_search.py looks at derivations as
a whole; that both agree is tested.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from math import exp, inf
from typing import TypeVar

from tests.reference.phrase_search import (
    LOG_OF_TEN,
    Option,
    Problem,
    Span,
    forward,
    hierarchical_forward,
    may_follow,
    orientation,
    side,
    words_between,
)
from tests.reference.rules import MONOTONE, RIGHT, SWAP

_T = TypeVar("_T")


@dataclass(frozen=True)
class Hypothesis:
    """All that the rest of a translation can depend on; two that are equal are one node."""

    covered: frozenset[int]
    last: Span  # the last phrase; of its beginning only if a reordering model looks at it
    states: tuple[tuple[int, ...], ...]  # of the language models
    stack: tuple[Span, ...]  # of blocks, for models of hierarchies
    forward_rows: tuple[tuple[float, ...], ...]  # of the last phrase
    bits: tuple[bool, bool, bool] | None  # of links of the last target word, for models of words
    place: int  # in the reference


@dataclass(frozen=True)
class Edge:
    """From one hypothesis to the next by an option; or to the root, by none."""

    tail: Hypothesis
    head: Hypothesis | None
    option: Option | None
    values: Mapping[str, float] = field(hash=False)


def push(stack: tuple[Span, ...], span: Span) -> tuple[Span, ...]:
    """Blocks on a stack, which become one as soon as they are neighbours."""
    while stack and (stack[-1][1] == span[0] or span[1] == stack[-1][0]):
        span = min(stack[-1][0], span[0]), max(stack[-1][1], span[1])
        stack = stack[:-1]
    return (*stack, span)


def that_matters(stack: tuple[Span, ...], covered: Container[int], words: int) -> tuple[Span, ...]:
    """The last block alone, if its neighbours are covered, by blocks further down.

    Then it is never merged with anything, and nobody looks at what is below.
    """
    begin, end = stack[-1]
    is_closed = (begin == 0 or begin - 1 in covered) and (end == words or end in covered)
    return stack[-1:] if is_closed else stack


class SearchGraph:
    """Hypotheses and the edges between them: those that a complete translation goes through."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        looks = {(model.kind, way) for model in problem.reorderings for way in model.directions}
        self._keeps_begin = bool(looks - {("hierarchy", "backward")})  # that looks at blocks
        self._keeps_stack = ("hierarchy", "backward") in looks
        self._keeps_bits = ("word", "backward") in looks
        start = Hypothesis(
            frozenset(),
            (0, 0),
            tuple(model.start for model in problem.language_models.values()),
            (),
            (),
            None,
            0,
        )
        layers: list[dict[Hypothesis, None]] = [{} for _ in range(problem.length + 1)]
        layers[0][start] = None
        edges: list[Edge] = []
        for layer in layers[:-1]:
            for hypothesis in layer:
                for edge in self._edges_from(hypothesis):
                    assert edge.head is not None
                    edges.append(edge)
                    layers[len(edge.head.covered)][edge.head] = None
        complete = [one for one in layers[-1] if self._is_complete(one)]
        edges += [self._last_edge(hypothesis) for hypothesis in complete]
        useful: set[Hypothesis | None] = {None}
        for edge in reversed(edges):  # heads cover more than tails: all after them were seen
            if edge.head in useful:
                useful.add(edge.tail)
        self.start = start
        self.edges = [edge for edge in edges if edge.head in useful]
        self.nodes = [one for layer in layers for one in layer if one in useful]

    def _is_complete(self, hypothesis: Hypothesis) -> bool:
        reference = self.problem.reference
        return reference is None or hypothesis.place == len(reference)

    def _edges_from(self, hypothesis: Hypothesis) -> Iterator[Edge]:
        limit, reference = self.problem.distortion_limit, self.problem.reference
        for option in self.problem.options:
            if not may_follow(hypothesis.covered, hypothesis.last[1], option.span, limit):
                continue
            place = hypothesis.place + len(option.target)
            if reference is not None and reference[hypothesis.place : place] != option.target:
                continue
            yield self._edge(hypothesis, option, place if reference is not None else 0)

    def _edge(self, hypothesis: Hypothesis, option: Option, place: int) -> Edge:
        covered = hypothesis.covered | set(range(*option.span))
        values = Counter(option.features)
        values["word_penalty"] -= len(option.target)
        values["phrase_penalty"] += 1
        values["distortion"] -= abs(option.begin - hypothesis.last[1])
        states = []
        for (name, model), state in zip(
            self.problem.language_models.items(), hypothesis.states, strict=True
        ):
            for word in option.target:
                score, state = model.advance(state, word)
                values[name] += LOG_OF_TEN * score
            states.append(state)
        for m, model in enumerate(self.problem.reorderings):
            if part := model.part(option.rows[m], "backward"):
                seen = self._backward(model.kind, hypothesis, option)
                block = hypothesis.stack[-1:] if model.kind == "hierarchy" else (hypothesis.last,)
                gap = words_between(block[0], option.span) if hypothesis.covered else option.begin
                values.update(model.value(part, "backward", seen, gap))
            if hypothesis.covered and (part := hypothesis.forward_rows[m]):
                seen = self._forward(model.kind, hypothesis, option, covered)
                gap = words_between(hypothesis.last, option.span)
                values.update(model.value(part, "forward", seen, gap))
        head = Hypothesis(
            covered,
            (option.begin if self._keeps_begin else 0, option.end),
            tuple(states),
            that_matters(push(hypothesis.stack, option.span), covered, self.problem.length)
            if self._keeps_stack
            else (),
            tuple(
                model.part(row, "forward")
                for model, row in zip(self.problem.reorderings, option.rows, strict=True)
            ),
            _bits(option) if self._keeps_bits else None,
            place,
        )
        return Edge(hypothesis, head, option, values)

    @staticmethod
    def _backward(kind: str, hypothesis: Hypothesis, option: Option) -> int:
        if not hypothesis.covered:
            return MONOTONE if option.begin == 0 else RIGHT
        if kind != "word":
            block = hypothesis.stack[-1] if kind == "hierarchy" else hypothesis.last
            return orientation(block, option.span)
        assert hypothesis.bits is not None
        to_last, to_first, to_any = hypothesis.bits
        if to_last and option.begin == hypothesis.last[1]:
            return MONOTONE
        if to_first and option.end == hypothesis.last[0]:
            return SWAP
        return side(hypothesis.last, option.span) if to_any else RIGHT

    @staticmethod
    def _forward(kind: str, hypothesis: Hypothesis, option: Option, covered: frozenset[int]) -> int:
        if kind == "hierarchy":
            return hierarchical_forward(hypothesis.last, option.span, covered)
        placeholder = Option(*hypothesis.last, ())
        return forward(kind, (placeholder,), option)

    def _last_edge(self, hypothesis: Hypothesis) -> Edge:
        values = {
            name: LOG_OF_TEN * model.advance(state, "</s>")[0]
            for (name, model), state in zip(
                self.problem.language_models.items(), hypothesis.states, strict=True
            )
        }
        return Edge(hypothesis, None, None, values)

    def _inside(
        self, start: _T, value: Callable[[Edge, _T], _T], combine: Callable[[list[_T]], _T]
    ) -> _T:
        """What comes to the root from the beginning, along all edges."""
        into: defaultdict[Hypothesis | None, list[Edge]] = defaultdict(list)
        for edge in self.edges:
            into[edge.head].append(edge)
        found: dict[Hypothesis | None, _T] = {self.start: start}
        for node in (*self.nodes[1:], None):
            found[node] = combine([value(edge, found[edge.tail]) for edge in into[node]])
        return found[None]

    @property
    def num_derivations(self) -> int:
        return self._inside(1, lambda edge, below: below, sum)

    @property
    def best_score(self) -> float:
        """-inf where there is no derivation."""
        return self._inside(0.0, self._add, lambda scores: max(scores, default=-inf))

    @property
    def total(self) -> float:
        """The sum over all derivations of the exponentials of their scores."""
        return self._inside(1.0, lambda edge, below: exp(self._add(edge, 0.0)) * below, sum)

    def _add(self, edge: Edge, below: float) -> float:
        return below + self.problem.score(edge.values)


def _bits(option: Option) -> tuple[bool, bool, bool]:
    """Whether the last target word is linked to the last word, to the first, to any."""
    return option.is_linked(-1, -1), option.is_linked(0, -1), option.has_links(-1)
