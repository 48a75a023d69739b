"""Translation edit rate, as sacreBLEU counts it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.metrics.batch import SentenceBatch
from rosewood.metrics.rates import Rate
from rosewood.metrics.tokenise import (
    sacrebleu_version,
)
from rosewood.settings import setting


@dataclass(frozen=True, repr=False)
class Ter(Rate):
    """Translation edit rate, counted by sacreBLEU: shifts are edits too.

    The fewest edits of any reference, per word of the references' average length.
    """

    normalized: bool = setting(False, "Cut punctuation off as Tercom does.")
    no_punct: bool = setting(False, "Leave punctuation out.")
    asian_support: bool = setting(False, "Cut Asian characters apart.")
    case_sensitive: bool = setting(False, "Compare with case.")

    name = "ter"
    columns = ("edits", "reference_words")
    higher_is_better = False
    not_linear = "edits and shifts are those of the whole string"

    def _facts(self) -> list[str]:
        yes = {True: "yes", False: "no"}
        return [
            f"case:{'mixed' if self.case_sensitive else 'lc'}",
            "tok:tercom",
            f"norm:{yes[self.normalized]}",
            f"punct:{yes[not self.no_punct]}",
            f"asian:{yes[self.asian_support]}",
        ]

    @property
    def signature(self) -> str:
        return "|".join([*self._facts(), f"version:{sacrebleu_version()}"])

    def _count(self, batch: SentenceBatch, threads: int) -> FloatArray:
        from sacrebleu.metrics.ter import TER

        peer = TER(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)
        out = np.empty((len(batch.hypotheses), 2))
        own, refs = batch.hypothesis_start.tolist(), batch.reference_start.tolist()
        for g in range(len(own) - 1):
            references = batch.references[refs[g] : refs[g + 1]]
            done: dict[str, tuple[float, float]] = {}
            for h in range(own[g], own[g + 1]):
                text = batch.hypotheses[h]
                if text not in done:
                    score = peer.sentence_score(text, references)
                    done[text] = score.num_edits, score.ref_length
                out[h] = done[text]
        return out


PLUGIN = Ter
