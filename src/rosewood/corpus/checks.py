"""What a sentence pair must be to be let in, and the count of those that were not.

Every format hands its texts to a `Gate`, so that the same text is refused for the same reason
wherever it stands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rosewood.arguments import check_whole
from rosewood.corpus.pairs import Origin, SentencePair, count_words
from rosewood.errors import CorpusError, FormatError

# The code of the error for each kind of bad line; kinds that are not here are "line.value".
CODES = {
    "byte order mark": "corpus.byte-order-mark",
    "carriage return": "corpus.carriage-return",
    "control character": "corpus.control-character",
    "empty side": "corpus.empty-side",
    "entity": "corpus.entity",
    "no language": "corpus.no-language",
    "no segment": "corpus.no-segment",
    "not UTF-8": "file.encoding",
    "not a JSON pair": "line.format",
    "not a PO line": "line.format",
    "number of fields": "line.fields",
    "tag": "corpus.tag",
    "too long": "corpus.too-long",
}

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
            check_whole(name, getattr(self, name), low=1, error=CorpusError)

    @property
    def max_bytes(self) -> int:
        """Of a line: two sentences and their tags, should all be written as escapes."""
        return 32 * self.max_characters + 65536

    def problem(self, text: str) -> Fault | None:
        """What is wrong with a sentence; nothing for nearly all."""
        if (length := len(text)) > self.max_characters:
            told = f"there are {length:,} characters, the limit is {self.max_characters:,}"
            return Fault("too long", told, length, self.max_characters)
        if not text.isprintable() and (found := _BAD.search(text)):
            return _bad_character(found.group(), found.start())
        if not self.allow_empty and (not text or text.isspace()):
            return Fault("empty side", "it is empty", text)
        if length > 2 * self.max_words and (words := count_words(text)) > self.max_words:
            told = f"there are {words:,} words, the limit is {self.max_words:,}"
            return Fault("too long", told, words, self.max_words)
        return None


class Fault(NamedTuple):
    """A fault of a text: its kind, the reason, the value found and the value expected."""

    kind: str
    reason: str
    value: object = None
    expected: object = None


def _bad_character(character: str, place: int) -> Fault:
    at = f"at character {place + 1}"
    kind = "control character"
    if character == "\r":
        kind = "carriage return"
        told = f"there is a carriage return {at} that does not end the line: lines end with \\n"
    elif character == "\ufeff":
        kind = "byte order mark"
        told = f"there is a byte order mark (U+FEFF) {at}: take it out, it belongs in no text"
    elif "\ud800" <= character <= "\udfff":
        kind, told = "not UTF-8", f"there is half of a surrogate pair {at}"
    elif character in "\ufffe\uffff":
        told = f"there is U+{ord(character):04X} {at}, which is no character"
    else:
        name = "NUL" if character == "\0" else f"the control character U+{ord(character):04X}"
        told = f"there is {name} {at}"
    return Fault(kind, told, character)


class BadPair(NamedTuple):
    """A pair that cannot be read: of which kind the fault is, and the error to stop with."""

    kind: str
    error: FormatError

    @classmethod
    def of(cls, kind: str, reason: str, **fields: Any) -> BadPair:
        """A bad pair of a kind; fields are those of the error."""
        fields.setdefault("code", CODES.get(kind, "line.value"))
        return cls(kind, FormatError(reason, **fields))

    @classmethod
    def with_fault(cls, fault: Fault, **fields: Any) -> BadPair:
        """A bad pair because of its text."""
        fields = {"value": fault.value, "expected": fault.expected, **fields}
        return cls.of(fault.kind, fault.reason, **fields)


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

    def skip(self, bad: BadPair) -> None:
        self.skipped[bad.kind] += 1
        if len(self.examples) < _EXAMPLES:
            self.examples.append(bad.error)

    def report(self) -> Iterator[str]:
        """Lines that say how many pairs were skipped, left out or changed."""
        for counts, told in (
            (self.skipped, "bad pairs were skipped"),
            (self.left_out, "were left out"),
        ):
            if counts:
                kinds = ", ".join(f"{kind} {count:,}" for kind, count in counts.most_common())
                yield f"{counts.total():,} {told}: {kinds}"
            if counts is self.skipped:
                yield from (f"  {example}" for example in self.examples)
                yield from ["  …"] * (counts.total() > len(self.examples))
        if self.joined:
            yield f"tabs and line breaks became spaces in this many pairs: {self.joined:,}"


class Gate:
    """Makes pairs of the texts of one file, or refuses them with a reason."""

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
    ) -> SentencePair | BadPair:
        """The pair, when all is well; line breaks and tabs in it become spaces."""
        told_source, told_target = source, target
        if "\t" in source or "\n" in source:
            source = _one_line(source)
        if "\t" in target or "\n" in target:
            target = _one_line(target)
        if source is not told_source or target is not told_target:
            self.tally.joined += 1
        if (wrong := self.checks.problem(source)) is not None:
            return self._refused("source", wrong, line, unit, self.file)
        if (wrong := self.checks.problem(target)) is not None:
            return self._refused("target", wrong, line, unit, self.target_file)
        if tags:
            said = [(_one_line(name), _one_line(value)) for name, value in tags.items() if value]
            tags = dict(said)
            if "" in tags or len(tags) < len(said):
                told = "a tag has no name" if "" in tags else "two tags have one name"
                code = "corpus.tag" if "" in tags else "line.duplicate"
                told += ", tabs and line breaks aside"
                return self.bad("tag", told, line, unit, code=code, argument="tag")
            for name, value in said:
                if found := _BAD.search(name) or _BAD.search(value):
                    wrong = _bad_character(found.group(), found.start())
                    return self._refused(f"tag {name[:40]!r}", wrong, line, unit, self.file)
        return SentencePair(source, target, tags or {}, Origin(self.file, line, unit))

    def bad(
        self, kind: str, reason: str, line: int | None, unit: str | None = None, **fields: Any
    ) -> BadPair:
        """A bad pair; its error names the unit where there is no line."""
        if line is None and unit is not None:
            reason = f"unit {unit[:40]!r}: {reason}"
        return BadPair.of(kind, reason, **{"file": self.file, "line": line, **fields})

    def _refused(
        self, what: str, fault: Fault, line: int | None, unit: str | None, file: str
    ) -> BadPair:
        fields = {"argument": what, "value": fault.value, "expected": fault.expected, "file": file}
        return self.bad(fault.kind, f"{what}: {fault.reason}", line, unit, **fields)


def _one_line(text: str) -> str:
    if "\t" in text or "\n" in text:
        return _BREAK.sub(" ", text).strip(" ")
    return text
