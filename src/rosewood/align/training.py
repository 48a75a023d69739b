"""Training by expectation maximisation: Model 1, the diagonal and the HMM, in both directions.

One sweep over the corpus serves both directions, which read the same entries.  With a prior, the
maximisation step is variational: a count c is worth exp(digamma(c + prior)).  Jumps and tension
are set so that the likelihood rises, not by rule of thumb: `tests/cross/test_align_training.py`
holds training to it.

Native      core/align/model.hpp, maximise.hpp; specification: tests/reference/align*.py
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.align.lexicon import UNIT, Bitext, Counts, Lexicon, bitext_of
from rosewood.align.models import AlignmentModel
from rosewood.align.positions import NullWords, Positions, learn_jumps, learn_tension, shapes_of
from rosewood.corpus import IndexedCorpus
from rosewood.shared_types import Report

Kept = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
NONE = np.zeros(0, np.int32)
NO_COUNTS = np.zeros(0, np.int64)

# The likelihood rises all the way to the best tension, but early links are too near the diagonal:
# who goes there at once stays there.
_TENSION_STEP = 0.1


@dataclass(eq=False)
class Expected:
    """What one sweep over the corpus adds up."""

    count: Counts  # of links, [place, column]: both directions, or one column where they agree
    null: tuple[Counts, Counts]  # of target and of source words without a partner
    log_probability: tuple[float, float] = (0.0, 0.0)
    distance: tuple[float, float] = (0.0, 0.0)
    jump: list[NDArray[np.float64]] = field(default_factory=list)  # by direction
    chance: list[NDArray[np.float64]] = field(default_factory=list)
    placed: tuple[Counts, Counts] = (NO_COUNTS, NO_COUNTS)  # words with a partner, by position


class Training:
    """The state of training: probabilities of words and of positions, from round to round."""

    def __init__(
        self,
        corpus: IndexedCorpus,
        model: AlignmentModel,
        *,
        threads: int = 1,
        report: Report | None = None,
    ) -> None:
        self.corpus = corpus
        self.model = model
        self.threads = threads
        self.report = report
        self.bitext: Bitext = bitext_of(corpus)
        self.lexicon = Lexicon.of(self.bitext, threads=threads)
        self.positions = Positions.of(model)
        self.frequency = (
            np.bincount(corpus.source.ids, minlength=self.bitext.source_words),
            np.bincount(corpus.target.ids, minlength=self.bitext.target_words),
        )
        target, source = self.bitext.target_words, self.bitext.source_words
        self.null_word: NullWords = (
            np.full(target, 1 / max(1, target), np.float32),
            np.full(source, 1 / max(1, source), np.float32),
        )
        self.expected: Expected | None = None
        self.totals: tuple[Counts, Counts] | None = None
        self.history: list[dict[str, Any]] = []
        self._shapes = shapes_of(corpus) if getattr(model, "learn_tension", False) else None

    def run(self) -> None:
        """Model 1 first where the model wants it, then its own rounds."""
        for _ in range(self.model.warm_up):
            self.step("model1", "uniform")
        for _ in range(self.model.iterations):
            self.step(self.model.name, self.model.placing, agreement=self.model.agreement)

    def step(self, stage: str, placing: str, *, agreement: bool = False) -> None:
        """One EM step: a sweep over the corpus, then the parameters that fit its counts best."""
        expected = self.expect(self.native(placing, agreement=agreement), is_one=agreement)
        self.record(stage, expected)
        self.expected = expected
        self.totals = self.lexicon.totals(expected.count)
        _core.maximise_words(
            self.lexicon.view,
            expected.count,
            *self.totals,
            *self.lexicon.partners,
            self.model.prior,
            self.threads,
        )
        self.null_word = (
            null_words(expected.null[0], self.model.prior),
            null_words(expected.null[1], self.model.prior),
        )
        self.learn_positions(placing, expected)

    def native(self, placing: str, *, agreement: bool) -> _core.AlignmentModel:
        """The model as kernels take it."""
        return self.positions.native(self.lexicon, placing, self.null_word, agreement)

    def expect(
        self,
        native: _core.AlignmentModel,
        *,
        is_one: bool,
        keep: Kept = (NONE, NONE, NONE),
    ) -> Expected:
        """A sweep over the corpus."""
        sums = Expected(
            np.zeros((len(self.lexicon), 1 if is_one else 2), np.int64),
            (
                np.zeros(self.bitext.target_words, np.int64),
                np.zeros(self.bitext.source_words, np.int64),
            ),
        )
        positions = NO_COUNTS, NO_COUNTS
        if self._shapes is not None:
            positions = self._shapes[0].first, self._shapes[1].first
            forward, backward = (np.zeros(len(each.at), np.int64) for each in self._shapes)
            sums.placed = forward, backward
        log_probability, distance, *jumps = _core.align_expect(
            self.bitext.view,
            native,
            sums.count,
            *sums.null,
            *keep,
            *positions,
            *sums.placed,
            self.threads,
        )
        sums.log_probability = log_probability[0], log_probability[1]
        sums.distance = distance[0], distance[1]
        sums.jump = [np.array(jumps[0]), np.array(jumps[2])]
        sums.chance = [np.array(jumps[1]), np.array(jumps[3])]
        return sums

    def final(self, begin: int, end: int) -> _core.AlignmentModel:
        """The model that training ended with, for sentences begin .. end-1."""
        return self.native(self.model.placing, agreement=self.model.agreement)

    def learn_positions(self, placing: str, expected: Expected) -> None:
        """Better jumps, or a better tension."""
        if placing == "jumps":
            jumps = (
                learn_jumps(*each)
                for each in zip(self.positions.jump, expected.jump, expected.chance, strict=True)
            )
            self.positions = replace(self.positions, jump=(next(jumps), next(jumps)))
        elif placing == "diagonal" and self._shapes is not None:
            tension = (
                old + _TENSION_STEP * (learn_tension(shapes, distance, placed / UNIT, old) - old)
                for shapes, distance, placed, old in zip(
                    self._shapes,
                    expected.distance,
                    expected.placed,
                    self.positions.tension,
                    strict=True,
                )
            )
            self.positions = replace(self.positions, tension=(next(tension), next(tension)))

    def record(self, stage: str, expected: Expected) -> None:
        """Add a row to the history: log probability per word under the parameters of a sweep."""
        words = (len(self.corpus.target.ids), len(self.corpus.source.ids))
        row = {
            "round": len(self.history) + 1,
            "stage": stage,
            "forward": expected.log_probability[0] / max(1, words[0]),
            "backward": expected.log_probability[1] / max(1, words[1]),
        }
        self.history.append(row)
        if self.report is not None:
            self.report(row)


def null_words(count: Counts, prior: float) -> NDArray[np.float32]:
    """The probability of each word where it has no partner."""
    if len(count) == 0:
        return np.zeros(0, np.float32)
    known = np.append(count, count.sum()) / UNIT
    if prior > 0:
        known[:-1] += prior
        known[-1] += prior * len(count)
        worth = np.empty_like(known)
        _core.exp_digamma(known, worth)
    else:
        worth = known
    probability: NDArray[np.float64] = np.maximum(1e-30, worth[:-1] / max(1e-30, worth[-1]))
    return probability.astype(np.float32)
