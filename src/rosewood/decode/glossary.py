"""Glossaries: what words must become, from a table that people write.

    glossary = Glossary.read("terms.tsv")
    glossary.apply(("das", "haus", "am", "see"))        # Forced(0, 2, (("the", "house"),))

A line is a source phrase, a tab and a target phrase; words stand between spaces.  Several lines of
one source are alternatives, of which the model takes the best; a target that is empty leaves the
words out.  A third column that says `soft` adds a translation to those that the table has; without
it nothing else may touch the words.  Blank lines are passed over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from rosewood.arguments import check_flag, check_length, check_type
from rosewood.corpus import Encoded, TextProcessor
from rosewood.corpus.lines import Source as Lines
from rosewood.corpus.lines import at, file_name, read_lines, split
from rosewood.corpus.text.tokeniser import JOINER, Joining
from rosewood.decode.source import Forced, Source, Words
from rosewood.errors import DecodingError
from rosewood.shared_types import PathName

_SOFT = "soft"


@dataclass(frozen=True)
class GlossaryEntry:
    """A source phrase and its translations."""

    source: tuple[str, ...]
    targets: tuple[str | Words, ...]  # texts become their words; "" is nothing at all
    exclusive: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "source", Source.of(self.source).words)
        if not self.source:
            reason = "there is no source phrase"
            raise DecodingError(reason, code="argument.missing", argument="source")
        given = Forced(0, len(self.source), self.targets)  # which checks what it is given
        object.__setattr__(self, "targets", given.targets)
        check_flag("exclusive", self.exclusive, error=DecodingError)


class Glossary:
    """Entries by their source phrases."""

    def __init__(self, entries: Iterable[GlossaryEntry] = ()) -> None:
        self._entries: dict[tuple[str, ...], GlossaryEntry] = {}
        for entry in entries:
            check_type("entry", entry, GlossaryEntry, "a GlossaryEntry", error=DecodingError)
            before = self._entries.get(entry.source)
            self._entries[entry.source] = entry if before is None else _both(before, entry)
        self._lengths: dict[str, set[int]] = {}  # of entries that begin with a word
        for source in self._entries:
            self._lengths.setdefault(source[0], set()).add(len(source))

    @classmethod
    def read(
        cls,
        source: Lines,
        *,
        source_text: TextProcessor | None = None,
        target_text: TextProcessor | None = None,
        file: PathName | None = None,
    ) -> Glossary:
        """The glossary of a file, compressed or not, or of lines.

        With processors its phrases are raw text, and become words as sentences do.  Case stays as
        it is written, for a phrase is no sentence that would begin with a capital; but where the
        whole text is in small letters, sources are.
        """
        name = file_name(source, file)
        found: dict[tuple[str, ...], _Place] = {}
        for number, line in read_lines(source, name):
            if not line.strip():
                continue
            with at(name, number):
                entry = _entry(line, source_text, target_text)
                before = found.get(entry.source)
                if before is not None:
                    entry = _both(before.entry, entry, f": see line {before.line}")
                found[entry.source] = _Place(entry, number if before is None else before.line)
        return cls(place.entry for place in found.values())

    def apply(
        self,
        sentence: str | Sequence[str],
        *,
        also: Sequence[Sequence[str]] = (),
        taken: Collection[int] = frozenset(),
    ) -> tuple[Forced, ...]:
        """What the words of a sentence must become: from left to right, and at each word the
        longest entry that begins there; none overlap, and none touch the words in `taken`.

        `also` has the same sentence in other forms, as with small letters where it begins.  Of
        entries of one length, that of the sentence itself comes first, then those of the others.
        """
        forms = [Source.of(each).words for each in (sentence, *also)]
        for form in forms[1:]:
            check_length("also", form, len(forms[0]), "word of the sentence", error=DecodingError)
        found: list[Forced] = []
        place = 0
        while place < len(forms[0]):
            match = self._match(forms, place, taken)
            if match is None:
                place += 1
                continue
            end = place + len(match.source)
            found.append(Forced(place, end, match.targets, match.exclusive))
            place = end
        return tuple(found)

    def _match(
        self, forms: list[tuple[str, ...]], place: int, taken: Collection[int]
    ) -> GlossaryEntry | None:
        fits = [
            entry
            for form in forms
            for length in self._lengths.get(form[place], ())
            if (entry := self._entries.get(form[place : place + length])) is not None
            and not any(each in taken for each in range(place, place + length))
        ]
        return max(fits, key=lambda entry: len(entry.source), default=None)  # the first of them

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[GlossaryEntry]:
        return iter(self._entries.values())

    def __repr__(self) -> str:
        return f"Glossary({len(self)} source phrases)"


class _Place(NamedTuple):
    """An entry, and the first line of its source phrase."""

    entry: GlossaryEntry
    line: int


def _entry(
    line: str, source_text: TextProcessor | None, target_text: TextProcessor | None
) -> GlossaryEntry:
    fields = line.split("\t")
    if len(fields) < 2:
        reason = "there is no tab: expected source phrase, tab, target phrase"
        raise DecodingError(
            reason, code="line.fields", expected="source phrase, tab, target phrase"
        )
    if len(fields) > 3 or (len(fields) == 3 and fields[2].strip() not in ("", _SOFT)):
        told = fields[2].strip() if len(fields) == 3 else f"{len(fields)} columns"
        reason = f"after the target phrase comes {told[:40]!r}, expected nothing or soft"
        raise DecodingError(reason, code="line.value", value=told, expected="soft")
    return GlossaryEntry(
        tuple(source_words(fields[0], source_text)),
        (target_words(fields[1], target_text),),
        exclusive=len(fields) < 3 or fields[2].strip() != _SOFT,
    )


def source_words(text: str, processor: TextProcessor | None) -> tuple[str, ...]:
    """A phrase as sentences have it where they do not begin."""
    if processor is None:
        return tuple(split(text))
    return _without_tags(text, replace(processor, truecaser=None, symbols=False)).words


def target_words(text: str, processor: TextProcessor | None) -> tuple[str, ...]:
    """A phrase that is to come out just so: cut into words, but in the case it is written in, and
    marked where the rules of the tokeniser would put a space that is not there."""
    if processor is None:
        return tuple(split(text))
    encoded = _without_tags(
        text, replace(processor, truecaser=None, lowercase=False, symbols=False)
    )
    words = list(encoded.words)
    if isinstance(processor.tokeniser, Joining):
        by_rule = processor.tokeniser.unmark(words).spaced
        for place in range(1, len(words)):
            if by_rule[place] and not encoded.spaced[place]:
                words[place] = JOINER + words[place]
    return tuple(words)


def _without_tags(text: str, processor: TextProcessor) -> Encoded:
    encoded = processor.encode(text)
    if encoded.tags:
        reason = f"there is the tag {encoded.tags[0].text[:40]!r} in a phrase"
        raise DecodingError(reason, code="glossary.tag", value=encoded.tags[0].text)
    return encoded


def _both(one: GlossaryEntry, other: GlossaryEntry, where: str = "") -> GlossaryEntry:
    phrase = " ".join(one.source)
    if one.exclusive != other.exclusive:
        reason = f"{phrase!r} cannot be both soft and not{where}"
        raise DecodingError(reason, code="line.value", argument="soft", value=phrase)
    if set(one.targets) & set(other.targets):
        reason = f"{phrase!r} has this translation already{where}"
        raise DecodingError(reason, code="line.duplicate", value=phrase)
    return GlossaryEntry(one.source, one.targets + other.targets, one.exclusive)
