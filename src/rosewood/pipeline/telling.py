"""The progress callback of long work."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Told"]

# What is done, how much of it, and out of how much where that is known.
Told = Callable[[str, int, int | None], object]
