"""N-grams of the string as features of edges: `ngram:the house`.

    features = NgramFeatures.count(references, order=2, min_count=5)
    made = features.add_to(forest, score)         # dense `first_stage`, sparse n-grams
    features.numbers(refined.ngrams, vocabulary)  # the feature of each n-gram, or -1

The features of a forest are those of its edges, so that every learner and every search that reads
forests can use them.  An edge has an n-gram if it completes it (`refine`): over a derivation they
add up to how often its string has each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from rosewood import _core
from rosewood.arguments import check_list, check_whole
from rosewood.arrays import FloatArray, LongArray
from rosewood.corpus import Vocabulary
from rosewood.errors import ForestError
from rosewood.forest.features import FeatureSpace
from rosewood.forest.forest import Forest
from rosewood.forest.refinement import Ngrams, Refined, refine
from rosewood.forest.transform import MAX_EDGES

FIRST_STAGE = "first_stage"  # the score of the weights that made the forests
TEMPLATE = "ngram"
MOST_ORDER = 8


class NgramFeatures:
    """Distinct n-grams, each a feature, in the order in which they were given.  Immutable."""

    def __init__(self, ngrams: Iterable[Sequence[str]]) -> None:
        self.ngrams: tuple[tuple[str, ...], ...] = tuple(tuple(each) for each in ngrams)
        self.order = max((len(each) for each in self.ngrams), default=1)
        for each in self.ngrams:
            if not 1 <= len(each) <= MOST_ORDER or not all(_is_word(word) for word in each):
                reason = (
                    f"the n-gram {each!r:.60} is not 1 to {MOST_ORDER} words without white space"
                )
                raise ForestError(reason, code="argument.value", argument="ngrams", value=each)
        words = dict.fromkeys(word for each in self.ngrams for word in each)
        self._ids = {word: number for number, word in enumerate(words, 1)}
        self._base = len(self._ids) + 1  # an n-gram is a number in this base; 0: another word
        if self._base**self.order >= 2**63:
            reason = f"{len(self._ids):,} words make too many n-grams of {self.order} words"
            raise ForestError(reason, code="argument.range", argument="ngrams", value=self.order)
        keys = np.array([self._key(each) for each in self.ngrams], np.int64)
        self._number: LongArray = np.argsort(keys, kind="stable").astype(np.int64)
        self._keys: LongArray = keys[self._number]
        if (np.diff(self._keys) == 0).any():
            twice = self.ngrams[self._number[int(np.flatnonzero(np.diff(self._keys) == 0)[0])]]
            reason = f"the n-gram {' '.join(twice)!r} is given twice"
            raise ForestError(reason, code="argument.duplicate", argument="ngrams", value=twice)

    @classmethod
    def count(
        cls, texts: Iterable[str], *, order: int = 2, min_count: int = 5, most: int | None = None
    ) -> NgramFeatures:
        """The n-grams of 1 to `order` words that texts have at least `min_count` times: at most so
        many, the most frequent ones first, those of equal counts in the order of words."""
        check_whole("order", order, low=1, high=MOST_ORDER, error=ForestError)
        check_whole("min_count", min_count, low=1, error=ForestError)
        check_list("texts", texts, "a list of texts", error=ForestError)
        counts: Counter[tuple[str, ...]] = Counter()
        for text in texts:
            words = text.split()
            for n in range(1, order + 1):
                counts.update(zip(*(words[k:] for k in range(n)), strict=False))
        kept = [each for each, count in counts.items() if count >= min_count]
        kept.sort(key=lambda each: (-counts[each], each))
        return cls(kept[:most])

    def __len__(self) -> int:
        return len(self.ngrams)

    def __repr__(self) -> str:
        return f"NgramFeatures({len(self)} n-grams of up to {self.order} words)"

    @property
    def names(self) -> list[str]:
        """The name of each feature."""
        return [f"{TEMPLATE}:{' '.join(each)}" for each in self.ngrams]

    def space(self) -> FeatureSpace:
        """A feature space with the score of the first stage and all n-grams."""
        return FeatureSpace([FIRST_STAGE], self.names)

    def _key(self, ngram: Sequence[str]) -> int:
        key = 0
        for word in ngram:
            key = key * self._base + self._ids[word]
        return key

    def numbers(self, ngrams: Ngrams, vocabulary: Vocabulary | None) -> LongArray:
        """The number of the feature of each n-gram of a refined forest; -1 where there is none."""
        if not len(self) or not len(ngrams):
            return np.full(len(ngrams), -1, np.int64)
        if vocabulary is None:
            reason = "n-gram features: the forest has no vocabulary"
            raise ForestError(reason, code="argument.missing", argument="vocabulary")
        used, word = _core.number_words(ngrams.word)
        ids = [self._ids.get(vocabulary[each], 0) for each in used.tolist()]
        place = _core.find_ngrams(
            ngrams.word_start, word, np.array(ids, np.int64), self._keys, self._base, self.order
        )
        return np.append(self._number, -1)[place]

    def refined(self, forest: Forest, *, max_edges: int = MAX_EDGES) -> Refined:
        """A forest whose nodes know as many boundary words as these n-grams need."""
        return refine(forest, self.order, max_edges=max_edges)

    def edge_scores(self, refined: Refined, weights: FloatArray) -> FloatArray:
        """For each edge of a refined forest, the sum of the weights of the n-grams it completes."""
        numbers = self.numbers(refined.ngrams, refined.forest.vocabulary)
        value = np.append(weights, 0.0)[numbers]  # the last is of n-grams that are no feature
        return refined.ngrams.edge_totals(value)

    def add_to(
        self,
        forest: Forest,
        score: FloatArray,
        *,
        space: FeatureSpace | None = None,
        max_edges: int = MAX_EDGES,
    ) -> Forest:
        """The refined forest with two kinds of features: `score` of each edge, and n-grams.

        `space` is that of `space()`, which all forests of a set share.
        """
        refined = self.refined(forest, max_edges=max_edges)
        made, ngrams = refined.forest, refined.ngrams
        numbers = self.numbers(ngrams, made.vocabulary)[ngrams.gram]
        edge = np.repeat(np.arange(made.num_edges), np.diff(ngrams.start))
        is_feature = numbers >= 0
        # Ids ascend within an edge, each once, with how often the edge completes the n-gram.
        size = max(1, len(self))
        keys, counts = np.unique(edge[is_feature] * size + numbers[is_feature], return_counts=True)
        owner, ids = np.divmod(keys, size)
        feat_start = np.zeros(made.num_edges + 1, np.int64)
        np.cumsum(np.bincount(owner, minlength=made.num_edges), out=feat_start[1:])
        return made.derive(
            features=self.space() if space is None else space,
            dense=np.ascontiguousarray(score[refined.edge_map][:, None], dtype=np.float64),
            feat_start=feat_start,
            feat_id=ids.astype(np.int32),
            feat_value=counts.astype(np.float64),
        )

    def theta(self, first: float, weights: FloatArray) -> FloatArray:
        """θ in the order of `space()`."""
        return np.concatenate([[first], weights])


def grams_of(ngrams: Ngrams, vocabulary: Vocabulary) -> list[tuple[str, ...]]:
    """The words of each n-gram."""
    words = [vocabulary[number] for number in ngrams.word.tolist()]
    return [tuple(words[a:b]) for a, b in pairwise(ngrams.word_start.tolist())]


def _is_word(word: object) -> bool:
    return isinstance(word, str) and len(word.split()) == 1 and word.split()[0] == word
