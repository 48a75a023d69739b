"""A decoder with a second stage: its forests are scored again, with n-grams of whole strings.

    decoder = SecondStageDecoder(first, SecondStage.load("second_stage.json"))
    decoder.search("das haus ist klein").forest     # refined, with the feature `second_stage`

Forests keep the features of the first decoder; the feature `second_stage` is what the n-grams of an
edge add, with the weight 1.  So lists, consensus, confidence and explanations are of what the
translation was chosen by.  Edges that no good derivation of the first decoder uses are not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np

from rosewood import _core
from rosewood.arguments import check_type
from rosewood.arrays import FloatArray
from rosewood.decode.decoder import Decoder
from rosewood.decode.feature_declarations import feature
from rosewood.decode.phrase_parts import as_weights
from rosewood.decode.results import SearchResult, features_of, rules_of
from rosewood.decode.source import Sentence
from rosewood.decode.translation import Translation
from rosewood.errors import DecodingError
from rosewood.forest import Derivation, FeatureSpace, Forest, SecondStage, Weights
from rosewood.forest.second_stage import SECOND_STAGE, Rescored
from rosewood.threads import in_order


class SecondStageDecoder:
    """A `Decoder` whose forests are those of another one, scored again."""

    def __init__(self, first: Decoder, second: SecondStage, *, weight: float = 1.0) -> None:
        """`weight` is that of what n-grams add up to, beside the weights of the first decoder."""
        check_type("second", second, SecondStage, "a SecondStage", error=DecodingError)
        self.first, self.second = first, second
        names = first.features.dense
        if SECOND_STAGE in names:
            reason = f"the decoder has a feature {SECOND_STAGE!r} already"
            raise DecodingError(reason, code="feature.duplicate", argument=SECOND_STAGE)
        # Sparse features are those of the first decoder, which grow as they are met.
        self.features = FeatureSpace([*names, SECOND_STAGE], first.features.sparse)
        self._weight = weight

    @property
    def weights(self) -> Weights:
        """Those of the first decoder, and that of the second stage."""
        return Weights.of(self.first.weights) | {SECOND_STAGE: self._weight}

    @property
    def settings(self) -> Any:
        """Search settings of the first decoder."""
        return self.first.settings

    @property
    def trees(self) -> Any:
        """Boosted trees of the first decoder."""
        return getattr(self.first, "trees", None)

    @property
    def unknown(self) -> Any:
        """What the first decoder does with words that no rule translates."""
        return getattr(self.first, "unknown", None)

    @property
    def reorder(self) -> Any:
        """Reordering models of the first decoder."""
        return getattr(self.first, "reorder", ())

    def describe(self, name: str) -> str:
        """A readable description of a sparse feature."""
        return str(getattr(self.first, "describe", str)(name))

    def default_weights(self) -> dict[str, float]:
        """Weights from which tuning starts."""
        return {**self.first.default_weights(), SECOND_STAGE: 1.0}

    def theta(self) -> FloatArray:
        """The weights in the order of `features`."""
        own, dense = self.first.theta(), len(self.first.features.dense)
        return np.concatenate([own[:dense], [self._weight], own[dense:]])

    def with_weights(self, weights: Mapping[str, float]) -> Self:
        """The same decoder with other weights; the second stage keeps its own if none is given."""
        rest, weight = split_weights(weights)
        return self._with(self.first.with_weights(rest), self._weight if weight is None else weight)

    def with_settings(self, settings: Any) -> Self:
        """The same decoder with other search settings."""
        return self._with(self.first.with_settings(settings), self._weight)

    def _with(self, first: Decoder, weight: float) -> Self:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.first, made._weight = first, weight
        return made

    def __reduce__(self) -> tuple[object, ...]:
        return (_made_again, (self.first, self.second, self._weight))

    # -- searching ---------------------------------------------------------------------------------

    def decode(self, sentence: Sentence) -> Forest:
        """The forest of a sentence's translations."""
        return self.search(sentence).forest

    def search(self, sentence: Sentence) -> SearchResult:
        """Search one sentence: its forest, best translation and report."""
        return self._searched(self.first.search(sentence))

    def search_all(
        self, sentences: Iterable[Sentence], *, threads: int = 1
    ) -> Iterator[SearchResult]:
        """Search many sentences; results in their order, the same at any number of threads."""
        searched = self.first.search_all(sentences, threads=threads)
        return in_order(self._searched, searched, threads=threads)

    def translate(
        self, sentences: Iterable[Sentence], *, threads: int = 1
    ) -> Iterator[Translation]:
        """The best translation of each sentence."""
        searched = self.first.search_all(sentences, threads=threads)
        return in_order(self._translated, searched, threads=threads)

    def _rescored(self, found: SearchResult) -> Rescored:
        score = found.forest.score(self.first.theta())
        return self.second.rescore(found.forest, score, scale=self._weight)

    def _translated(self, found: SearchResult) -> Translation:
        """The best translation alone: features are gathered for its edges only."""
        if not found.report.reachable:
            return found.best
        made = self._rescored(found)
        return self._translation(found, made, made.best())

    def _translation(self, found: SearchResult, made: Rescored, best: Derivation) -> Translation:
        """A derivation of the refined forest, with rules and features of the edges it came from."""
        edges = made.edge_map[best.edges]
        features = features_of(found.forest, edges[::-1])
        ngrams = float(made.ngrams[best.edges].sum())
        dense = {name: features.pop(name) for name in self.first.features.dense if name in features}
        if ngrams:
            dense[SECOND_STAGE] = ngrams
        rules = rules_of(found.forest, edges.tolist(), found.edge_rule)
        return replace(
            found.best,
            words=tuple(best.words),
            score=best.score,
            features=dense | features,
            rules=tuple(each.use for each in rules),
        )

    def _searched(self, found: SearchResult) -> SearchResult:
        help = {**found.feature_help, SECOND_STAGE: feature(SECOND_STAGE).help}
        if not found.report.reachable:
            empty = Forest.empty(features=self.features, vocabulary=found.forest.vocabulary)
            return replace(
                found, forest=empty, feature_help=help, edge_option=None, node_label=None
            )
        made = self._rescored(found)
        best = made.best()
        edge_map, node_map, edge_rule = made.edge_map, made.node_map, found.edge_rule
        return replace(
            found,
            forest=self._with_features(found.forest, made),
            best=self._translation(found, made, best),
            best_edges=best.edges,
            edge_rule=lambda edge: edge_rule(int(edge_map[edge])),
            edge_option=None if found.edge_option is None else found.edge_option[edge_map],
            node_label=None if found.node_label is None else found.node_label[node_map],
            feature_help=help,
        )

    def _with_features(self, forest: Forest, made: Rescored) -> Forest:
        """The refined forest with the features of the first decoder and that of the second."""
        edge_map, node_map = made.edge_map, made.node_map
        feat_start, feat_id = _core.gather_ids(forest.feat_start, forest.feat_id, edge_map)
        _, feat_value = _core.gather_values(forest.feat_start, forest.feat_value, edge_map)
        return made.refined.forest.derive(
            features=self.features,
            dense=np.hstack([forest.dense[edge_map], made.ngrams[:, None]]),
            feat_start=feat_start,
            feat_id=feat_id,
            feat_value=feat_value,
            span=None if forest.span is None else forest.span[node_map],
            rule=None if forest.rule is None else forest.rule[edge_map],
            state=None if forest.state is None else forest.state[node_map],
        )


def split_weights(weights: Mapping[str, float]) -> tuple[Weights, float | None]:
    """Weights of a first decoder, and that of the second stage if it has one."""
    given = as_weights(weights)
    named = dict(given.named)
    weight = named.pop(SECOND_STAGE, None)
    return Weights(named, given.numbered), weight


def _made_again(first: Decoder, second: SecondStage, weight: float) -> SecondStageDecoder:
    return SecondStageDecoder(first, second, weight=weight)
