"""The words of several models together, and their numbers in each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rosewood.corpus.vocabulary import Vocabulary

if TYPE_CHECKING:
    from rosewood.lm.vocabulary import ModelVocabulary


class UnionVocabulary:
    """Words of all models: those of the first in its order, then what the others add."""

    def __init__(self, vocabularies: Sequence[ModelVocabulary]) -> None:
        self._words = Vocabulary()
        # number of the union for each word of a model, and the other way round: 0 is unknown
        self._from = [np.array(self._words.add_all(each), dtype=np.uint32) for each in vocabularies]
        self._into = []
        for numbers in self._from:
            into = np.zeros(len(self._words), np.uint32)
            into[numbers] = np.arange(len(numbers), dtype=np.uint32)
            self._into.append(into)
        self.shares = tuple(int(np.count_nonzero(into == 0)) for into in self._into)

    def id(self, word: str) -> int:
        """The number of a word; 0, which is that of `<unk>`, for those that no model knows."""
        return self._words.get(word) or 0

    def word(self, number: int) -> str:
        """The word of a number."""
        return self._words[number]

    def in_models(self, number: int) -> list[int]:
        """The number of a word in each model; 0 where it is unknown."""
        self._words[number]  # no such word: IndexError
        return [int(into[number]) for into in self._into]

    def merged(self, numbers: Sequence[NDArray[np.uint32]]) -> NDArray[np.uint32]:
        """Numbers of the same words in each model, as numbers of the union."""
        found = np.zeros(len(numbers[0]), np.uint32)
        for own, each in zip(self._from, numbers, strict=True):
            found = np.maximum(found, own[each])  # who knows the word says the same, others 0
        return found

    def spread(self, model: int, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """A model's distribution over the words of all: `<unk>` shares its probability out."""
        into = self._into[model]
        wide = p[into]
        wide[into == 0] /= self.shares[model]
        return wide

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self._words.get(word) is not None

    def __len__(self) -> int:
        return len(self._words)

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __repr__(self) -> str:
        return f"UnionVocabulary({len(self)} words of {len(self._from)} models)"
