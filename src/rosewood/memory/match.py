"""A sentence of a translation memory that is the same as a given one, or like it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

LOWEST = 0.01  # the lowest score that can be asked for: at 0 all sentences are alike
MatchKind = Literal["exact", "near-exact", "fuzzy"]


@dataclass(frozen=True)
class MemoryMatch:
    """What a memory has for a text.

    kind          "exact": the same text but for Unicode form and white space.
                  "near-exact": the same text with other placeholders or tags, which `translation`
                  has in their places.
                  "fuzzy": some words are different.
    score         1 for exact and near-exact matches; else 1 - word edit distance / words of the
                  longer sentence, at most 0.99
    source        the sentence of the memory
    translation   its translation
    place         file and line of the pair, where they are known
    others        other translations that the memory has for the same sentence
    """

    kind: MatchKind
    score: float
    source: str
    translation: str
    place: str | None = None
    others: int = 0

    @property
    def is_exact(self) -> bool:
        """Whether the translation is one of the text asked for: an exact or near-exact match."""
        return self.kind != "fuzzy"

    @property
    def text(self) -> str:
        """What it is and where it is from, in a line."""
        where = "" if self.place is None else f" at {self.place}"
        others = f", {self.others} other translations" if self.others else ""
        return f"{self.kind} match, score {self.score:.2f}{where}{others}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "kind": self.kind,
            "score": self.score,
            "source": self.source,
            "translation": self.translation,
            "place": self.place,
            "others": self.others,
        }
