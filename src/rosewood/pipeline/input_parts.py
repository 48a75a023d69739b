"""Parts of the input that are checked: a sample of each source, as text and as tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rosewood.corpus.samples import RUNS, Run, Sample
from rosewood.pipeline.pair_evidence import TokenRun

SETS = {"dev": "development set", "test": "test set"}
LEAST_TRAIN = 96  # pairs that can be compared with each other
LEAST_HELD_OUT = 12  # pairs that can be compared with training data
_SHORTEST = 8  # lines of a run that tells something


@dataclass
class Part:
    """One source of a corpus: two files of text, or one of pairs."""

    name: str  # train, dev or test
    sample: Sample
    is_swapped: bool = field(default=False, init=False)  # against the training data

    @property
    def files(self) -> str:
        """How messages call it."""
        return " and ".join(self.sample.files)

    @property
    def file(self) -> str:
        """The file of the target."""
        return self.sample.files[-1]

    @property
    def what(self) -> str:
        """Which set it is, behind the names of its files."""
        return "" if self.name == "train" else f" ({SETS[self.name]})"

    @cached_property
    def runs(self) -> list[TokenRun]:
        """Some of its runs, as tokens, spread over it."""
        return [TokenRun.of(run) for run in _thinned(self.sample.runs, RUNS)]

    @property
    def turned(self) -> list[TokenRun]:
        """The same in the direction of the training data."""
        return [run.swapped() for run in self.runs] if self.is_swapped else self.runs

    def turn(self, which: Sequence[bool]) -> None:
        """Exchange the sides of some pairs of its runs."""
        found, at = [], 0
        for run in self.runs:
            found.append(run.turned(which[at : at + len(run)]))
            at += len(run)
        self.runs = found

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """The distinct pairs of the sample."""
        return frozenset(zip(self.sample.source, self.sample.target, strict=True))

    @property
    def is_copy(self) -> bool:
        """Whether both sides are the same text."""
        same = sum(map(same_text, self.sample.source, self.sample.target))
        return same > 0.9 * len(self.sample)


def same_text(source: str, target: str) -> bool:
    """Whether two texts differ at most in case and in spaces at their ends."""
    return source == target or source.strip().casefold() == target.strip().casefold()


def size(runs: Sequence[TokenRun]) -> int:
    """How many pairs some runs have."""
    return sum(map(len, runs))


def _thinned(runs: Sequence[Run], most: int) -> list[Run]:
    """At most twice as many runs, with even steps between them."""
    kept = [run for run in runs if len(run.numbers) >= _SHORTEST] or list(runs[:1])
    return kept[:: max(1, -(-len(kept) // (2 * most)))]
