"""Corpora as files: two text files, a table, JSON lines, or a translation memory (TMX).

What is written can be read again: the same pairs, in the same order, with the same tags (text
files have no place for them).  Files appear whole or not at all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from rosewood.corpus.checks import Checks, Gate, Tally
from rosewood.corpus.compression import open_output
from rosewood.corpus.formats import CORPUS_FORMATS, Languages, by_ending, written_formats
from rosewood.corpus.pairs import SentencePair
from rosewood.corpus.readers import Source, format_of, path_text
from rosewood.errors import CorpusError

Write = Callable[[SentencePair], None]


@dataclass(frozen=True, slots=True)
class Target:
    """Where a corpus goes: the format, and one path, or two of text."""

    format: str
    paths: tuple[str, ...]


def target_of(path: Source, format: str | None = None) -> Target:
    """What a path or a pair of paths tells, or a reason why it does not."""
    if isinstance(path, tuple):
        if len(path) != 2 or format not in (None, "text"):
            reason = f"text is written to two files, other formats to one, not {path!r}"
            raise CorpusError(reason, code="argument.shape", argument="path", value=path)
        source, target = map(path_text, path)
        if source == target:
            reason = f"both sides cannot be written to {source!r}"
            raise CorpusError(reason, code="argument.duplicate", argument="path", value=path)
        return Target("text", (source, target))
    one = path_text(path)
    kind = format or format_of(one)
    if kind is None:
        endings = [end for end, name in by_ending().items() if CORPUS_FORMATS[name].write]
        raise CorpusError(
            f"{one}: expected two paths for text, or an ending that tells the format "
            f"({', '.join(endings)})",
            code="argument.value", argument="path", value=one, expected=endings,
        )  # fmt: skip
    form = CORPUS_FORMATS[kind]
    if form.files != 1:
        reason = "text is written to two files: give both"
        raise CorpusError(reason, code="argument.missing", argument="path", value=one)
    if form.write is None:
        written = written_formats()
        raise CorpusError(
            f"{one}: corpora are written as {', '.join(written)}",
            code="argument.choice", argument="format", value=kind, expected=written,
        )  # fmt: skip
    return Target(kind, (one,))


@contextmanager
def open_writer(
    target: Target, languages: Languages = (None, None), tags: Sequence[str] = ()
) -> Iterator[Write]:
    """Yields what writes a pair; `tags` are the columns of a table."""
    made = CORPUS_FORMATS[target.format].write
    assert made is not None, "see target_of"
    form = made(languages, tags)
    gate = Gate(Checks(sys.maxsize, sys.maxsize, allow_empty=True), Tally(), "<memory>")
    with ExitStack() as stack:
        streams = [stack.enter_context(_opened(path)) for path in target.paths]
        streams[0].write(form.head.encode())

        def write(pair: SentencePair) -> None:
            _check(pair, gate)
            for stream, row in zip(streams, form.rows(pair), strict=True):
                stream.write(row.encode())

        yield write
        streams[0].write(form.tail.encode())
        for stream in streams:  # a full disk is told before one of two files has taken its place
            stream.flush()


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with open_output(path) as stream:
        yield stream


def _check(pair: SentencePair, gate: Gate) -> None:
    """Pairs that were not read from files may hold anything."""
    if pair.source.isprintable() and pair.target.isprintable() and not pair.tags:
        return
    again = gate.pair(pair.source, pair.target, None, pair.tags)
    if not isinstance(again, SentencePair):
        reason = f"{pair.origin or 'a pair'}: {again.error.reason}"
        raise again.error.restated(reason, CorpusError, file=None)
    if again != pair:
        reason = f"{pair.origin or 'a pair'}: there are line breaks, tabs or empty tags in it"
        raise CorpusError(reason, code="corpus.line-break", value=pair)
