"""Development and test sets split off a corpus, by a hash of each pair and a seed.

The pairs with the smallest hashes go to the test set, the next to the development set: which ones
does not depend on their order, and a larger corpus keeps most of them.  Equal pairs have equal
hashes, so none is ever on both sides.  A held-out set takes the first of equal pairs; the others
are in no part at all, for a set that counts a sentence twice says less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Literal

from rosewood.arguments import check_choice, check_whole
from rosewood.corpus.fingerprints import KEYS, fingerprint
from rosewood.corpus.pairs import SentencePair
from rosewood.errors import CorpusError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Part = Literal["train", "dev", "test"]
SplitBy = Literal["pair", "source", "target"]
PARTS: tuple[Part, ...] = ("train", "dev", "test")
_MOST = 2**63 - 1
_BATCH = 8192  # pairs whose fingerprints are sorted together


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


class SplitChooser:
    """Finds the smallest of the hashes that it is given, and makes a split of them."""

    def __init__(self, most: int, seed: int = 1, by: SplitBy = "pair") -> None:
        """`most` is how many pairs may be held out: memory is bounded by it."""
        check_whole("the size of held-out sets", most, low=0, high=_MOST, error=CorpusError)
        check_whole("seed", seed, low=0, high=_MOST, error=CorpusError)
        check_choice("by", by, KEYS, error=CorpusError)
        self.seed, self.by = seed, by
        self._most = most
        self._smallest: NDArray[np.uint64] | None = None  # in order; one more than can be wanted

    def add(self, fingerprints: bytes) -> None:
        """The fingerprints of some pairs, concatenated, computed with the seed."""
        import numpy as np

        names = np.frombuffer(fingerprints, ">u8").astype(np.uint64)
        if self._smallest is not None:
            if len(self._smallest) > self._most:
                names = names[names < self._smallest[-1]]
            names = np.concatenate([self._smallest, names])
        self._smallest = np.unique(names)[: self._most + 1]

    def split(self, dev: int, test: int = 0) -> Split:
        """So many pairs for each set."""
        wanted = dev + test
        found = [] if self._smallest is None else self._smallest.tolist()
        if len(found) <= wanted:
            distinct = "pairs" if self.by == "pair" else f"{self.by} sentences"
            raise CorpusError(
                f"{dev:,} and {test:,} cannot be split off: there are only "
                f"{len(found):,} distinct {distinct}, and some must be left to train on",
                code="corpus.too-small", value=len(found), expected=wanted + 1,
            )  # fmt: skip
        names = [name.to_bytes(8) for name in found[:wanted]]
        chosen: dict[bytes, Part] = dict.fromkeys(names[:test], "test")
        chosen.update(dict.fromkeys(names[test:], "dev"))
        return Split(self.seed, self.by, chosen)


def choose_split(
    pairs: Iterable[SentencePair], dev: int, test: int, seed: int = 1, by: SplitBy = "pair"
) -> Split:
    """Goes through all pairs once; memory is bounded by the held-out sets.

    With `by="source"` no source sentence is on both sides, however it is translated.
    """
    check_whole("dev", dev, low=0, high=_MOST, error=CorpusError)
    check_whole("test", test, low=0, high=_MOST, error=CorpusError)
    chooser = SplitChooser(dev + test, seed, by)
    key, rest = KEYS[by], iter(pairs)
    while batch := b"".join(fingerprint(key(pair), seed) for pair in islice(rest, _BATCH)):
        chooser.add(batch)
    return chooser.split(dev, test)
