"""A stage as a declaration: what it reads, which settings decide it, its version and function.

    Stage("align", version=1, run=align, needs={"tokenise": Needs(files=("corpus/",))},
          settings=("aligner", "symmetrization"))

What runs when is derived from `needs`.  The function is at module level and takes a `Task` of plain
values (paths, settings, numbers), so that it can run in another thread, in another process, or on
another machine that sees the same folders.  It gets the facts of other stages that are declared
here and no others.

Key         hash of the stage's name, its version, the settings that it reads, and the bytes that it
            reads: of the user's files, and of files and facts of other stages
Version     raise it by one whenever the same inputs give other bytes or other facts.  Results of
            the earlier version are then made anew.  A test fails if this was forgotten
            (tests/unit/test_stage_versions.py).  The release of Rosewood is not part of the key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rosewood.errors import TrainingError
from rosewood.journal import fingerprint
from rosewood.pipeline.inputs import TrainingInputs
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.work_store import Finished
from rosewood.shared_types import ProgressCallback

EVERY_FILE = ("",)  # every name begins like this


@dataclass(frozen=True)
class Needs:
    """What a stage reads of another: files by the beginnings of their names, facts by name."""

    files: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Done:
    """A finished stage as others see it."""

    folder: Path
    facts: Mapping[str, Any]  # those that were declared


@dataclass(frozen=True)
class Task:
    """Everything that the function of a stage gets but for the progress callback."""

    stage: str
    settings: TrainingSettings
    inputs: TrainingInputs | None  # for stages that read the user's files
    needs: Mapping[str, Done]
    folder: Path  # where the results go
    going: Path  # where unfinished work is kept, so that it can be resumed
    threads: int = 1
    max_memory: int = 0

    @property
    def given(self) -> TrainingInputs:
        """The user's files, of a stage that declares that it reads them."""
        if self.inputs is None:
            reason = f"stage {self.stage!r} does not declare that it reads input files"
            raise TrainingError(reason, code="training.undeclared", argument=self.stage)
        return self.inputs


Applies = Callable[[TrainingSettings, TrainingInputs | None], bool]
Decides = Callable[[TrainingInputs, TrainingSettings], Mapping[str, Any]]


@dataclass(frozen=True)
class Stage:
    """One step of a training run."""

    name: str
    version: int
    run: Callable[
        [Task, ProgressCallback], dict[str, Any]
    ]  # returns facts for the report: JSON values
    needs: Mapping[str, Needs] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    decides: Decides | None = None  # the user's files, and settings that are not always read
    reads_inputs: bool = False
    uses_memory: bool = False  # the function works within `max_memory`
    applies: Applies | None = None  # whether a run has it; None: always


def stage_key(
    stage: Stage,
    inputs: TrainingInputs,
    settings: TrainingSettings,
    finished: Mapping[str, Finished],
) -> str:
    """The hash of everything that decides the result of a stage."""
    read = {
        name: {
            "files": finished[name].content(*needs.files) if needs.files else None,
            "facts": {each: finished[name].facts[each] for each in needs.facts},
        }
        for name, needs in stage.needs.items()
    }
    chosen = {name: getattr(settings, name) for name in stage.settings}
    more = {} if stage.decides is None else dict(stage.decides(inputs, settings))
    return fingerprint(stage.name, stage.version, chosen, more, read)


def in_order(stages: Iterable[Stage]) -> list[Stage]:
    """The stages with each after all that it needs, else as they are declared."""
    waiting = list(stages)
    known = {stage.name for stage in waiting}
    for stage in waiting:
        for name in stage.needs:
            if name not in known:
                reason = f"stage {stage.name!r} needs {name!r}, which does not exist"
                raise TrainingError(
                    reason, code="argument.unknown", argument=stage.name, value=name
                )
    placed: list[Stage] = []
    names: set[str] = set()
    while waiting:
        ready = next((stage for stage in waiting if names.issuperset(stage.needs)), None)
        if ready is None:
            told = ", ".join(stage.name for stage in waiting)
            reason = f"stages need each other in a circle: {told}"
            raise TrainingError(reason, code="training.cycle", value=told)
        waiting.remove(ready)
        placed.append(ready)
        names.add(ready.name)
    return placed


def that_apply(
    stages: Iterable[Stage], settings: TrainingSettings, inputs: TrainingInputs | None = None
) -> list[Stage]:
    """The stages of a run with these settings; they do not need those that it does not have.

    Without inputs, those are left out that only some inputs need.
    """
    chosen = [each for each in stages if each.applies is None or each.applies(settings, inputs)]
    names = {each.name for each in chosen}
    return [
        replace(each, needs={name: needs for name, needs in each.needs.items() if name in names})
        for each in chosen
    ]


def beside(stage: Stage, stages: Iterable[Stage]) -> list[Stage]:
    """The stages that may run at the same time as this one."""
    every = {each.name: each for each in stages}

    def before(name: str) -> set[str]:
        found: set[str] = set()
        waiting = list(every[name].needs)
        while waiting:
            each = waiting.pop()
            if each not in found:
                found.add(each)
                waiting += every[each].needs
        return found

    own = before(stage.name)
    return [
        each
        for name, each in every.items()
        if name != stage.name and name not in own and stage.name not in before(name)
    ]
