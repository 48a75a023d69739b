"""How far a run has come: which stage, which part of it, how much of how much."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["STAGES", "Told", "of_stage"]

# What is done, how much of it, and out of how much where that is known.
Told = Callable[[str, int, int | None], object]
STAGES = ("clean", "tokenise", "align", "lm", "extract", "reordering", "tune", "report")


def of_stage(name: str, told: Told | None) -> Told:
    """What a stage tells, with its name and number before it."""
    place = f"{STAGES.index(name) + 1}/{len(STAGES)} {name}"

    def tell(what: str, done: int, total: int | None) -> None:
        if told is not None:
            told(f"{place}: {what}", done, total)

    return tell
