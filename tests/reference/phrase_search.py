"""Phrase-based search, by definition: every way to cut a sentence into phrases and to order them.

A derivation is a tuple of options in the order of the target.  `features` takes a finished one and
looks at it as a whole: its words, its jumps, how its phrases lie to each other.  `SearchGraph` goes
from phrase to phrase and keeps what the future can depend on; that both agree is tested.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, log
from typing import Any

from rosewood.rules.settings import CLASSES
from tests.reference.rules import LEFT, MONOTONE, RIGHT, SWAP, Link

LOG_OF_TEN = log(10.0)

Span = tuple[int, int]


@dataclass(frozen=True)
class Option:
    """Target words for the source words begin:end.

    Features are those that depend on nothing else.  There is a row of log probabilities for each
    reordering model: of its classes, a direction after the other.
    """

    begin: int
    end: int
    target: tuple[str, ...]
    features: Mapping[str, float] = field(default_factory=dict, hash=False)
    rows: tuple[tuple[float, ...], ...] = ()
    links: frozenset[Link] = frozenset()

    @property
    def span(self) -> Span:
        return self.begin, self.end

    def is_linked(self, source: int, target: int) -> bool:
        """Whether two words of it are linked; -1 is the last word."""
        j = target % len(self.target) if self.target else 0
        return (source % (self.end - self.begin), j) in self.links

    def has_links(self, target: int) -> bool:
        """Whether a target word is linked at all."""
        return any(self.is_linked(i, target) for i in range(self.end - self.begin))


Derivation = tuple[Option, ...]


@dataclass(frozen=True)
class Reordering:
    """A reordering model, as far as search is concerned."""

    name: str = "reorder"
    kind: str = "phrase"  # word, phrase or hierarchy
    classes: str = "msd"  # or mslr
    directions: tuple[str, ...] = ("backward", "forward")

    @property
    def width(self) -> int:
        """How many log probabilities an option has."""
        return len(self.directions) * len(CLASSES[self.classes])

    def part(self, row: Sequence[float], direction: str) -> tuple[float, ...]:
        """The log probabilities of one direction; () if the model does not look there."""
        if direction not in self.directions:
            return ()
        classes = len(CLASSES[self.classes])
        first = self.directions.index(direction) * classes
        return tuple(row[first : first + classes])

    def value(self, part: Sequence[float], direction: str, seen: int) -> dict[str, float]:
        """The feature of an orientation with its value."""
        names = CLASSES[self.classes]
        chosen = min(seen, len(names) - 1)
        return {f"{self.name}_{direction}_{names[chosen]}": part[chosen]}


@dataclass(frozen=True)
class Problem:
    """A sentence of so many words with its options, and what makes the score of a translation.

    `language_models` are Rosewood's own, by the names of their features.
    """

    length: int
    options: tuple[Option, ...]
    language_models: Mapping[str, Any]
    weights: Mapping[str, float]
    reorderings: tuple[Reordering, ...] = ()
    distortion_limit: int | None = None
    reference: tuple[str, ...] | None = None  # the words that must come out

    def score(self, values: Mapping[str, float]) -> float:
        return sum(self.weights.get(name, 0.0) * value for name, value in values.items())


def yield_of(derivation: Derivation) -> tuple[str, ...]:
    return tuple(word for option in derivation for word in option.target)


# -- which phrase may come next --------------------------------------------------------------------


def may_follow(covered: frozenset[int], end: int, span: Span, limit: int | None) -> bool:
    """Whether a phrase may be translated when these words are, the last of them before `end`."""
    if not covered.isdisjoint(range(*span)):
        return False
    if limit is None:
        return True
    gap = next(n for n in range(span[1]) if n not in covered)
    return abs(span[0] - end) <= limit and (span[0] == gap or abs(span[1] - gap) <= limit)


def derivations(problem: Problem) -> Iterator[Derivation]:
    """All of them."""

    def longer(done: Derivation, covered: frozenset[int]) -> Iterator[Derivation]:
        if len(covered) == problem.length:
            if problem.reference is None or yield_of(done) == problem.reference:
                yield done
            return
        end = done[-1].end if done else 0
        for option in problem.options:
            if may_follow(covered, end, option.span, problem.distortion_limit):
                yield from longer((*done, option), covered | set(range(*option.span)))

    return longer((), frozenset())


# -- how phrases lie to each other -----------------------------------------------------------------


def side(before: Span, current: Span) -> int:
    return RIGHT if current[0] >= before[1] else LEFT


def orientation(before: Span, current: Span) -> int:
    """How a phrase lies to another one, which comes before it on the target side."""
    if current[0] == before[1]:
        return MONOTONE
    return SWAP if current[1] == before[0] else side(before, current)


def block_before(spans: Sequence[Span]) -> Span:
    """What the last ones of some phrases make up: the largest span that comes of joining two
    neighbours, which are phrases or joined already, again and again."""
    for first in range(len(spans)):
        if (joined := block(tuple(spans[first:]))) is not None:
            return joined
    raise AssertionError("a phrase is a block")


def block(spans: tuple[Span, ...]) -> Span | None:
    """What phrases that follow each other on the target side make up by being joined, if they do:
    two at a time, which are neighbours in the source, too."""
    if len(spans) == 1:
        return spans[0]
    for middle in range(1, len(spans)):
        one, other = block(spans[:middle]), block(spans[middle:])
        if one is not None and other is not None and (one[1] == other[0] or other[1] == one[0]):
            return min(one[0], other[0]), max(one[1], other[1])
    return None


def backward(kind: str, before: Derivation, current: Option) -> int:
    """The orientation of a phrase to what comes before it."""
    if not before:
        return MONOTONE if current.begin == 0 else RIGHT
    last = before[-1]
    if kind == "hierarchy":
        return orientation(block_before([option.span for option in before]), current.span)
    if kind == "phrase":
        return orientation(last.span, current.span)
    if current.begin == last.end and last.is_linked(-1, -1):
        return MONOTONE
    if current.end == last.begin and last.is_linked(0, -1):
        return SWAP
    return side(last.span, current.span) if last.has_links(-1) else RIGHT


def forward(kind: str, before: Derivation, current: Option) -> int:
    """The orientation of the phrase before this one to this one, which it sees come."""
    last = before[-1]
    if kind == "phrase":
        return orientation(last.span, current.span)
    if kind == "hierarchy":
        covered = {n for option in (*before, current) for n in range(*option.span)}
        return hierarchical_forward(last.span, current.span, covered)
    if current.begin == last.end and current.is_linked(0, 0):
        return MONOTONE
    if current.end == last.begin and current.is_linked(-1, 0):
        return SWAP
    return side(last.span, current.span) if current.has_links(0) else RIGHT


def hierarchical_forward(last: Span, current: Span, covered: set[int] | frozenset[int]) -> int:
    """What lies between two phrases and is not covered yet may become a block with the second."""
    if current[0] == last[1] or (current[0] > last[1] and last[1] not in covered):
        return MONOTONE
    if current[1] == last[0] or (current[1] < last[0] and last[0] - 1 not in covered):
        return SWAP
    return side(last, current)


# -- features of a finished derivation -------------------------------------------------------------


def features(problem: Problem, derivation: Derivation) -> dict[str, float]:
    """The values of all features that are not zero, each from the derivation as a whole."""
    total: Counter[str] = Counter()
    for option in derivation:
        total.update(option.features)
    words = yield_of(derivation)
    total["word_penalty"] = -len(words)
    total["phrase_penalty"] = len(derivation)
    ends = [0, *(option.end for option in derivation)]
    total["distortion"] = -sum(
        abs(option.begin - end) for option, end in zip(derivation, ends, strict=False)
    )
    for name, model in problem.language_models.items():
        total[name] = LOG_OF_TEN * model.score(words)
    for m, model in enumerate(problem.reorderings):
        for n, option in enumerate(derivation):
            if part := model.part(option.rows[m], "backward"):
                seen = backward(model.kind, derivation[:n], option)
                total.update(model.value(part, "backward", seen))
            if n > 0 and (part := model.part(derivation[n - 1].rows[m], "forward")):
                seen = forward(model.kind, derivation[:n], option)
                total.update(model.value(part, "forward", seen))
    return {name: value for name, value in total.items() if value != 0.0}


def best(problem: Problem) -> tuple[float, Derivation] | None:
    """The best derivation by trying all of them."""
    scored = ((problem.score(features(problem, one)), one) for one in derivations(problem))
    return max(scored, key=lambda pair: pair[0], default=None)


# -- the same, from phrase to phrase ---------------------------------------------------------------


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


class SearchGraph:
    """Hypotheses and the edges between them: those that a complete translation goes through."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        backward_kinds = {
            model.kind for model in problem.reorderings if "backward" in model.directions
        }
        self._keeps_begin = bool(problem.reorderings)
        self._keeps_stack = "hierarchy" in backward_kinds
        self._keeps_bits = "word" in backward_kinds
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
                values.update(model.value(part, "backward", seen))
            if hypothesis.covered and (part := hypothesis.forward_rows[m]):
                seen = self._forward(model.kind, hypothesis, option, covered)
                values.update(model.value(part, "forward", seen))
        head = Hypothesis(
            covered,
            (option.begin if self._keeps_begin else 0, option.end),
            tuple(states),
            push(hypothesis.stack, option.span) if self._keeps_stack else (),
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

    def _by_head(self) -> list[tuple[Hypothesis | None, list[Edge]]]:
        """Hypotheses with the edges into them, from the beginning on; the root is the last."""
        into: defaultdict[Hypothesis | None, list[Edge]] = defaultdict(list)
        for edge in self.edges:
            into[edge.head].append(edge)
        return [(one, into[one]) for one in (*self.nodes, None)]

    @property
    def num_derivations(self) -> int:
        count: dict[Hypothesis | None, int] = {}
        for node, edges in self._by_head():
            count[node] = sum(count[edge.tail] for edge in edges) + (node == self.start)
        return count[None]

    @property
    def best_score(self) -> float:
        """-inf where there is no derivation."""
        found: dict[Hypothesis | None, float] = {}
        for node, edges in self._by_head():
            scores = [found[edge.tail] + self.problem.score(edge.values) for edge in edges]
            found[node] = max(scores, default=0.0 if node == self.start else -inf)
        return found[None]


def _bits(option: Option) -> tuple[bool, bool, bool]:
    """Whether the last target word is linked to the last word, to the first, to any."""
    return option.is_linked(-1, -1), option.is_linked(0, -1), option.has_links(-1)
