"""Results of the native phrase-based search as forests and translations."""

from __future__ import annotations

from itertools import pairwise
from math import inf

import numpy as np

from rosewood import _core
from rosewood.decode.features import feature_names, numbers_rules, sparse_values
from rosewood.decode.options import GIVEN, UNKNOWN, TranslationOptions
from rosewood.decode.results import EdgeRule, SearchResult
from rosewood.decode.rule_results import RuleResults
from rosewood.decode.source import Source
from rosewood.decode.translation import RuleUse, SearchReport, Translation
from rosewood.forest.sparse import numbered_name


class PhraseResults(RuleResults):
    """Chains of phrases."""

    def translation(
        self, source: Source, options: TranslationOptions, found: _core.SearchResult
    ) -> Translation:
        """The best translation, with its phrases."""
        chosen, values, score = found.best
        report = SearchReport(*found.report)
        begin, end, rules, origins, start, target = found.phrases
        words = self._words(options, target)
        uses = [
            RuleUse(
                (span,),
                (said,),
                None if rule < 0 else rule,
                origin == UNKNOWN,
                origin == GIVEN,
                (place - 1,) if place else (),
            )
            for place, (span, said, rule, origin) in enumerate(
                zip(zip(begin, end, strict=True), pairwise(start), rules, origins, strict=True)
            )
        ]
        features = {n: v for n, v in zip(self._features.dense, values.tolist(), strict=True) if v}
        for each in self._sparse.values():  # an option is used once: no word is translated twice
            if numbers_rules(each):
                for _, rule in sorted(zip(chosen.tolist(), rules, strict=True)):
                    if rule >= 0:
                        name = numbered_name(each.template, rule)
                        features[name] = features.get(name, 0.0) + 1.0
                continue
            _, keys, numbers = sparse_values(each, options, np.sort(chosen).astype(np.int64))
            for name, value in zip(feature_names(each, keys), numbers.tolist(), strict=True):
                features[name] = features.get(name, 0.0) + value
        return Translation(
            source,
            words,
            score if report.reachable else -inf,
            features if report.reachable else {},
            tuple(uses),
            report,
            self._table,
        )

    def search(
        self, source: Source, options: TranslationOptions, found: _core.SearchResult
    ) -> SearchResult:
        """All translations, and the best one."""
        found_forest = found.take_forest()
        edge_option, best_edges = found_forest[-2:]
        forest = self._forest(options, edge_option, *found_forest[:-2])
        best = self.translation(source, options, found)

        def edge_rule(edge: int) -> EdgeRule | None:
            option = int(edge_option[edge])
            return None if option < 0 else options.edge_rule(option)

        return SearchResult(
            source,
            forest,
            best,
            best_edges,
            edge_rule,
            options,
            edge_option,
            self.describe,
            self._help,
        )
