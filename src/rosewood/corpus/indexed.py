"""A parallel corpus as numbers: what training reads, in memory or mapped from a folder.

    c = IndexedCorpus.from_files("train.de.gz", "train.en.gz")
    IndexedCorpus.build("train.idx", source="train.de.gz", target="train.en.gz")   # streams
    c = IndexedCorpus.open("train.idx")                                            # mapped
    len(c); c.source.ids; c.source.start; c.source.words(3); c.target.vocabulary

Layout      sentence k of a side is ids[start[k]:start[k+1]]; words are numbered in the order in
            which they first occur; word w is bytes word_start[w]:word_start[w+1] of all words
Text        lines end at line feeds, words at spaces and tabs; a line may have no words; the same
            characters are refused as in checks.py, with their place in bytes; limits are wider,
            because text that was cut into words or characters has more of them
Folder      those four arrays of each side, little-endian, and corpus.json, which has their sizes
            and checksums; it appears whole or not at all
Native      core/corpus/indexer.hpp; specification: tests/reference/corpus.py
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from io import BufferedIOBase
from itertools import islice
from os import fspath
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.arguments import check_length, check_list, check_whole
from rosewood.corpus import indexed_files as files
from rosewood.corpus.compression import open_input
from rosewood.corpus.lines import at, check_fed
from rosewood.corpus.vocabulary import Vocabulary
from rosewood.errors import CorpusError, DamagedFileError, FormatError
from rosewood.folders import cut_words
from rosewood.output import whole_folder
from rosewood.shared_types import CountCallback, PathName

_MAX_WORDS = 100_000  # of a line; more is a file whose line feeds were lost
_MAX_BYTES = 1 << 26
_BLOCK = 1 << 20  # bytes read at a time
_LINES = 4096  # lines taken at a time


class Pair(Protocol):
    """A sentence pair of any class: texts, or tuples of words."""

    @property
    def source(self) -> str | Sequence[str]: ...
    @property
    def target(self) -> str | Sequence[str]: ...


@dataclass(frozen=True, eq=False)
class IndexedText:
    """One side of a corpus; arrays are read-only."""

    ids: NDArray[np.int32]
    start: NDArray[np.int64]
    word_bytes: NDArray[np.uint8] = field(repr=False)
    word_start: NDArray[np.int64] = field(repr=False)
    file: Path | None = field(default=None, repr=False)  # that its words are mapped from

    @classmethod
    def from_lines(
        cls, lines: Iterable[str | Sequence[str]], *, max_words: int = _MAX_WORDS
    ) -> IndexedText:
        """Lines of text, or sentences cut into words, in memory."""
        check_list("lines", lines, "an iterable of lines", error=CorpusError)
        reader = _Reader("text", None, max_words, _MAX_BYTES)
        for some in _batches(lines):
            reader.lines(some)
        return reader.text()

    @classmethod
    def from_files(
        cls,
        files: Sequence[PathName | BufferedIOBase],
        *,
        max_words: int = _MAX_WORDS,
        max_bytes: int = _MAX_BYTES,
        skipped: list[str] | None = None,
        step: CountCallback | None = None,
    ) -> IndexedText:
        """The lines of files, compressed or not, or of streams, one after the other, in memory.

        A bad line is an error; with a list `skipped` it is left out, and the list gets the file,
        line and reason of the first ones, and an entry for each of the others.  `step` is called
        with the number of lines that were read since the last time.
        """
        check_list("files", files, "a list of files", error=CorpusError)
        reader = _Reader("text", None, max_words, max_bytes, skip_bad=skipped is not None)
        for each in files:
            stream = each if isinstance(each, BufferedIOBase) else None
            reader.file = "<stdin>" if isinstance(each, BufferedIOBase) else fspath(each)
            reader.indexer.next_text()
            done, bad, told = 0, reader.indexer.skipped, len(reader.indexer.examples)
            for _ in reader.blocks(stream):
                if step is not None:
                    step(reader.indexer.lines - done)
                done = reader.indexer.lines
            if skipped is not None:
                new = reader.indexer.examples[told:]
                skipped += [f"{reader.file}:{line}: {reason}" for line, reason in new]
                skipped += [reader.file] * (reader.indexer.skipped - bad - len(new))
        return reader.text()

    def __len__(self) -> int:
        return len(self.start) - 1

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words in the order of their numbers; made when it is first asked for."""
        return Vocabulary(self.types)

    @property
    def types(self) -> list[str]:
        """The distinct words in the order of their numbers."""
        words = cut_words(self.word_bytes, self.word_start)
        return [self._decoded(number, word) for number, word in enumerate(words)]

    @property
    def num_types(self) -> int:
        """How many distinct words there are, without making the vocabulary."""
        return len(self.word_start) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of words of each sentence."""
        return np.diff(self.start)

    def sentence(self, number: int) -> NDArray[np.int32]:
        """The word numbers of a sentence."""
        number = range(len(self))[number]
        return self.ids[self.start[number] : self.start[number + 1]]

    def part(self, begin: int, end: int) -> IndexedText:
        """Sentences begin .. end-1, with the same words."""
        inside = slice(self.start[begin], self.start[end])
        start = self.start[begin : end + 1] - self.start[begin]
        return IndexedText(self.ids[inside], start, self.word_bytes, self.word_start, self.file)

    def words(self, number: int) -> list[str]:
        """The words of a sentence."""
        return [self._word(word) for word in self.sentence(number).tolist()]

    def _word(self, word: int) -> str:
        inside = slice(self.word_start[word], self.word_start[word + 1])
        return self._decoded(word, self.word_bytes[inside].tobytes())

    def _decoded(self, number: int, word: bytes) -> str:
        try:
            return word.decode()
        except UnicodeDecodeError as error:
            reason = f"word {number} is not UTF-8"
            raise DamagedFileError(reason, code="file.encoding", file=self.file) from error


@dataclass(frozen=True, eq=False)
class IndexedCorpus:
    """Two texts of as many sentences; sentence k of one is the translation of that of the other."""

    source: IndexedText
    target: IndexedText
    folder: Path | None = None

    def __post_init__(self) -> None:
        lines = len(self.source)
        check_length("target", self.target, lines, "line of the source", error=CorpusError)

    def __len__(self) -> int:
        return len(self.source)

    def __repr__(self) -> str:
        place = "" if self.folder is None else f", {fspath(self.folder)!r}"
        return f"IndexedCorpus({len(self):,} sentence pairs{place})"

    def __reduce__(self) -> tuple[object, ...]:
        if self.folder is not None:  # mapped again over there, not copied
            return (IndexedCorpus.open, (self.folder,))
        return (IndexedCorpus, (self.source, self.target))

    def part(self, begin: int, end: int) -> IndexedCorpus:
        """Sentence pairs begin .. end-1; the corpus's arrays are shared."""
        if not 0 <= begin <= end <= len(self):
            reason = f"there is no part {begin}:{end} of {len(self)} sentence pairs"
            raise CorpusError(reason, code="argument.range", value=(begin, end), expected=len(self))
        return IndexedCorpus(self.source.part(begin, end), self.target.part(begin, end))

    @classmethod
    def from_lines(
        cls,
        source: Iterable[str],
        target: Iterable[str],
        *,
        known: tuple[Iterable[str], Iterable[str]] | None = None,
        max_words: int = _MAX_WORDS,
    ) -> Self:
        """Lines of text, in memory.

        `known` are words of each side that have the first numbers (a model's): what is new comes
        behind them.
        """
        readers = _readers(("source", "target"), known, max_words)
        for reader, lines in zip(readers, (source, target), strict=True):
            if isinstance(lines, str):
                reason = f"{reader.file} is one string, expected an iterable of lines"
                raise CorpusError(reason, code="argument.type", argument=reader.file, value=lines)
            for some in _batches(lines):
                reader.lines(some)
        return cls(readers[0].text(), readers[1].text())

    @classmethod
    def from_pairs(
        cls,
        pairs: Iterable[Pair],
        *,
        known: tuple[Iterable[str], Iterable[str]] | None = None,
        max_words: int = _MAX_WORDS,
    ) -> Self:
        """Sentence pairs, anything with `source` and `target`, in memory."""
        readers = _readers(("source", "target"), known, max_words)
        for some in _batches(pairs):
            readers[0].lines([pair.source for pair in some])
            readers[1].lines([pair.target for pair in some])
        return cls(readers[0].text(), readers[1].text())

    @classmethod
    def from_files(
        cls,
        source: PathName,
        target: PathName,
        *,
        known: tuple[Iterable[str], Iterable[str]] | None = None,
        max_words: int = _MAX_WORDS,
        max_bytes: int = _MAX_BYTES,
    ) -> Self:
        """Two files of lines, compressed or not, in memory; limits are those of a line."""
        readers = _readers((fspath(source), fspath(target)), known, max_words, max_bytes)
        for reader in readers:
            for _ in reader.blocks():
                pass
        _check_counts(*readers)
        return cls(readers[0].text(), readers[1].text())

    @classmethod
    def build(
        cls,
        folder: PathName,
        *,
        source: PathName | None = None,
        target: PathName | None = None,
        pairs: Iterable[Pair] | None = None,
        max_words: int = _MAX_WORDS,
        max_bytes: int = _MAX_BYTES,
        step: CountCallback | None = None,
    ) -> Self:
        """Write a corpus into a folder, from two files or from pairs, and open it.

        The text streams through: what is held in memory is the words, each once.
        """
        if (source is None) != (target is None) or (source is None) == (pairs is None):
            reason = "build: expected source and target, or pairs"
            raise CorpusError(reason, code="argument.conflict", argument="pairs")
        one = "source" if source is None else fspath(source)
        other = "target" if target is None else fspath(target)
        readers = _readers((one, other), None, max_words, max_bytes)
        with whole_folder(folder, marker=files.MANIFEST) as aside, ExitStack() as opened:
            writers = [files.SideWriter(aside, side) for side in files.SIDES]
            for writer in writers:
                opened.callback(writer.close)

            def put(side: int) -> None:
                ids, ends = readers[side].taken()
                writers[side].append(ids, ends)
                if step is not None and side == 0:
                    step(len(ends))

            if pairs is None:
                for side, reader in enumerate(readers):
                    for _ in reader.blocks():
                        put(side)
                _check_counts(*readers)
            else:
                for some in _batches(pairs):
                    readers[0].lines([pair.source for pair in some])
                    readers[1].lines([pair.target for pair in some])
                    put(0)
                    put(1)
            for reader, writer in zip(readers, writers, strict=True):
                writer.finish(reader.indexer.word_bytes(), reader.indexer.word_start())
            files.write_manifest(aside, writers)
        return cls.open(folder)

    @classmethod
    def open(cls, folder: PathName) -> Self:
        """Map a folder that `build` wrote; its sizes, offsets and word numbers are checked."""
        place = Path(folder)
        sides = [
            IndexedText(*arrays, file=place / f"{side}.words")
            for side, arrays in zip(files.SIDES, files.open_sides(place), strict=True)
        ]
        return cls(sides[0], sides[1], place)

    def summary(self) -> dict[str, Any]:
        """How many pairs there are, and words, distinct words and the longest line of each side."""
        return {"pairs": len(self)} | {
            name: {
                "words": len(side.ids),
                "types": side.num_types,
                "longest": int(side.lengths.max(initial=0)),
            }
            for name, side in (("source", self.source), ("target", self.target))
        }

    def verify(self) -> None:
        """Check every byte of the folder; the first thing wrong is a DamagedFileError."""
        if self.folder is None:
            reason = "verify: the corpus is in memory, not in a folder"
            raise CorpusError(reason, code="corpus.in-memory")
        files.verify(self.folder)


class _Reader:
    """One side on its way into numbers; errors name its file, or which side it is."""

    def __init__(
        self,
        file: str,
        known: Iterable[str] | None,
        max_words: int,
        max_bytes: int,
        *,
        skip_bad: bool = False,
    ) -> None:
        check_whole("max_words", max_words, low=1, error=CorpusError)
        check_whole("max_bytes", max_bytes, low=1, error=CorpusError)
        self.file = file
        self.indexer = _core.Indexer(max_words, max_bytes, skip_bad)
        if known is not None:
            words = list(known)
            if "" in words or any("\n" in word for word in words):
                reason = f"{file}: a known word is empty or has a line feed"
                raise CorpusError(reason, code="argument.value", argument="known")
            self.indexer.know(np.frombuffer("\n".join(words).encode(), np.uint8))

    def feed(self, data: bytes) -> None:
        check_fed(self.indexer.feed(np.frombuffer(data, np.uint8)), self.file)

    def finish(self) -> None:
        check_fed(self.indexer.finish(), self.file)

    def blocks(self, stream: BufferedIOBase | None = None) -> Iterator[None]:
        """Reads the file, or a stream; yields where there may be numbers to take."""
        opened = open_input(self.file) if stream is None else nullcontext(stream)
        with opened as source:
            while block := source.read(_BLOCK):
                self.feed(block)
                yield
        self.finish()
        yield

    def lines(self, lines: Sequence[str | Sequence[str]]) -> None:
        """Takes some lines, which may keep their line feeds, or sentences cut into words."""
        first = self.indexer.lines + 1
        try:
            texts = [x.removesuffix("\n") if isinstance(x, str) else _joined(x) for x in lines]
            data = ("\n".join(texts) + "\n").encode()
        except (CorpusError, TypeError, UnicodeEncodeError):
            texts, data = [], b""
        if data.count(b"\n") != len(lines):
            for number, line in enumerate(lines, start=first):
                with at(self.file, number):
                    _check_line(line)
        self.feed(data)

    def taken(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        return self.indexer.take_ids(), self.indexer.take_ends()

    def text(self) -> IndexedText:
        """All of it, in memory."""
        ids, ends = self.taken()
        start = np.concatenate([np.zeros(1, np.int64), ends])
        start.flags.writeable = False
        return IndexedText(ids, start, self.indexer.word_bytes(), self.indexer.word_start())


def _readers(
    names: tuple[str, str],
    known: tuple[Iterable[str], Iterable[str]] | None,
    max_words: int,
    max_bytes: int = _MAX_BYTES,
) -> tuple[_Reader, _Reader]:
    words = (None, None) if known is None else known
    one, other = (
        _Reader(name, each, max_words, max_bytes) for name, each in zip(names, words, strict=True)
    )
    return one, other


def _check_counts(source: _Reader, target: _Reader) -> None:
    one, other = source.indexer.lines, target.indexer.lines
    if one != other:
        shorter = source if one < other else target
        reason = f"the two sides differ: {source.file} has {one} lines, {target.file} has {other}"
        raise FormatError(reason, code="file.mismatch", file=shorter.file, line=min(one, other) + 1)


def _batches(items: Iterable[Any]) -> Iterator[list[Any]]:
    each = iter(items)
    while some := list(islice(each, _LINES)):
        yield some


def _joined(words: Sequence[str]) -> str:
    """A sentence cut into words as a line, which must fall into the same words again."""
    line = " ".join(words)
    if line.count(" ") != max(len(words) - 1, 0) or "\t" in line or "" in words:
        raise CorpusError("a word is empty or has a space", code="argument.value", value=words)
    return line


def _check_line(line: object) -> None:
    """Refuse an object that is neither a line nor a list of words."""
    if not isinstance(line, str):
        try:
            line = _joined(line)  # type: ignore[arg-type]
        except TypeError:
            reason = f"the line is {type(line).__name__}, expected str"
            raise CorpusError(reason, code="argument.type", value=line, expected="str") from None
    if "\n" in line.removesuffix("\n"):
        raise CorpusError("there is a line feed within the line", code="corpus.line-break")
    try:
        line.encode()
    except UnicodeEncodeError as error:
        reason = f"character {error.start + 1} is half of a surrogate pair"
        raise CorpusError(reason, code="file.encoding") from None
