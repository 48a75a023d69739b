"""The stage `tokenise`: raw text becomes words; pairs that are too long or too odd are left out.

Writes      corpus/: the words of the training pairs, as numbers;  origins/: where they stood
            train.target: those of the target, for language models
            dev.source, dev.target.0 …, test.…, mono.0 …: words, a sentence a line
            source.json, target.json: how it was done, unless the text was words already
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosewood.corpus import Filters, IndexedCorpus, IndexedText, SentencePair, TextProcessor
from rosewood.corpus.filters import FilterReport
from rosewood.corpus.lines import split
from rosewood.corpus.pairs import Origin
from rosewood.errors import FormatError, TrainingError, told_path
from rosewood.lm.words import BEGIN, END
from rosewood.model.origins import read_origins, write_origins
from rosewood.output import whole_file
from rosewood.pipeline.inputs import TrainingInputs, read_lines
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.stage import Done, Task
from rosewood.pipeline.telling import Told

__all__ = ["held_out", "tokenise", "tokenise_settings"]

_LEARNT_FROM = 2_000_000  # lines whose casing is looked at
_LENGTHS = 100  # of sentences that are counted one by one
_BARS = "|||"  # parts the fields of rules as text


def tokenise_settings(inputs: TrainingInputs, settings: TrainingSettings) -> dict[str, Any]:
    """What decides this stage beside the cleaned corpus and settings that are always read."""
    named: dict[str, Any] = {}
    if not settings.pretokenized:
        named = {"tokeniser": settings.tokeniser, "lowercase": settings.lowercase}
    return named | {
        "languages": list(inputs.languages),
        "monolingual": inputs.monolingual_facts(),
        "names": [_name(file) for file in inputs.monolingual],  # they are told of
    }


class _Side(NamedTuple):
    """How the text of one side becomes words."""

    processor: TextProcessor | None

    def words(self, text: str) -> str:
        if self.processor is None:
            return " ".join(split(text))
        return " ".join(self.processor.encode(text).words)


def tokenise(task: Task, told: Told) -> dict[str, Any]:
    """Do the work of the stage; returns facts for the report."""
    inputs, settings, folder, clean = task.given, task.settings, task.folder, task.needs["clean"]
    total = clean.facts["train"]
    sides = []
    for name, language in zip(("source", "target"), inputs.languages, strict=True):
        processor = None
        if not settings.pretokenized:
            processor = settings.processor(language)
            if settings.truecase:
                told(f"learning how the {name} is cased", 0, None)
                processor = processor.learned(
                    islice(read_lines(clean.folder / f"train.{name}"), _LEARNT_FROM)
                )
            processor.save(folder / f"{name}.json")
        sides.append(_Side(processor))
    report = FilterReport()
    kept = array("q")
    with whole_file(folder / "train.target") as target:
        pairs = _pairs(clean.folder, sides, settings.filters(), report, kept, target)
        corpus = IndexedCorpus.build(
            folder / "corpus", pairs=_counted(pairs, "making words of pairs", total, told)
        )
    if not len(corpus):
        raise TrainingError(f"none of the {total:,} pairs is left to train on: {_reasons(report)}")
    names, file, line = read_origins(clean.folder / "origins")
    rows = np.frombuffer(kept, np.int64)
    write_origins(folder / "origins", names, file[rows], line[rows])
    dev: dict[str, int] = {}
    for part in ("dev", "test"):
        if clean.facts[part]:
            found = _write_held_out(clean.folder, folder, part, sides)
            dev = _unknown(found, corpus.source) if part == "dev" else dev
    notes = _notes(report)
    references = _references(clean)
    for number, text in enumerate(inputs.monolingual):
        notes += _write_monolingual(
            inputs, text, folder / f"mono.{number}", sides[1], references
        )  # fmt: skip
    return {
        "tokeniser": None if settings.pretokenized else settings.tokeniser,
        "pretokenized": settings.pretokenized,
        "case": _case(settings),
        "seen": report.seen,
        "kept": len(corpus),
        "removed": report.as_dict()["removed"],
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


def _name(file: str) -> str:
    """What a file is called where it is told of."""
    return told_path(Path(file).name)


def _references(clean: Done) -> set[str]:
    """What a language model must not have read before it is tuned or judged."""
    parts = [part for part in ("dev", "test") if clean.facts[part]]
    return {text for part in parts for each in held_out(clean.folder, part)[1] for text in each}


def _write_monolingual(
    inputs: TrainingInputs, file: str, to: Path, side: _Side, references: set[str]
) -> list[str]:
    """The words of further text but for references; what was left out."""
    skipped: Counter[str] = Counter()
    left_out = 0

    def words() -> Iterator[str]:
        nonlocal left_out
        for text in inputs.monolingual_lines(file, skipped):
            if text in references:
                left_out += 1
            elif found := side.words(text):
                yield found

    if not _write(to, words()):
        raise FormatError("no text is left of it to learn from", file=file)
    name = _name(file)
    notes = [
        f"{name}: bad lines that were skipped: {count:,} ({kind})"
        for kind, count in skipped.items()
    ]
    if left_out:
        notes.append(f"{name}: {left_out:,} lines were left out, they are references")
    return notes


def _pairs(
    folder: Path,
    sides: Sequence[_Side],
    filters: Filters,
    report: FilterReport,
    kept: array[int],
    words: BinaryIO,
) -> Iterator[SentencePair]:
    """The training pairs as words, which lines they are of, and a file of their targets."""
    names, file, line = read_origins(folder / "origins")

    def origin(number: int) -> Origin:
        at = int(line[number])
        return Origin(names[file[number]], at if at >= 0 else None)

    texts = zip(
        read_lines(folder / "train.source"), read_lines(folder / "train.target"), strict=True
    )
    for number, (source, target) in enumerate(texts):
        report.seen += 1
        pair = SentencePair(sides[0].words(source), sides[1].words(target), origin=origin(number))
        reason = filters.reason(pair)
        if reason is None:
            reason = _odd_words(pair)
        if reason is not None:
            report.remove(pair, reason)
            continue
        kept.append(number)
        words.write(pair.target.encode() + b"\n")
        yield pair


def _odd_words(pair: SentencePair) -> str | None:
    """Words that mean something else to rules as text, or to language models."""
    if _BARS in pair.source or _BARS in pair.target:
        return f"a word with {_BARS}"
    has_marks = not {BEGIN, END}.isdisjoint(pair.target.split())
    return f"the word {BEGIN} or {END}" if has_marks else None


def _counted(
    pairs: Iterator[SentencePair], what: str, total: int, told: Told
) -> Iterator[SentencePair]:
    for number, pair in enumerate(pairs):
        if number % 256 == 0:
            told(what, min(number, total - 1), total)
        yield pair
    told(what, total, total)


def _write_held_out(clean: Path, folder: Path, part: str, sides: Sequence[_Side]) -> list[str]:
    source, references = held_out(clean, part)
    words = [sides[0].words(text) for text in source]
    _write(folder / f"{part}.source", words)
    for k in range(len(references[0])):
        _write(folder / f"{part}.target.{k}", (sides[1].words(each[k]) for each in references))
    return words


def _write(path: Path, lines: Iterable[str]) -> int:
    """A line each; how many there were."""
    count = 0
    with whole_file(path) as stream:
        for count, line in enumerate(lines, 1):  # noqa: B007 - it is what was asked for
            stream.write(line.encode() + b"\n")
    return count


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
