"""Scores of words and sentences, and what models and mixtures of models have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from rosewood.arrays import as_count
from rosewood.errors import LanguageModelError
from rosewood.lm.perplexity import Perplexity
from rosewood.resources import check_threads
from rosewood.shared_types import CountCallback

_count = partial(as_count, error=LanguageModelError)

Sentence = str | Sequence[str]
Sentences = Iterable[Sentence]


class WordScore(NamedTuple):
    """A word in its sentence: log10 of its probability, and the n-gram that it comes from."""

    word: str
    score: float
    length: int
    is_known: bool


class BatchScores(NamedTuple):
    """Words of many sentences: those of sentence k are start[k]:start[k+1] of the others."""

    start: NDArray[np.int64]
    score: NDArray[np.float64]
    length: NDArray[np.int32]
    word: NDArray[np.uint32]

    @classmethod
    def joined(cls, batches: Iterable[BatchScores]) -> BatchScores:
        """Concatenate batches."""
        parts = list(batches)
        if len(parts) == 1:
            return parts[0]
        sizes = [np.diff(part.start) for part in parts]
        return cls(
            np.cumsum(np.concatenate([np.zeros(1, np.int64), *sizes])),
            np.concatenate([np.empty(0), *(part.score for part in parts)]),
            np.concatenate([np.empty(0, np.int32), *(part.length for part in parts)]),
            np.concatenate([np.empty(0, np.uint32), *(part.word for part in parts)]),
        )

    def of_sentence(self, number: int, words: Sequence[str]) -> list[WordScore]:
        """The words of a sentence with their scores; more words than were scored are left out."""
        here = slice(int(self.start[number]), int(self.start[number + 1]))
        columns = (each[here].tolist() for each in (self.score, self.length, self.word))
        return [
            WordScore(word, score, length, known != 0)
            for word, score, length, known in zip(words, *columns, strict=False)
        ]

    def totals(self) -> NDArray[np.float64]:
        """log10 of the probability of each sentence."""
        return self._summed(self.score)

    def unknown(self) -> NDArray[np.int64]:
        """How many words of each sentence are not known."""
        return self._summed((self.word == 0).astype(np.int64))

    def _summed(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sums over sentences, each by itself, so that it does not depend on its neighbours."""
        sums = np.zeros(len(self.start) - 1, values.dtype)
        has_words = np.diff(self.start) > 0
        sums[has_words] = np.add.reduceat(values, self.start[:-1][has_words]) if values.size else 0
        return sums


class ScoreOptions(TypedDict, total=False):
    """How sentences are scored."""

    begin: bool  # with <s> before each; True by default
    end: bool  # with </s> after each; True by default
    threads: int


class Scorer(ABC):
    """What gives words of sentences scores."""

    vocabulary: Any

    @property
    @abstractmethod
    def order(self) -> int:
        """How long its longest n-grams are."""

    @abstractmethod
    def _word_scores(
        self, sentences: Sentences, *, begin: bool = True, end: bool = True, threads: int = 1
    ) -> Iterator[BatchScores]:
        """Some sentences at a time, so that memory does not grow with their number."""

    def words_batch(self, sentences: Sentences, **how: Unpack[ScoreOptions]) -> BatchScores:
        """Each word of each sentence, in flat arrays; words are numbers of the vocabulary."""
        return BatchScores.joined(self._word_scores(sentences, **how))

    def score_batch(self, sentences: Sentences, **how: Unpack[ScoreOptions]) -> NDArray[np.float64]:
        """log10 of the probability of each sentence; the same numbers at any number of threads."""
        return np.concatenate([np.empty(0), *self._totals(sentences, **how)])

    def _totals(
        self, sentences: Iterable[Sentence], **how: Unpack[ScoreOptions]
    ) -> Iterator[NDArray[np.float64]]:
        for part in self._word_scores(sentences, **how):
            yield part.totals()

    @abstractmethod
    def distribution(self, context: Any = None) -> NDArray[np.float64]:
        """The probability of every word after a context, by number; at first after `<s>`."""

    def next_words(
        self, context: Any = None, top: int | None = None
    ) -> Iterator[tuple[str, float]]:
        """Words with their probabilities after a context, the most probable first."""
        p = self.distribution(context)
        order = np.argsort(-p, kind="stable")
        for word in order[order != 1][:top].tolist():  # <s> never comes next
            yield self.vocabulary.word(word), float(p[word])

    def sample(
        self,
        count: int,
        *,
        seed: int = 0,
        max_words: int = 1000,
        context: Any = None,
        threads: int = 1,
    ) -> list[str]:
        """Sentences drawn from it: as many words as come before `</s>`, or `max_words`.

        Sentence k depends on the seed and on k alone.  The unknown word is written `<unk>`.
        """
        return self._sample(
            _count("count", count),
            _count("seed", seed, 0, 2**64 - 1),
            _count("max_words", max_words),
            context,
            check_threads(threads, LanguageModelError),
        )

    @abstractmethod
    def _sample(
        self, count: int, seed: int, max_words: int, context: Any, threads: int
    ) -> list[str]: ...

    def perplexity(
        self,
        sentences: Sentences,
        *,
        threads: int = 1,
        step: CountCallback | None = None,
    ) -> Perplexity:
        """The perplexity of a text; `step` is called with numbers of sentences read."""
        total = Perplexity.zero(self.order)
        for part in self._word_scores(sentences, threads=threads):
            total += Perplexity.of(*part, self.order)
            if step is not None:
                step(len(part.start) - 1)
        return total
