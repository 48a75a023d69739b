"""Options that many verbs share, as settings: progress, form of results, threads, memory."""

from __future__ import annotations

from dataclasses import dataclass

from rosewood.cli.options import CONFIG_HELP, cores
from rosewood.cli.options_from_settings import option_of
from rosewood.settings import Settings, setting, setting_of
from rosewood.shared_settings import SharedSettings
from rosewood.shared_types import PathName


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

    threads: int | None = setting_of(SharedSettings, "threads")

    @property
    def cores(self) -> int:
        """How many threads to use."""
        return cores(self.threads)


@dataclass(frozen=True, kw_only=True)
class RunOptions(QuietOptions):
    """Of long work whose options may come from a file."""

    config: PathName | None = setting(None, CONFIG_HELP)


@dataclass(frozen=True, kw_only=True)
class ThreadedRun(ThreadsOptions, RunOptions):
    """The same for work that threads share."""


@dataclass(frozen=True, kw_only=True)
class MemoryRun(ThreadedRun):
    """The same for work whose memory is limited."""

    max_memory: int = setting_of(SharedSettings, "max_memory")


# Each of them alone, as a parameter of a verb.
Quiet = option_of(QuietOptions, "quiet")
Json = option_of(ReportOptions, "json")
JsonObject = option_of(ReportOptions, "json", help="Print results as one JSON object.")
Threads = option_of(ThreadsOptions, "threads")
Config = option_of(RunOptions, "config")
