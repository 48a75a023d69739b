"""Tables: fields between tabs, a pair on each line.

Two columns are source and target.  Where the first line names the columns, `source` and `target`
(or the languages, where they are given) must be among them, and every other column is a tag; an
empty field is a tag that the pair has not.  Quotes are characters like others: a field has no tab.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from rosewood.corpus.checks import BadPair, Gate, Tally
from rosewood.corpus.formats import SIDES, CorpusFormat, Languages, Layout, Parsed, tag
from rosewood.corpus.inputs import Input, Line, ParserSettings, strict_lines
from rosewood.corpus.languages import closest
from rosewood.corpus.pairs import SentencePair
from rosewood.errors import CorpusError, FormatError


class _Columns(NamedTuple):
    """Where things stand on a line."""

    width: int
    source: int
    target: int
    tags: list[tuple[str, int]]


_TWO = _Columns(2, 0, 1, [])


def parse_tsv(source: Input, settings: ParserSettings, tally: Tally) -> Parsed:
    """A pair from each line after the header, if there is one."""
    gate = settings.gate(tally, source.name)
    lines = strict_lines(source, settings.checks.max_bytes)
    first = next(lines, None)
    if first is None:
        return
    columns = _header(first, settings, source.name)
    if columns is None:
        columns, lines = _TWO, chain([first], lines)
    for line in lines:
        yield line.bad or _pair(line, columns, gate)


def _pair(line: Line, columns: _Columns, gate: Gate) -> SentencePair | BadPair:
    fields = line.text.split("\t")
    if len(fields) != columns.width:
        told = f"there are {len(fields)} fields between tabs, expected {columns.width}"
        if columns is _TWO and len(fields) > 2:
            told += ": a header must name the columns where there are more"
        found, expected = len(fields), columns.width
        return gate.bad("number of fields", told, line.number, value=found, expected=expected)
    tags = {name: fields[place] for name, place in columns.tags if fields[place]}
    return gate.pair(fields[columns.source], fields[columns.target], line.number, tags)


def _header(line: Line, settings: ParserSettings, file: str) -> _Columns | None:
    """The columns, where the line names them."""
    names = line.text.split("\t")
    sides = sides_of(names, settings.source_language, settings.target_language)
    if sides is None:
        return None
    source, target = sides
    if line.bad is not None:
        raise line.bad.error  # without it nobody would know which column is which
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        told = f"column {twice[:40]!r} occurs twice in the header"
        raise FormatError(
            told, code="line.duplicate",
            argument="column", value=twice, file=file, line=line.number,
        )  # fmt: skip
    if "" in names:
        told = "a column of the header has no name"
        raise FormatError(told, code="line.value", argument="column", file=file, line=line.number)
    places = {name: place for place, name in enumerate(names)}
    tags = [(name, place) for name, place in places.items() if name not in (source, target)]
    return _Columns(len(names), places[source], places[target], tags)


def sides_of(
    names: Sequence[str], source_language: str | None, target_language: str | None
) -> tuple[str, str] | None:
    """The columns of the texts, if these are names of columns."""
    written = {name.lower(): name for name in names}  # Source and TARGET are no sentences either
    if "source" in written and "target" in written:
        return written["source"], written["target"]
    if source_language is None or target_language is None:
        return None
    source, target = closest(source_language, names), closest(target_language, names)
    return None if source is None or target is None or source == target else (source, target)


def write_tsv(languages: Languages, tags: Sequence[str]) -> Layout:
    """A line for each pair; a header where there are tags."""
    columns = [tag(name) for name in tags]
    known = set(columns)
    header = "\t".join([*SIDES, *columns]) + "\n"
    is_first = True

    def rows(pair: SentencePair) -> tuple[str]:
        if not pair.tags.keys() <= known:
            reason = f"{pair.origin or 'a pair'}: there is no column for all of its tags"
            raise CorpusError(reason, code="corpus.tag", value=sorted(pair.tags.keys() - known))
        nonlocal is_first
        fields = [pair.source, pair.target, *(pair.tags.get(name, "") for name in columns)]
        line = "\t".join(fields) + "\n"
        if is_first and (columns or sides_of(fields, *languages)):
            line = header + line  # without tags, only what looks like a header needs one
        is_first = False
        return (line,)

    return Layout(rows)


PLUGIN = CorpusFormat(parse_tsv, endings=(".tsv", ".tab"), write=write_tsv)
