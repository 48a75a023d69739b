"""Feature grouping with OSCAR (Liu et al. 2013): features that deserve equal weights are found.

    table = differences(candidates, sample_pairs(candidates, gains, …))
    found = group_features(table, GroupingSettings(lambda2=3e-8), dimension=500_000, seed=1)
    found.groups.project(candidates)

Minimises the mean hinge loss of pairs of candidates plus λ1 Σ|w_i| + λ2 Σ_{i<j} max(|w_i|, |w_j|)
over sparse features, online, with step sizes 1/t; dense features carry no penalty.
Native      core/learn/oscar.hpp; specification: tests/reference/oscar.py
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.arguments import check_number, check_type, check_whole
from rosewood.arrays import FloatArray, LongArray, as_weight
from rosewood.errors import FormatError, TuningError
from rosewood.journal import fingerprint
from rosewood.learn.array_files import read_arrays, write_arrays
from rosewood.learn.candidates import Candidates
from rosewood.learn.groups import Groups
from rosewood.learn.oscar_shards import Penalty, Rows, ShardResult, ShardWork, mix, train_shard
from rosewood.learn.pairs import compacted
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName, ProgressCallback, Report
from rosewood.workers import in_order, start_workers

_PART = "grouping"


def oscar_prox(
    a: ArrayLike, *, step: float, lambda1: float, lambda2: float, dimension: int
) -> FloatArray:
    """The proximal step of OSCAR: W that minimises Σ (W_i² − a_i W_i) + 2/step · penalty.

    `a` are the non-zeros of 2W, `step` is t, `dimension` is the number of all weights; those that
    are not given are zero, and stay so.  The result has a weight for each of `a`.
    """
    values = as_weight("a", a, np.size(a))
    check_number("step", step, error=TuningError)
    if step <= 0:
        reason = f"step is {step}, expected a number above 0"
        raise TuningError(reason, code="argument.range", argument="step", value=step)
    penalty = (
        float(check_number("lambda1", lambda1, low=0, error=TuningError)),
        float(check_number("lambda2", lambda2, low=0, error=TuningError)),
        float(check_whole("dimension", dimension, low=0, error=TuningError)),
    )
    weight = np.empty(len(values))
    _core.oscar_prox(values, float(step), penalty, weight)
    return weight


@dataclass(frozen=True)
class GroupingSettings(Settings):
    """How features are grouped."""

    error = TuningError

    lambda1: float = setting(1e-10, "Penalty λ1 on the size of each weight.", low=0)
    lambda2: float = setting(3e-8, "Penalty λ2 on the larger of each two weights.", low=0)
    passes: int = setting(20, "Passes over the pairs.", low=1)
    batch: int = setting(1, "Pairs for each proximal step; the paper has 1.", low=1, high=2**40)
    delay: int = setting(0, "Step sizes are 1/(t + delay); the paper has 0.", low=0, high=2**40)
    shards: int = setting(
        1, "Shards that learn by themselves in a pass and are then mixed.", low=1, high=4096
    )
    scale: bool = setting(True, "Divide dense features by their root mean square while learning.")


@dataclass(frozen=True)
class Grouping:
    """Groups of features, and the weights they come from."""

    groups: Groups
    dense: FloatArray  # weights of dense features
    ids: LongArray  # features that the pairs have, ascending
    weights: FloatArray  # their last weights
    average_dense: FloatArray  # means over all steps
    average: FloatArray
    history: list[dict[str, Any]]  # a row a pass
    notes: tuple[str, ...] = ()  # what the user should know


def group_features(
    table: Candidates,
    settings: GroupingSettings | None = None,
    *,
    dimension: int | None = None,
    start: ArrayLike | None = None,
    seed: int = 0,
    processes: int = 1,
    file: PathName | None = None,
    report: Report | None = None,
    progress: ProgressCallback | None = None,
) -> Grouping:
    """Learn weights of all features from pairs, and group sparse features by their weights.

    `table` has feature differences of pairs (`learn.pairs.differences`).  `dimension` is the number
    of sparse features that there are, in the table or not.  `start` are weights to start from,
    dense features first.  With `file`, the state is saved there after each pass, and a call with
    the same arguments (but perhaps more passes) goes on from it.  Results depend on the number of
    shards, not on `processes`.
    """
    settings = settings or GroupingSettings()
    check_type("settings", settings, GroupingSettings, "GroupingSettings", error=TuningError)
    check_whole("seed", seed, low=0, error=TuningError)
    check_whole("processes", processes, low=1, error=TuningError)
    problem = _Problem.of(table, settings, dimension, start)
    identity = "" if file is None else problem.identity(seed)
    state = _State.start(problem, settings) if file is None else None
    if state is None:
        assert file is not None
        state = _State.load(file, identity, settings.passes) or _State.start(problem, settings)
    with ExitStack() as stack:
        run = _runner(problem, processes if settings.shards > 1 else 1, stack)
        pairs = problem.pairs
        done = state.passes * pairs

        def told(count: int) -> None:
            nonlocal done
            done += count
            if progress is not None:
                progress(_PART, done, settings.passes * pairs)

        while state.passes < settings.passes:
            results = run(state.work(problem, settings, seed), told)
            state.advance(results, problem, report)
            if file is not None:
                state.save(file, identity)
    return problem.result(state)


class _Problem:
    """The pairs in terms of the features they have, and the units of dense features."""

    def __init__(
        self,
        rows: Rows,
        places: LongArray,
        units: FloatArray,
        penalty: Penalty,
        start: FloatArray,
        settings: GroupingSettings,
    ) -> None:
        self.rows, self.places, self.units = rows, places, units
        self.penalty, self.start, self.settings = penalty, start, settings

    @classmethod
    def of(
        cls,
        table: Candidates,
        settings: GroupingSettings,
        dimension: int | None,
        start: ArrayLike | None,
    ) -> _Problem:
        check_type("table", table, Candidates, "a table of differences", error=TuningError)
        if not len(table):
            reason = "there are no pairs of candidates to learn from"
            raise TuningError(reason, code="tuning.no-pairs", argument="table")
        size = table.num_sparse if dimension is None else dimension
        check_whole("dimension", size, low=table.num_sparse, error=TuningError)
        theta = np.zeros(table.num_features)
        if start is not None:
            theta = as_weight("start", start, table.num_features)
        for name, values in (("start", theta), ("feat_value", table.feat_value)):
            if not np.isfinite(values).all():
                raise _not_finite(name)
        compact, places = compacted(table, np.flatnonzero(theta).astype(np.int64))
        width = table.dense.shape[1]
        units = _units(compact)
        if not settings.scale:
            units = np.ones(width)
        if (units != 1.0).any():
            factor = np.concatenate([1.0 / units, np.ones(compact.num_sparse)])
            compact = compact.scaled(factor)
        rows = Rows(
            compact.dense, compact.feat_start, compact.feat_id, compact.feat_value,
            compact.num_sparse,
        )  # fmt: skip
        first = theta[places].copy()
        first[:width] *= units
        penalty = Penalty(settings.lambda1, settings.lambda2, float(size))
        return cls(rows, places, units, penalty, first, settings)

    @property
    def pairs(self) -> int:
        return len(self.rows.feat_start) - 1

    @property
    def width(self) -> int:
        return len(self.units)

    def identity(self, seed: int) -> str:
        """A hash of all that decides the result, but the number of passes."""
        facts = {**self.settings.to_dict(), "passes": 0, "seed": seed, "penalty": self.penalty}
        rows = self.rows
        arrays = (rows.dense, rows.feat_start, rows.feat_id, rows.feat_value, self.start)
        return fingerprint(
            "grouping 1", facts, *(np.ascontiguousarray(a).tobytes() for a in arrays),
            self.places.tobytes(),
        )  # fmt: skip

    def result(self, state: _State) -> Grouping:
        width = self.width
        ids = self.places[width:] - width
        average = state.sum / max(1, state.steps)
        groups = Groups.of(ids, state.weight[width:], int(self.penalty.dimension))
        return Grouping(
            groups=groups,
            dense=state.weight[:width] / self.units,
            ids=ids,
            weights=state.weight[width:].copy(),
            average_dense=average[:width] / self.units,
            average=average[width:],
            history=list(state.history),
            notes=_notes(groups, self.rows.num_sparse),
        )


def _units(table: Candidates) -> FloatArray:
    """The root mean square of each dense feature; 1 where it is always zero."""
    squares = np.zeros(table.dense.shape[1])
    for first, last in table.blocks():
        squares += np.square(table.dense[first:last]).sum(axis=0)
    if not np.isfinite(squares).all():
        raise _not_finite("dense")
    size: FloatArray = np.sqrt(squares / len(table))
    return np.where(size > 0, size, 1.0)


def _not_finite(name: str) -> TuningError:
    reason = f"{name} has numbers that are not finite, or too large"
    return TuningError(reason, code="tuning.not-finite", argument=name)


def _notes(groups: Groups, features: int) -> tuple[str, ...]:
    if not features:
        return ("the pairs have no sparse features: there is nothing to group",)
    if not len(groups):
        return ("all weights are zero, so no feature is in a group: the penalties are too strong",)
    if len(groups) == 1:
        return (f"all {groups.active} active features are in one group",)
    return ()


def _runner(
    problem: _Problem, processes: int, stack: ExitStack
) -> Callable[[list[ShardWork], Callable[[int], None]], list[ShardResult]]:
    """What runs the shards of a pass: here, or in other processes that map the pairs from files."""
    workers = start_workers(processes)
    if workers is None:
        return lambda work, told: [train_shard(each, told) for each in work]
    stack.enter_context(workers)
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="rosewood-"))
    problem.rows.save(Path(folder))

    def run(work: list[ShardWork], told: Callable[[int], None]) -> list[ShardResult]:
        calls = ((replace(each, rows=folder),) for each in work)
        found = []
        for each, result in zip(work, in_order(workers, train_shard, calls), strict=True):
            told(result.half_steps - each.half_steps)
            found.append(result)
        return found

    return run


@dataclass
class _State:
    """What passes carry on."""

    weight: FloatArray
    sum: FloatArray
    half_steps: LongArray  # of each shard
    steps: int
    passes: int
    history: list[dict[str, Any]]

    @classmethod
    def start(cls, problem: _Problem, settings: GroupingSettings) -> _State:
        zeros = np.zeros(len(problem.start))
        half_steps = np.full(settings.shards, settings.delay, np.int64)
        return cls(problem.start, zeros, half_steps, 0, 0, [])

    def work(self, problem: _Problem, settings: GroupingSettings, seed: int) -> list[ShardWork]:
        return [
            ShardWork(
                problem.rows, self.weight, problem.penalty, settings.batch, seed, self.passes,
                shard, settings.shards, int(self.half_steps[shard]),
            )
            for shard in range(settings.shards)
        ]  # fmt: skip

    def advance(self, results: list[ShardResult], problem: _Problem, report: Report | None) -> None:
        """Take in the results of a pass."""
        self.weight = mix(results, problem.width, problem.penalty)
        if not np.isfinite(self.weight).all():
            reason = "weights have become infinite: are feature values very large?"
            raise TuningError(reason, code="tuning.diverged")
        for each in results:
            self.sum = self.sum + each.sum
        self.half_steps = np.array([each.half_steps for each in results], np.int64)
        self.steps += sum(each.steps for each in results)
        self.passes += 1
        sparse = self.weight[problem.width :]
        row = {
            "round": self.passes,
            "loss": sum(each.loss for each in results) / problem.pairs,
            "active": int(np.count_nonzero(sparse)),
            "groups": len(np.unique(sparse[sparse != 0])),
        }
        self.history.append(row)
        if report is not None:
            report(row)

    def save(self, file: PathName, identity: str) -> None:
        note = {"identity": identity, "steps": self.steps, "passes": self.passes,
                "history": self.history}  # fmt: skip
        write_arrays(
            file,
            weight=self.weight,
            sum=self.sum,
            half_steps=self.half_steps,
            note=np.frombuffer(json.dumps(note).encode(), np.uint8),
        )

    @classmethod
    def load(cls, file: PathName, identity: str, passes: int) -> _State | None:
        """The state that a file has, after at most so many passes; None where there is no file."""
        if not Path(file).exists():
            return None
        found = read_arrays(
            file, "the state of a grouping", ("weight", "sum", "half_steps", "note")
        )
        try:
            note = json.loads(found["note"].tobytes())
            if note["identity"] != identity:
                reason = (
                    f"{file}: it has the state of other pairs or settings; "
                    "choose another file, or remove this one"
                )
                raise TuningError(reason, code="file.mismatch", file=file)
            if note["passes"] > passes:
                reason = f"{file}: it has {note['passes']} passes, more than {passes}"
                raise TuningError(
                    reason, code="file.mismatch", argument="passes", value=passes, file=file
                )
            return cls(
                found["weight"], found["sum"], found["half_steps"],
                int(note["steps"]), int(note["passes"]), list(note["history"]),
            )  # fmt: skip
        except (ValueError, KeyError, TypeError) as error:
            reason = f"it is not the state of a grouping: {error}"
            raise FormatError(reason, file=file, code="file.damaged") from error
