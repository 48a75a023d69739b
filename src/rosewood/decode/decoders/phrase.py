"""Phrase-based search with stacks of hypotheses: a sentence in, a forest of translations out.

    decoder = PhraseDecoder(RuleTable.open("rules"), Model.open("lm.rlm"), weights=weights)
    decoder.decode("das haus ist klein")                    # a Forest
    for translation in decoder.translate(lines, threads=2): print(translation.text)
    found = decoder.search(Source(words, forced=(Forced(0, 2, ("the house",)),)))
    found.forest; found.best.links; found.report

Features have the values that Moses gives them, so weights of a moses.ini fit; docs/decoding.md
lists them.
Native      core/decode/phrase_search.hpp; specification: tests/reference/phrase_search.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rosewood import _core
from rosewood.arguments import check_type
from rosewood.arrays import FloatArray
from rosewood.decode.decoder import UnknownWords
from rosewood.decode.feature_declarations import Feature, feature
from rosewood.decode.features import OptionFeature, SparseFeature, finite_rows
from rosewood.decode.large_features import LargeFeatures
from rosewood.decode.options import TranslationOptions
from rosewood.decode.phrase_parts import reordering_models
from rosewood.decode.phrase_results import PhraseResults
from rosewood.decode.rule_decoder import RuleDecoder
from rosewood.decode.settings import SearchSettings
from rosewood.errors import DecodingError
from rosewood.forest import BoostedTrees
from rosewood.lm import Model
from rosewood.reorder.model import ReorderingModel, class_names
from rosewood.rules.settings import DIRECTIONS, EVENT_CLASSES, KINDS
from rosewood.rules.table import RuleTable


class PhraseDecoder(RuleDecoder):
    """Models and weights of phrase-based search; a `Decoder`.  Safe to use from several threads."""

    settings_type = SearchSettings
    settings: SearchSettings

    def __init__(
        self,
        table: RuleTable,
        language_models: Model | Mapping[str, Model],
        *,
        reorder: ReorderingModel | Sequence[ReorderingModel | str] | None = None,
        features: Sequence[OptionFeature | SparseFeature] = (),
        weights: Mapping[str, float] | None = None,
        settings: SearchSettings | None = None,
        unknown: UnknownWords = "copy",
        trees: BoostedTrees | None = None,
        large: LargeFeatures | None = None,
    ) -> None:
        """`reorder` are reordering models, or their names in `REORDERING`: lexicalized by default.

        Words that no rule translates are copied, dropped, or translated by `unknown`: a function
        from a word to its translations; None has it copied.  `trees` over dense features add the
        feature `boost`, `large` the large feature set.
        """
        check_type("table", table, RuleTable, "a RuleTable", error=DecodingError)
        self.reorder = reordering_models(reorder, table)
        super().__init__(table, language_models, features, weights, settings, unknown, trees, large)

    def _features_of_search(self) -> list[Feature]:
        found = [feature("distortion")]
        found += [feature(name, family="lm") for name in self.language_models]
        for model in self.reorder:
            found += [
                feature(f"{model.name}_{each}", family="reorder") for each in class_names(model)
            ]
        return found

    def _native_model(self) -> _core.PhraseModel:
        slots: list[tuple[int, int, int, int]] = []
        columns: list[int] = []
        native: list[tuple[_core.LinearReordering, int]] = []
        for model in self.reorder:
            scheme = list(EVENT_CLASSES).index(model.classes)
            first = len(columns)
            for way in model.directions:
                slots.append((KINDS.index(model.kind), DIRECTIONS.index(way), scheme, first))
                first += len(EVENT_CLASSES[model.classes])
            if _native(model) is not None:
                native.append((_native(model), len(columns)))
            own = model.columns(self.table)
            columns += [-1] * len(class_names(model)) if own is None else own
        return _core.PhraseModel(
            self._layout,
            self.table.native,
            [model.native for model in self.language_models.values()],
            slots,
            columns,
            native,
            self._native_trees(),
            None if self.large is None else self.large.native,
        )

    def _native_decoder(
        self, theta: FloatArray, limit: int, rule_weights: FloatArray | None
    ) -> _core.PhraseDecoder:
        return _core.PhraseDecoder(self._model, theta, limit, rule_weights)

    def _result_maker(self) -> PhraseResults:
        return PhraseResults(self.table, self.features, self._sparse, self._feature_help())

    @property
    def _max_span(self) -> int | None:
        return self.settings.max_phrase

    def _add_search_columns(self, options: TranslationOptions) -> None:
        first = 0
        for model in self.reorder:
            width = len(class_names(model))
            if model.columns(self.table) is None and _native(model) is None:
                found = model.log_probabilities(options)
                rows = finite_rows(model.name, found, (len(options), width))
                options.native.set_orientations(first, rows)
            first += width

    def __reduce__(self) -> tuple[object, ...]:
        return (
            _made_again,
            (
                self.table, self.language_models, self.reorder, self.option_features, self.weights,
                self.settings, self.unknown, self.trees, self.large,
            ),
        )  # fmt: skip


class PhraseKind:
    """Makes phrase-based decoders from the parts of a model."""

    settings_type = SearchSettings

    def make(
        self,
        parts: Mapping[str, Any],
        *,
        settings: SearchSettings,
        weights: Mapping[str, float] | None = None,
        unknown: UnknownWords = "copy",
        features: Sequence[OptionFeature | SparseFeature] = (),
    ) -> PhraseDecoder:
        """A decoder with the rules and language models among the parts."""
        trained = parts.get("reorder_models") or {}
        reorder = parts.get("reorder")
        if trained and reorder is not None:
            reorder = [trained.get(each, each) for each in reorder]
        return PhraseDecoder(
            parts["rules"], parts["lm"], reorder=reorder, features=features,
            weights=weights, settings=settings, unknown=unknown, trees=parts.get("trees"),
            large=parts.get("large_features"),
        )  # fmt: skip


PLUGIN = PhraseKind()


def _native(model: ReorderingModel) -> Any:
    """What native code evaluates a reordering model by; None if it cannot."""
    return getattr(model, "native", None)


def _made_again(table: RuleTable, lms: Any, reorder: Any, features: Any, *rest: Any) -> Any:
    weights, settings, unknown, trees, large = rest
    return PhraseDecoder(
        table, lms, reorder=reorder, features=features, weights=weights, settings=settings,
        unknown=unknown, trees=trees, large=large,
    )  # fmt: skip
