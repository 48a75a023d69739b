"""How far a search goes."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite
from numbers import Real
from typing import Literal

from rosewood.errors import DecodingError

__all__ = ["SearchSettings"]

SearchName = Literal["cube", "full"]


@dataclass(frozen=True)
class SearchSettings:
    """Limits of a search; None is no limit.

    With `cube` every stack looks at the `pop_limit` hypotheses that promise most; with `full` at
    all.  `max_pops` is for the whole sentence: what is left of it is shared equally by the stacks
    that are still to be filled, so that a long sentence is searched less thoroughly, but to its
    end; the report says if that made a difference.  So does it of `time_limit`: results then depend
    on the machine.
    """

    search: SearchName = "cube"
    pop_limit: int | None = 400  # hypotheses made for each number of translated words
    stack_size: int | None = 200  # of which so many are kept, not counting recombined ones
    beam: float | None = None  # those that are worse than the best by more than this are not
    distortion_limit: int | None = 6  # words that a jump skips
    option_limit: int | None = 20  # translations of a span
    max_phrase: int | None = None  # words of a span
    max_pops: int | None = None  # hypotheses of a sentence
    time_limit: float | None = None  # seconds for a sentence

    def __post_init__(self) -> None:
        if self.search not in ("cube", "full"):
            raise DecodingError(f"search is {self.search!r}, want cube or full")
        for name, least, most in (
            ("pop_limit", 1, 1 << 62),
            ("stack_size", 1, 1 << 62),
            ("distortion_limit", 0, 1 << 30),
            ("option_limit", 1, 1 << 62),
            ("max_phrase", 1, 1 << 62),
            ("max_pops", 1, 1 << 62),
        ):
            value = getattr(self, name)
            if value is None:
                continue
            is_whole = hasattr(value, "__index__") and not isinstance(value, bool)
            if not is_whole or not least <= value <= most:
                raise DecodingError(f"{name} is {value!r}, want a whole number from {least} on")
            object.__setattr__(self, name, int(value))
        for name in ("beam", "time_limit"):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, Real) or not float(value) >= 0:
                raise DecodingError(f"{name} is {value!r}, want a number from 0 on")
            object.__setattr__(self, name, float(value))
        if self.time_limit is not None and not (isfinite(self.time_limit) and self.time_limit > 0):
            raise DecodingError(f"time_limit is {self.time_limit!r}, want seconds above 0")

    def native(self) -> tuple[bool, int, int, float, int, int, float]:
        """As core/decode/phrase_search.hpp has them."""
        return (
            self.search == "full",
            self.pop_limit or 0,
            self.stack_size or 0,
            inf if self.beam is None else self.beam,
            -1 if self.distortion_limit is None else self.distortion_limit,
            self.max_pops or 0,
            self.time_limit or 0.0,
        )
