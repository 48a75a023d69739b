"""Settings that many rooms and commands share: each is declared here, and once.

seed: int = setting_of(SharedSettings, "seed", 0)
"""

from __future__ import annotations

from dataclasses import dataclass

from rosewood.resources import LEAST_MEMORY, MAX_MEMORY, MOST_MEMORY, MOST_SEED, MOST_THREADS
from rosewood.settings import Settings, setting
from rosewood.shared_types import OnBadLine


@dataclass(frozen=True, kw_only=True)
class SharedSettings(Settings):
    """Fields for `setting_of`; defaults and groups may differ."""

    seed: int = setting(1, "Random seed.", low=0, high=MOST_SEED)
    threads: int | None = setting(
        None, "Threads.", low=1, high=MOST_THREADS, default_text="all cores", types_none=False
    )
    max_memory: int = setting(
        MAX_MEMORY,
        "Memory limit of the data, such as 500M or 4G; the rest goes to temporary files.",
        low=LEAST_MEMORY, high=MOST_MEMORY, default_text="2G", metavar="SIZE",
    )  # fmt: skip
    on_bad_line: OnBadLine = setting("stop", "At a malformed line:")  # what may be done
    line_words: int = setting(10_000, "Maximum words per line.", low=1)
    line_characters: int = setting(100_000, "Maximum characters per line.", low=1)
