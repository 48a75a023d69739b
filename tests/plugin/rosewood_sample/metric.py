"""A metric in one file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosewood.metrics.rates import Rate
from rosewood.settings import setting


@dataclass(frozen=True, repr=False)
class FirstWord(Rate):
    """Percentage of hypotheses whose first words are those of a reference."""

    words: int = setting(1, "Words that are compared.", low=1)

    name = "first-word"
    columns = ("right", "sentences")

    @property
    def title(self):
        return "first word"

    def _facts(self):
        return [f"words:{self.words}"]

    def _count(self, batch, threads):
        hypotheses, references = batch.texts(lambda text: tuple(text.split()[: self.words]))
        out = np.ones((len(hypotheses), 2))
        own, refs = batch.hypothesis_start.tolist(), batch.reference_start.tolist()
        for g in range(len(own) - 1):
            right = set(references[refs[g] : refs[g + 1]])
            out[own[g] : own[g + 1], 0] = [h in right for h in hypotheses[own[g] : own[g + 1]]]
        return out
