"""Training of `best`: two HMMs that agree, with counts that leave out a word's own link.

After Model 1, every sweep asks both HMMs for posteriors and takes their products as links.  Of each
target word the two strongest links are counted and remembered; in the next sweep a word's
probabilities come from the counts of all other words, as in a collapsed sampler, only that links
are expected instead of drawn, and that whole sentences are inferred at once.

Native      core/align/collapsed.hpp; specification: tests/reference/align*.py
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.align.lexicon import UNIT, Bitext, Counts, Lexicon, bitext_of
from rosewood.align.models import Best
from rosewood.align.positions import NullWords, learn_null
from rosewood.align.training import Kept, Training
from rosewood.align.word_similarity import Likeness, Stems, likeness_of
from rosewood.corpus import IndexedCorpus
from rosewood.disk_arrays import filled
from rosewood.shared_types import Report


@dataclass(eq=False)
class CollapsedWords:
    """All that probabilities of words are made of, but for the counts of links."""

    model: Best
    lexicon: Lexicon
    likeness: Likeness
    stems: tuple[Stems, Stems]
    stem_lexicon: Lexicon
    pair: NDArray[np.int32]  # the pair of stems of each place

    @classmethod
    def of(
        cls,
        model: Best,
        corpus: IndexedCorpus,
        lexicon: Lexicon,
        words: tuple[list[str], list[str]],
        frequency: tuple[Counts, Counts],
        numbers: tuple[NDArray[np.int32] | None, NDArray[np.int32] | None] = (None, None),
        *,
        threads: int = 1,
    ) -> CollapsedWords:
        """For the pairs of a corpus, whose word w is `words[numbers[w]]`."""
        stems = (
            Stems.of(words[0], frequency[0], model.stem),
            Stems.of(words[1], frequency[1], model.stem),
        )
        own = [s.stem if n is None else s.stem[n] for s, n in zip(stems, numbers, strict=True)]
        made: Bitext = bitext_of(corpus, *own, words=(stems[0].size, stems[1].size))
        stem_lexicon = Lexicon.of(made, threads=threads)
        pair = np.zeros(len(lexicon), np.int32)
        _core.pair_stems(
            lexicon.view, stems[0].stem, stems[1].stem, stem_lexicon.view, pair, threads
        )
        likeness = likeness_of(lexicon, *words, threads=threads)
        return cls(model, lexicon, likeness, stems, stem_lexicon, pair)

    def native(
        self,
        count: Counts,
        pair_count: Counts,
        totals: tuple[Counts, Counts],
        stem_totals: tuple[Counts, Counts],
        null: tuple[Counts, Counts],
        spelling_totals: tuple[NDArray[np.float64], NDArray[np.float64]],
    ) -> _core.Collapsed:
        """With counts: of places, pairs of stems, words, stems and of words without partners."""
        source, target = (
            _core.CollapsedSide(total, stems.stem, stem_total, stems.share, spelled, none)
            for total, stems, stem_total, spelled, none in zip(
                totals, self.stems, stem_totals, spelling_totals, (null[1], null[0]), strict=True
            )
        )
        model = self.model
        return _core.Collapsed(
            count,
            self.likeness.like,
            self.pair,
            pair_count,
            source,
            target,
            model.pair_prior,
            model.null_prior,
            model.spelling,
            model.stem_weight,
            model.stem_prior,
        )

    def null_words(self, null: tuple[Counts, Counts]) -> NullWords:
        """The probability of words without partners, nothing left out; target words first."""
        prior = self.model.null_prior
        target, source = (
            ((count / UNIT + prior) / (count.sum() / UNIT + prior * len(count))).astype(np.float32)
            for count in null
        )
        return target, source


class CollapsedTraining(Training):
    """The state of training `best`."""

    model: Best

    def __init__(
        self, corpus: IndexedCorpus, model: Best, *, threads: int = 1, report: Report | None = None
    ) -> None:
        super().__init__(corpus, model, threads=threads, report=report)
        # Remembered links: (source word, weight) twice for each target word, and how much each
        # target and source word was without a link.
        self.kept: Kept = (
            filled(len(corpus.target.ids) * 4, -1, np.int32),
            filled(len(corpus.target.ids), 0, np.int32),
            filled(len(corpus.source.ids), 0, np.int32),
        )
        self._words: CollapsedWords | None = None
        self._collapsed: _core.Collapsed | None = None

    def run(self) -> None:
        for _ in range(self.model.warm_up):
            self.step("model1", "uniform")
        self.expected = None  # these counts are not needed any more, and are large
        texts = self.corpus.source, self.corpus.target
        words = texts[0].types, texts[1].types
        self._words = CollapsedWords.of(
            self.model, self.corpus, self.lexicon, words, self.frequency, threads=self.threads
        )
        for _ in range(self.model.iterations):
            self.collapsed_step()

    def collapsed_step(self) -> None:
        """One sweep that leaves out a word's own links, and its counts."""
        assert self._words is not None
        expected = self.expect(self.final(0, len(self.corpus)), is_one=True, keep=self.kept)
        self.record(self.model.name, expected)
        self.expected = expected
        self.totals = self.lexicon.totals(expected.count)
        pair_count = np.zeros(len(self._words.stem_lexicon), np.int64)
        _core.add_pairs(expected.count.reshape(-1), self._words.pair, pair_count)
        stem_totals = self._words.stem_lexicon.totals(pair_count.reshape(-1, 1))
        self._collapsed = self._words.native(
            expected.count.reshape(-1),
            pair_count,
            self.totals,
            stem_totals,
            expected.null,
            self.spelling_totals,
        )
        _core.maximise_collapsed(self.lexicon.view, self._collapsed, self.threads)
        self.null_word = self._words.null_words(expected.null)
        self.learn_positions("jumps", expected)
        if self.model.learn_null:
            linked = float(expected.count.sum() / UNIT)
            forward, backward = (
                learn_null(len(text.ids), linked, float(none.sum() / UNIT))
                for text, none in zip(
                    (self.corpus.target, self.corpus.source), expected.null, strict=True
                )
            )
            self.positions = replace(self.positions, null=(forward, backward))

    def final(self, begin: int, end: int) -> _core.AlignmentModel:
        """The model for sentences begin .. end-1: their words' own links are left out."""
        native = self.native("jumps", agreement=True)
        if self._collapsed is not None:
            links, no_target, no_source = self.kept
            target = slice(self.corpus.target.start[begin], self.corpus.target.start[end])
            source = slice(self.corpus.source.start[begin], self.corpus.source.start[end])
            links = links[4 * target.start : 4 * target.stop]
            native.leave_out(self._collapsed, links, no_target[target], no_source[source])
        return native

    @property
    def spelling_totals(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Pseudo-counts of each word from all words that are spelled like it."""
        assert self._words is not None
        return self._words.likeness.source_total, self._words.likeness.target_total
