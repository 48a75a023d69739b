"""Where a rule came from: a sentence pair of the training corpus, and its words there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from typing import Any

from rosewood.rules.rule import Gap, Rule, Symbol

Span = tuple[int, int]
_MOST = 1000  # places of a side that are looked at


@dataclass(frozen=True)
class RuleSource:
    """A rule that the translation uses, and a sentence pair of the training corpus that has it."""

    rule: Rule
    origin: str | None = None  # file and line
    source: tuple[str, ...] = ()  # the words of the pair; none where the model keeps no corpus
    target: tuple[str, ...] = ()

    @property
    def source_spans(self) -> tuple[Span, ...]:
        """Where the words of the rule are in the source; gaps are between these spans."""
        return self._spans[0]

    @property
    def target_spans(self) -> tuple[Span, ...]:
        """Where they are in the target."""
        return self._spans[1]

    @property
    def source_span(self) -> Span | None:
        """From its first source word to its last."""
        return _whole(self.source_spans)

    @property
    def target_span(self) -> Span | None:
        """From its first target word to its last."""
        return _whole(self.target_spans)

    @cached_property
    def _spans(self) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        """Where both sides are: of several places the closest, then those that lie most alike."""
        places = (_places(self.rule.source, self.source), _places(self.rule.target, self.target))
        if not all(places):
            first, second = (min(each, key=_width, default=()) for each in places)
            return first, second

        def apart(pair: tuple[tuple[Span, ...], ...]) -> tuple[int, float]:
            one, other = pair
            middles = (one[0][0] + one[-1][1], other[0][0] + other[-1][1])
            share = middles[0] / len(self.source) - middles[1] / len(self.target)
            return _width(one) + _width(other), abs(share)

        one, other = min(product(*places), key=apart)
        return one, other

    @property
    def note(self) -> str:
        """Why its words cannot be shown in a sentence pair; nothing where they can."""
        sides = (self.rule.source, self.rule.target)
        has_words = [any(isinstance(symbol, str) for symbol in side) for side in sides]
        if self.rule.sentence is None:
            return "the table does not tell where it was seen"
        if not (self.source or self.target):
            return ""  # the model has no corpus; another line says so
        if not any(has_words):
            return "it has no words of its own"
        found = (self.source_spans, self.target_spans)
        if any(wanted and not spans for wanted, spans in zip(has_words, found, strict=True)):
            return "its words are not found in this pair"
        return ""

    @property
    def counts(self) -> str:
        """How often it was seen, and its sides were, in words."""
        rule = self.rule
        if not rule.count:
            return "not counted"
        return (
            f"seen {_times(rule.count)}; its source {_times(rule.source_count)}, its target "
            f"{_times(rule.target_count)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        rule = self.rule
        spans = {} if rule.is_phrase else {
            "left": rule.left, "source_spans": self.source_spans, "target_spans": self.target_spans,
        }  # fmt: skip
        return {
            "rule": rule.id,
            "source": " ".join(map(str, rule.source)),
            "target": " ".join(map(str, rule.target)),
            "links": [list(link) for link in rule.links],
            "count": rule.count,
            "source_count": rule.source_count,
            "target_count": rule.target_count,
            "features": dict(rule.features),
            "sentence": rule.sentence,
            "origin": self.origin,
            "sentence_source": " ".join(self.source) if self.source else None,
            "sentence_target": " ".join(self.target) if self.target else None,
            "source_span": self.source_span,
            "target_span": self.target_span,
            **spans,
        }


def parts_of(words: Sequence[str], spans: Sequence[Span]) -> Iterator[tuple[str, bool]]:
    """The words of a sentence in pieces: those of the spans, and those between them."""
    at = 0
    for begin, end in [*spans, (len(words), len(words))]:
        if at < begin:
            yield " ".join(words[at:begin]), False
        if begin < end:
            yield " ".join(words[begin:end]), True
        at = end


def _whole(spans: Sequence[Span]) -> Span | None:
    return (spans[0][0], spans[-1][1]) if spans else None


def _width(spans: Sequence[Span]) -> int:
    return spans[-1][1] - spans[0][0]


def _places(side: Sequence[Symbol], words: Sequence[str]) -> list[tuple[Span, ...]]:
    """Where the words of a side are in a sentence; each gap is over one word at least."""
    runs: list[list[str]] = []
    before: list[int] = []  # gaps before each run
    gaps = 0
    is_open = False
    for symbol in side:
        if isinstance(symbol, Gap):
            gaps, is_open = gaps + 1, False
        elif is_open:
            runs[-1].append(symbol)
        else:
            runs.append([symbol])
            before.append(gaps)
            gaps, is_open = 0, True
    if not runs:
        return []
    return list(islice(_found(runs, before, words[: max(0, len(words) - gaps)], 0), _MOST))


def _found(
    runs: Sequence[list[str]], before: Sequence[int], words: Sequence[str], at: int
) -> Iterator[tuple[Span, ...]]:
    """Places of runs from a word on, with room for the gaps before each."""
    run, size = tuple(runs[0]), len(runs[0])
    for begin in range(at + before[0], len(words) - size + 1):
        if tuple(words[begin : begin + size]) != run:
            continue
        if len(runs) == 1:
            yield ((begin, begin + size),)
            continue
        for rest in _found(runs[1:], before[1:], words, begin + size):
            yield ((begin, begin + size), *rest)


def _times(count: float) -> str:
    if count != int(count):  # counts of rules with gaps are shares
        return f"{count:,.2f} times" if count >= 1 else f"{count:.2g} times"
    return "once" if count == 1 else f"{count:,g} times"
