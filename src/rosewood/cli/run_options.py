"""Options that many verbs share, as settings: how much is shown, and in which form."""

from __future__ import annotations

from dataclasses import dataclass

from rosewood.cli.options import cores
from rosewood.settings import Settings, setting

__all__ = ["QuietOptions", "ReportOptions", "ThreadsOptions"]


@dataclass(frozen=True, kw_only=True)
class QuietOptions(Settings):
    """Of long work."""

    quiet: bool = setting(False, "Show no progress.", short="q")


@dataclass(frozen=True, kw_only=True)
class ReportOptions(QuietOptions):
    """Of long work that prints results."""

    json: bool = setting(False, "Print one JSON object per line.")


@dataclass(frozen=True, kw_only=True)
class ThreadsOptions(QuietOptions):
    """Of long work that threads share."""

    threads: int | None = setting(
        None, "Threads.", low=1, high=1024, default_text="all cores", types_none=False
    )

    @property
    def cores(self) -> int:
        """How many threads to use."""
        return cores(self.threads)
