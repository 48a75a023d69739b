"""Filters: which pairs of a corpus are kept, and a count of those that are not, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Literal

from rosewood.arguments import check_choice, check_whole
from rosewood.corpus.fingerprints import KEYS, SeenFingerprints, fingerprint
from rosewood.corpus.pairs import SentencePair, count_words
from rosewood.errors import CorpusError
from rosewood.settings import Settings, setting

_filter = partial(setting, group="Filtering")
_EXAMPLES = 3  # of each reason
_SHOWN = 60  # characters of a side in an example
_BATCH = 8192  # pairs whose fingerprints are looked up together


@dataclass(frozen=True)
class Filters(Settings):
    """What a pair must be to be kept.  A pair that several filters refuse counts for the first.

    Lengths are in words between spaces, or in characters where `unit` says so: for text without
    spaces.  `max_ratio` is that of the longer side to the shorter.  `deduplicate` keeps the first
    of the pairs that are the same: as a whole (`True` or "pair"), or in one side alone.
    """

    error = CorpusError

    min_words: int = _filter(1, "Minimum length of each side.", low=0)
    max_words: int | None = _filter(None, "Maximum length of each side.", low=1)
    max_ratio: float | None = _filter(None, "Maximum length ratio.", low=1)
    unit: Literal["words", "characters"] = _filter("words", "Unit of lengths.")
    drop_identical: bool = _filter(False, "Drop pairs with identical sides.")
    deduplicate: bool | Literal["pair", "source", "target"] = _filter(
        False, "Keep the first of pairs with the same source, target or both."
    )

    def __post_init__(self) -> None:
        check_choice("deduplicate", self.deduplicate, (*KEYS, True, False), error=CorpusError)
        super().__post_init__()
        if self.max_words is not None:
            check_whole("max_words", self.max_words, low=self.min_words, error=CorpusError)

    def reason(self, pair: SentencePair) -> str | None:
        """Why the pair is not kept; duplicates are another matter."""
        count: Callable[[str], int] = count_words if self.unit == "words" else len
        source, target = count(pair.source), count(pair.target)
        shorter, longer = (source, target) if source < target else (target, source)
        if shorter < self.min_words:
            if not shorter:
                return "empty side"
            return f"fewer than {self.min_words} {self.unit}"
        if self.max_words is not None and longer > self.max_words:
            return f"more than {self.max_words} {self.unit}"
        if self.max_ratio is not None and longer > self.max_ratio * shorter:
            return f"ratio above {self.max_ratio:g}"
        if self.drop_identical and pair.source == pair.target:
            return "identical sides"
        return None


@dataclass(slots=True)
class Removed:
    """Pairs that were removed for one reason: how many, and the first of them."""

    count: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass(slots=True)
class FilterReport:
    """What filters did to the pairs of one walk."""

    seen: int = 0
    removed: dict[str, Removed] = field(default_factory=dict)

    @property
    def kept(self) -> int:
        return self.seen - sum(each.count for each in self.removed.values())

    def to_dict(self) -> dict[str, Any]:
        return {
            "seen": self.seen,
            "kept": self.kept,
            "removed": {
                reason: {"count": each.count, "examples": each.examples}
                for reason, each in self.removed.items()
            },
        }

    def remove(self, pair: SentencePair, reason: str) -> None:
        entry = self.removed.setdefault(reason, Removed())
        entry.count += 1
        if len(entry.examples) < _EXAMPLES:
            place = "" if pair.origin is None else f"{pair.origin}: "
            entry.examples.append(f"{place}{_short(pair.source)} ||| {_short(pair.target)}")

    def merge(self, other: FilterReport) -> None:
        """Add what filters did to the pairs that come next."""
        self.seen += other.seen
        for reason, more in other.removed.items():
            entry = self.removed.setdefault(reason, Removed())
            entry.count += more.count
            entry.examples += more.examples[: _EXAMPLES - len(entry.examples)]


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


class Filtering:
    """Filters at work; the report is of the walk that began last."""

    def __init__(self, filters: Filters) -> None:
        self.filters = filters
        self.report = FilterReport()

    def __call__(self, pairs: Iterator[SentencePair]) -> Iterator[SentencePair]:
        self.report = report = FilterReport()
        good = self._good(pairs, report)
        by = self.filters.deduplicate
        return _distinct(good, report, "pair" if by is True else by) if by else good

    def _good(self, pairs: Iterator[SentencePair], report: FilterReport) -> Iterator[SentencePair]:
        judge = self.filters.reason
        for pair in pairs:
            report.seen += 1
            reason = judge(pair)
            if reason is None:
                yield pair
            else:
                report.remove(pair, reason)


def _distinct(
    pairs: Iterator[SentencePair], report: FilterReport, by: str
) -> Iterator[SentencePair]:
    key, seen = KEYS[by], SeenFingerprints()
    while batch := list(islice(pairs, _BATCH)):
        is_new = seen.add(fingerprint(key(pair)) for pair in batch)
        for pair, keep in zip(batch, is_new, strict=True):
            if keep:
                yield pair
            else:
                report.remove(pair, f"duplicate {by}")
