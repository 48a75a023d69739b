"""What native code has found, as forests and translations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from rosewood import _core
from rosewood.arrays import FloatArray, IdArray, LongArray
from rosewood.corpus import Vocabulary
from rosewood.decode.features import SparseFeature, sparse_values
from rosewood.decode.options import GIVEN, UNKNOWN, TranslationOptions
from rosewood.decode.source import Source
from rosewood.decode.translation import PhraseUse, SearchReport, Translation
from rosewood.forest import Derivation, FeatureSpace, Forest
from rosewood.rules.table import RuleTable

__all__ = ["PhraseSearch", "ResultMaker"]


@dataclass(frozen=True, eq=False)
class PhraseSearch:
    """What a search has found: all of it as a forest, and the best of it."""

    source: Source
    forest: Forest
    options: TranslationOptions
    edge_option: IdArray  # of each edge of the forest; -1 where it says nothing
    best: Translation
    best_edges: LongArray  # of the forest, from the root on; none where nothing was found

    @property
    def derivation(self) -> Derivation | None:
        """The best translation as a derivation of the forest."""
        if not self.report.reachable:
            return None
        return Derivation(self.forest, self.best_edges, self.best.score)

    @property
    def report(self) -> SearchReport:
        """How it went."""
        return self.best.report


class ResultMaker:
    """Makes results whose forests share one feature space and one vocabulary."""

    def __init__(
        self,
        table: RuleTable,
        features: FeatureSpace,
        vocabulary: Vocabulary,
        sparse: Sequence[SparseFeature],
    ) -> None:
        self._table = table
        self._features = features
        self._vocabulary = vocabulary
        self._sparse = sparse
        self._word_numbers = np.full(len(table.target_words), -1, np.int32)  # in the vocabulary
        self._known: dict[int, str] = {}

    def translation(
        self, source: Source, options: TranslationOptions, found: _core.SearchResult
    ) -> Translation:
        """The best translation, with its phrases."""
        chosen, values, score = found.best
        report = SearchReport(*found.report)
        begin, end, rules, origins, start, target = found.phrases
        words = self._words(options, target)
        phrases = [
            PhraseUse(*span, *said, None if rule < 0 else rule, origin == UNKNOWN, origin == GIVEN)
            for span, said, rule, origin in zip(
                zip(begin, end, strict=True), pairwise(start), rules, origins, strict=True
            )
        ]
        features = {n: v for n, v in zip(self._features.dense, values.tolist(), strict=True) if v}
        for each in self._sparse:  # an option is used once: no word is translated twice
            _, names, numbers = sparse_values(each, options, np.sort(chosen).astype(np.int64))
            for name, value in zip(names, numbers.tolist(), strict=True):
                features[name] = features.get(name, 0.0) + value
        return Translation(
            source,
            words,
            score if report.reachable else -inf,
            features if report.reachable else {},
            tuple(phrases),
            report,
            self._table,
        )

    def _words(self, options: TranslationOptions, numbers: Sequence[int]) -> tuple[str, ...]:
        """Those of the table are kept: they come again and again."""
        try:
            return tuple([self._known[number] for number in numbers])
        except KeyError:
            known = len(self._word_numbers)
            for number in numbers:
                if number < known:
                    self._known[number] = options.word(number)
            return tuple(
                self._known[number] if number < known else options.word(number)
                for number in numbers
            )

    def search(
        self, source: Source, options: TranslationOptions, found: _core.SearchResult
    ) -> PhraseSearch:
        """All translations, and the best one."""
        found_forest = found.take_forest()
        edge_option, best_edges = found_forest[-2:]
        forest = self._forest(options, edge_option, *found_forest[:-2])
        best = self.translation(source, options, found)
        return PhraseSearch(source, forest, options, edge_option, best, best_edges)

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
    ) -> Forest:
        if len(edge_start) < 2:
            return Forest.empty(features=self._features, vocabulary=self._vocabulary)
        edges = len(edge_option)
        rule = np.append(options.rule_id, -1)[edge_option]  # the last is of edges without option
        return Forest._unchecked(
            edge_start=edge_start,
            tail_start=tail_start,
            tail=tail,
            features=self._features,
            dense=dense.reshape(edges, len(self._features.dense)),
            vocabulary=self._vocabulary,
            yield_start=yield_start,
            yield_symbol=self._numbered(options, symbols),
            rule=rule,
            **self._sparse_rows(options, edge_option),
        )

    def _numbered(self, options: TranslationOptions, symbols: IdArray) -> IdArray:
        """Words as the vocabulary numbers them."""
        known = len(self._word_numbers)
        used = np.unique(symbols[symbols >= 0])
        for number in used[used < known].tolist():
            if self._word_numbers[number] < 0:
                self._word_numbers[number] = self._vocabulary.add(options.word(number))
        numbers = np.array(
            [
                self._word_numbers[number]
                if number < known
                else self._vocabulary.add(options.word(number))
                for number in used.tolist()
            ],
            np.int32,
        )
        numbered = symbols.copy()
        words = symbols >= 0
        numbered[words] = numbers[np.searchsorted(used, symbols[words])]
        return numbered

    def _sparse_rows(self, options: TranslationOptions, edge_option: IdArray) -> dict[str, Any]:
        """The sparse features of each edge: ids ascend, and each is there once."""
        used = np.unique(edge_option[edge_option >= 0]).astype(np.int64)
        rows: dict[int, dict[int, float]] = {option: {} for option in used.tolist()}
        for each in self._sparse:
            owners, names, given = sparse_values(each, options, used)
            for owner, number, value in zip(
                owners.tolist(), self._features.sparse.add_all(names), given.tolist(), strict=True
            ):
                rows[owner][number] = rows[owner].get(number, 0.0) + value
        ordered = [sorted(rows[option].items()) for option in used.tolist()] + [[]]
        counts = np.array([len(row) for row in ordered], np.int64)
        starts = np.cumsum(counts) - counts
        ids = np.array([number for row in ordered for number, _ in row], np.int32)
        values = np.array([value for row in ordered for _, value in row], np.float64)
        # The last row is that of edges which say nothing.
        place = np.where(edge_option >= 0, np.searchsorted(used, edge_option), len(used))
        lengths = counts[place]
        feat_start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        pick = np.arange(feat_start[-1]) + np.repeat(starts[place] - feat_start[:-1], lengths)
        return {"feat_start": feat_start, "feat_id": ids[pick], "feat_value": values[pick]}
