"""What a sentence pair must be to be let in, and the count of those that were not.

Every format hands its texts to a `Gate`, so that the same text is refused for the same reason
wherever it stands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from rosewood.corpus.pairs import Origin, SentencePair, count_words
from rosewood.errors import CorpusError, FormatError

__all__ = ["Bad", "Checks", "Gate", "Tally"]

# Line feeds and tabs are dealt with before; U+2028 and U+2029 are characters like others.
_BAD = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\ufeff\ufffe\uffff\ud800-\udfff]")
_BREAK = re.compile(r"[ \t]*(?:\r?\n[ \t]*)+|\t")
_EXAMPLES = 5  # errors that are kept


@dataclass(frozen=True, slots=True)
class Checks:
    """Limits of a sentence; what goes beyond them is a bad line.

    A line without an end is given up after a few times `max_characters`, so that memory is bounded
    whatever a file holds.
    """

    max_words: int = 10_000
    max_characters: int = 100_000
    allow_empty: bool = False

    def __post_init__(self) -> None:
        for name in ("max_words", "max_characters"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise CorpusError(f"{name} is {value!r}, want a whole number from 1 on")

    @property
    def max_bytes(self) -> int:
        """Of a line: two sentences and their tags, should all be written as escapes."""
        return 32 * self.max_characters + 65536

    def problem(self, text: str) -> tuple[str, str] | None:
        """The kind of what is wrong with a sentence and the reason; nothing for nearly all."""
        if len(text) > self.max_characters:
            told = f"there are {len(text):,} characters, the limit is {self.max_characters:,}"
            return "too long", told
        if not text.isprintable() and (found := _BAD.search(text)):
            return _bad_character(found.group(), found.start())
        if not self.allow_empty and (not text or text.isspace()):
            return "empty side", "it is empty"
        if len(text) > 2 * self.max_words and (words := count_words(text)) > self.max_words:
            return "too long", f"there are {words:,} words, the limit is {self.max_words:,}"
        return None


def _bad_character(character: str, place: int) -> tuple[str, str]:
    at = f"at character {place + 1}"
    if character == "\r":
        told = f"there is a carriage return {at} that does not end the line: lines end with \\n"
        return "carriage return", told
    if character == "\ufeff":
        told = f"there is a byte order mark (U+FEFF) {at}: take it out, it belongs in no text"
        return "byte order mark", told
    if "\ud800" <= character <= "\udfff":
        return "not UTF-8", f"there is half of a surrogate pair {at}"
    if character in "\ufffe\uffff":
        return "control character", f"there is U+{ord(character):04X} {at}, which is no character"
    name = "NUL" if character == "\0" else f"the control character U+{ord(character):04X}"
    return "control character", f"there is {name} {at}"


class Bad(NamedTuple):
    """A pair that cannot be read: of which kind the fault is, and the error to stop with."""

    kind: str
    error: FormatError


@dataclass(slots=True)
class Tally:
    """What a walk through a corpus did not pass on as it stood."""

    skipped: Counter[str] = field(default_factory=Counter)  # bad lines, by kind
    examples: list[FormatError] = field(default_factory=list)  # the first of them
    left_out: Counter[str] = field(default_factory=Counter)  # not wrong, but no pairs to learn from
    joined: int = 0  # pairs in which tabs and line breaks became spaces

    def copy(self) -> Tally:
        """The same counts, which do not change any more."""
        return Tally(
            Counter(self.skipped), list(self.examples), Counter(self.left_out), self.joined
        )

    def skip(self, bad: Bad) -> None:
        self.skipped[bad.kind] += 1
        if len(self.examples) < _EXAMPLES:
            self.examples.append(bad.error)


class Gate:
    """Makes pairs of the texts of one file, or says what is wrong with them."""

    __slots__ = ("checks", "file", "tally", "target_file")

    def __init__(
        self, checks: Checks, tally: Tally, file: str, target_file: str | None = None
    ) -> None:
        self.checks = checks
        self.tally = tally
        self.file = file
        self.target_file = file if target_file is None else target_file

    def pair(
        self,
        source: str,
        target: str,
        line: int | None,
        tags: Mapping[str, str] | None = None,
        unit: str | None = None,
    ) -> SentencePair | Bad:
        """The pair, when all is well; line breaks and tabs in it become spaces."""
        told_source, told_target = source, target
        if "\t" in source or "\n" in source:
            source = _one_line(source)
        if "\t" in target or "\n" in target:
            target = _one_line(target)
        if source is not told_source or target is not told_target:
            self.tally.joined += 1
        if (wrong := self.checks.problem(source)) is not None:
            return self.bad(wrong[0], f"source: {wrong[1]}", line, unit)
        if (wrong := self.checks.problem(target)) is not None:
            return self.bad(wrong[0], f"target: {wrong[1]}", line, unit, self.target_file)
        if tags:
            said = [(_one_line(name), _one_line(value)) for name, value in tags.items() if value]
            tags = dict(said)
            if "" in tags or len(tags) < len(said):
                told = "a tag has no name" if "" in tags else "two tags have one name"
                return self.bad("tag", f"{told}, tabs and line breaks aside", line, unit)
            for name, value in said:
                if found := _BAD.search(name) or _BAD.search(value):
                    kind, reason = _bad_character(found.group(), found.start())
                    return self.bad(kind, f"tag {name[:40]!r}: {reason}", line, unit)
        return SentencePair(source, target, tags or {}, Origin(self.file, line, unit))

    def bad(
        self,
        kind: str,
        reason: str,
        line: int | None,
        unit: str | None = None,
        file: str | None = None,
    ) -> Bad:
        """A bad pair; its error names the unit where there is no line."""
        if line is None and unit is not None:
            reason = f"unit {unit[:40]!r}: {reason}"
        return Bad(kind, FormatError(reason, file=file or self.file, line=line))


def _one_line(text: str) -> str:
    if "\t" in text or "\n" in text:
        return _BREAK.sub(" ", text).strip(" ")
    return text
