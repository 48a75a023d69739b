"""Types that many rooms share."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any, Literal

PathName = str | PathLike[str]

# Called with the part of the work, how much of it is done, and of how much: None where unknown.
ProgressCallback = Callable[[str, int, int | None], object]

# Called with the lines, bytes or sentences that were done since the last time.
CountCallback = Callable[[int], object]

# Called with the facts of each round: {"round": 3, "score": 41.2, …}.
Report = Callable[[dict[str, Any]], None]

# What is done about a line that cannot be read; blank keeps an empty one in its place.
OnBadLine = Literal["stop", "skip", "blank"]
StopOrSkip = Literal["stop", "skip"]
