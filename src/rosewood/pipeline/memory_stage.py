"""The stage `memory`: the translation memory of a model, from the pairs of the cleaned corpus.

Writes      memory/: see rosewood/memory/arrays.py
All pairs are in it, also those that are too long to train on, and those of a development set that
was split off.  A run has this stage where one of its corpora is a memory, or `memory` is on.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rosewood.corpus import SentencePair, TextProcessor
from rosewood.corpus.formats import CORPUS_FORMATS
from rosewood.corpus.pairs import Origin
from rosewood.memory import Memory
from rosewood.model.origins import read_origins
from rosewood.pipeline.inputs import TrainingInputs, read_lines
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.stage import Task
from rosewood.shared_types import ProgressCallback

_STEP = 1000  # pairs between reports of progress


def has_memory(settings: TrainingSettings, inputs: TrainingInputs | None) -> bool:
    """Whether a run makes a memory."""
    if settings.memory == "auto":
        return inputs is not None and bool(_files(inputs, settings))
    return settings.memory == "on"


def memory_settings(inputs: TrainingInputs, settings: TrainingSettings) -> dict[str, Any]:
    """What decides the stage."""
    return {"files": _files(inputs, settings)}


def build_memory(task: Task, told: ProgressCallback) -> dict[str, Any]:
    """Write the memory; returns how many distinct sources it has."""
    wanted = set(_files(task.given, task.settings))
    processor: TextProcessor | None = None
    if not task.settings.pretokenized:
        processor = TextProcessor.load(task.needs["tokenise"].folder / "source.json")
    clean = task.needs["clean"]
    parts = [("origins", "train.source", "train.target")]
    if clean.facts["dev_from"] == "split":
        parts.append(("split_origins", "dev.source", "dev.target.0"))

    def pairs() -> Iterator[SentencePair]:
        count = 0
        for origins, source, target in parts:
            if not (clean.folder / source).exists():  # a development set of no sentences
                continue
            for pair in _pairs(clean.folder, origins, source, target):
                if pair.origin is not None and pair.origin.file in wanted:
                    yield pair
                count += 1
                if count % _STEP == 0:
                    told("translation memory", count, None)

    memory = Memory.build(pairs(), processor)
    memory.save(task.folder / "memory")
    return {"pairs": len(memory)}


def _files(inputs: TrainingInputs, settings: TrainingSettings) -> list[str]:
    """The files whose pairs are in the memory, by the names that origins have."""
    names = inputs.names()
    return sorted(
        names[file]
        for file, form in inputs.train.formats.items()
        if settings.memory == "on" or CORPUS_FORMATS[form].is_memory
    )


def _pairs(folder: Path, origins: str, source: str, target: str) -> Iterator[SentencePair]:
    """The pairs that the stage `clean` has written."""
    names, file, line = read_origins(folder / origins)
    rows = zip(
        read_lines(folder / source), read_lines(folder / target), file.tolist(), line.tolist(),
        strict=True,
    )  # fmt: skip
    for text, translation, number, place in rows:
        origin = Origin(names[number], None if place < 0 else place)
        yield SentencePair(text, translation, origin=origin)
