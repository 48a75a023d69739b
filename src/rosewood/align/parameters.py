"""What a trained aligner knows, in a form that is kept and that aligns new text.

Counts are kept, not probabilities: whatever is asked, probabilities are made from counts in one
place, for the pairs of words that the new text has.  Pairs counted less than a millionth are not
kept.

Layout      pairs of words sorted by source, then by target word: those of source word s are
            start[s] .. start[s+1]; `count` has a column for each direction, or one for both
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.align.collapsed import CollapsedTraining, CollapsedWords
from rosewood.align.lexicon import UNIT, Bitext, Counts, Lexicon, bitext_of
from rosewood.align.models import MODELS, AlignmentModel, Best, make_model
from rosewood.align.positions import NullWords, Positions
from rosewood.align.training import Training, null_words
from rosewood.align.word_similarity import Stems
from rosewood.arguments import check_known
from rosewood.corpus import IndexedCorpus, IndexedText
from rosewood.errors import AlignmentError, DamagedFileError
from rosewood.folders import FolderKind, check_offsets, cut_words, joined_words
from rosewood.output import whole_folder

MANIFEST = "aligner.json"
_LEAST = UNIT >> 20
_SIDES = ("source", "target")
_WORD_PARTS = ("frequency", "partners", "total", "null", "spelling")
_UNREADABLE = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError)
_KIND = FolderKind(
    MANIFEST,
    "rosewood aligner",
    1,
    {
        "pairs.start": "<i8",
        "pairs.word": "<i4",
        "pairs.count": "<i8",
        **{
            f"{side}.{part}": kind
            for side in _SIDES
            for part, kind in {
                "words": "|u1",
                "word_start": "<i8",
                "frequency": "<i8",
                "partners": "<i8",
                "total": "<i8",
                "null": "<i8",
                "spelling": "<f8",
                "jump": "<f8",
            }.items()
        },
    },
)


@dataclass(frozen=True, eq=False)
class AlignerSide:
    """What is known of the words of one language."""

    words: list[str]
    frequency: Counts
    partners: Counts  # words it occurs with
    total: Counts  # of links
    null: Counts  # of no link
    spelling: NDArray[np.float64]  # pseudo-counts from words that are spelled alike

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def find(self, text: IndexedText) -> tuple[NDArray[np.int32], list[str]]:
        """The numbers of a text's words, known ones first, then new ones; and all words."""
        found, words = np.empty(text.num_types, np.int32), list(self.words)
        for n, word in enumerate(cut_words(text.word_bytes, text.word_start)):
            number = self.numbers.get(word.decode())
            if number is None:
                number = len(words)
                words.append(word.decode())
            found[n] = number
        return found, words

    def wider(self, size: int) -> AlignerSide:
        """The same with more words, of which nothing is known; they have no names here."""
        more = size - len(self.words)
        wider = (np.pad(getattr(self, part), (0, more)) for part in _WORD_PARTS)
        return AlignerSide(self.words, *wider)


@dataclass(frozen=True, eq=False)
class Parameters:
    """Counts of pairs and of words, and where partners stand."""

    model: AlignmentModel
    source: AlignerSide
    target: AlignerSide
    start: NDArray[np.int64]
    word: NDArray[np.int32]
    count: Counts
    positions: Positions
    history: Sequence[dict[str, Any]]
    notes: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, training: Training) -> Parameters:
        """What training ended with."""
        corpus, expected, totals = training.corpus, training.expected, training.totals
        if expected is None or totals is None:
            reason = "the model was not trained: it needs at least one iteration"
            raise AlignmentError(reason, code="argument.range", argument="iterations", value=0)
        source, target, count = training.lexicon.pairs(expected.count, _LEAST)
        start = np.searchsorted(source, np.arange(corpus.source.num_types + 1)).astype(np.int64)
        spelling = (
            training.spelling_totals
            if isinstance(training, CollapsedTraining)
            else (np.zeros(corpus.source.num_types), np.zeros(corpus.target.num_types))
        )
        sides = [
            AlignerSide(text.types, *parts)
            for text, *parts in zip(
                (corpus.source, corpus.target),
                training.frequency,
                training.lexicon.partners,
                totals,
                (expected.null[1], expected.null[0]),
                spelling,
                strict=True,
            )
        ]
        return cls(
            training.model,
            sides[0],
            sides[1],
            start,
            target,
            count,
            training.positions,
            training.history,
        )

    def fitted(
        self, corpus: IndexedCorpus, *, threads: int = 1
    ) -> tuple[Callable[[IndexedCorpus], Bitext], _core.AlignmentModel]:
        """The model with entries for the pairs of words of a corpus, new words included.

        Comes with what gives any part of the corpus the model's numbers.
        """
        source, source_words = self.source.find(corpus.source)
        target, target_words = self.target.find(corpus.target)
        sizes = len(source_words), len(target_words)

        def numbered(part: IndexedCorpus) -> Bitext:
            return bitext_of(part, source, target, words=sizes)

        lexicon = Lexicon.of(numbered(corpus), threads=threads)
        count = np.empty((len(lexicon), self.count.shape[1]), np.int64)
        _core.transfer_counts(
            self.start, self.word, self.count, lexicon.view, count.reshape(-1), threads
        )
        known = self.source.wider(sizes[0]), self.target.wider(sizes[1])
        totals = known[0].total, known[1].total
        null = known[1].null, known[0].null  # of target words, of source words
        null_word: NullWords
        if isinstance(self.model, Best):
            made = CollapsedWords.of(
                self.model,
                corpus,
                lexicon,
                (source_words, target_words),
                (known[0].frequency, known[1].frequency),
                (source, target),
                threads=threads,
            )
            collapsed = self._collapsed(made, count, totals, null, threads)
            _core.maximise_collapsed(lexicon.view, collapsed, threads)
            null_word = made.null_words(null)
        else:
            prior = self.model.prior
            partners = [
                np.maximum(side.partners, here)
                for side, here in zip(known, lexicon.partners, strict=True)
            ]
            _core.maximise_words(
                lexicon.view, count, *totals, partners[0], partners[1], prior, threads
            )
            null_word = null_words(null[0], prior), null_words(null[1], prior)
        return numbered, self.positions.native(
            lexicon, self.model.placing, null_word, self.model.agreement
        )

    def _collapsed(
        self,
        made: CollapsedWords,
        count: Counts,
        totals: tuple[Counts, Counts],
        null: tuple[Counts, Counts],
        threads: int,
    ) -> _core.Collapsed:
        """Counts of stems are those of all words of the training corpus, not of this text's."""
        sizes = made.stems[0].size, made.stems[1].size
        source_stems, target_stems = (
            np.bincount(stems.stem, weights=total, minlength=size).astype(np.int64)
            for stems, total, size in zip(made.stems, totals, sizes, strict=True)
        )
        start, word, counted = self._stem_pairs(made.stems)
        pair_count = np.empty(len(made.stem_lexicon), np.int64)
        _core.transfer_counts(start, word, counted, made.stem_lexicon.view, pair_count, threads)
        likeness = made.likeness
        source_spelling, target_spelling = (
            np.maximum(here, np.pad(side.spelling, (0, len(here) - len(side.spelling))))
            for here, side in (
                (likeness.source_total, self.source),
                (likeness.target_total, self.target),
            )
        )
        return made.native(
            count.reshape(-1),
            pair_count,
            totals,
            (source_stems, target_stems),
            null,
            (source_spelling, target_spelling),
        )

    def _stem_pairs(
        self, stems: tuple[Stems, Stems]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], Counts]:
        source = np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))
        key = stems[0].stem[source].astype(np.int64) * stems[1].size + stems[1].stem[self.word]
        pairs, which = np.unique(key, return_inverse=True)
        counted = np.zeros(len(pairs), np.int64)
        np.add.at(counted, which.reshape(-1), self.count[:, 0])
        start = np.searchsorted(pairs // stems[1].size, np.arange(stems[0].size + 1))
        return start.astype(np.int64), (pairs % stems[1].size).astype(np.int32), counted[:, None]

    def save(self, folder: str | Path) -> None:
        """Write everything into a folder, which appears whole or not at all."""
        arrays: dict[str, NDArray[Any]] = {
            "pairs.start": self.start,
            "pairs.word": self.word,
            "pairs.count": self.count.reshape(-1),
        }
        for name, side, jump in zip(
            _SIDES, (self.source, self.target), reversed(self.positions.jump), strict=True
        ):
            data, begins = joined_words(side.words)
            arrays |= {f"{name}.words": data, f"{name}.word_start": begins}
            for part in _WORD_PARTS:
                arrays[f"{name}.{part}"] = getattr(side, part)
            arrays[f"{name}.jump"] = jump  # of the words of this side
        facts = {
            "model": self.model.name,
            "settings": self.model.to_dict(),
            "tension": list(self.positions.tension),
            "null": list(self.positions.null),
            "history": list(self.history),
            "notes": dict(self.notes),
        }
        with whole_folder(folder, marker=MANIFEST) as aside:
            _KIND.write(aside, arrays, facts)

    @classmethod
    def load(cls, folder: str | Path) -> Parameters:
        """Map what `save` wrote; sizes, offsets and numbers of words are checked."""
        place = Path(folder)
        facts, arrays = _KIND.open(place)
        manifest = place / MANIFEST
        try:
            check_known("model", [facts["model"]], MODELS, error=AlignmentError)
            model = make_model(facts["model"], dict(facts["settings"]))
            tension = float(facts["tension"][0]), float(facts["tension"][1])
            null = float(facts["null"][0]), float(facts["null"][1])
            history = [_round(row) for row in facts["history"]]
            if not history:
                raise ValueError("there are no rounds of training")
            notes = dict(facts["notes"])
            if not all(0 <= each <= 1000 for each in tension):
                raise ValueError(f"the tension is {tension}")
            if not all(0 < each < 1 for each in null):
                raise ValueError(f"words have no partner with probabilities {null}")
        except AlignmentError as error:
            reason = f"its settings are damaged: {error}"
            raise error.restated(reason, DamagedFileError, file=manifest) from error
        except _UNREADABLE as error:
            raise _damaged(f"its settings are damaged: {error}", manifest) from error
        sides = [_side(place, name, arrays) for name in _SIDES]
        start, word = arrays["pairs.start"], arrays["pairs.word"]
        check_offsets(place / "pairs.start", start, len(word))
        columns = 1 if model.agreement else 2
        sizes = {
            "pairs.start": (len(start), len(sides[0].words) + 1),
            "pairs.count": (len(arrays["pairs.count"]), len(word) * columns),
        }
        for name, (have, want) in sizes.items():
            if have != want:
                raise _damaged(f"it has {have} numbers, expected {want}", place / name, have, want)
        if len(word) and not (word.min() >= 0 and word.max() < len(sides[1].words)):
            raise _damaged("it has words that are not there", place / "pairs.word")
        ascends = word[1:] > word[:-1]
        ascends[start[(start > 0) & (start < len(word))] - 1] = True  # a new row begins anew
        if not ascends.all():
            raise _damaged("its words do not ascend", place / "pairs.word")
        jumps = arrays["target.jump"], arrays["source.jump"]
        for name, jump in zip(("target.jump", "source.jump"), jumps, strict=True):
            if len(jump) % 2 == 0 or not ((jump > 0) & (jump <= 1)).all():
                raise _damaged("its jumps are no probabilities", place / name)
        count = arrays["pairs.count"].reshape(-1, columns)
        if not _can_be_added(count):
            raise _damaged("its counts are no counts", place / "pairs.count")
        positions = Positions(jumps, tension, null)
        return cls(model, sides[0], sides[1], start, word, count, positions, history, notes)

    @staticmethod
    def verify(folder: str | Path) -> None:
        """Check every byte of a saved aligner."""
        _KIND.verify(Path(folder))
        Parameters.load(folder)
        _KIND.verify_manifest(Path(folder))


def _damaged(
    reason: str, file: Path, value: object = None, expected: object = None
) -> DamagedFileError:
    return DamagedFileError(reason, code="file.damaged", value=value, expected=expected, file=file)


def _round(row: Any) -> dict[str, Any]:
    """A row of the history, if it is one."""
    numbers = (float(row[name]) for name in ("round", "forward", "backward"))
    if not all(map(math.isfinite, numbers)):
        raise ValueError(f"a round of training is {row}")
    return dict(row)


def _side(place: Path, name: str, arrays: dict[str, NDArray[Any]]) -> AlignerSide:
    data, start = arrays[f"{name}.words"], arrays[f"{name}.word_start"]
    check_offsets(place / f"{name}.word_start", start, len(data))
    try:
        words = [word.decode() for word in cut_words(data, start)]
    except UnicodeDecodeError as error:
        reason = "a word is not UTF-8"
        file = place / f"{name}.words"
        raise DamagedFileError(reason, code="file.encoding", file=file) from error
    if len(set(words)) < len(words):
        raise _damaged("a word occurs twice", place / f"{name}.words")
    parts = []
    for part in _WORD_PARTS:
        array = arrays[f"{name}.{part}"]
        if len(array) != len(words):
            reason = f"it has {len(array)} numbers for {len(words)} words"
            raise _damaged(reason, place / f"{name}.{part}", len(array), len(words))
        if not _can_be_added(array):
            raise _damaged("it has numbers out of range", place / f"{name}.{part}")
        parts.append(array)
    return AlignerSide(words, *parts)


def _can_be_added(array: NDArray[Any]) -> bool:
    """Whether numbers are from 0 on, and their sum is far from what a count can hold."""
    return len(array) == 0 or bool(array.min() >= 0 and array.sum(dtype=np.float64) < 1 << 62)
