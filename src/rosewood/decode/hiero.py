"""Hierarchical search: rules with gaps, a sentence in, a forest of translations out.

    decoder = HieroDecoder(RuleTable.open("grammar"), Model.open("lm.rlm"), weights=weights)
    decoder.decode("das haus ist klein")                    # a Forest
    decoder.search("das haus ist klein").best.rules         # a derivation tree

Features have the values that Moses and cdec give them; docs/decoding.md lists them.
Native      core/decode/chart_search.hpp; specification: tests/reference/chart_search.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, Literal

from rosewood import _core
from rosewood.arrays import FloatArray
from rosewood.decode.decoder import UnknownWords
from rosewood.decode.feature_declarations import Feature, feature
from rosewood.decode.features import OptionFeature, SparseFeature
from rosewood.decode.hiero_results import HieroResults
from rosewood.decode.rule_decoder import RuleDecoder
from rosewood.decode.settings import SearchSettings, native_limit
from rosewood.errors import DecodingError
from rosewood.lm import Model
from rosewood.rules.table import RuleTable
from rosewood.settings import Settings, setting, setting_of

GLUE_LABEL = "S"  # of glue rules in tables: the decoder has its own instead
_search = partial(setting, group="Search")


@dataclass(frozen=True)
class HieroSettings(Settings):
    """Limits of a hierarchical search; None is no limit.

    With `cube` every source span looks at the `pop_limit` most promising hypotheses; with `full` at
    all.  `max_pops` is for the whole sentence, and is shared equally by the spans that are still to
    be filled; the report says whether that made a difference.
    """

    error = DecodingError

    search: Literal["cube", "full"] = setting_of(SearchSettings, "search")
    pop_limit: int | None = _search(200, "Maximum hypotheses created for each source span.", low=1)
    cell_size: int | None = _search(
        None, "Maximum hypotheses kept for each source span and label.", low=1
    )
    beam: float | None = _search(
        None,
        "Drop hypotheses whose log score is worse than the best of their span by more than N.",
        low=0,
    )
    max_span: int | None = _search(
        10, "Maximum source words that a rule spans; longer parts are joined by glue.", low=1
    )
    option_limit: int | None = _search(50, "Maximum rules for each source.", low=1)
    max_pops: int | None = setting_of(SearchSettings, "max_pops")
    time_limit: float | None = setting_of(SearchSettings, "time_limit")

    def native(self) -> tuple[bool, int, int, float, int, float]:
        """As core/decode/chart_search.hpp has them."""
        return (
            self.search == "full",
            native_limit(self.pop_limit),
            native_limit(self.cell_size),
            inf if self.beam is None else self.beam,
            native_limit(self.max_pops),
            self.time_limit or 0.0,
        )


class HieroDecoder(RuleDecoder):
    """Models and weights of hierarchical search; a `Decoder`.  Safe to use from several threads."""

    settings_type = HieroSettings
    settings: HieroSettings

    def __init__(
        self,
        table: RuleTable,
        language_models: Model | Mapping[str, Model],
        *,
        features: Sequence[OptionFeature | SparseFeature] = (),
        weights: Mapping[str, float] | None = None,
        settings: HieroSettings | None = None,
        unknown: UnknownWords = "copy",
    ) -> None:
        """Words that no rule translates are copied, dropped, or translated by `unknown`: a function
        from a word to its translations; None has it copied."""
        super().__init__(table, language_models, features, weights, settings, unknown)

    def _features_of_search(self) -> list[Feature]:
        return [feature("glue"), *(feature(name, family="lm") for name in self.language_models)]

    def _native_model(self) -> _core.HieroModel:
        models = [model.native for model in self.language_models.values()]
        glue = self.table.labels.index(GLUE_LABEL) if GLUE_LABEL in self.table.labels else -1
        return _core.HieroModel(self._layout, self.table.native, models, glue)

    def _native_decoder(self, theta: FloatArray, limit: int) -> _core.HieroDecoder:
        return _core.HieroDecoder(self._model, theta, limit)

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
                self.settings, self.unknown,
            ),
        )  # fmt: skip


def _made_again(table: RuleTable, lms: Any, features: Any, *rest: Any) -> HieroDecoder:
    weights, settings, unknown = rest
    return HieroDecoder(
        table, lms, features=features, weights=weights, settings=settings, unknown=unknown
    )
