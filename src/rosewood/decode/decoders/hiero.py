"""Hierarchical search: rules with gaps, a sentence in, a forest of translations out.

    decoder = HieroDecoder(RuleTable.open("grammar"), Model.open("lm.rlm"), weights=weights)
    decoder.decode("das haus ist klein")                    # a Forest
    decoder.search("das haus ist klein").best.rules         # a derivation tree

Features have the values that Moses and cdec give them; docs/decoding.md lists them.
Native      core/decode/chart_search.hpp; specification: tests/reference/chart_search.py
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from rosewood import _core
from rosewood.arrays import FloatArray
from rosewood.decode.decoder import UnknownWords
from rosewood.decode.feature_declarations import Feature, feature
from rosewood.decode.features import OptionFeature, SparseFeature
from rosewood.decode.hiero_options import HieroOptions
from rosewood.decode.hiero_results import HieroResults
from rosewood.decode.large_features import LargeFeatures
from rosewood.decode.results import GLUE_LABEL
from rosewood.decode.rule_decoder import RuleDecoder
from rosewood.decode.settings import HieroSettings
from rosewood.errors import DecodingError
from rosewood.forest import BoostedTrees
from rosewood.lm import Model
from rosewood.rules.table import RuleTable

GLUE_LABELS = ("GOAL", "X][S", GLUE_LABEL)  # of Joshua's glue rules, Moses's, and all others


class HieroDecoder(RuleDecoder):
    """Models and weights of hierarchical search; a `Decoder`.  Safe to use from several threads."""

    settings_type = HieroSettings
    settings: HieroSettings
    options_type = HieroOptions

    def __init__(
        self,
        table: RuleTable,
        language_models: Model | Mapping[str, Model],
        *,
        features: Sequence[OptionFeature | SparseFeature] = (),
        weights: Mapping[str, float] | None = None,
        settings: HieroSettings | None = None,
        unknown: UnknownWords = "copy",
        trees: BoostedTrees | None = None,
        large: LargeFeatures | None = None,
    ) -> None:
        """Words that no rule translates are copied, dropped, or translated by `unknown`: a function
        from a word to its translations; None has it copied.  `trees` over dense features add the
        feature `boost`, `large` the large feature set."""
        super().__init__(table, language_models, features, weights, settings, unknown, trees, large)

    def _features_of_search(self) -> list[Feature]:
        return [feature("glue"), *(feature(name, family="lm") for name in self.language_models)]

    def _native_model(self) -> _core.HieroModel:  # it has glue of its own: rules of S are left out
        models = [model.native for model in self.language_models.values()]
        labels = self.table.labels
        glue = next((labels.index(name) for name in GLUE_LABELS if name in labels), -1)
        try:
            trees = self._native_trees()
            large = None if self.large is None else self.large.native
            return _core.HieroModel(self._layout, self.table.native, models, glue, trees, large)
        except DecodingError as error:
            if error.code != "decoding.cycle":
                raise
            rules = (self.table.by_id(int(number)) for number in re.findall(r"\d+", str(error)))
            named = ", ".join(
                f"[{each.left}] → {' '.join(map(str, each.source))}" for each in rules
            )
            raise error.restated(f"{error}: {named}", file=self.table.folder) from None

    def _native_decoder(
        self, theta: FloatArray, limit: int, rule_weights: FloatArray | None
    ) -> _core.HieroDecoder:
        return _core.HieroDecoder(self._model, theta, limit, rule_weights)

    def _result_maker(self) -> HieroResults:
        return HieroResults(self.table, self.features, self._sparse, self._feature_help())

    @property
    def _max_span(self) -> int | None:
        return self.settings.max_span

    def __reduce__(self) -> tuple[object, ...]:
        return (
            _made_again,
            (
                self.table, self.language_models, self.option_features, self.weights,
                self.settings, self.unknown, self.trees, self.large,
            ),
        )  # fmt: skip


class HieroKind:
    """Makes hierarchical decoders from the parts of a model."""

    settings_type = HieroSettings
    reorders = False  # rules move what is in their gaps
    # Chosen on the development sets of tatoeba-zh-en and tanaka-ja-en: docs/decisions/0016.
    extraction: Mapping[str, Any] = MappingProxyType(
        {"hierarchical": True, "loose": True, "tight_gaps": True, "whole_counts": True}
    )

    def make(
        self,
        parts: Mapping[str, Any],
        *,
        settings: HieroSettings,
        weights: Mapping[str, float] | None = None,
        unknown: UnknownWords = "copy",
        features: Sequence[OptionFeature | SparseFeature] = (),
    ) -> HieroDecoder:
        """A decoder with the rules and language models among the parts."""
        return HieroDecoder(
            parts["rules"], parts["lm"], features=features, weights=weights, settings=settings,
            unknown=unknown, trees=parts.get("trees"), large=parts.get("large_features"),
        )  # fmt: skip


PLUGIN = HieroKind()


def _made_again(table: RuleTable, lms: Any, features: Any, *rest: Any) -> HieroDecoder:
    weights, settings, unknown, trees, large = rest
    return HieroDecoder(
        table, lms, features=features, weights=weights, settings=settings, unknown=unknown,
        trees=trees, large=large,
    )  # fmt: skip
