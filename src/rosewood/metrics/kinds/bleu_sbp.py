"""BLEU with the strict brevity penalty (Chiang et al. 2008)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.metrics.kinds.bleu import Bleu


@dataclass(frozen=True, repr=False)
class BleuSbp(Bleu):
    """BLEU with the strict brevity penalty (Chiang et al. 2008).

    A sentence's words count for the penalty only up to its reference length, so that a long
    sentence cannot pay for a short one.
    """

    name = "bleu-sbp"
    _kind = "bleu_sbp"

    def _columns(self) -> tuple[str, ...]:
        return (*super()._columns(), "words_that_count")

    def with_longer_references(self, statistics: FloatArray, words: float) -> FloatArray:
        longer = super().with_longer_references(statistics, words)
        longer[:, self.columns.index("words_that_count")] = np.minimum(longer[:, 0], longer[:, 1])
        return longer

    @property
    def title(self) -> str:
        return "BLEU-SBP"

    def _more_facts(self) -> list[str]:
        return [*super()._more_facts(), "brevity:strict"]


PLUGIN = BleuSbp
