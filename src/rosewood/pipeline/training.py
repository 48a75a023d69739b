"""From corpora to a model: stage by stage, each done once.

    trained = train(TrainingInputs("train.de", "train.en", dev=("dev.de", "dev.en")), "model")
    trained.folder; trained.report; trained.scores; trained.notes

clean ─► tokenise ─► align ─► extract ─► reordering ─► tune ─► report ─► the model
             └─────► lm ──────────────────────────────► ┘
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from rosewood.decode import PhraseDecoder
from rosewood.errors import FormatError, TrainingError
from rosewood.model.bundle import MANIFEST, Bundle, check_own
from rosewood.output import check_apart, check_folder
from rosewood.pipeline.assembly import write_model
from rosewood.pipeline.cleaning import clean, clean_settings
from rosewood.pipeline.inputs import TrainingInputs
from rosewood.pipeline.judging import judge
from rosewood.pipeline.models import align, build_lms, extract_rules
from rosewood.pipeline.ordering import reordering
from rosewood.pipeline.report import write_report
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.store import Finished, Place, StageStore, remove_parts
from rosewood.pipeline.telling import Told, of_stage
from rosewood.pipeline.tuning import make_decoder, tune
from rosewood.pipeline.words import tokenise, tokenise_settings
from rosewood.resources import MAX_MEMORY, check_resources

__all__ = ["Trained", "train"]


@dataclass(frozen=True)
class Trained:
    """A model that was made, and what there is to know of how."""

    folder: Path
    report: Path
    work: Path
    stages: list[Finished]
    change: Literal["new", "replaced", "none"]  # of what stood in the folder

    @property
    def notes(self) -> list[str]:
        """What fell back, what was left out: all that one should know."""
        return [note for stage in self.stages for note in stage.facts.get("notes", [])]

    @property
    def scores(self) -> list[dict[str, Any]]:
        """Scores of held-out sentences."""
        return list(self.stages[-1].facts["scores"])


def train(
    inputs: TrainingInputs,
    output: str | PathLike[str],
    settings: TrainingSettings | None = None,
    *,
    work: str | PathLike[str] | None = None,
    report: str | PathLike[str] | None = None,
    overwrite: bool = False,
    threads: int = 1,
    max_memory: int = MAX_MEMORY,
    told: Told | None = None,
    command: str | None = None,
) -> Trained:
    """Train a model into the folder `output`, which appears when all is done.

    What is computed stays in the folder `work` (the model's name and .work), so that the same call
    goes on if it is stopped, and one with other settings redoes only what depends on them.  The
    report is a page beside the model.  A model that was not made from this work folder is replaced
    only with `overwrite`.
    """
    chosen = settings or TrainingSettings()
    threads, max_memory = check_resources(threads, max_memory, TrainingError)
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
        run = _Run(inputs, chosen, store, threads, max_memory, told)
        run.go()
        _check_model(folder, store, overwrite)  # another run may have been quicker
        change = write_model(folder, inputs, chosen, store, run.decoder, told)
        made = Trained(folder, page, place, store.finished, change)
        size = Bundle.open(folder).size
        write_report(page, made.stages, command=command, settings=chosen.as_dict(), size=size)
    return made


class _Run:
    """The stages of one run."""

    def __init__(
        self,
        inputs: TrainingInputs,
        settings: TrainingSettings,
        store: StageStore,
        threads: int,
        max_memory: int,
        told: Told | None,
    ) -> None:
        self.inputs, self.settings, self.store = inputs, settings, store
        self.threads, self.max_memory, self.told = threads, max_memory, told

    def go(self) -> None:
        inputs, settings, threads = self.inputs, self.settings, self.threads
        memory = self.max_memory
        before = inputs.state()
        self.clean = self._stage(
            "clean", clean_settings(inputs, settings),
            lambda place, tell: _unchanged(
                inputs, before, clean(inputs, settings, place.folder, tell)
            ),
        )  # fmt: skip
        self.words = self._stage(
            "tokenise", {**tokenise_settings(inputs, settings), "texts": self.clean.content()},
            lambda place, tell: _unchanged(
                inputs, before, tokenise(inputs, settings, self.clean, place.folder, tell)
            ),
        )  # fmt: skip
        corpus, dev = self.words.content("corpus/"), self.words.content("dev.")
        self.aligned = self._stage(
            "align", {**self._some("aligner", "symmetrization"), "corpus": corpus},
            lambda place, tell: align(settings, self.words, place, threads, tell),
        )  # fmt: skip
        texts = self.words.content("train.target", "mono.")
        self.lms = self._stage(
            "lm", {**self._some("lm_order"), "texts": texts, "dev": dev},
            lambda place, tell: build_lms(settings, self.words, place, threads, memory, tell),
        )  # fmt: skip
        links = self.aligned.content()
        self.extracted = self._stage(
            "extract", {**settings.extraction(), "corpus": corpus, "links": links},
            lambda place, tell: extract_rules(
                settings, self.words, self.aligned, place, threads, memory, tell
            ),
        )  # fmt: skip
        rules = self.extracted.content()
        self.reordering = self._stage(
            "reordering", {**self._some("distortion_limit"), "links": links, "rules": rules},
            lambda place, tell: reordering(settings, self.aligned, self.extracted),
        )  # fmt: skip
        search = settings.search(self.reordering.facts["distortion_limit"])
        tuning = self._some("metric", "rounds", "nbest", "unknown", "seed", "decoder")
        tuning |= {"learner": repr(settings.learner()), "search": asdict(search)}
        tuning |= {"features": [asdict(each) for each in settings.feature_records()]}
        models = {"rules": rules, "lms": self.lms.content(), "dev": dev}
        self.tuned = self._stage(
            "tune", {**tuning, **models},
            lambda place, tell: tune(settings, self.words, self.decoder, place, threads, tell),
        )  # fmt: skip
        judging = {
            "tuned": self.tuned.key,
            "texts": self.clean.content("dev.", "test."),
            "processors": self.words.content("source.json", "target.json"),
            "pretokenized": settings.pretokenized,
        }
        self.judged = self._stage(
            "report", judging,
            lambda place, tell: judge(
                settings, self.clean, self.words, self.decoder, self.tuned.facts, threads, tell
            ),
        )  # fmt: skip

    @cached_property
    def decoder(self) -> PhraseDecoder:
        """With the weights that tuning begins with; asked for when what it needs is checked."""
        limit = self.reordering.facts["distortion_limit"]
        return make_decoder(self.settings, self.settings.search(limit), self.extracted, self.lms)

    def _some(self, *names: str) -> dict[str, Any]:
        return {name: getattr(self.settings, name) for name in names}

    def _stage(
        self,
        name: str,
        decides: dict[str, Any],
        work: Callable[[Place, Told], dict[str, Any]],
    ) -> Finished:
        tell = of_stage(name, self.told)
        return self.store.run(name, decides, lambda place: work(place, tell))


def _unchanged(inputs: TrainingInputs, before: list[Any], facts: dict[str, Any]) -> dict[str, Any]:
    """What a stage tells that has read the files, if they are still what was hashed."""
    for one, other in zip(before, inputs.state(), strict=True):
        if one != other:
            raise FormatError("it was changed while it was read", file=one[0])
    return facts


def _check_paths(folder: Path, work: Path, page: Path, inputs: TrainingInputs) -> None:
    """Nothing that is read or kept is written over."""
    check_apart(folder, [work, page, *inputs.every_file()])
    check_apart(work, [folder, page, *inputs.every_file()])
    if page.resolve() in {Path(file).resolve() for file in inputs.every_file()}:
        raise FormatError("the report would be written over it", file=page)
    if page.is_dir():
        raise FormatError("the report is a page, and this is a folder", file=page)
    if not page.resolve().parent.is_dir() or not os.access(page.resolve().parent, os.W_OK):
        raise FormatError("the report cannot be written there", file=page)


def _check_inputs(inputs: TrainingInputs, settings: TrainingSettings) -> None:
    inputs.check_files()  # what is missing is told of now, not hours later
    if inputs.dev is not None and settings.dev_size is not None:
        raise TrainingError("a development set is given: dev_size would split off another one")


def _check_model(folder: Path, store: StageStore, overwrite: bool) -> None:
    """What somebody else has made is not replaced: a model only if that is said, files never."""
    if not (folder / MANIFEST).exists():
        return
    stages = check_own(folder)
    if not overwrite and not store.has("report", str(stages.get("report"))):
        raise TrainingError(
            f"{folder}: a model is there already that was not made from {store.folder}; "
            "take another folder, or --overwrite"
        )
