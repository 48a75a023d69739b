"""Texts of the stage `tokenise` on their way to words, block by block.

A block is cut by one of several worker processes, if the text is long enough for them to pay.  What
is done is kept in the stage's folder of unfinished work, in order, so that a run that was killed
continues behind the last finished block.  Results do not depend on the number of processes.
"""

from __future__ import annotations

import json
import marshal
from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any, Self

from rosewood.corpus import SentencePair, TextProcessor
from rosewood.corpus.filters import FilterReport
from rosewood.corpus.pairs import Origin
from rosewood.corpus.text.truecase import CaseCounts
from rosewood.model.origins import read_origins
from rosewood.output import whole_file
from rosewood.pipeline.stage import Task
from rosewood.pipeline.tokenising import (
    FORMAT,
    MadePairs,
    Sides,
    case_pairs,
    cut_pairs,
    make_lines,
    make_pairs,
)
from rosewood.shared_types import ProgressCallback
from rosewood.workers import Workers, in_order, start_workers

BLOCK = 10_000  # lines
_LEARNT_FROM = 2_000_000  # lines whose casing is looked at: whole blocks
TEXT_PAYS, WORDS_PAY = 20_000, 200_000  # pairs from which on processes are worth their start


class TextBlocks:
    """The texts of a stage, and the processes that work on them."""

    def __init__(self, task: Task, told: ProgressCallback) -> None:
        self._task, self._told, self._settings = task, told, task.settings
        self._clean = task.needs["clean"].folder
        self._total: int = task.needs["clean"].facts["train"]
        self._workers: Workers | None = None
        self._held: list[bytes] = []  # tokens of a short text
        self.sides: Sides = (None, None)  # the processors of words, when they are known
        task.going.mkdir(exist_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._workers is not None:
            self._workers.close()

    def write_pairs(self, source: Path, target: Path) -> tuple[FilterReport, array[int]]:
        """Write the words of the training pairs, a sentence a line.

        Returns what was removed, and the numbers of the pairs that are left.
        """
        pays = WORDS_PAY if self._settings.pretokenized else TEXT_PAYS
        self._start_workers(self._total >= pays)
        report, kept, begin = FilterReport(), array("q"), 0
        origin = _origins(self._clean)
        with whole_file(source) as sources, whole_file(target) as targets:
            for block in self._pairs():
                self._told("making words of pairs", begin, self._total)
                sources.write(block.source)
                targets.write(block.target)
                kept.extend([begin + place for place in block.kept])
                for place, reason, one, other in block.removed:
                    report.remove(SentencePair(one, other, origin=origin(begin + place)), reason)
                begin += block.seen
        report.seen = begin
        self._told("making words of pairs", self._total, self._total)
        return report, kept

    def lines(self, name: str, texts: Iterable[str], *, of: int = 1) -> Iterator[bytes]:
        """The words of further text of the source (0) or target (1), block by block."""
        side = self.sides[of]
        rest = iter(texts)
        blocks = iter(lambda: list(islice(rest, BLOCK)), [])
        first = next(blocks, [])
        yield make_lines(side, first)
        if len(first) == BLOCK:
            self._start_workers(side is not None)
            calls = ((side, each) for each in blocks)
            yield from self._resumed(name, make_lines, calls, keeps=True)

    def _start_workers(self, pays: bool) -> None:
        if pays and self._workers is None:
            self._workers = start_workers(self._task.threads)

    def _pairs(self) -> Iterator[MadePairs]:
        """The training pairs as words; afterwards `sides` are known."""
        filters = self._settings.filters()
        languages = () if self._settings.pretokenized else self._task.given.languages
        processors = [self._settings.processor(language) for language in languages]
        if self._settings.truecase:
            self._cut(_as_json(processors), processors)
            numbers = range(-(-self._total // BLOCK))
            calls = ((self.sides, filters, self._tokens(number)) for number in numbers)
            yield from in_order(self._workers, case_pairs, calls)
            return
        self._settle(processors)
        blocks = ((self.sides, filters, *block) for block in self._texts())
        for made in self._resumed("pairs", make_pairs, blocks, keeps=self._is_long):
            yield MadePairs(*made)

    def _settle(self, processors: list[TextProcessor]) -> None:
        """These processors make the words; the model keeps them."""
        for name, processor in zip(("source", "target"), processors, strict=False):
            processor.save(self._task.folder / f"{name}.json")
        self.sides = _as_json(processors)

    def _cut(self, sides: Sides, processors: list[TextProcessor]) -> None:
        """Cut all texts into tokens, and learn how words are cased."""
        what, done = "learning how words are cased", 0
        counts = (CaseCounts(), CaseCounts())
        calls = ((sides, *block) for block in self._texts())
        for *some, tokens in self._resumed("tokens", cut_pairs, calls, keeps=self._is_long):
            self._told(what, done, self._total)
            if done < _LEARNT_FROM:
                for seen, plain in zip(counts, some, strict=True):
                    seen.update(CaseCounts.from_plain(plain))
            if not self._is_long:
                self._held.append(tokens)
            done += BLOCK
        self._told(what, self._total, self._total)
        self._settle([each.cased_by(seen) for each, seen in zip(processors, counts, strict=True)])

    def _tokens(self, number: int) -> bytes:
        tokens: bytes = self._read("tokens", number)[-1] if self._is_long else self._held[number]
        return tokens

    def _texts(self) -> Iterator[tuple[bytes, bytes]]:
        """The lines of both sides, a block at a time."""
        with (
            (self._clean / "train.source").open("rb") as source,
            (self._clean / "train.target").open("rb") as target,
        ):
            while block := b"".join(islice(source, BLOCK)):
                yield block, b"".join(islice(target, BLOCK))

    # -- blocks that are done ----------------------------------------------------------------------

    @property
    def _is_long(self) -> bool:
        """Whether there are several blocks: one alone is not worth a file."""
        return self._total > BLOCK

    def _resumed(
        self,
        name: str,
        function: Callable[..., Any],
        calls: Iterable[tuple[Any, ...]],
        *,
        keeps: bool,
    ) -> Iterator[Any]:
        """The results of all calls; those of an earlier run are read from their files."""
        first = next(number for number in count() if not self._file(name, number).exists())
        for number in range(first):
            yield self._read(name, number)
        results = in_order(self._workers, function, islice(calls, first, None))
        for number, result in enumerate(results, first):
            if keeps:
                plain = tuple(result) if isinstance(result, tuple) else result
                with whole_file(self._file(name, number)) as stream:
                    stream.write(marshal.dumps(plain))
            yield result

    def _file(self, name: str, number: int) -> Path:
        return self._task.going / f"{name}-{number:06}.{FORMAT}"

    def _read(self, name: str, number: int) -> Any:
        return marshal.loads(self._file(name, number).read_bytes())


def _as_json(processors: list[TextProcessor]) -> Sides:
    one, other = (json.dumps(each.to_dict()) for each in processors) if processors else (None, None)
    return one, other


def _origins(folder: Path) -> Callable[[int], Origin]:
    """Where each pair of the cleaned corpus is from."""
    names, file, line = read_origins(folder / "origins")

    def origin(number: int) -> Origin:
        at = int(line[number])
        return Origin(names[file[number]], at if at >= 0 else None)

    return origin
