"""Text on its way into a language model: word numbers, in memory or in files.

Layout      sentence k is ids[ends[k-1]:ends[k]]; words are numbered as they come, behind <unk>,
            <s> and </s>
Text        lines end at line feeds, words at spaces and tabs; an empty line is a sentence; a line
            with <s> or </s> among its words is a bad one
Native      core/corpus/indexer.hpp
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedIOBase
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.corpus.compression import open_input
from rosewood.corpus.lines import at, check_fed, read_lines, split
from rosewood.errors import FormatError, LanguageModelError
from rosewood.lm.vocabulary import BEGIN, END, UNKNOWN, Words, as_bytes, text_of
from rosewood.output import blamed_on
from rosewood.shared_types import CountCallback, PathName

_MAX_WORDS = 10_000_000  # of a line
_MAX_BYTES = 1 << 28
_BLOCK = 1 << 20  # bytes read at a time
_LINES = 4096  # sentences taken at a time
_SENTENCES = 1 << 15  # read back at a time
_IDS, _ENDS = "text.ids", "text.ends"
_SPECIAL = (UNKNOWN, BEGIN, END)

Source = PathName | BufferedIOBase


@dataclass(frozen=True)
class Skipped:
    """Bad lines that were left out, and the first few of them."""

    count: int = 0
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class NumberedText:
    """A text as numbers; how often each word occurs."""

    words: Words
    counts: NDArray[np.int64]
    num_sentences: int
    skipped: Skipped
    folder: Path | None  # where it is, if it is not in memory
    ids: tuple[NDArray[np.int32], ...] = ()
    ends: tuple[NDArray[np.int64], ...] = ()

    @property
    def num_tokens(self) -> int:
        return int(self.counts.sum())

    def parts(self) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64]]]:
        """Some sentences at a time: their word numbers, and where each ends among them."""
        if self.folder is None:
            before = 0
            for ids, ends in zip(self.ids, self.ends, strict=True):
                yield ids, ends - before
                before += len(ids)
            return
        before = 0
        with (
            (self.folder / _IDS).open("rb") as id_file,
            (self.folder / _ENDS).open("rb") as end_file,
        ):
            while len(ends := np.fromfile(end_file, "<i8", _BLOCK // 4)):
                ids = np.fromfile(id_file, "<i4", int(ends[-1]) - before)
                yield ids, ends - before
                before = int(ends[-1])


class _Store:
    """Stores numbers: up to `held` bytes in memory, the rest in files."""

    def __init__(self, folder: Path | None, held: int) -> None:
        self.folder = folder
        self.is_on_disk = False
        self.counts = np.zeros(len(_SPECIAL), np.int64)
        self.num_sentences = 0
        self._held = held
        self._size = 0
        self._ids: list[NDArray[np.int32]] = []
        self._ends: list[NDArray[np.int64]] = []

    def append(self, ids: NDArray[np.int32], ends: NDArray[np.int64]) -> None:
        if not len(ends):
            return
        found = np.bincount(ids, minlength=len(self.counts))
        found[: len(self.counts)] += self.counts
        self.counts = found
        self.num_sentences += len(ends)
        self._ids.append(ids)
        self._ends.append(ends)
        self._size += ids.nbytes + ends.nbytes
        if self.folder is not None and self._size > self._held:
            self.write()

    def write(self) -> None:
        """What is held goes to the files."""
        assert self.folder is not None
        mode = "ab" if self.is_on_disk else "wb"
        for name, held, kind in ((_IDS, self._ids, "<i4"), (_ENDS, self._ends, "<i8")):
            path = self.folder / name
            with blamed_on(path), path.open(mode) as stream:
                for each in held:
                    stream.write(each.astype(kind, copy=False).data)
            held.clear()
        self.is_on_disk = True
        self._size = 0

    def text(self, indexer: _core.Indexer, skipped: Skipped) -> NumberedText:
        if self.is_on_disk:
            self.write()
        words = Words(indexer.word_bytes(), indexer.word_start())
        counts = np.zeros(len(words.word_start) - 1, np.int64)
        counts[: len(self.counts)] = self.counts
        return NumberedText(
            words, counts, self.num_sentences, skipped,
            self.folder if self.is_on_disk else None, tuple(self._ids), tuple(self._ends),
        )  # fmt: skip


def number_files(
    files: Sequence[Source],
    *,
    skip_bad: bool = False,
    folder: Path | None = None,
    held: int = 0,
    step: CountCallback | None = None,
) -> NumberedText:
    """Files of lines, compressed or not, or streams of bytes.

    What is more than `held` bytes goes into the folder.  `step` is told bytes.
    """
    indexer, store = _indexer(skip_bad), _Store(folder, held)
    examples: list[str] = []
    for file in files:
        name, before = name_of(file), indexer.skipped
        with opened(file) as stream:
            while block := stream.read(_BLOCK):
                check_fed(indexer.feed(np.frombuffer(block, np.uint8)), name)
                store.append(indexer.take_ids(), indexer.take_ends())
                if step is not None:
                    step(len(block))
        check_fed(indexer.finish(), name)
        store.append(indexer.take_ids(), indexer.take_ends())
        new = indexer.examples[before:]
        examples += [
            str(FormatError(reason, file=name, line=line, code="line.value"))
            for line, reason in new
        ]
        indexer.next_text()
    return store.text(indexer, Skipped(indexer.skipped, tuple(examples)))


def number_sentences(
    sentences: Iterable[str | Sequence[str]],
    *,
    skip_bad: bool = False,
    folder: Path | None = None,
    held: int = 0,
    step: CountCallback | None = None,
) -> NumberedText:
    """Number the words of sentences, texts or lists; `step` gets counts of sentences."""
    if isinstance(sentences, str):
        raise LanguageModelError(
            "the text is one string, expected an iterable of sentences",
            code="argument.type", argument="sentences", value=sentences,
        )  # fmt: skip
    indexer, store = _indexer(skip_bad), _Store(folder, held)
    walk, done = iter(sentences), 0
    while some := list(islice(walk, _LINES)):
        lines = [_line(each, number) for number, each in enumerate(some, done + 1)]
        data = ("\n".join(lines) + "\n").encode()
        check_fed(indexer.feed(np.frombuffer(data, np.uint8)), None)
        store.append(indexer.take_ids(), indexer.take_ends())
        done += len(some)
        if step is not None:
            step(len(some))
    examples = [
        str(FormatError(reason, line=line, code="line.value")) for line, reason in indexer.examples
    ]
    return store.text(indexer, Skipped(indexer.skipped, tuple(examples)))


def read_sentences(files: Iterable[Source]) -> Iterator[str]:
    """The lines of texts; sentence markers in them are refused."""
    for file in files:
        for number, line in read_lines(file, name_of(file)):
            if "s>" in line:
                for word in split(line):
                    if word in (BEGIN, END):
                        raise FormatError(
                            f"{word} must not be in the text: it is added to every line",
                            code="line.value", file=name_of(file), line=number, value=word,
                        )  # fmt: skip
            yield line


def _indexer(skip_bad: bool) -> _core.Indexer:
    indexer = _core.Indexer(_MAX_WORDS, _MAX_BYTES, skip_bad)
    indexer.know(np.frombuffer("\n".join(_SPECIAL).encode(), np.uint8))
    indexer.forbid(1, 2)  # <s> and </s>
    return indexer


def _line(sentence: str | Sequence[str], number: int) -> str:
    """A sentence as one line; what could not be one is refused."""
    with at(None, number):
        line = text_of(sentence).removesuffix("\n")
        if "\n" in line:
            raise LanguageModelError("a sentence has a line feed", code="corpus.line-break")
        as_bytes(line)
    return line


def name_of(file: Source) -> str:
    """How errors call it."""
    return "<stdin>" if isinstance(file, BufferedIOBase) else fspath(file)


@contextmanager
def opened(file: Source) -> Iterator[BinaryIO]:
    """A file, compressed or not, or a stream, which stays open."""
    if isinstance(file, str | PathLike):
        with open_input(file) as stream:
            yield stream
    else:
        yield cast(BinaryIO, file)
