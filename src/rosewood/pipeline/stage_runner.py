"""Runs declared stages: each when what it needs is done, several at the same time.

Stages are run by threads: kernels release the GIL, and a thread costs nothing where a stage takes
milliseconds.  The calling thread runs the first stage that is ready and side threads run others, so
that Ctrl-C, which only the calling thread can notice within a kernel, ends most work at once.
All stages get all threads: they are seldom busy at the same moments, and the system divides cores
better than a fixed share would.  Memory for sorting is divided among those that may run together.

When a stage fails, or the caller is interrupted, the others stop at their next report of progress;
the first exception is raised when all of them have ended.  Progress of one stage is shown at a
time: of the first one that runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Condition, RLock, Thread
from typing import Any

from rosewood.errors import FormatError
from rosewood.pipeline.inputs import TrainingInputs
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.stage import Done, Stage, Task, beside, in_order, stage_key
from rosewood.pipeline.work_store import Finished, StagePlace, StageStore
from rosewood.shared_types import ProgressCallback

_LEAST_MEMORY = 64 << 20  # bytes that a stage gets beside another; with less, one runs at a time


class _Stopped(BaseException):
    """Ends a stage because another one has failed."""


class StageRunner:
    """Runs stages once."""

    def __init__(
        self,
        stages: Sequence[Stage],
        inputs: TrainingInputs,
        settings: TrainingSettings,
        store: StageStore,
        *,
        threads: int,
        max_memory: int,
        told: ProgressCallback | None,
    ) -> None:
        self._stages = in_order(stages)
        self._inputs, self._settings, self._store = inputs, settings, store
        self._threads, self._told = threads, told
        self._state = inputs.state()  # before any of them is hashed
        self._memory, together = _shares(self._stages, max_memory, threads)
        self._side_threads = together - 1
        self._done: dict[str, Finished] = {}
        self._running: list[Stage] = []  # in the order of their beginning
        self._caller_is_busy = True
        self._error: BaseException | None = None
        self._changed = Condition()
        self._telling = RLock()

    def run(self) -> dict[str, Finished]:
        """Run all stages, or take them from the store; results are in the order of the stages."""
        sides = [
            Thread(target=self._side, name=f"rosewood stage {k}", daemon=True)
            for k in range(self._side_threads)
        ]
        try:
            for thread in sides:
                thread.start()
            while (stage := self._next()) is not None:
                self._do(stage)
        except BaseException as error:
            self._fail(error)
        for thread in sides:
            thread.join()
        if self._error is not None:
            raise self._error
        return {stage.name: self._done[stage.name] for stage in self._stages}

    def _side(self) -> None:
        """Runs stages that the calling thread has no time for."""
        try:
            while (stage := self._next(is_side=True)) is not None:
                self._do(stage)
        except BaseException as error:
            self._fail(error)

    def _next(self, *, is_side: bool = False) -> Stage | None:
        """The next stage to run, when there is one; None when there will be none."""
        with self._changed:
            if not is_side:
                self._caller_is_busy = False
                self._changed.notify_all()
            while self._error is None and len(self._done) < len(self._stages):
                ready = [
                    stage
                    for stage in self._stages
                    if stage.name not in self._done
                    and stage not in self._running
                    and self._done.keys() >= stage.needs.keys()
                ]
                if is_side and not self._caller_is_busy:
                    ready = ready[1:]  # the first is for the caller
                if ready:
                    self._running.append(ready[0])
                    self._caller_is_busy = self._caller_is_busy or not is_side
                    return ready[0]
                self._changed.wait()
            return None

    def _fail(self, error: BaseException) -> None:
        with self._changed:
            if self._error is None and not isinstance(error, _Stopped):
                self._error = error
            self._changed.notify_all()

    def _do(self, stage: Stage) -> None:
        """Take a stage from the store or do its work."""
        done = {name: self._done[name] for name in stage.needs}
        key = stage_key(stage, self._inputs, self._settings, done)

        def work(place: StagePlace) -> dict[str, Any]:
            facts = stage.run(self._task(stage, done, place), self._tell(stage))
            if stage.reads_inputs:
                self._check_unchanged()
            return facts

        found = self._store.run(stage.name, key, work, reads=list(done.values()))
        with self._changed:
            self._done[stage.name] = found
            self._running.remove(stage)
            self._changed.notify_all()

    def _task(self, stage: Stage, done: Mapping[str, Finished], place: StagePlace) -> Task:
        needs = {
            name: Done(done[name].folder, {each: done[name].facts[each] for each in read.facts})
            for name, read in stage.needs.items()
        }
        return Task(
            stage.name, self._settings, self._inputs if stage.reads_inputs else None, needs,
            place.folder, place.going, self._threads, self._memory[stage.name],
        )  # fmt: skip

    def _check_unchanged(self) -> None:
        """Refuse input files that were changed between being hashed and being read."""
        for before, now in zip(self._state, self._inputs.state(), strict=True):
            if before != now:
                told = "it was changed while it was read"
                raise FormatError(told, file=before[0], code="file.changed")

    def _tell(self, stage: Stage) -> ProgressCallback:
        place = f"{self._stages.index(stage) + 1}/{len(self._stages)} {stage.name}"

        def tell(what: str, done: int, total: int | None) -> None:
            if self._error is not None:
                raise _Stopped
            if self._told is not None and self._running[:1] == [stage]:
                with self._telling:
                    self._told(f"{place}: {what}", done, total)

        return tell


def _shares(stages: Sequence[Stage], max_memory: int, threads: int) -> tuple[dict[str, int], int]:
    """Bytes of memory for each stage, and how many stages run at the same time at most."""
    whole = dict.fromkeys((stage.name for stage in stages), max_memory)
    others = {stage.name: beside(stage, stages) for stage in stages}
    together = min(threads, 1 + max(map(len, others.values()), default=0))
    divided = {
        stage.name: max_memory // (1 + sum(each.uses_memory for each in others[stage.name]))
        for stage in stages
        if stage.uses_memory
    }
    if together == 1 or any(max_memory > share < _LEAST_MEMORY for share in divided.values()):
        return whole, 1
    return whole | divided, together
