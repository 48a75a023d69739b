"""Results of native searches with rule tables: words, forests and features of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray, IdArray, LongArray
from rosewood.corpus import Vocabulary
from rosewood.decode.features import (
    Describing,
    SparseFeature,
    feature_ids,
    numbers_rules,
    sparse_values,
)
from rosewood.decode.options import TranslationOptions
from rosewood.decode.results import SearchResult
from rosewood.decode.source import Source
from rosewood.decode.translation import Translation
from rosewood.errors import DecodingError
from rosewood.forest import FeatureSpace, Forest
from rosewood.forest.sparse import split_name
from rosewood.rules.table import RuleTable

Searched = tuple[Source, TranslationOptions, Any]
R = TypeVar("R")


def each_result(make: Callable[..., R], searched: Iterable[Searched]) -> Iterator[R]:
    """What `make` makes of each search; errors (of sparse features) name the sentence."""
    for number, each in enumerate(searched, 1):
        try:
            made = make(*each)
        except DecodingError as error:
            raise error.restated(f"sentence {number}: {error}", line=number) from error
        yield made


class RuleResults(ABC):
    """Makes results whose forests share one feature space; each forest has words of its own.

    Words of a sentence do not stay here, so a decoder that runs for years does not grow: only words
    of the table are kept as strings, once.
    """

    def __init__(
        self,
        table: RuleTable,
        features: FeatureSpace,
        sparse: Sequence[SparseFeature],
        feature_help: Mapping[str, str],
    ) -> None:
        self._table = table
        self._features = features
        self._help = feature_help
        self._sparse = {each.template: each for each in sparse}
        self._num_words = len(table.target_words)
        self._known: dict[int, str] = {}  # words of the table that were met

    def describe(self, name: str) -> str:
        """A readable description of a sparse feature: its name, and the meaning of its number."""
        parts = split_name(name)
        feature = None if parts is None else self._sparse.get(parts[0])
        if parts is None or feature is None or not isinstance(feature, Describing):
            return name
        try:
            return f"{name} ({feature.describe(parts[1], self._table)})"
        except KeyError:  # the table has no such rule
            return name

    @abstractmethod
    def translation(self, source: Source, options: TranslationOptions, found: Any) -> Translation:
        """The best translation, with its rules."""

    @abstractmethod
    def search(self, source: Source, options: TranslationOptions, found: Any) -> SearchResult:
        """All translations, and the best one."""

    def _words(self, options: TranslationOptions, numbers: Sequence[int]) -> tuple[str, ...]:
        """The words of numbers, of the table and of this sentence."""
        try:
            return tuple([self._known[number] for number in numbers])
        except KeyError:
            for number in numbers:
                if number < self._num_words and number not in self._known:
                    self._known[number] = options.word(number)
            return tuple(
                self._known[number] if number < self._num_words else options.word(number)
                for number in numbers
            )

    def _forest(
        self,
        options: TranslationOptions,
        edge_option: IdArray,
        edge_start: LongArray,
        tail_start: LongArray,
        tail: IdArray,
        dense: FloatArray,
        yield_start: LongArray,
        symbols: IdArray,
        span: IdArray | None = None,
    ) -> Forest:
        if len(edge_start) < 2:
            return Forest.empty(features=self._features, vocabulary=Vocabulary())
        edges = len(edge_option)
        vocabulary, numbered = self._numbered(options, symbols)
        rule = np.append(options.rule_id, -1)[edge_option]  # the last is of edges without option
        return Forest._unchecked(
            edge_start=edge_start,
            tail_start=tail_start,
            tail=tail,
            features=self._features,
            dense=dense.reshape(edges, len(self._features.dense)),
            vocabulary=vocabulary,
            yield_start=yield_start,
            yield_symbol=numbered,
            rule=rule,
            span=span,
            **self._sparse_rows(options, edge_option),
        )

    def _numbered(
        self, options: TranslationOptions, symbols: IdArray
    ) -> tuple[Vocabulary, IdArray]:
        """The words of a forest, and its symbols as they number them."""
        used, numbered = _core.number_words(symbols)
        return Vocabulary(self._words(options, used.tolist())), numbered

    def _sparse_rows(self, options: TranslationOptions, edge_option: IdArray) -> dict[str, Any]:
        """The sparse features of each edge: ids ascend without repetition."""
        if not self._sparse:
            none = np.zeros(len(edge_option) + 1, np.int64)
            return {"feat_start": none, "feat_id": np.empty(0, np.int32),
                    "feat_value": np.empty(0)}  # fmt: skip
        is_used = np.zeros(len(options) + 1, np.bool_)
        is_used[edge_option] = True  # the last is of edges without option
        used = np.flatnonzero(is_used[:-1])
        if len(self._sparse) == 1 and numbers_rules(*self._sparse.values()):
            return self._rule_rows(options, edge_option, used)
        rows = [sparse_values(each, options, used) for each in self._sparse.values()]
        ids = [
            feature_ids(each, self._features.sparse, keys)
            for each, (_, keys, _) in zip(self._sparse.values(), rows, strict=True)
        ]
        owner, number, value = (
            np.concatenate([np.empty(0, kind), *parts])
            for kind, parts in (
                (np.int64, [row[0] for row in rows]),
                (np.int32, ids),
                (np.float64, [row[2] for row in rows]),
            )
        )
        # Ids ascend within an option, each once; equal ones are added up.
        order = np.lexsort((number, owner))
        owner, number, value = owner[order], number[order], value[order]
        is_first = np.ones(len(owner), np.bool_)
        is_first[1:] = (owner[1:] != owner[:-1]) | (number[1:] != number[:-1])
        first = np.flatnonzero(is_first)
        values = np.add.reduceat(value, first) if len(first) else value
        ids_in_order, owners = number[first], owner[first]
        counts = np.append(np.bincount(np.searchsorted(used, owners), minlength=len(used)), 0)
        starts = np.cumsum(counts) - counts
        # The last row is that of edges which say nothing.
        place = np.where(edge_option >= 0, np.searchsorted(used, edge_option), len(used))
        lengths = counts[place]
        feat_start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        pick = np.arange(feat_start[-1]) + np.repeat(starts[place] - feat_start[:-1], lengths)
        return {
            "feat_start": feat_start,
            "feat_id": ids_in_order[pick].astype(np.int32),
            "feat_value": values[pick],
        }

    def _rule_rows(
        self, options: TranslationOptions, edge_option: IdArray, used: LongArray
    ) -> dict[str, Any]:
        """The same where each option has one feature at most: the id of its rule."""
        (feature,) = self._sparse.values()
        own = used[options.rule[used] >= 0]
        ids = np.full(len(options) + 1, -1, np.int32)
        ids[own] = feature_ids(feature, self._features.sparse, options.rule_id[own])
        row = ids[edge_option]
        has_rule = row >= 0
        feat_start = np.zeros(len(edge_option) + 1, np.int64)
        np.cumsum(has_rule, out=feat_start[1:])
        feat_id = row[has_rule]
        return {"feat_start": feat_start, "feat_id": feat_id, "feat_value": np.ones(len(feat_id))}
