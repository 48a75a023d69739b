"""Error rates: WER and CER, TER as sacreBLEU counts it, and exact match.

Native      core/metrics/edits.cpp; specification: tests/reference/metrics.py
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray
from rosewood.metrics.batch import Batch, Texts, number_chars, number_words
from rosewood.metrics.metric import TextMetric
from rosewood.metrics.tokenise import (
    check_tokeniser,
    cut_lines,
    sacrebleu_version,
    tokeniser_signature,
)

__all__ = ["Cer", "ExactMatch", "Ter", "Wer"]


class _Rate(TextMetric):
    """A percentage: the first statistic in the second."""

    @property
    def scorer(self) -> _core.MetricScorer:
        return _core.MetricScorer("ratio", higher_is_better=self.higher_is_better)

    @property
    def title(self) -> str:
        return self.name.upper()

    @property
    def signature(self) -> str:
        from rosewood import __version__

        return "|".join([*self._facts(), f"version:rosewood-{__version__}"])

    @abstractmethod
    def _facts(self) -> list[str]:
        """The settings, for the signature."""


class _EditRate(_Rate):
    """Insertions, deletions and substitutions to the reference that needs the fewest."""

    higher_is_better = False
    columns = ("edits", "reference_length")

    @abstractmethod
    def _symbols(self, batch: Batch) -> list[Texts]:
        """Hypotheses and references as rows of numbers."""

    def _count(self, batch: Batch, threads: int) -> FloatArray:
        hypotheses, references = self._symbols(batch)
        out = np.empty((len(batch.hypotheses), 2))
        starts = batch.hypothesis_start, batch.reference_start
        _core.edit_statistics(*starts, *hypotheses, *references, threads, out)
        return out


@dataclass(frozen=True, repr=False)
class Wer(_EditRate):
    """Word error rate; of several references, the one that needs the fewest edits counts.

    Of equals the longest: it gives the lowest rate.
    """

    tokenize: str = "none"
    lowercase: bool = False

    name = "wer"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_tokeniser(self.tokenize)

    def _facts(self) -> list[str]:
        return [_case(self.lowercase), f"tok:{tokeniser_signature(self.tokenize)}"]

    def _symbols(self, batch: Batch) -> list[Texts]:
        sides = batch.hypotheses, batch.references
        return number_words(
            *(cut_lines(side, self.tokenize, lowercase=self.lowercase) for side in sides)
        )


@dataclass(frozen=True, repr=False)
class Cer(_EditRate):
    """Character error rate; a blank between words is one character, or none."""

    lowercase: bool = False
    whitespace: bool = True

    name = "cer"

    def _facts(self) -> list[str]:
        return [_case(self.lowercase), f"space:{'yes' if self.whitespace else 'no'}"]

    def _symbols(self, batch: Batch) -> list[Texts]:
        blank = " " if self.whitespace else ""
        sides = batch.texts(
            lambda text: blank.join((text.lower() if self.lowercase else text).split())
        )
        return [number_chars(side) for side in sides]


@dataclass(frozen=True, repr=False)
class ExactMatch(_Rate):
    """How many hypotheses are one of their references, blanks around and between words aside."""

    lowercase: bool = False

    name = "exact"
    columns = ("right", "sentences")

    @property
    def title(self) -> str:
        return "exact match"

    def _facts(self) -> list[str]:
        return [_case(self.lowercase)]

    def _count(self, batch: Batch, threads: int) -> FloatArray:
        hypotheses, references = batch.texts(
            lambda text: " ".join((text.lower() if self.lowercase else text).split())
        )
        out = np.ones((len(hypotheses), 2))
        own, refs = batch.hypothesis_start.tolist(), batch.reference_start.tolist()
        for g in range(len(own) - 1):
            right = set(references[refs[g] : refs[g + 1]])
            out[own[g] : own[g + 1], 0] = [h in right for h in hypotheses[own[g] : own[g + 1]]]
        return out


@dataclass(frozen=True, repr=False)
class Ter(_Rate):
    """Translation edit rate, counted by sacreBLEU: shifts are edits too.

    The fewest edits of any reference, per word of the references' average length.
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    name = "ter"
    columns = ("edits", "reference_words")
    higher_is_better = False

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

    def _count(self, batch: Batch, threads: int) -> FloatArray:
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


def _case(lowercase: bool) -> str:
    return f"case:{'lc' if lowercase else 'mixed'}"
