"""Catalogues of gettext (PO): `msgid` is the source, `msgstr` the target, or the other way round.

The header's language is that of `msgstr`; where it is the source language that is asked for, pairs
are turned round.  Entries that are fuzzy, untranslated or obsolete are left out and counted.  The
singular is paired with the first plural form, the plural with each of the others.  Contexts, flags
and the numbers of plural forms are tags.  Catalogues are small: one is held in memory as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from rosewood.corpus.checks import BadPair, Tally
from rosewood.corpus.formats import CorpusFormat, Parsed
from rosewood.corpus.formats._xml import needs_extra
from rosewood.corpus.inputs import Input, Line, ParserSettings, strict_lines
from rosewood.corpus.languages import is_backward
from rosewood.errors import FormatError

_PLACE = re.compile(r"\(line (\d+)\)(?:: (.*))?")  # in what polib says
# What a line may be; polib passes over some others without a word, and the entry is lost.
_LINE = re.compile(
    r"\s*(?:#.*|(?:(?:msgctxt|msgid|msgid_plural|msgstr(?:\[\d+\])?)\s*)?"
    r'"(?:[^"\\]|\\.)*"\s*)?',
    re.DOTALL,
)


def parse_po(source: Input, settings: ParserSettings, tally: Tally) -> Parsed:
    """The pairs of each entry that is translated."""
    gate = settings.gate(tally, source.name)
    with TemporaryDirectory() as folder:
        # Texts polib cuts at whatever Unicode calls a line end; files it does not.
        clean = Path(folder) / "clean.po"
        with clean.open("wb") as stream:
            yield from _copy(strict_lines(source, settings.checks.max_bytes), stream, source.name)
        entries = _entries(clean, source.name)
    own = entries.metadata.get("Language")
    backward = is_backward((None, own), settings.source_language, settings.target_language)
    for entry in entries:
        left_out = _left_out(entry) or (f"language {own}" if backward is None else None)
        if left_out is not None:
            tally.left_out[left_out] += 1
            continue
        for text, translation, tags in _forms(entry):
            if not translation:
                tally.left_out["untranslated"] += 1
                continue
            pair = (translation, text) if backward else (text, translation)
            yield gate.pair(*pair, entry.linenum, tags)


def _copy(lines: Iterator[Line], stream: IO[bytes], file: str) -> Iterator[BadPair]:
    """Entries stand between empty lines; those with a bad line become empty lines themselves."""
    block: list[str] = []
    wrong: BadPair | None = None
    for line in lines:
        block.append(line.text)
        wrong = wrong or line.bad or _fault(line, file)
        if not line.text.strip() and line.bad is None:
            stream.write("".join(_kept(block, wrong)).encode())
            if wrong is not None:
                yield wrong
            block, wrong = [], None
    stream.write("".join(_kept(block, wrong)).encode())
    if wrong is not None:
        yield wrong


def _kept(block: list[str], wrong: BadPair | None) -> list[str]:
    return [f"{text}\n" if wrong is None else "\n" for text in block]


def _fault(line: Line, file: str) -> BadPair | None:
    """What polib would pass over, or take for the end of a line."""
    if "\r" in line.text:
        kind = "carriage return"
        told = "there is a carriage return that does not end the line: lines end with \\n"
    elif not _LINE.fullmatch(line.text):
        kind = "not a PO line"
        told = "it is no line of a PO file: expected a comment, or a text in "
        told += '"…" with \\" for " in it'
    else:
        return None
    return BadPair.of(kind, told, file=file, line=line.number)


def _entries(path: Path, file: str) -> Any:
    try:
        import polib
    except ImportError as error:
        raise needs_extra(file) from error
    try:
        return polib.pofile(str(path), encoding="utf-8")
    except Exception as error:  # whatever polib stumbles over
        found = _PLACE.search(str(error))
        line = None if found is None else int(found[1])
        told = str(error) if found is None else found[2] or "syntax error"
        reason = f"it is not a PO file: {told}"
        raise FormatError(reason, code="file.format", file=file, line=line) from error


def _left_out(entry: Any) -> str | None:
    if entry.obsolete:
        return "obsolete"
    if not entry.msgid:
        return "another header"
    return "fuzzy" if entry.fuzzy else None


def _forms(entry: Any) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Texts, their translations and tags."""
    tags = {"context": entry.msgctxt} if entry.msgctxt else {}
    if entry.flags:
        tags["flags"] = ", ".join(entry.flags)
    if not entry.msgid_plural:
        yield entry.msgid, entry.msgstr, tags
        return
    forms = sorted(entry.msgstr_plural.items())
    for number, translation in forms:
        is_singular = number == 0 and len(forms) > 1
        text = entry.msgid if is_singular else entry.msgid_plural
        yield text, translation, {**tags, "plural": str(number)}


PLUGIN = CorpusFormat(parse_po, endings=(".po", ".pot"), is_memory=True)
