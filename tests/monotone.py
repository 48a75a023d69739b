"""A second decoder, of a few lines: monotone, word by word, in Python.

It implements the contract of `rosewood.decode.Decoder` and nothing else, so whatever works with it
knows nothing of phrase-based search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from rosewood.decode import Decoder, Forced, SearchReport, SearchResult, Source, Translation
from rosewood.decode.results import EdgeRule, translation_of
from rosewood.forest import FeatureSpace, Forest, ForestBuilder, Weights
from rosewood.rules.table import RuleTable

_COLUMNS = ("phrase_ef", "phrase_fe")
_WORDS, _UNKNOWN = "words", "unknown"


@dataclass(frozen=True)
class MonotoneSettings:
    """How many translations of a word there are at most."""

    option_limit: int | None = 5


class MonotoneDecoder:
    """Translates word after word; every rule of a single source word is an option."""

    def __init__(
        self,
        table: RuleTable,
        *,
        weights: Mapping[str, float] | None = None,
        settings: MonotoneSettings | None = None,
        unknown: Any = "copy",
    ) -> None:
        self.table, self.unknown = table, unknown
        self.settings = settings or MonotoneSettings()
        self.features = FeatureSpace([*_COLUMNS, _WORDS, _UNKNOWN])
        self.weights = Weights.of(self.default_weights() if weights is None else weights)

    def default_weights(self) -> dict[str, float]:
        """A poor start: the worst rules, and few words."""
        return {**dict.fromkeys(_COLUMNS, -1.0), _WORDS: -1.0, _UNKNOWN: -1.0}

    def theta(self) -> np.ndarray[Any, Any]:
        return self.features.vector(self.weights, only_known=True)

    def with_weights(self, weights: Mapping[str, float]) -> MonotoneDecoder:
        return self._with(weights=Weights.of(weights))

    def with_settings(self, settings: MonotoneSettings) -> MonotoneDecoder:
        return self._with(settings=settings)

    def _with(self, **changed: Any) -> MonotoneDecoder:
        made = MonotoneDecoder.__new__(MonotoneDecoder)
        made.__dict__ = {**self.__dict__, **changed}
        return made

    def decode(self, sentence: Any) -> Forest:
        return self.search(sentence).forest

    def search_all(self, sentences: Iterable[Any], *, threads: int = 1) -> Iterator[SearchResult]:
        return map(self.search, sentences)

    def translate(self, sentences: Iterable[Any], *, threads: int = 1) -> Iterator[Translation]:
        return (self.search(sentence).best for sentence in sentences)

    def search(self, sentence: Any) -> SearchResult:
        source = Source.of(sentence)
        rules: dict[int, EdgeRule] = {}
        builder = ForestBuilder(self.features)
        before = builder.node()
        builder.edge(before)
        for _, _, options in self._options(source):
            node = builder.node()
            for target, features, rule in options:
                edge = builder.edge(node, [before], [0, *target], features)
                rules[edge] = rule
            before = node
        forest = builder.build(before)
        # The builder sorts edges by their heads, and ours were made in that order.
        report = SearchReport(pops=forest.num_edges)
        nothing = Translation(source, (), -inf, {}, (), report, self.table)
        derivation = forest.best(forest.score(self.theta()))
        found = SearchResult(source, forest, nothing, derivation.edges, rules.get)
        return replace(found, best=translation_of(found, derivation))

    def _options(self, source: Source) -> Iterator[tuple[int, int, list[Any]]]:
        forced = {each.begin: each for each in source.forced if each.exclusive}
        place = 0
        while place < len(source.words):
            given: Forced | None = forced.get(place)
            end = place + 1 if given is None else given.end
            yield place, end, list(self._translations(source, place, end, given))
            place = end

    def _translations(
        self, source: Source, begin: int, end: int, given: Forced | None
    ) -> Iterator[tuple[list[str], dict[str, float], EdgeRule]]:
        span = ((begin, end),)
        if given is not None:
            for words in given.translations:
                target = list(words)
                yield target, {_WORDS: len(target)}, EdgeRule(span, is_forced=True)
            return
        rules = self.table.lookup([source.words[begin]])
        rules.sort(key=lambda rule: -rule.features["phrase_ef"])
        for rule in rules[: self.settings.option_limit]:
            features = {name: rule.features[name] for name in _COLUMNS}
            target = [str(word) for word in rule.target]
            yield target, {**features, _WORDS: len(target)}, EdgeRule(span, rule.id)
        if not rules:
            word = source.words[begin]
            said = self.unknown(word) if callable(self.unknown) else None
            target = [] if self.unknown == "drop" else [word]
            if said:
                target = (said if isinstance(said, str) else said[0]).split()
            yield target, {_WORDS: len(target), _UNKNOWN: 1.0}, EdgeRule(span, is_unknown=True)


class MonotoneKind:
    """How the pipeline and bundles make it."""

    settings_type = MonotoneSettings

    def make(
        self,
        parts: Mapping[str, Any],
        *,
        settings: MonotoneSettings,
        weights: Mapping[str, float] | None = None,
        unknown: Any = "copy",
        features: Any = (),
    ) -> Decoder:
        return MonotoneDecoder(parts["rules"], weights=weights, settings=settings, unknown=unknown)
