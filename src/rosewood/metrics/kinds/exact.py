"""Percentage of hypotheses that are one of their references."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.metrics.batch import SentenceBatch
from rosewood.metrics.rates import Rate, case_fact
from rosewood.settings import setting


@dataclass(frozen=True, repr=False)
class ExactMatch(Rate):
    """How many hypotheses are one of their references, blanks around and between words aside."""

    lowercase: bool = setting(False, "Compare without case.")

    name = "exact"
    not_linear = "it is the whole string that is a reference or not"
    columns = ("right", "sentences")

    @property
    def title(self) -> str:
        return "exact match"

    def _facts(self) -> list[str]:
        return [case_fact(self.lowercase)]

    def _count(self, batch: SentenceBatch, threads: int) -> FloatArray:
        hypotheses, references = batch.texts(
            lambda text: " ".join((text.lower() if self.lowercase else text).split())
        )
        out = np.ones((len(hypotheses), 2))
        own, refs = batch.hypothesis_start.tolist(), batch.reference_start.tolist()
        for g in range(len(own) - 1):
            right = set(references[refs[g] : refs[g + 1]])
            out[own[g] : own[g + 1], 0] = [h in right for h in hypotheses[own[g] : own[g + 1]]]
        return out


PLUGIN = ExactMatch
