"""Corpora as files: two text files, a table, JSON lines, or a translation memory (TMX).

What is written can be read again: the same pairs, in the same order, with the same tags (text
files have no place for them).  Files appear whole or not at all.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from rosewood.corpus.checks import Checks, Gate, Tally
from rosewood.corpus.compression import open_output
from rosewood.corpus.formats.inline import as_markup
from rosewood.corpus.formats.tsv import sides_of
from rosewood.corpus.pairs import SentencePair
from rosewood.corpus.readers import Source, format_of, path_text
from rosewood.errors import CorpusError

__all__ = ["WRITTEN", "Target", "Write", "open_writer", "target_of"]

WRITTEN = ("text", "tsv", "jsonl", "tmx")
Write = Callable[[SentencePair], None]
Languages = tuple[str | None, str | None]
_SIDES = ("source", "target")  # names that tags cannot have in tables and JSON lines


@dataclass(frozen=True, slots=True)
class Target:
    """Where a corpus goes: the format, and one path, or two of text."""

    format: str
    paths: tuple[str, ...]


def target_of(path: Source, format: str | None = None) -> Target:
    """What a path or a pair of paths tells, or a reason why it does not."""
    if isinstance(path, tuple):
        if len(path) != 2 or format not in (None, "text"):
            raise CorpusError(f"text is written to two files, other formats to one, not {path!r}")
        source, target = map(path_text, path)
        if source == target:
            raise CorpusError(f"both sides cannot go to {source!r}")
        return Target("text", (source, target))
    one = path_text(path)
    kind = format or format_of(one)
    if kind == "text":
        raise CorpusError("text is written to two files: give both")
    if kind is None:
        told = "two paths are wanted for text, or an ending that tells the format"
        raise CorpusError(f"{one}: {told} (.tsv, .jsonl, .tmx)")
    if kind not in WRITTEN:
        raise CorpusError(f"{one}: corpora are written as {', '.join(WRITTEN)}")
    return Target(kind, (one,))


@contextmanager
def open_writer(
    target: Target, languages: Languages = (None, None), tags: Sequence[str] = ()
) -> Iterator[Write]:
    """Yields what writes a pair; `tags` are the columns of a table."""
    form = _FORMS[target.format](languages, tags)
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
        raise CorpusError(f"{pair.origin or 'a pair'}: {again.error.reason}")
    if again != pair:
        raise CorpusError(
            f"{pair.origin or 'a pair'}: there are line breaks, tabs or empty tags in it"
        )


class _Form(NamedTuple):
    """What stands in a file: before the pairs, for each pair (in each file), and behind them."""

    rows: Callable[[SentencePair], tuple[str, ...]]
    head: str = ""
    tail: str = ""


def _text(languages: Languages, tags: Sequence[str]) -> _Form:
    return _Form(lambda pair: (f"{pair.source}\n", f"{pair.target}\n"))


def _tsv(languages: Languages, tags: Sequence[str]) -> _Form:
    columns = [_tag(name) for name in tags]
    known = set(columns)
    header = "\t".join([*_SIDES, *columns]) + "\n"
    is_first = True

    def rows(pair: SentencePair) -> tuple[str]:
        if not pair.tags.keys() <= known:
            raise CorpusError(f"{pair.origin or 'a pair'}: there is no column for all of its tags")
        nonlocal is_first
        fields = [pair.source, pair.target, *(pair.tags.get(name, "") for name in columns)]
        line = "\t".join(fields) + "\n"
        if is_first and (columns or sides_of(fields, *languages)):
            line = header + line  # without tags, only what looks like a header needs one
        is_first = False
        return (line,)

    return _Form(rows)


def _jsonl(languages: Languages, tags: Sequence[str]) -> _Form:
    def rows(pair: SentencePair) -> tuple[str]:
        table = {"source": pair.source, "target": pair.target}
        table.update((_tag(name), value) for name, value in pair.tags.items())
        return (json.dumps(table, ensure_ascii=False) + "\n",)

    return _Form(rows)


def _tag(name: str) -> str:
    if name in _SIDES:
        raise CorpusError(f"a tag is called {name!r}, which is what the text is called")
    return name


_TMX_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4">
<header creationtool="rosewood" creationtoolversion="1" segtype="sentence" o-tmf="rosewood" \
adminlang="en" srclang={source} datatype="plaintext"/>
<body>
"""


def _tmx(languages: Languages, tags: Sequence[str]) -> _Form:
    if None in languages:
        raise CorpusError("a translation memory names its languages: say which they are")
    source, target = (quoteattr(str(language)) for language in languages)

    def rows(pair: SentencePair) -> tuple[str]:
        unit = None if pair.origin is None else pair.origin.unit
        props = "".join(
            f"<prop type={quoteattr(name)}>{escape(value)}</prop>"
            for name, value in pair.tags.items()
        )
        return (
            f"<tu{'' if unit is None else f' tuid={quoteattr(unit)}'}>{props}"
            f"<tuv xml:lang={source}><seg>{as_markup(pair.source)}</seg></tuv>"
            f"<tuv xml:lang={target}><seg>{as_markup(pair.target)}</seg></tuv></tu>\n",
        )

    return _Form(rows, _TMX_HEAD.format(source=source), "</body>\n</tmx>\n")


_FORMS = {"text": _text, "tsv": _tsv, "jsonl": _jsonl, "tmx": _tmx}
