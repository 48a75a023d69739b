"""Words into morphemes, learned from a list of words without supervision.

    segmenter = Segmenter.learn(["walk", "walks", "walking", "talk", "talks", "talking"])
    segmenter.segment("talks")                       # ("talk", "s")
    segmenter.save("en.morphemes.json"); Segmenter.load("en.morphemes.json")
    segmenter.segment_text(IndexedText.from_lines(["we talk"]))    # a text of morphemes

Model       a lexicon of morphemes with counts; a word has the sequence of morphemes of the least
            cost: -log(count / sum of counts) for each, and a constant, so that there are few
Learning    minimum description length: spelling of the lexicon, and words as sequences of
            morphemes, as in the baseline of Morfessor (Creutz & Lagus 2002).  A word that occurs
            n times counts as 1 + floor(log2(n))
Native      core/corpus/segmenter.hpp
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np

from rosewood import _core
from rosewood.arguments import check_list, check_whole
from rosewood.corpus.indexed import IndexedText
from rosewood.errors import CorpusError, FormatError
from rosewood.folders import joined_words
from rosewood.output import whole_file
from rosewood.shared_types import PathName

FORMAT = "rosewood morphemes"
VERSION = 1
ROUNDS = 10


class Segmenter:
    """Morphemes and their counts; immutable."""

    def __init__(self, morphemes: Mapping[str, int]) -> None:
        """`morphemes` are texts and how often each is used, from 1 on."""
        try:
            self.native = _core.Segmenter(list(morphemes), list(morphemes.values()))
        except (TypeError, UnicodeEncodeError) as error:
            reason = "expected texts and whole numbers"
            raise CorpusError(reason, code="argument.type", argument="morphemes") from error

    @classmethod
    def learn(cls, words: Iterable[str] | Mapping[str, int], *, rounds: int = ROUNDS) -> Self:
        """Learn from words, or from words and their counts; the result depends on their order."""
        check_list("words", words, "a list of words", error=CorpusError)
        check_whole("rounds", rounds, low=1, high=10**6, error=CorpusError)
        made = cls.__new__(cls)
        try:
            counts = words if isinstance(words, Mapping) else Counter(words)
            made.native = _core.Segmenter.learn(
                list(counts), np.fromiter(counts.values(), np.int64), rounds
            )
        except (TypeError, UnicodeEncodeError) as error:
            reason = "expected texts without surrogates"
            raise CorpusError(reason, code="argument.type", argument="words") from error
        return made

    @classmethod
    def of_text(cls, text: IndexedText, *, rounds: int = ROUNDS) -> Self:
        """Learn from the words of a text, the most frequent first."""
        counts = np.bincount(text.ids, minlength=text.num_types)
        types = text.types
        order = np.argsort(-counts, kind="stable")
        found = {types[n]: int(counts[n]) for n in order.tolist() if counts[n]}
        return cls.learn(found, rounds=rounds)

    @property
    def morphemes(self) -> dict[str, int]:
        """Morphemes and their counts, the most frequent first."""
        return dict(zip(self.native.morphemes, self.native.counts, strict=True))

    def __len__(self) -> int:
        return len(self.native)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Segmenter) and self.morphemes == other.morphemes

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Segmenter({len(self):,} morphemes)"

    def __reduce__(self) -> tuple[object, ...]:
        return (Segmenter, (self.morphemes,))

    def segment(self, word: str) -> tuple[str, ...]:
        """The morphemes of a word, which join to the word.

        Characters that no morpheme has are pieces of their own.
        """
        return tuple(piece for piece, _ in self.native.segment(word))

    def segment_text(self, text: IndexedText) -> IndexedText:
        """A text whose words are the morphemes of the words of another; ids number `morphemes`."""
        numbers, start = self.native.numbers(text.types)
        if len(numbers) and numbers.min() < 0:
            reason = "a word has a character that no morpheme has: learn from the same text"
            raise CorpusError(reason, code="argument.value", argument="text")
        counts = np.diff(start)[text.ids]
        ends = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        first = np.repeat(start[:-1][text.ids] - ends[:-1], counts)
        ids = numbers[first + np.arange(ends[-1])]
        return IndexedText(ids, ends[text.start], *joined_words(self.native.morphemes))

    def save(self, path: PathName) -> None:
        """Write a JSON file."""
        told = {"format": FORMAT, "version": VERSION, "morphemes": self.morphemes}
        with whole_file(path) as out:
            out.write(json.dumps(told, ensure_ascii=False, indent=0).encode() + b"\n")

    @classmethod
    def load(cls, path: PathName) -> Self:
        """Read what `save` wrote."""
        try:
            told: Any = json.loads(Path(path).read_bytes())
            if told["format"] != FORMAT:
                raise FormatError("it has no morphemes", file=path, code="file.kind")
            if told["version"] != VERSION:
                reason = f"its version is {told['version']}, this release reads {VERSION}"
                raise FormatError(reason, file=path, code="file.version", value=told["version"])
            return cls(dict(told["morphemes"]))
        except FormatError:
            raise
        except (ValueError, KeyError, TypeError, RecursionError, CorpusError) as error:
            reason = f"it is not a file of morphemes: {error}"
            raise FormatError(reason, file=path, code="file.damaged") from error
