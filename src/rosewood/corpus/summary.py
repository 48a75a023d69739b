"""How large a corpus is, and how long its sentences are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any

from rosewood.corpus.fingerprints import KEYS, SeenFingerprints, fingerprint
from rosewood.corpus.pairs import SentencePair, count_words

_BATCH = 8192  # pairs that are counted together


@dataclass(frozen=True, slots=True)
class SideSummary:
    """The sentences of one language; lengths are in words between spaces."""

    words: int
    characters: int
    mean: float
    median: int
    percentile_95: int
    longest: int


@dataclass(frozen=True, slots=True)
class CorpusSummary:
    """A corpus in numbers."""

    pairs: int
    distinct: int
    identical: int  # pairs whose sides are the same
    source: SideSummary
    target: SideSummary
    tags: dict[str, int] = field(default_factory=dict)  # how many pairs have each

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class _Lengths:
    """Counts of sentences of each length: as many numbers as there are lengths."""

    def __init__(self) -> None:
        self.sentences: Counter[int] = Counter()
        self.characters = 0

    def add(self, texts: Iterable[str]) -> None:
        texts = list(texts)
        self.sentences.update(map(count_words, texts))
        self.characters += sum(map(len, texts))

    def side(self) -> SideSummary:
        count = self.sentences.total()
        words = sum(length * times for length, times in self.sentences.items())
        return SideSummary(
            words=words,
            characters=self.characters,
            mean=words / count if count else 0.0,
            median=self._at(0.5),
            percentile_95=self._at(0.95),
            longest=max(self.sentences, default=0),
        )

    def _at(self, share: float) -> int:
        """The shortest length that this share of the sentences does not exceed."""
        left = share * self.sentences.total()
        for length in sorted(self.sentences):
            left -= self.sentences[length]
            if left <= 0:
                return length
        return 0


def summarise(pairs: Iterator[SentencePair]) -> CorpusSummary:
    """Goes through all pairs once."""
    source, target, seen = _Lengths(), _Lengths(), SeenFingerprints()
    tags: Counter[str] = Counter()
    count = identical = 0
    key = KEYS["pair"]
    while batch := list(islice(pairs, _BATCH)):
        count += len(batch)
        source.add(pair.source for pair in batch)
        target.add(pair.target for pair in batch)
        seen.add(fingerprint(key(pair)) for pair in batch)
        identical += sum(pair.source == pair.target for pair in batch)
        for pair in batch:
            tags.update(pair.tags.keys())
    return CorpusSummary(count, len(seen), identical, source.side(), target.side(), dict(tags))
