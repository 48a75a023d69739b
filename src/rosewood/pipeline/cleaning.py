"""The stage `clean`: pairs from files of any format, a development set, where each pair stood.

Writes      train.source, train.target, dev.source, dev.target.0 …, test.…: a text a line
            origins/: the file and the line of each pair of the training corpus
Files are read once; a run that was killed continues from the pairs it has kept (`pair_blocks.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from rosewood.corpus import Corpus, Filters, SentencePair
from rosewood.corpus.checks import Tally
from rosewood.corpus.filters import FilterReport, Removed
from rosewood.corpus.fingerprints import KEYS, fingerprint
from rosewood.corpus.splitting import Split, choose_split
from rosewood.errors import TrainingError
from rosewood.model.origins import write_origins
from rosewood.output import whole_file
from rosewood.pipeline.inputs import HeldOut, TrainingInputs
from rosewood.pipeline.pair_blocks import PairBlocks
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.stage import Task
from rosewood.pipeline.telling import Told
from rosewood.scratch import Growing

__all__ = ["clean", "clean_settings"]

_SHARE, _MOST = 10, 1000  # of the pairs, one in so many is split off, but not more
_IN_HELD_OUT = "in a held-out set"
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


def clean(task: Task, told: Told) -> dict[str, Any]:
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
    blocks.read(told)
    read = Corpus(blocks.__iter__, inputs.train.languages)
    filtered = read.filter(Filters(min_words=1, deduplicate=settings.deduplicate))
    split: Split | None = None
    if inputs.dev is None:
        split = _split(filtered, settings)
    report = FilterReport()
    names = inputs.names()
    written = _Written(folder, names)
    with written, ExitStack() as stack:
        pairs = iter(filtered)
        if split is not None:
            pairs = _without_dev(split, pairs, stack, folder)
        for pair in _unseen(pairs, held_out, report):
            written.add(pair)
    if split is not None:
        sizes["dev"] = split.counts["dev"]
    if not written.count:
        reason = "there are no pairs to train on"
        if report.seen:
            reason += f": all {report.seen:,} of them are in the development or test set"
        raise TrainingError(reason)
    found = filtered.report or FilterReport()
    if split is not None and split.counts["copies"]:
        report.removed[_SAME_SOURCE] = Removed(split.counts["copies"])
    tally = blocks.tally
    return {
        "files": [names[file] for file in inputs.train.files],
        "languages": list(inputs.languages),
        "seen": found.seen,
        "skipped": dict(tally.skipped),
        "left_out": dict(tally.left_out),
        "joined": tally.joined,
        "examples": [str(each) for each in tally.examples],
        "removed": {**found.as_dict()["removed"], **report.as_dict()["removed"]},
        "train": written.count,
        "dev": sizes.get("dev", 0),
        "dev_from": "split" if inputs.dev is None else "given",
        "references": references,
        "test": sizes.get("test", 0),
        "notes": notes + _notes(inputs, tally, sizes.get("dev", 0), report),
    }


def _split(corpus: Corpus, settings: TrainingSettings) -> Split:
    """Pairs to tune on: a tenth of a small corpus, a thousand of a large one."""
    size = settings.dev_size
    if size is None:
        distinct = len({fingerprint(KEYS["source"](pair)) for pair in _first(corpus)})
        size = min(_MOST, distinct // _SHARE)
    return choose_split(corpus, size, 0, settings.seed, "source")


def _first(corpus: Corpus) -> Iterator[SentencePair]:
    """As many as are needed to know that a development set is of full size."""
    for number, pair in enumerate(corpus):
        if number >= 2 * _SHARE * _MOST:
            return
        yield pair


def _without_dev(
    split: Split, pairs: Iterator[SentencePair], stack: ExitStack, folder: Path
) -> Iterator[SentencePair]:
    """The pairs to train on; those to tune on are written as they come by."""
    source = stack.enter_context(whole_file(folder / "dev.source"))
    target = stack.enter_context(whole_file(folder / "dev.target.0"))
    for part, pair in split.parts(pairs):
        if part == "train":
            yield pair
        else:
            source.write(pair.source.encode() + b"\n")
            target.write(pair.target.encode() + b"\n")


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
    """The training corpus on its way to disk."""

    def __init__(self, folder: Path, names: Mapping[str, str]) -> None:
        self._folder, self._names = folder, names
        self._stack = ExitStack()
        self._files: dict[str, int] = {}
        self._file, self._line = Growing(np.int32), Growing(np.int64)
        self._waiting: list[tuple[int, int]] = []
        self.count = 0

    def __enter__(self) -> _Written:
        self._source, self._target = (
            self._stack.enter_context(whole_file(self._folder / f"train.{side}"))
            for side in ("source", "target")
        )
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)
        if error[0] is None:
            self._flush()
            names = [self._names.get(file, "?") for file in self._files] or ["?"]
            write_origins(self._folder / "origins", names, self._file.array(), self._line.array())

    def add(self, pair: SentencePair) -> None:
        self._source.write(pair.source.encode() + b"\n")
        self._target.write(pair.target.encode() + b"\n")
        file, line = ("?", None) if pair.origin is None else (pair.origin.file, pair.origin.line)
        number = self._files.setdefault(file, len(self._files))
        self._waiting.append((number, -1 if line is None else line))
        if len(self._waiting) == 1 << 16:
            self._flush()
        self.count += 1

    def _flush(self) -> None:
        rows = np.array(self._waiting, np.int64).reshape(-1, 2)
        self._file.append(rows[:, 0].astype(np.int32))
        self._line.append(rows[:, 1])
        self._waiting = []


def _unseen(
    pairs: Iterable[SentencePair], held_out: set[bytes], report: FilterReport
) -> Iterator[SentencePair]:
    """The pairs that are in no held-out set."""
    key = KEYS["pair"]
    for pair in pairs:
        report.seen += 1
        if held_out and fingerprint(key(pair)) in held_out:
            report.remove(pair, _IN_HELD_OUT)
        else:
            yield pair


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
