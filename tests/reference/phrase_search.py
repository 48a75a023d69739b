"""Phrase-based search, by definition: every way to cut a sentence into phrases and to order them.

A derivation is a tuple of options in the order of the target.  `features` takes a finished one and
looks at it as a whole: its words, its jumps, how its phrases lie to each other.  From phrase to
phrase, as a decoder goes: phrase_graph.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log
from typing import Any

from rosewood.rules.settings import EVENT_CLASSES
from tests.reference.rules import LEFT, MONOTONE, RIGHT, SWAP, Link, class_of

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
    classes: str = "msd"  # or mslr, or distance
    directions: tuple[str, ...] = ("backward", "forward")

    @property
    def width(self) -> int:
        """How many log probabilities an option has."""
        return len(self.directions) * len(EVENT_CLASSES[self.classes])

    def part(self, row: Sequence[float], direction: str) -> tuple[float, ...]:
        """The log probabilities of one direction; () if the model does not look there."""
        if direction not in self.directions:
            return ()
        classes = len(EVENT_CLASSES[self.classes])
        first = self.directions.index(direction) * classes
        return tuple(row[first : first + classes])

    def value(
        self, part: Sequence[float], direction: str, seen: int, words_between: int
    ) -> dict[str, float]:
        """The feature of an orientation with its value."""
        names = EVENT_CLASSES[self.classes]
        chosen = class_of(self.classes, seen, words_between)
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


@lru_cache(maxsize=1 << 16)  # longer ones are made of the same shorter ones
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


def gap(kind: str, direction: str, before: Derivation, current: Option) -> int:
    """Source words between a phrase and what its orientation is towards."""
    if not before:
        return current.begin
    looks_at_block = kind == "hierarchy" and direction == "backward"
    last = block_before([each.span for each in before]) if looks_at_block else before[-1].span
    return words_between(last, current.span)


def words_between(one: Span, other: Span) -> int:
    return max(0, other[0] - one[1], one[0] - other[1])


# -- features of a finished derivation -------------------------------------------------------------


@lru_cache(maxsize=1 << 12)  # many derivations say the same
def language_score(model: Any, words: tuple[str, ...]) -> float:
    return LOG_OF_TEN * model.score(words)


def features(problem: Problem, derivation: Derivation) -> dict[str, float]:
    """The values of all features that are not zero, each from the derivation as a whole."""
    total: defaultdict[str, float] = defaultdict(float)
    for option in derivation:
        for name, value in option.features.items():
            total[name] += value
    said = yield_of(derivation)
    total["word_penalty"] = -len(said)
    total["phrase_penalty"] = len(derivation)
    ends = [0, *(option.end for option in derivation)]
    total["distortion"] = -sum(
        abs(option.begin - end) for option, end in zip(derivation, ends, strict=False)
    )
    for name, model in problem.language_models.items():
        total[name] = language_score(model, said)
    for m, model in enumerate(problem.reorderings):
        for n, option in enumerate(derivation):
            if part := model.part(option.rows[m], "backward"):
                seen = backward(model.kind, derivation[:n], option)
                words = gap(model.kind, "backward", derivation[:n], option)
                for name, value in model.value(part, "backward", seen, words).items():
                    total[name] += value
            if n > 0 and (part := model.part(derivation[n - 1].rows[m], "forward")):
                seen = forward(model.kind, derivation[:n], option)
                words = gap(model.kind, "forward", derivation[:n], option)
                for name, value in model.value(part, "forward", seen, words).items():
                    total[name] += value
    return {name: value for name, value in total.items() if value != 0.0}


def best(problem: Problem) -> tuple[float, Derivation] | None:
    """The best derivation by trying all of them."""
    scored = ((problem.score(features(problem, one)), one) for one in derivations(problem))
    return max(scored, key=lambda pair: pair[0], default=None)
