"""Results of the native hierarchical search as forests and translations."""

from __future__ import annotations

from math import inf

import numpy as np

from rosewood import _core
from rosewood.arrays import IdArray, LongArray
from rosewood.decode.options import TranslationOptions
from rosewood.decode.results import EdgeRule, EdgeRules, SearchResult, features_of, rules_of
from rosewood.decode.rule_results import RuleResults
from rosewood.decode.source import Source
from rosewood.decode.translation import SearchReport, Span, Translation
from rosewood.forest import Derivation, Forest


class HieroResults(RuleResults):
    """Trees of rules with gaps."""

    def translation(
        self, source: Source, options: TranslationOptions, found: _core.ChartResult
    ) -> Translation:
        """The best translation, with its rules."""
        return self.search(source, options, found).best

    def search(
        self, source: Source, options: TranslationOptions, found: _core.ChartResult
    ) -> SearchResult:
        """All translations, or what was kept of them, and the best one."""
        taken = found.take_forest()
        edge_option, best_edges = taken[-2:]
        begin, end, label = found.nodes
        span = np.stack([begin, end], axis=1)
        forest = self._forest(options, edge_option, *taken[:-2], span=span)
        labels = tuple(self._table.labels)
        edge_rule = _edge_rules(forest, options, edge_option, begin, end, label, labels)
        report = SearchReport(*found.report)
        return SearchResult(
            source,
            forest,
            self._best(source, forest, best_edges, edge_rule, found.score, report),
            best_edges,
            edge_rule,
            options,
            edge_option,
            self.describe,
            self._help,
            label,
            labels,
        )

    def _best(
        self,
        source: Source,
        forest: Forest,
        edges: LongArray,
        edge_rule: EdgeRules,
        score: float,
        report: SearchReport,
    ) -> Translation:
        if not report.reachable:
            return Translation(source, (), -inf, {}, (), report, self._table)
        words = tuple(Derivation(forest, edges, score).words)
        rules = tuple(each.use for each in rules_of(forest, edges.tolist(), edge_rule))
        features = features_of(forest, edges[::-1])
        return Translation(source, words, score, features, rules, report, self._table)


def _edge_rules(
    forest: Forest,
    options: TranslationOptions,
    edge_option: IdArray,
    begin: IdArray,
    end: IdArray,
    label: IdArray,
    labels: tuple[str, ...],
) -> EdgeRules:
    """The rule of each edge: its own words are those of its span that are not in a gap."""

    def edge_rule(edge: int) -> EdgeRule | None:
        option = int(edge_option[edge])
        if option < 0:
            return None
        head = int(forest.head[edge])
        tails = forest.tail[forest.tail_start[edge] : forest.tail_start[edge + 1]].tolist()
        spans: list[Span] = []
        at = int(begin[head])
        for gap_begin, gap_end in sorted((int(begin[tail]), int(end[tail])) for tail in tails):
            if at < gap_begin:
                spans.append((at, gap_begin))
            at = gap_end
        if at < int(end[head]) or not spans:
            spans.append((at, int(end[head])))
        made = labels[int(label[head])]
        return options.edge_rule(option)._replace(source_spans=tuple(spans), label=made)

    return edge_rule
