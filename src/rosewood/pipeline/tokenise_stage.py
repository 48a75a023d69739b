"""The stage `tokenise`: raw text becomes words; pairs that are too long or too odd are left out.

Writes      corpus/: the words of the training pairs, as numbers;  origins/: where they stood
            train.target: those of the target, for language models
            dev.source, dev.target.0 …, test.…, mono.0 …, unlabelled.0 …: words, a sentence a line
            source.json, target.json: how it was done, unless the text was words already
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosewood.corpus import IndexedCorpus, IndexedText
from rosewood.corpus.filters import FilterReport
from rosewood.errors import FormatError, TrainingError, told_path
from rosewood.model.origins import read_origins, write_origins
from rosewood.output import whole_file
from rosewood.pipeline.inputs import TrainingInputs, read_lines
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.stage import Done, Task
from rosewood.pipeline.text_blocks import TextBlocks
from rosewood.pipeline.tokenising import Sides, words_of
from rosewood.shared_types import ProgressCallback

_LENGTHS = 100  # of sentences that are counted one by one


def tokenise_settings(inputs: TrainingInputs, settings: TrainingSettings) -> dict[str, Any]:
    """What decides this stage beside the cleaned corpus and settings that are always read."""
    named: dict[str, Any] = {}
    if not settings.pretokenized:
        named = {"tokeniser": settings.tokeniser, "lowercase": settings.lowercase}
    if inputs.unlabelled:
        named["unlabelled"] = inputs.text_facts(inputs.unlabelled)
        named["names of unlabelled"] = [_name(file) for file in inputs.unlabelled]
    return named | {
        "languages": list(inputs.languages),
        "monolingual": inputs.text_facts(inputs.monolingual),
        "names": [_name(file) for file in inputs.monolingual],  # they are told of
    }


def tokenise(task: Task, told: ProgressCallback) -> dict[str, Any]:
    """Do the work of the stage; returns facts for the report."""
    inputs, settings, folder, clean = task.given, task.settings, task.folder, task.needs["clean"]
    total = clean.facts["train"]
    with TextBlocks(task, told) as text:
        source, target = task.going / "train.source", folder / "train.target"
        report, kept = text.write_pairs(source, target)
        corpus = IndexedCorpus.build(folder / "corpus", source=source, target=target)
        if not len(corpus):
            reason = f"none of the {total:,} pairs is left to train on: {_reasons(report)}"
            raise TrainingError(reason, code="training.no-pairs", value=list(report.removed))
        names, file, line = read_origins(clean.folder / "origins")
        rows = np.frombuffer(kept, np.int64)
        write_origins(folder / "origins", names, file[rows], line[rows])
        dev: dict[str, int] = {}
        for part in ("dev", "test"):
            if clean.facts[part]:
                found = _write_held_out(clean.folder, folder, part, text.sides)
                dev = _unknown(found, corpus.source) if part == "dev" else dev
        notes = _notes(report)
        references = _references(clean)
        for number, each in enumerate(inputs.monolingual):
            notes += _write_text(inputs, each, folder / f"mono.{number}", text, references)
        for number, each in enumerate(inputs.unlabelled):
            notes += _write_text(inputs, each, folder / f"unlabelled.{number}", text, of=0)
    return {
        "tokeniser": None if settings.pretokenized else settings.tokeniser,
        "pretokenized": settings.pretokenized,
        "case": _case(settings),
        "seen": report.seen,
        "kept": len(corpus),
        "removed": report.to_dict()["removed"],
        "train": {"source": _side(corpus.source), "target": _side(corpus.target)},
        "lengths": {"source": _lengths(corpus.source), "target": _lengths(corpus.target)},
        "dev": dev,
        "notes": notes,
    }


def held_out(folder: Path, part: str) -> tuple[list[str], list[list[str]]]:
    """Sentences of a held-out set, and the references of each."""
    source = list(read_lines(folder / f"{part}.source"))
    number = len(list(folder.glob(f"{part}.target.*")))
    documents = [list(read_lines(folder / f"{part}.target.{k}")) for k in range(number)]
    return source, [list(each) for each in zip(*documents, strict=True)]


def unlabelled_sentences(folder: Path) -> list[str]:
    """Source sentences without references, in the order in which their files were given."""
    number = len(list(folder.glob("unlabelled.*")))
    return [each for k in range(number) for each in read_lines(folder / f"unlabelled.{k}")]


def _name(file: str) -> str:
    """The name of a file in notes and errors."""
    return told_path(Path(file).name)


def _references(clean: Done) -> set[str]:
    """What a language model must not have read before it is tuned or judged."""
    parts = [part for part in ("dev", "test") if clean.facts[part]]
    return {text for part in parts for each in held_out(clean.folder, part)[1] for text in each}


def _write_text(
    inputs: TrainingInputs,
    file: str,
    to: Path,
    text: TextBlocks,
    references: Set[str] = frozenset(),
    *,
    of: int = 1,
) -> list[str]:
    """Write the words of text of one side, without references; return notes on lines left out."""
    skipped: Counter[str] = Counter()
    left_out = 0

    def texts() -> Iterator[str]:
        nonlocal left_out
        for line in inputs.lines(file, skipped):
            if line in references:
                left_out += 1
            else:
                yield line

    size = 0
    with whole_file(to) as stream:
        for block in text.lines(to.name, texts(), of=of):
            size += stream.write(block)
    if not size:
        raise FormatError("no text is left of it to learn from", file=file, code="file.empty")
    name = _name(file)
    notes = [
        f"{name}: bad lines that were skipped: {count:,} ({kind})"
        for kind, count in skipped.items()
    ]
    if left_out:
        notes.append(f"{name}: {left_out:,} lines were left out, they are references")
    return notes


def _write_held_out(clean: Path, folder: Path, part: str, sides: Sides) -> list[str]:
    source, references = held_out(clean, part)
    words = list(words_of(sides[0], source))
    _write(folder / f"{part}.source", words)
    for k in range(len(references[0])):
        _write(folder / f"{part}.target.{k}", words_of(sides[1], (each[k] for each in references)))
    return words


def _write(path: Path, lines: Iterable[str]) -> None:
    with whole_file(path) as stream:
        for line in lines:
            stream.write(line.encode() + b"\n")


def _unknown(lines: list[str], text: IndexedText) -> dict[str, int]:
    """Words of a held-out set that were not seen."""
    known = set(text.types)
    words = [word for line in lines for word in line.split()]
    unseen = [word for word in words if word not in known]
    return {
        "sentences": len(lines),
        "source_tokens": len(words),
        "unknown_tokens": len(unseen),
        "unknown_types": len(set(unseen)),
    }


def _side(text: IndexedText) -> dict[str, Any]:
    counts = np.bincount(text.ids, minlength=text.num_types)
    return {
        "tokens": len(text.ids),
        "types": text.num_types,
        "once": int((counts == 1).sum()),
        "longest": int(text.lengths.max()),
        "mean": float(text.lengths.mean()),
    }


def _lengths(text: IndexedText) -> list[int]:
    lengths: NDArray[np.int64] = np.minimum(text.lengths, _LENGTHS)
    return [int(count) for count in np.bincount(lengths)]


def _case(settings: TrainingSettings) -> str:
    if settings.lowercase:
        return "lowercase"
    return "truecase" if settings.truecase else "as it is"


def _reasons(report: FilterReport) -> str:
    told = (f"{reason} {each.count:,}" for reason, each in report.removed.items())
    return ", ".join(told)


def _notes(report: FilterReport) -> list[str]:
    removed = report.seen - report.kept
    if not removed:
        return []
    return [f"{removed:,} of {report.seen:,} pairs were left out: {_reasons(report)}"]
