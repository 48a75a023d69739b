"""From corpora to a model: declared stages (stages.py), each done once.

trained = train(TrainingInputs("train.de", "train.en", dev=("dev.de", "dev.en")), "model")
trained.folder; trained.report; trained.scores; trained.notes
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rosewood.errors import FormatError, TrainingError
from rosewood.model.bundle import Bundle, check_own
from rosewood.model.manifest import MANIFEST
from rosewood.output import check_apart, check_folder
from rosewood.pipeline.assembly import write_model
from rosewood.pipeline.final_model import final_decoder
from rosewood.pipeline.findings import Finding, FindingCallback, check_strict
from rosewood.pipeline.input_checks import check_inputs
from rosewood.pipeline.inputs import TrainingInputs
from rosewood.pipeline.report import write_report
from rosewood.pipeline.result_checks import check_scores
from rosewood.pipeline.settings import TrainingSettings, unlabelled_learners
from rosewood.pipeline.stage import that_apply
from rosewood.pipeline.stage_runner import StageRunner
from rosewood.pipeline.stages import STAGES
from rosewood.pipeline.work_store import Finished, StageStore, remove_parts
from rosewood.resources import LEAST_MEMORY, MAX_MEMORY, check_resources
from rosewood.shared_types import PathName, ProgressCallback


@dataclass(frozen=True)
class Trained:
    """A trained model, its files and its stages."""

    folder: Path
    report: Path
    work: Path
    stages: list[Finished]
    change: Literal["new", "replaced", "none"]  # of what stood in the folder
    settings: TrainingSettings
    findings: tuple[Finding, ...] = ()  # what looks wrong with the input or the scores

    @property
    def notes(self) -> list[str]:
        """Findings, settings without an effect, notes of all stages: fallbacks, skipped lines."""
        found = [each.message for each in self.findings]
        of_stages = [note for stage in self.stages for note in stage.facts.get("notes", [])]
        return [*found, *self.settings.notes, *of_stages]

    @property
    def scores(self) -> list[dict[str, Any]]:
        """Scores of held-out sentences."""
        return list(self.stages[-1].facts["scores"])

    def to_dict(self) -> dict[str, Any]:
        """Where everything is, how large it is, and what was found, as JSON values."""
        facts = {stage.name: stage.facts for stage in self.stages}
        clean, of_stage = facts["clean"], ("name", "key", "was_done", "seconds", "memory")
        pairs = {"seen": clean["seen"], "train": facts["tokenise"]["kept"]}
        places = {"model": self.folder, "report": self.report, "work": self.work}
        return {
            "model": str(self.folder),
            "change": self.change,
            "report": str(self.report),
            "work": str(self.work),
            "bytes": {name: _size(path) for name, path in places.items()},
            "pairs": pairs | {name: clean[name] for name in ("dev", "test")},
            "rules": facts["extract"]["rules"],
            "scores": self.scores,
            "unlabelled": facts["tune"].get("unlabelled"),
            "second_stage": _second_stage(facts.get("second", {})),
            "findings": [each.to_dict() for each in self.findings],
            "notes": self.notes,
            "stages": [{name: getattr(stage, name) for name in of_stage} for stage in self.stages],
        }


def _size(path: Path) -> int:
    """Bytes of a file, or of all files of a folder."""
    every = [path] if path.is_file() else path.rglob("*")
    return sum(each.stat().st_size for each in every if each.is_file())


def train(
    inputs: TrainingInputs,
    output: PathName,
    settings: TrainingSettings | None = None,
    *,
    work: PathName | None = None,
    report: PathName | None = None,
    overwrite: bool = False,
    threads: int = 1,
    max_memory: int = MAX_MEMORY,
    told: ProgressCallback | None = None,
    command: str | None = None,
    strict: bool = False,
    on_finding: FindingCallback | None = None,
) -> Trained:
    """Train a model into the folder `output`, which appears when all is done.

    What is computed stays in the folder `work` (the model's name and .work), so that the same call
    goes on if it is stopped, and one with other settings redoes only what depends on them.  The
    report is a page beside the model.  A model that was not made from this work folder is replaced
    only with `overwrite`.

    What looks wrong with the input is found before the work begins, and with the scores behind it:
    `on_finding` is called with each `Finding`; with `strict` they are errors.
    """
    chosen = settings or TrainingSettings()
    threads, max_memory = check_resources(threads, max_memory, TrainingError, least=LEAST_MEMORY)
    folder = Path(output)
    check_folder(folder, marker=MANIFEST)
    place = folder.with_name(f"{folder.name}.work") if work is None else Path(work)
    page = folder.with_name(f"{folder.name}.html") if report is None else Path(report)
    _check_paths(folder, place, page, inputs)
    _check_inputs(inputs, chosen)
    with StageStore(place) as store:
        for each in (folder.resolve(), page.resolve()):
            remove_parts(each.parent, each.name)
        _check_model(folder, store, overwrite)
        if told is not None:
            told("checking the input", 0, None)
        findings = _checked(check_inputs(inputs, chosen, threads=threads), strict, on_finding)
        done = StageRunner(
            that_apply(STAGES, chosen, inputs), inputs, chosen, store,
            threads=threads, max_memory=max_memory, told=told,
        ).run()  # fmt: skip
        store.finished = list(done.values())
        scores = done["report"].facts["scores"]
        late = check_scores(scores, done["clean"].facts["languages"])
        findings += _checked(late, strict, on_finding)
        _check_model(folder, store, overwrite)  # another run may have been quicker
        decoder = final_decoder(chosen, done)
        change = write_model(folder, inputs, chosen, store, decoder, told)
        made = Trained(folder, page, place, store.finished, change, chosen, tuple(findings))
        notes = [each.message for each in findings]
        size = Bundle.open(folder).size
        write_report(
            page, made.stages, command=command, settings=chosen.to_dict(), notes=notes, size=size
        )
    return made


def _checked(
    findings: list[Finding], strict: bool, on_finding: FindingCallback | None
) -> list[Finding]:
    """Report findings, or stop at them."""
    check_strict(findings, strict)
    if on_finding is not None:
        for each in findings:
            on_finding(each)
    return findings


def _check_paths(folder: Path, work: Path, page: Path, inputs: TrainingInputs) -> None:
    """Nothing that is read or kept is written over."""
    check_apart(folder, [work, page, *inputs.every_file()])
    check_apart(work, [folder, page, *inputs.every_file()])
    if page.resolve() in {Path(file).resolve() for file in inputs.every_file()}:
        raise FormatError("the report would overwrite it", file=page, code="file.exists")
    if page.is_dir():
        told = "the report is a page, but this is a folder"
        raise FormatError(told, file=page, code="file.kind")
    folder = page.resolve().parent
    if not folder.is_dir():
        told = f"the report cannot be written: there is no folder {str(folder)!r}"
        raise FormatError(told, file=page, code="file.missing")
    if not os.access(folder, os.W_OK):
        told = "the report cannot be written: no permission in its folder"
        raise FormatError(told, file=page, code="file.permission")


def _check_inputs(inputs: TrainingInputs, settings: TrainingSettings) -> None:
    inputs.check_files()  # what is missing is told of now, not hours later
    if inputs.dev is not None and settings.dev_size is not None:
        reason = "a development set is given: dev_size would split off another one"
        raise TrainingError(
            reason, code="argument.conflict", argument="dev_size", value=settings.dev_size
        )
    learner = settings.learner() if inputs.unlabelled else None
    if inputs.unlabelled and (learner is None or not learner.takes_unlabelled):
        reason = (
            f"unlabelled text is given, but tune is {settings.tune}, which does not learn from "
            f"it: leave it out, or use {', '.join(unlabelled_learners())}"
        )
        raise TrainingError(
            reason, code="argument.conflict", argument="unlabelled", value=settings.tune
        )


def _check_model(folder: Path, store: StageStore, overwrite: bool) -> None:
    """Refuse to replace files of others, and models without `overwrite`."""
    if not (folder / MANIFEST).exists():
        return
    stages = check_own(folder)
    if not overwrite and not store.has("report", str(stages.get("report"))):
        reason = (
            f"refusing to overwrite {folder}: this model was not made from {store.folder}; choose "
            "another folder, or --overwrite"
        )
        raise TrainingError(reason, code="file.exists", file=folder)


def _second_stage(facts: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a second stage was learnt from; None where there is none."""
    if not facts.get("factor"):
        return None
    scores = dict(map(tuple, facts["heldout"]))
    told = {name: facts[name] for name in ("sentences", "features", "factor")}
    return told | {"heldout_before": scores[0], "heldout_after": scores[facts["factor"]]}
