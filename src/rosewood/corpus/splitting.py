"""Development and test sets split off a corpus, by a hash of each pair and a seed.

The pairs with the smallest hashes go to the test set, the next to the development set: which ones
does not depend on their order, and a larger corpus keeps most of them.  Equal pairs have equal
hashes, so none is ever on both sides.  A held-out set takes the first of equal pairs; the others
are in no part at all, for a set that counts a sentence twice says less.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from rosewood.corpus.fingerprints import KEYS, fingerprint
from rosewood.corpus.pairs import SentencePair
from rosewood.errors import CorpusError

__all__ = ["PARTS", "Part", "Split", "SplitBy", "choose_split"]

Part = Literal["train", "dev", "test"]
SplitBy = Literal["pair", "source", "target"]
PARTS: tuple[Part, ...] = ("train", "dev", "test")


@dataclass(slots=True)
class Split:
    """Which pairs are held out; `counts` are of the walk that ended last, copies among them."""

    seed: int
    by: SplitBy
    chosen: dict[bytes, Part]
    counts: Counter[str] = field(default_factory=Counter)

    def parts(self, pairs: Iterable[SentencePair]) -> Iterator[tuple[Part, SentencePair]]:
        """Each pair with its part, but for copies of those that are held out."""
        key = KEYS[self.by]
        taken: set[bytes] = set()
        counts: Counter[str] = Counter()
        for pair in pairs:
            name = fingerprint(key(pair), self.seed)
            part = self.chosen.get(name, "train")
            if part != "train":
                if name in taken:
                    counts["copies"] += 1
                    continue
                taken.add(name)
            counts[part] += 1
            yield part, pair
        self.counts = counts

    def only(self, wanted: Part, pairs: Iterable[SentencePair]) -> Iterator[SentencePair]:
        """The pairs of one part."""
        return (pair for part, pair in self.parts(pairs) if part == wanted)


def choose_split(
    pairs: Iterable[SentencePair], dev: int, test: int, seed: int = 1, by: SplitBy = "pair"
) -> Split:
    """Goes through all pairs once; memory is bounded by the held-out sets.

    With `by="source"` no source sentence is on both sides, however it is translated.
    """
    for what, value in (("dev", dev), ("test", test), ("seed", seed)):
        if type(value) is not int or not 0 <= value < 2**63:
            raise CorpusError(f"{what} is {value!r}, want a whole number from 0 on")
    if by not in KEYS:
        raise CorpusError(f"by is {by!r}, want {', '.join(KEYS)}")
    key, wanted = KEYS[by], dev + test
    heap: list[int] = []  # the smallest so far, negated: the largest of them is in front
    among: set[int] = set()
    others = 0  # pairs that are left for training, or nearly so: enough to know there are some
    for pair in pairs:
        name = -int.from_bytes(fingerprint(key(pair), seed))
        if name in among:
            continue
        if len(heap) < wanted:
            heapq.heappush(heap, name)
            among.add(name)
            continue
        others += 1
        if heap and name > heap[0]:
            among.remove(heapq.heappushpop(heap, name))
            among.add(name)
    if len(heap) < wanted or not others:
        distinct = "pairs" if by == "pair" else f"{by} sentences"
        raise CorpusError(
            f"{dev:,} and {test:,} cannot be split off: there are only "
            f"{len(heap):,} distinct {distinct}, and some must be left to train on"
        )
    names = [(-name).to_bytes(8) for name in sorted(heap, reverse=True)]
    chosen: dict[bytes, Part] = dict.fromkeys(names[:test], "test")
    chosen.update(dict.fromkeys(names[test:], "dev"))
    return Split(seed, by, chosen)
