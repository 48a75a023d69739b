"""Aligners: trained on a corpus, saved, loaded, and asked about new text.

    aligner, aligned = Aligner.fit_align(corpus)            # the corpus itself, aligned
    write_pharaoh(aligned.symmetrize("grow-diag-final-and"), "out.pharaoh")
    aligner.save("aligner/")
    Aligner.load("aligner/").align([("das haus", "the house")])[0]      # Alignment: 0-0 1-1

A corpus is an IndexedCorpus, or sentence pairs: things with `source` and `target`, or pairs of
texts, words apart by spaces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypedDict, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.align.alignment import GrowingLinks, Links
from rosewood.align.collapsed import CollapsedTraining
from rosewood.align.lexical import LexicalTable
from rosewood.align.lexicon import Bitext, bitext_of
from rosewood.align.models import AlignmentModel, Best, make_model
from rosewood.align.parameters import Parameters
from rosewood.align.settings import AlignmentSettings
from rosewood.align.symmetrization import combine, symmetrize
from rosewood.align.training import Training
from rosewood.arguments import check_length, check_type
from rosewood.corpus import IndexedCorpus
from rosewood.corpus.indexed import Pair
from rosewood.disk_arrays import Growing
from rosewood.errors import AlignmentError
from rosewood.resources import check_threads
from rosewood.shared_types import PathName, Report

MAX_CELLS = 1 << 24  # pairs of places of the sentences that are worked on at a time
_SENTENCES = 1 << 17


Pairs = IndexedCorpus | Iterable[Pair | tuple[str, str]]


class TrainingKeywords(TypedDict, total=False):
    """Keywords of `Aligner.fit` and `fit_align`."""

    threads: int
    report: Report | None  # called after each round


@dataclass(frozen=True, eq=False)
class Aligned:
    """A corpus aligned in both directions, and how likely a model finds its sentences."""

    forward: Links  # each target word has at most one source word
    backward: Links  # each source word has at most one target word
    log_probability: NDArray[np.float64]  # [sentence, direction], of all words together

    def symmetrize(
        self,
        method: str = AlignmentSettings.symmetrize,
        *,
        order: str = AlignmentSettings.order,
        threads: int = 1,
    ) -> Links:
        """One alignment made of the two."""
        made = GrowingLinks()
        for begin in range(0, len(self.forward), _SENTENCES):
            some = slice(begin, begin + _SENTENCES)
            both = self.forward[some], self.backward[some]
            made.append(symmetrize(*both, method, order=order, threads=threads))
        return made.links()

    def scores(self, corpus: IndexedCorpus) -> NDArray[np.float64]:
        """Log probability a word of each sentence's target side, and of its source side.

        `corpus` is what was aligned.  Pairs that are no translations of each other score low, in
        both columns; so do rare words.  A sentence without words on either side scores -inf.
        """
        check_length(
            "corpus", corpus, len(self.log_probability), "aligned sentence", error=AlignmentError
        )
        lengths = np.stack([corpus.target.lengths, corpus.source.lengths], axis=1)
        is_empty = (lengths == 0).any(axis=1)
        by_word = self.log_probability / np.maximum(lengths, 1)
        return np.where(is_empty[:, None], -np.inf, by_word)


class Posteriors(NamedTuple):
    """How sure a model is of each link of a sentence, [source word, target word]."""

    forward: NDArray[np.float32]  # sums to one over source words, with that of no link
    backward: NDArray[np.float32]  # sums to one over target words, with that of no link

    def combined(self, how: str = "geometric") -> NDArray[np.float64]:
        """Both directions as one: product, geometric, mean, min or max."""
        return combine(self.forward, self.backward, how)


class Aligner:
    """A trained model of word alignment; immutable."""

    def __init__(self, parameters: Parameters) -> None:
        self._parameters = parameters

    @property
    def model(self) -> AlignmentModel:
        """The model and its settings."""
        return self._parameters.model

    @property
    def history(self) -> list[dict[str, Any]]:
        """A row for each round of training: log probability a word in both directions."""
        return [dict(row) for row in self._parameters.history]

    def __repr__(self) -> str:
        known = len(self._parameters.source.words), len(self._parameters.target.words)
        return f"Aligner({self.model.name}, {known[0]:,} source and {known[1]:,} target words)"

    @classmethod
    def fit(
        cls,
        corpus: Pairs,
        model: str | AlignmentModel = "best",
        **keywords: Unpack[TrainingKeywords],
    ) -> Aligner:
        """Train on a corpus; `report` is called after each round."""
        return cls(Parameters.of(_trained(_indexed(corpus), model, **keywords)))

    @classmethod
    def fit_align(
        cls,
        corpus: Pairs,
        model: str | AlignmentModel = "best",
        **keywords: Unpack[TrainingKeywords],
    ) -> tuple[Aligner, Aligned]:
        """Train on a corpus and align it.

        `best` leaves a word's own links out when it aligns what it was trained on, which `align`
        cannot do afterwards: alignments from here are a little better.
        """
        text = _indexed(corpus)
        training = _trained(text, model, **keywords)
        parts = (
            (bitext_of(text.part(begin, end)), training.final(begin, end), text.part(begin, end))
            for begin, end in _parts(text)
        )
        aligned = align_parts(parts, training.model, keywords.get("threads", 1))
        return cls(Parameters.of(training)), aligned

    def align_both(self, corpus: Pairs, *, threads: int = 1) -> Aligned:
        """New text, aligned in both directions."""
        text = _indexed(corpus)
        numbered, native = self._parameters.fitted(text, threads=_threads(threads))
        parts = (text.part(begin, end) for begin, end in _parts(text))
        return align_parts(((numbered(p), native, p) for p in parts), self.model, threads)

    def align(
        self,
        corpus: Pairs,
        symmetrization: str = AlignmentSettings.symmetrize,
        *,
        threads: int = 1,
    ) -> Links:
        """New text, aligned in both directions and symmetrised."""
        return self.align_both(corpus, threads=threads).symmetrize(symmetrization, threads=threads)

    def posteriors(self, corpus: Pairs, *, threads: int = 1) -> Iterator[Posteriors]:
        """How sure the model is of each link, sentence by sentence."""
        text = _indexed(corpus)
        numbered, native = self._parameters.fitted(text, threads=_threads(threads))
        for begin, end in _parts(text):
            part = text.part(begin, end)
            yield from _posteriors(part, numbered(part), native, threads)

    def score(self, corpus: Pairs, *, threads: int = 1) -> NDArray[np.float64]:
        """Log probability a word of each sentence, in both directions: see `Aligned.scores`."""
        text = _indexed(corpus)
        return self.align_both(text, threads=threads).scores(text)

    def lexicon(self) -> LexicalTable:
        """Lexical translation probabilities of both directions, from expected links."""
        known = self._parameters
        source = np.repeat(np.arange(len(known.start) - 1), np.diff(known.start))
        return LexicalTable(
            known.source.words,
            known.target.words,
            source.astype(np.int32),
            np.asarray(known.word),
            known.count[:, 0] / np.maximum(1, known.source.total[source]),
            known.count[:, -1] / np.maximum(1, known.target.total[known.word]),
        )

    @property
    def notes(self) -> dict[str, Any]:
        """What was saved beside the model: how its text was prepared, for instance."""
        return dict(self._parameters.notes)

    def save(self, folder: PathName, *, notes: Mapping[str, Any] | None = None) -> None:
        """Write the aligner into a folder, which appears whole or not at all.

        `notes` are JSON values that whoever loads it wants to know; without them its own stay.
        """
        known = self._parameters
        (known if notes is None else replace(known, notes=dict(notes))).save(str(folder))

    @classmethod
    def load(cls, folder: PathName) -> Aligner:
        """Map a folder that `save` wrote."""
        return cls(Parameters.load(str(folder)))

    @staticmethod
    def verify(folder: PathName) -> None:
        """Check every byte of a saved aligner; the first thing wrong is a DamagedFileError."""
        Parameters.verify(str(folder))


def _threads(threads: int) -> int:
    return check_threads(threads, AlignmentError)


def _indexed(corpus: Pairs) -> IndexedCorpus:
    if isinstance(corpus, IndexedCorpus):
        return corpus
    if isinstance(corpus, str):
        reason = "the corpus is one string, expected sentence pairs"
        raise AlignmentError(reason, code="argument.type", argument="corpus", value=corpus)
    return IndexedCorpus.from_pairs(map(_pair, corpus))


class _Texts(NamedTuple):
    source: str | Sequence[str]
    target: str | Sequence[str]


def _pair(pair: Any) -> Pair:
    if hasattr(pair, "source") and hasattr(pair, "target"):
        return cast(Pair, pair)
    if isinstance(pair, tuple | list) and len(pair) == 2:
        return _Texts(*pair)
    reason = f"a sentence pair is {pair!r:.60}, expected a source and a target"
    raise AlignmentError(reason, code="argument.value", argument="corpus", value=pair)


def _trained(
    corpus: IndexedCorpus,
    model: str | AlignmentModel,
    threads: int = 1,
    report: Report | None = None,
) -> Training:
    made = make_model(model) if isinstance(model, str) else model
    check_type("model", made, AlignmentModel, "a name or a Model", error=AlignmentError)
    if not (corpus.source.lengths * corpus.target.lengths).any():
        reason = "there is no sentence pair with words on both sides to learn from"
        raise AlignmentError(reason, code="alignment.no-pairs", argument="corpus")
    kind: Any = CollapsedTraining if isinstance(made, Best) else Training
    training: Training = kind(corpus, made, threads=_threads(threads), report=report)
    training.run()
    return training


def _parts(corpus: IndexedCorpus) -> Iterator[tuple[int, int]]:
    """Sentences begin .. end-1 that are worked on together, by the size of their matrices."""
    upto = np.cumsum(corpus.source.lengths * corpus.target.lengths)
    begin = 0
    while begin < len(corpus):
        before = upto[begin - 1] if begin else 0
        end = int(np.searchsorted(upto, before + MAX_CELLS, side="right"))
        end = min(max(end, begin + 1), begin + _SENTENCES)
        yield begin, end
        begin = end


def align_parts(
    parts: Iterable[tuple[Bitext, _core.AlignmentModel, IndexedCorpus]],
    model: AlignmentModel,
    threads: int,
) -> Aligned:
    """The best links of both directions, and scores, of all parts of a corpus."""
    both = GrowingLinks(), GrowingLinks()
    scores = Growing(np.float64)
    for bitext, native, corpus in parts:
        forward = np.empty(len(corpus.target.ids), np.int32)
        backward = np.empty(len(corpus.source.ids), np.int32)
        score = np.empty(len(corpus)), np.empty(len(corpus))
        _core.align_choose(bitext.view, native, model.least, forward, backward, *score, threads)
        both[0].append(Links.from_choices(forward, corpus.target.start, of="target"))
        both[1].append(Links.from_choices(backward, corpus.source.start, of="source"))
        scores.append(np.stack(score, axis=1).reshape(-1))
    return Aligned(both[0].links(), both[1].links(), scores.array().reshape(-1, 2))


def _posteriors(
    corpus: IndexedCorpus, bitext: Bitext, native: _core.AlignmentModel, threads: int
) -> Iterator[Posteriors]:
    cells = corpus.source.lengths * corpus.target.lengths
    start = np.concatenate([[0], np.cumsum(cells)]).astype(np.int64)
    both = np.empty(start[-1], np.float32), np.empty(start[-1], np.float32)
    _core.align_posteriors(bitext.view, native, start, *both, threads)
    for k, shape in enumerate(zip(corpus.source.lengths, corpus.target.lengths, strict=True)):
        forward, backward = (each[start[k] : start[k + 1]].reshape(shape) for each in both)
        yield Posteriors(forward, backward)
