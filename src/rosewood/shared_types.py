"""Types that many rooms share."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike

__all__ = ["PathName", "ProgressCallback"]

PathName = str | PathLike[str]

# Called with the part of the work, how much of it is done, and of how much: None where unknown.
ProgressCallback = Callable[[str, int, int | None], object]
