"""How good links are: alignment error rate, precision and recall against people's alignments.

    scores = score_links(links, read_gold("gold.align.gz"), first_line=5036)
    scores.aer; scores.precision; scores.recall; scores.sentence_aer()

With A the links, S the sure gold links and P ⊇ S the possible ones (Och & Ney 2003):

    AER = 1 − (|A∩S| + |A∩P|) / (|A| + |S|)     precision = |A∩P| / |A|     recall = |A∩S| / |S|

Counts are added up over all sentences that have gold, and those alone: a gold line without any link
is a sentence that nobody has aligned, and what the system says of it is not held against it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rosewood.align.alignment import GoldAlignment, Links, sorting_order
from rosewood.align.symmetrization import symmetrize
from rosewood.arguments import check_number, check_shape
from rosewood.arrays import FloatArray, LongArray, as_count
from rosewood.errors import AlignmentError


@dataclass(frozen=True, eq=False)
class Gold:
    """People's alignments: all links they find possible, and which of them they are sure of."""

    links: Links
    is_sure: NDArray[np.bool_]

    def __post_init__(self) -> None:
        is_sure = np.asarray(self.is_sure, dtype=bool)
        check_shape("is_sure", is_sure, self.links.source.shape, error=AlignmentError)
        object.__setattr__(self, "is_sure", is_sure)

    def __len__(self) -> int:
        return len(self.links)

    def __getitem__(self, number: int) -> GoldAlignment:
        return GoldAlignment(self.sure[number].links, self.links[number].links)

    @cached_property
    def sure(self) -> Links:
        """The sure links alone."""
        kept = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.is_sure)])
        links = self.links
        return Links(kept[links.start], links.source[self.is_sure], links.target[self.is_sure])

    def transposed(self) -> Gold:
        """The same links seen from the other language."""
        links = self.links
        order = sorting_order(links.start, links.target, links.source)
        turned = Links(links.start, links.target[order], links.source[order])
        return Gold(turned, self.is_sure[order])

    @property
    def is_aligned(self) -> NDArray[np.bool_]:
        """Which sentences somebody has aligned: those with any link."""
        return self.links.counts > 0


@dataclass(frozen=True, eq=False)
class LinkScores:
    """Counts of each sentence with gold links, and their sums."""

    sentence: LongArray  # its number among the system's links
    links: LongArray  # |A|
    sure: LongArray  # |S|
    possible: LongArray  # |P|
    links_sure: LongArray  # |A∩S|
    links_possible: LongArray  # |A∩P|

    @property
    def aer(self) -> float:
        """The alignment error rate: 0 is perfect, 1 is all wrong."""
        return 1 - _share(self.links_sure + self.links_possible, self.links + self.sure)

    @property
    def precision(self) -> float:
        """The share of links that are possible; 1 where there are none."""
        return _share(self.links_possible, self.links)

    @property
    def recall(self) -> float:
        """The share of sure links that were found; 1 where there are none."""
        return _share(self.links_sure, self.sure)

    def f(self, alpha: float = 0.5) -> float:
        """1 / (α/precision + (1−α)/recall), Fraser & Marcu's (2007) measure."""
        check_number("alpha", alpha, low=0, high=1, error=AlignmentError)
        precision, recall = self.precision, self.recall
        below = alpha * recall + (1 - alpha) * precision
        return precision * recall / below if below > 0 else 0.0

    def sentence_aer(self) -> FloatArray:
        """The alignment error rate of each sentence; 0 where it has nothing to say or to find."""
        below = self.links + self.sure
        right = self.links_sure + self.links_possible
        made: FloatArray = np.where(below > 0, 1 - right / np.maximum(below, 1), 0.0)
        return made

    def rows(self) -> Iterator[dict[str, float | int]]:
        """Line from 1, alignment error rate and counts of each sentence."""
        names = ("links", "sure", "possible", "links_sure", "links_possible")
        columns = [(self.sentence + 1).tolist(), self.sentence_aer().tolist()]
        columns += [getattr(self, name).tolist() for name in names]
        for row in zip(*columns, strict=True):
            yield dict(zip(("line", "aer", *names), row, strict=True))

    def to_dict(self) -> dict[str, float | int]:
        """The scores and the sums that they come from, by name."""
        return {
            "aer": self.aer,
            "precision": self.precision,
            "recall": self.recall,
            "f": self.f(),
            "sentences": len(self.sentence),
            "links": int(self.links.sum()),
            "sure": int(self.sure.sum()),
            "possible": int(self.possible.sum()),
            "links_sure": int(self.links_sure.sum()),
            "links_possible": int(self.links_possible.sum()),
        }


def score_links(links: Links, gold: Gold, *, first_line: int | None = None) -> LinkScores:
    """Hold links against gold.

    The gold may be of a part of the corpus: its first line is then line `first_line` of the links,
    counted from 1.  Without it both must have as many sentences.
    """
    if first_line is None:
        if len(links) != len(gold):
            raise AlignmentError(
                f"links of {len(links)} sentences, gold of {len(gold)}: say with first_line "
                "at which line of the links the gold begins",
                code="argument.shape", argument="gold", value=len(gold), expected=len(links),
            )  # fmt: skip
        first_line = 1
    first = as_count("first_line", first_line, 1, error=AlignmentError) - 1
    if first + len(gold) > len(links):
        raise AlignmentError(
            f"the gold's {len(gold)} sentences from line {first_line} on go beyond the "
            f"{len(links)} sentences of the links",
            code="argument.range", argument="first_line", value=first_line,
        )  # fmt: skip
    part = links[first : first + len(gold)]
    kept = np.flatnonzero(gold.is_aligned)
    if len(kept) == 0:
        reason = "the gold has no links at all"
        raise AlignmentError(reason, code="alignment.no-links", argument="gold")
    sure = gold.sure
    return LinkScores(
        kept + first,
        part.counts[kept],
        sure.counts[kept],
        gold.links.counts[kept],
        symmetrize(part, sure, "intersection").counts[kept],
        symmetrize(part, gold.links, "intersection").counts[kept],
    )


def alignment_error_rate(links: Links, gold: Gold, *, first_line: int | None = None) -> float:
    """The AER of links against gold, over all sentences that have gold."""
    return score_links(links, gold, first_line=first_line).aer


def _share(part: LongArray, whole: LongArray) -> float:
    total = int(whole.sum())
    return int(part.sum()) / total if total else 1.0
