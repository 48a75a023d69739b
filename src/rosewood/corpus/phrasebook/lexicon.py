"""The words of the phrasebook, read from the files in `data/`.

Each file is a plain table: a line an entry, columns between `|`, synonyms between `;`, comments
after `#`, sections in brackets.  The first of a section is its most frequent word.  Words of a
fixed phrase that belong together carry the same number: `last/1 week/2 | letzte/1 Woche/2`; a
question mark makes a link possible only, `/0` leaves a word alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from rosewood.corpus.lines import at, read_lines
from rosewood.corpus.phrasebook.chance import Weighted, zipf
from rosewood.corpus.phrasebook.english_forms import EnglishVerb, plural_of
from rosewood.corpus.phrasebook.german_forms import GermanAdjective, GermanNoun, GermanVerb
from rosewood.corpus.phrasebook.japanese_forms import JapaneseAdjective, JapaneseVerb
from rosewood.corpus.phrasebook.tokens import Token, Tokens
from rosewood.errors import RosewoodError

DATA = Path(__file__).with_name("data")

_TAGS = frozenset(("I", "J", "D", "lives", "state", "still", "bare", "unwilled", "-L", "-M", "-K"))
_SYNONYMS = 1.3  # how evenly synonyms are used: the first of two three times in four
_MARKED = re.compile(r"(.+)/([0-9]+\??(?:,[0-9]+\??)*)")


@dataclass(frozen=True, slots=True)
class LexiconRow:
    """A line of a table: its file and line, its section, its columns."""

    file: str
    line: int
    section: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Phrase:
    """Fixed words in all languages, with keys from 0; German and Japanese have variants."""

    english: tuple[Token, ...]
    german: Weighted[tuple[Token, ...]]
    japanese: Weighted[tuple[Token, ...]]
    tags: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """A noun; a mass noun has no plural; a place has prepositions for "where" and "where to"."""

    english: tuple[str, ...]
    plural: tuple[str, ...]
    german: Weighted[GermanNoun]
    japanese: Weighted[tuple[str, ...]]
    classes: frozenset[str]
    english_at: str = ""
    german_at: str = ""
    german_to: str = ""

    @property
    def is_mass(self) -> bool:
        return not self.plural


@dataclass(frozen=True, slots=True, eq=False)
class Adjective:
    """An adjective, for nouns of some classes."""

    english: str
    german: Weighted[GermanAdjective]
    japanese: Weighted[JapaneseAdjective]
    classes: frozenset[str]
    tags: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """A verb and what goes with it: classes of its subject, objects and complements."""

    english: EnglishVerb
    german: Weighted[GermanVerb]
    japanese: Weighted[JapaneseVerb]
    subject: str
    object: str = ""
    object_case: str = "acc"
    object_particle: str = "o"
    has_recipient: bool = False
    preposition: tuple[str, str, str, str] = ("", "", "", "")  # English, German, case, particle
    prepositional: str = ""
    japanese_to_me: JapaneseVerb | None = None  # where the recipient is the speaker
    tags: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class PhrasebookLexicon:
    """All words, ready to be drawn."""

    nouns: dict[str, Weighted[Noun]]
    adjectives: dict[Noun, Weighted[Adjective]]
    verbs: Weighted[Verb]
    adverbials: dict[str, Weighted[Phrase]]
    predicates: dict[str, Weighted[Adjective]] = field(default_factory=dict)


def rows(name: str, *, least: int, most: int) -> Iterator[LexiconRow]:
    """The lines of a table of the data folder, with so many columns."""
    path, section = DATA / name, ""
    for number, text in read_lines(path, str(path)):
        text = text.partition("#")[0].strip()
        if text.startswith("[") and text.endswith("]"):
            section = text[1:-1].strip()
        elif text:
            columns = tuple(column.strip() for column in text.split("|"))
            with at(str(path), number):
                if not least <= len(columns) <= most:
                    reason = f"{len(columns)} columns, expected {least} to {most}"
                    raise RosewoodError(reason, code="line.fields", value=len(columns))
                yield LexiconRow(str(path), number, section, columns)


def phrase(text: str) -> tuple[Tokens, bool]:
    """Words with the keys of their numbers, and whether there were any."""
    found: Tokens = []
    is_marked = False
    for word in text.split():
        marked = _MARKED.fullmatch(word)
        if marked is None:
            found.append((word,))
            continue
        is_marked = True
        marks = marked[2].split(",")
        keys = [2 * int(mark.rstrip("?")) + mark.endswith("?") for mark in marks]
        found.append((marked[1], *[key for key in keys if key > 1]))
    return found, is_marked


def phrases(english: str, other: str) -> tuple[Tokens, Tokens]:
    """Two sides of a phrase; without numbers, one word belongs to all, or each to each in turn."""
    left, is_marked = phrase(english)
    right, is_right_marked = phrase(other)
    if not is_marked and len(left) == 1:
        left, is_marked = [(left[0][0], 2)], is_right_marked
    if is_marked and is_right_marked:
        return left, right
    if not is_marked and not is_right_marked and (len(left) == 1 or len(right) == 1):
        return [(token[0], 2) for token in left], [(token[0], 2) for token in right]
    if len(left) == len(right):
        keys = range(2, 2 * len(left) + 2, 2)
        return (
            [(token[0], key) for token, key in zip(left, keys, strict=True)],
            [(token[0], key) for token, key in zip(right, keys, strict=True)],
        )
    reason = f"{english!r} and {other!r}: number the words that belong together"
    raise RosewoodError(reason, code="phrasebook.links", value=(english, other))


def _variants(text: str) -> list[str]:
    found = [each.strip() for each in text.split(";")]
    if not all(found):
        reason = f"an empty variant in {text!r}"
        raise RosewoodError(reason, code="line.value", argument="variant", value=text)
    return found


def _phrase_row(row: LexiconRow) -> Phrase:
    english, german, japanese, *tags = row.columns
    left: set[tuple[Token, ...]] = set()
    sides: list[list[tuple[Token, ...]]] = [[], []]
    for side, column in zip(sides, (german, japanese), strict=True):
        for variant in _variants(column):
            ours, theirs = phrases(english, variant)
            left.add(tuple(ours))
            side.append(tuple(theirs))
    if len(left) != 1:
        reason = "number the words that belong together in all variants or in none"
        raise RosewoodError(reason, code="phrasebook.variants")
    return Phrase(
        left.pop(), zipf(sides[0]), zipf(sides[1]), frozenset(tags[0].split() if tags else ())
    )


def _noun_row(row: LexiconRow) -> Noun:
    english, german, japanese, *more = row.columns
    singular, _, irregular = english.partition("/")
    words = tuple(singular.split())
    extra = more[0].split() if more else []
    places = [each for each in extra if "," in each]
    place = places[0].split(",") if places else ["", "", ""]
    if len(place) != 3:
        reason = f"{places[0]!r}: expected three prepositions, as in at,an,zu"
        raise RosewoodError(reason, code="line.fields", value=places[0])
    germans = [GermanNoun.parse(each) for each in _variants(german)]
    plural: tuple[str, ...] = ()
    if irregular != "-":
        last = irregular or plural_of(words[-1])
        plural = (*words[:-1], *last.split())
    if not plural and any(each.plural for each in germans):
        reason = "a mass noun in English needs German nouns without a plural"
        raise RosewoodError(reason, code="phrasebook.plural", expected="no plural")
    if plural and not all(each.plural for each in germans):
        reason = "a noun with a plural in English needs German nouns that have one"
        raise RosewoodError(reason, code="phrasebook.plural", expected="a plural")
    classes = frozenset(row.section.split()) | {each for each in extra if "," not in each}
    return Noun(
        words,
        plural,
        zipf(germans, _SYNONYMS),
        zipf([tuple(each.split()) for each in _variants(japanese)], _SYNONYMS),
        classes,
        *place,
    )


def _adjective_row(row: LexiconRow) -> Adjective:
    english, german, japanese, classes, *tags = row.columns
    return Adjective(
        english,
        zipf([GermanAdjective.parse(each) for each in _variants(german)], _SYNONYMS),
        zipf([JapaneseAdjective.parse(each) for each in _variants(japanese)], _SYNONYMS),
        frozenset(classes.split()),
        frozenset(tags[0].split() if tags else ()),
    )


def _verb_row(row: LexiconRow) -> Verb:
    english, german, japanese, frame = row.columns
    subject, *parts = frame.split()
    found: dict[str, object] = {}
    tags: set[str] = set()
    for part in parts:
        name, equals, value = part.partition("=")
        if not equals and name not in _TAGS:
            reason = f"{name!r} is no tag of a verb"
            raise RosewoodError(reason, code="line.unknown", argument="tag", value=name)
        if not equals:
            tags.add(name)
        elif name == "O":
            wanted, *how = value.split(":")
            found["object"] = wanted
            if len(how) not in (0, 2):
                reason = f"{part!r}: expected O=class, or O=class:case:particle"
                raise RosewoodError(reason, code="line.fields", value=part)
            if how:
                found["object_case"], found["object_particle"] = how
        elif name == "me":
            found["japanese_to_me"] = JapaneseVerb.parse(value)
        elif name == "P":
            wanted, *prepositions = value.split(":")
            if len(prepositions) != 4:
                reason = f"{part!r}: expected P=class:english:german:case:particle"
                raise RosewoodError(reason, code="line.fields", value=part)
            found["prepositional"] = wanted
            found["preposition"] = tuple(each.replace("_", " ") for each in prepositions)
        else:
            reason = f"{name!r} is no part of a frame: expected O, P or me"
            raise RosewoodError(reason, code="line.unknown", argument="frame", value=name)
    return Verb(
        EnglishVerb.parse(english),
        zipf([GermanVerb.parse(each) for each in _variants(german)], _SYNONYMS),
        zipf([JapaneseVerb.parse(each) for each in _variants(japanese)], _SYNONYMS),
        subject,
        has_recipient=bool(tags & {"I", "J"}),
        tags=frozenset(tags),
        **found,  # type: ignore[arg-type]
    )


@cache
def lexicon() -> PhrasebookLexicon:
    """The words of the data folder, read once."""
    nouns: dict[str, list[Noun]] = {}
    every: list[Noun] = []
    for row in rows("nouns.txt", least=3, most=4):
        with at(row.file, row.line):
            noun = _noun_row(row)
        every.append(noun)
        for name in sorted(noun.classes):
            nouns.setdefault(name, []).append(noun)
    adjectives = []
    for row in rows("adjectives.txt", least=4, most=5):
        with at(row.file, row.line):
            adjectives.append(_adjective_row(row))
    verbs = []
    for row in rows("verbs.txt", least=4, most=4):
        with at(row.file, row.line):
            verb = _verb_row(row)
            for name in filter(None, (verb.subject, verb.object, verb.prepositional)):
                if not all(each in nouns for each in name.split("+")):
                    reason = f"there is no noun of the class {name!r}"
                    raise RosewoodError(reason, code="line.unknown", argument="class", value=name)
        verbs.append(verb)
        for name in filter(None, (verb.subject, verb.object, verb.prepositional)):
            if name not in nouns:  # classes together, by turns: the frequent ones first
                nouns[name] = _merged([nouns[each] for each in name.split("+")])
    adverbials: dict[str, list[Phrase]] = {}
    for row in rows("adverbials.txt", least=3, most=4):
        with at(row.file, row.line):
            adverbials.setdefault(row.section, []).append(_phrase_row(row))
    attributes = [each for each in adjectives if "predicate" not in each.tags]
    fitting = {
        noun: zipf([each for each in attributes if each.classes & noun.classes], 2.0)
        for noun in every
    }
    names = sorted({name for each in adjectives for name in each.classes})
    return PhrasebookLexicon(
        {name: zipf(each, 2.0) for name, each in nouns.items()},
        {noun: some for noun, some in fitting.items() if some.items},
        zipf(verbs, 4.0),
        {name: zipf(each, 2.0) for name, each in adverbials.items()},
        {name: zipf([a for a in adjectives if name in a.classes], 2.0) for name in names},
    )


def _merged(lists: list[list[Noun]]) -> list[Noun]:
    found: dict[Noun, None] = {}
    for rank in range(max(map(len, lists))):
        for each in lists:
            if rank < len(each):
                found[each[rank]] = None
    return list(found)
