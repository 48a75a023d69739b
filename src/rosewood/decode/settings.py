"""How far a search goes: limits of phrase-based and of hierarchical search."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, Literal

from rosewood.errors import DecodingError
from rosewood.settings import Settings, setting, setting_of

_search = partial(setting, group="Search")
_phrases = partial(setting, group="Search with phrases")
_gaps = partial(setting, group="Search with rules that have gaps")
_MOST = 1 << 62  # as much as no limit


@dataclass(frozen=True)
class SearchSettings(Settings):
    """Limits of a phrase-based search; None is no limit.

    With `cube` every stack looks at the `pop_limit` most promising hypotheses; with `full` at all.
    `max_pops` is for the whole sentence: what is left of it is shared equally by the stacks that
    are still to be filled, so that a long sentence is searched less thoroughly, but to its end;
    the report says whether that made a difference.  It does so for `time_limit` too: results then
    depend on the machine.
    """

    error = DecodingError

    search: Literal["cube", "full"] = _search(
        "cube", "Search algorithm: cube expands the most promising hypotheses, full expands all."
    )
    pop_limit: int | None = _search(
        400,
        "Maximum hypotheses created for each stack, or for each source span if rules have gaps.",
        low=1,
    )
    stack_size: int | None = _phrases(200, "Maximum hypotheses kept in each stack.", low=1)
    beam: float | None = _search(
        None,
        "Drop hypotheses whose log score is worse than the best of their stack or span by more "
        "than N.",
        low=0,
    )
    distortion_limit: int | None = _phrases(
        6, "Maximum number of source words that a jump skips.", low=0
    )
    option_limit: int | None = _search(
        50, "Maximum translation options for each source span.", low=1
    )
    max_phrase: int | None = _phrases(None, "Maximum phrase length in source words.", low=1)
    max_pops: int | None = _search(
        None,
        "Maximum hypotheses created for a sentence; sentences that reach it are reported.",
        low=1,
    )
    time_limit: float | None = _search(
        None,
        "Maximum seconds for a sentence; sentences that reach it are reported. "
        "Results then depend on the machine.",
        low=1e-9,
    )

    boundary_words: int | None = _search(
        None,
        "Recombine hypotheses only if their first and last N words are equal: forests then suit "
        "n-grams of N + 1 words as they are.",
        low=1,
        high=64,
    )

    def native(self) -> tuple[bool, int, float, int, float, int, int, int]:
        """As core/decode/phrase_search.hpp has them."""
        distortion = -1 if self.distortion_limit is None else min(self.distortion_limit, 1 << 30)
        return (*common_limits(self), native_limit(self.stack_size), distortion)


@dataclass(frozen=True)
class HieroSettings(Settings):
    """Limits of a hierarchical search; None is no limit.

    With `cube` every source span looks at the `pop_limit` most promising hypotheses; with `full` at
    all.  `max_pops` is for the whole sentence, and is shared equally by the spans that are still to
    be filled; the report says whether that made a difference.
    """

    error = DecodingError

    search: Literal["cube", "full"] = setting_of(SearchSettings, "search")
    pop_limit: int | None = setting_of(SearchSettings, "pop_limit", 200)
    cell_size: int | None = _gaps(
        None, "Maximum hypotheses kept for each source span and label.", low=1
    )
    beam: float | None = setting_of(SearchSettings, "beam")
    max_span: int | None = _gaps(
        10, "Maximum source words that a rule spans; longer parts are joined by glue.", low=1
    )
    option_limit: int | None = setting_of(SearchSettings, "option_limit")
    max_pops: int | None = setting_of(SearchSettings, "max_pops")
    time_limit: float | None = setting_of(SearchSettings, "time_limit")
    boundary_words: int | None = setting_of(SearchSettings, "boundary_words")

    def native(self) -> tuple[bool, int, float, int, float, int, int]:
        """As core/decode/chart_search.hpp has them."""
        return (*common_limits(self), native_limit(self.cell_size))


LIMITS = (SearchSettings, HieroSettings)  # of our decoders: options of the command line


def common_limits(settings: Any) -> tuple[bool, int, float, int, float, int]:
    """Limits that every search has, as core/decode/search_control.hpp has them."""
    return (
        settings.search == "full",
        native_limit(settings.pop_limit),
        inf if settings.beam is None else settings.beam,
        native_limit(settings.max_pops),
        settings.time_limit or 0.0,
        settings.boundary_words or 0,
    )


def native_limit(limit: int | None) -> int:
    """A limit as native code has it: 0 is none."""
    return min(limit or 0, _MOST)
