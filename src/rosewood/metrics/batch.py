"""Hypotheses and references of many sentences as the arrays that kernels take."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from rosewood.arguments import check_length, check_list
from rosewood.arrays import IdArray, LongArray
from rosewood.errors import MetricError

# Row i is symbol[start[i]:start[i+1]].
Texts = tuple[LongArray, IdArray]


@dataclass(frozen=True, slots=True)
class SentenceBatch:
    """Sentence g has hypotheses[hypothesis_start[g]:hypothesis_start[g+1]], references likewise."""

    hypotheses: list[str]
    hypothesis_start: LongArray
    references: list[str]
    reference_start: LongArray

    @classmethod
    def of(
        cls, metric: str, hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
    ) -> SentenceBatch:
        """The hypotheses and references of each sentence, checked."""
        hypotheses = as_groups(metric, "hypotheses", hypotheses)
        references = as_groups(metric, "references", references)
        check_length("references", references, len(hypotheses), "sentence", error=MetricError)
        for number, (own, refs) in enumerate(zip(hypotheses, references, strict=True)):
            if len(own) and not len(refs):
                reason = f"{metric}: sentence {number} has no reference"
                raise MetricError(reason, code="metric.no-reference", value=number)
        return cls(
            _strings(metric, "hypothesis", hypotheses),
            starts(map(len, hypotheses)),
            _strings(metric, "reference", references),
            starts(map(len, references)),
        )

    def texts(self, prepare: Callable[[str], str]) -> tuple[list[str], list[str]]:
        """All hypotheses and all references, each prepared; the same string once."""
        done: dict[str, str] = dict.fromkeys(chain(self.hypotheses, self.references), "")
        for text in done:
            done[text] = prepare(text)
        return [done[t] for t in self.hypotheses], [done[t] for t in self.references]


def as_groups(metric: str, what: str, groups: Iterable[Iterable[str]]) -> list[Sequence[str]]:
    """The strings of each sentence, as lists."""
    check_list(what, groups, "a list for each sentence", error=MetricError)
    made: list[Sequence[str]] = []
    for number, group in enumerate(groups):
        if isinstance(group, str) or not isinstance(group, Iterable):
            reason = f"{metric}: {what} of sentence {number} are {group!r:.60}, expected a list"
            raise MetricError(reason, code="argument.type", argument=what, value=number)
        made.append(group if isinstance(group, list | tuple) else list(group))
    return made


def _strings(metric: str, what: str, groups: Sequence[Sequence[str]]) -> list[str]:
    flat = list(chain.from_iterable(groups))
    if not set(map(type, flat)) <= {str}:
        for text in flat:
            if not isinstance(text, str):
                reason = f"{metric}: a {what} is {text!r}, expected a string"
                raise MetricError(reason, code="argument.type", argument=what, value=text)
    return flat


def starts(lengths: Iterable[int]) -> LongArray:
    """Where each row begins, and where the last one ends."""
    return np.cumsum([0, *lengths], dtype=np.int64)


def number_words(*blocks: Sequence[Sequence[str]]) -> list[Texts]:
    """Rows of words as rows of numbers, each block by itself; equal words have equal numbers."""
    number: defaultdict[str, int] = defaultdict()
    number.default_factory = number.__len__
    made = []
    for rows in blocks:
        start = starts(map(len, rows))
        words = map(number.__getitem__, chain.from_iterable(rows))
        made.append((start, np.fromiter(words, dtype=np.int32, count=int(start[-1]))))
    return made


def number_chars(texts: Sequence[str]) -> Texts:
    """Texts as rows of code points."""
    points = "".join(texts).encode("utf-32-le", "surrogatepass")
    return starts(map(len, texts)), np.frombuffer(points, dtype="<i4").astype(np.int32, copy=False)
