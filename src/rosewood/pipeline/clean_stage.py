"""The stage `clean`: pairs from files of any format, a development set, where each pair stood.

Writes      train.source, train.target, dev.source, dev.target.0 …, test.…: a text a line
            origins/: the file and the line of each pair of the training corpus
            split_origins/: those of a development set that is split off
Files are read once; a run that was killed continues from the pairs it has kept (`pair_blocks.py`).
This process parses them and writes the results; what lies between is done in worker processes
(`pair_selection.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from rosewood.corpus.checks import Tally
from rosewood.corpus.filters import FilterReport, Removed
from rosewood.corpus.fingerprints import KEYS, fingerprint
from rosewood.disk_arrays import Growing
from rosewood.errors import TrainingError
from rosewood.model.origins import write_origins
from rosewood.output import whole_file
from rosewood.pipeline.inputs import HeldOut, TrainingInputs
from rosewood.pipeline.pair_blocks import PairBlocks
from rosewood.pipeline.pair_selection import Dealt, Sifting
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.stage import Task
from rosewood.shared_types import ProgressCallback
from rosewood.workers import LateWorkers

_WORKERS = 4  # processes; more would wait for the one that parses
FEW_BLOCKS = 3  # blocks of pairs, for which processes are not worth their start
_SAME_SOURCE = "its source is in the development set"


def clean_settings(inputs: TrainingInputs, settings: TrainingSettings) -> dict[str, Any]:
    """What decides this stage."""
    return {
        "train": inputs.facts(),
        "dev": None if inputs.dev is None else inputs.facts(inputs.dev),
        "test": None if inputs.test is None else inputs.facts(inputs.test),
        "deduplicate": settings.deduplicate,
        "dev_size": settings.dev_size if inputs.dev is None else None,
        "seed": settings.seed if inputs.dev is None else None,
        "names": list(inputs.names().values()),  # they are told of
    }


def clean(task: Task, told: ProgressCallback) -> dict[str, Any]:
    """Do the work of the stage; returns facts for the report."""
    inputs, settings, folder = task.given, task.settings, task.folder
    held_out: set[bytes] = set()
    notes: list[str] = []
    sizes, references = {}, 1
    for name, given in (("dev", inputs.dev), ("test", inputs.test)):
        if given is not None:
            sizes[name], count = _write_held_out(folder, name, given, held_out)
            references = count if name == "dev" else references
            notes += [
                f"sentences of the {name} set with bad lines that were skipped: {count:,} ({kind})"
                for kind, count in given.skipped.items()
            ]
    blocks = PairBlocks(inputs.train, task.going / "pairs", inputs.state())
    sifting = Sifting(settings, held_out, splits=inputs.dev is None)
    names = inputs.names()
    with LateWorkers(min(task.threads, _WORKERS), FEW_BLOCKS) as workers:
        sifting.sift(blocks.read(told), workers)
        split = sifting.split()
        with _Written(folder, names, splits=split is not None) as written:
            for number, dealt in enumerate(sifting.deal(blocks.paths, workers)):
                told("writing pairs", number, len(blocks.paths))
                written.add(dealt)
    if split is not None:
        sizes["dev"] = len(written.taken)
    found, left = sifting.reports()
    if not written.count:
        reason = "there are no pairs to train on"
        if left.seen:
            reason += f": all {left.seen:,} of them are in the development or test set"
        raise TrainingError(reason, code="training.no-pairs")
    if written.copies:
        left.removed[_SAME_SOURCE] = Removed(written.copies)
    tally = blocks.tally
    return {
        "files": [names[file] for file in inputs.train.files],
        "languages": list(inputs.languages),
        "seen": found.seen,
        "skipped": dict(tally.skipped),
        "left_out": dict(tally.left_out),
        "joined": tally.joined,
        "examples": [str(each) for each in tally.examples],
        "removed": {**found.to_dict()["removed"], **left.to_dict()["removed"]},
        "train": written.count,
        "dev": sizes.get("dev", 0),
        "dev_from": "split" if inputs.dev is None else "given",
        "references": references,
        "test": sizes.get("test", 0),
        "notes": notes + _notes(inputs, tally, sizes.get("dev", 0), left),
    }


def _write_held_out(folder: Path, name: str, given: HeldOut, seen: set[bytes]) -> tuple[int, int]:
    """A file of sources and one for each reference; how many sentences, how many references."""
    count = len(given.references) + 1
    number = 0
    with ExitStack() as stack:
        source = stack.enter_context(whole_file(folder / f"{name}.source"))
        targets = [
            stack.enter_context(whole_file(folder / f"{name}.target.{k}")) for k in range(count)
        ]
        for pair, references in given.sentences():
            number += 1
            seen.add(fingerprint(KEYS["pair"](pair)))
            source.write(pair.source.encode() + b"\n")
            for stream, text in zip(targets, references, strict=True):
                stream.write(text.encode() + b"\n")
    return number, count


class _Written:
    """The training corpus on its way to disk, and the development set that is split off it."""

    def __init__(self, folder: Path, names: Mapping[str, str], *, splits: bool) -> None:
        self._folder, self._names, self._splits = folder, names, splits
        self._stack = ExitStack()
        self._files: dict[str, int] = {}
        self._file, self._line = Growing(np.int32), Growing(np.int64)
        self._split_file: list[int] = []  # of the development set
        self._split_line: list[int] = []
        self.count = 0
        self.copies = 0  # of sources of the development set
        self.taken: set[bytes] = set()  # the fingerprints of these sources

    def __enter__(self) -> _Written:
        names = ["train.source", "train.target"]
        names += ["dev.source", "dev.target.0"] if self._splits else []
        self._streams = [
            self._stack.enter_context(whole_file(self._folder / name)) for name in names
        ]
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)
        if error[0] is None:
            names = [self._names.get(file, "?") for file in self._files] or ["?"]
            write_origins(self._folder / "origins", names, self._file.array(), self._line.array())
            if self._splits:
                write_origins(
                    self._folder / "split_origins",
                    names,
                    np.array(self._split_file, np.int32),
                    np.array(self._split_line, np.int64),
                )

    def add(self, dealt: Dealt) -> None:
        source, target, *dev = self._streams
        source.write(dealt.source)
        target.write(dealt.target)
        for pair in dealt.held_back:
            if pair.name in self.taken:
                self.copies += 1
                continue
            self.taken.add(pair.name)
            for stream, text in zip(dev, (pair.source, pair.target), strict=True):
                stream.write(text + b"\n")
            self._split_file.append(self._files.setdefault(pair.file, len(self._files)))
            self._split_line.append(pair.line)
        numbers = [self._files.setdefault(file, len(self._files)) for file in dealt.files]
        self._file.append(np.array(numbers, np.int32)[np.array(dealt.file, np.int64)])
        self._line.append(np.array(dealt.line, np.int64))
        self.count += len(dealt.line)


def _notes(inputs: TrainingInputs, tally: Tally, dev: int, report: FilterReport) -> list[str]:
    notes = [
        f"bad pairs that were skipped: {count:,} ({kind})" for kind, count in tally.skipped.items()
    ]
    if inputs.dev is None:
        notes.append(f"no development set was given: {dev:,} pairs were split off")
    notes += [
        f"pairs that are not trained on: {each.count:,} ({reason})"
        for reason, each in report.removed.items()
    ]
    return notes
