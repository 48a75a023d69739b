"""Sentences and the order of words, read from `data/`: the synchronous part of the grammar.

A template has a side for each language: words, numbered where they belong together, and parts in
braces: `{A:main}` is a clause in the order called main, `{X:acc}` a noun phrase in the accusative,
`{A:masu doko/1 de/1?}` a clause that takes these words in.  German and Japanese may have several
sides, between `;`, the first the most frequent.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from rosewood.corpus.lines import at, number
from rosewood.corpus.phrasebook.chance import Weighted, zipf
from rosewood.corpus.phrasebook.japanese_verbs import FORMS
from rosewood.corpus.phrasebook.lexicon import DATA, phrase, phrases, rows
from rosewood.corpus.phrasebook.sampler import ClauseWanted
from rosewood.corpus.phrasebook.tokens import STEP, Token
from rosewood.errors import FormatError, RosewoodError

_SLOT = re.compile(r"\{([A-Z])(?::([a-z]*)((?: [^{} ]+)*))?\}")


_ENDS = frozenset(".?!")


@dataclass(frozen=True, slots=True)
class Slot:
    """A part of the sentence, and the form it takes here."""

    letter: str
    form: str
    words: tuple[Token, ...] = ()


Item: TypeAlias = Slot | tuple[str, *tuple[int, ...]]
Side: TypeAlias = tuple[Item, ...]
Order: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """A kind of sentence."""

    sides: dict[str, Weighted[Side]]
    clauses: dict[str, ClauseWanted]
    nouns: dict[str, str]
    is_idiom: bool
    is_statement: bool


@cache
def templates() -> Weighted[Template]:
    """All kinds of sentences with their weights."""
    found = []
    for row in rows("sentences.txt", least=4, most=5):
        with at(row.file, row.line):
            weight, english, german, japanese, *options = row.columns
            clauses, nouns = _options(options[0] if options else "", english)
            pairs = [(english, variant.strip()) for variant in german.split(";")]
            pairs += [(english, variant.strip()) for variant in japanese.split(";")]
            sides = [_sides(*pair) for pair in pairs]
            if len({ours for ours, _ in sides}) != 1:
                reason = "number the words that belong together in all variants"
                raise RosewoodError(reason, code="phrasebook.variants")
            germans = german.count(";") + 1
            template = Template(
                {
                    "en": Weighted([(sides[0][0], 1.0)]),
                    "de": zipf([side for _, side in sides[:germans]], 2.0),
                    "ja": zipf([side for _, side in sides[germans:]], 2.0),
                },
                clauses,
                nouns,
                row.section == "idioms",
                row.section == "statements",
            )
            for language, some in template.sides.items():
                for side in some.items:
                    _check(side, language, template)
            found.append((template, _weight(weight)))
    return Weighted(found)


def _sides(english: str, other: str) -> tuple[Side, Side]:
    if _SLOT.search(english):
        return _side(english), _side(other)
    left, right = phrases(english, other)
    return _ended(list(map(_comma, left))), _ended(list(map(_comma, right)))


def _comma(token: Token) -> Token:
    """A comma may belong to another one."""
    return (token[0], STEP + 3) if token[0] == "," else token


def _side(text: str) -> Side:
    items: list[Item] = []
    end = 0
    for match in _SLOT.finditer(text):
        items.extend(map(_comma, phrase(text[end : match.start()])[0]))
        words = tuple(phrase(match[3] or "")[0])
        items.append(Slot(match[1], match[2] or "", words))
        end = match.end()
    items.extend(map(_comma, phrase(text[end:])[0]))
    if any(isinstance(item, tuple) and set(item[0]) & set("{}|") for item in items):
        raise RosewoodError(f"{text!r}: braces that hold no part", code="line.value", value=text)
    return _ended(items)


def _ended(items: Sequence[Item]) -> Side:
    """The stops at the ends of sentences belong together."""
    last = items[-1]
    if isinstance(last, tuple) and last[0] in _ENDS:
        return (*items[:-1], (last[0], STEP))
    return tuple(items)


def _options(text: str, english: str) -> tuple[dict[str, ClauseWanted], dict[str, str]]:
    """`A.tenses=past,present A.subject=you X=person`: letters from X on are noun phrases."""
    letters = sorted({match[1] for match in _SLOT.finditer(english)})
    asked: dict[str, dict[str, Any]] = {letter: {} for letter in letters if letter < "X"}
    nouns = {letter: "" for letter in letters if letter >= "X"}
    for option in text.split():
        name, equals, value = option.partition("=")
        letter, _, what = name.partition(".")
        if not equals or (letter not in asked and letter not in nouns):
            reason = f"{option!r}: expected LETTER.option=value of a part of the sentence"
            raise RosewoodError(reason, code="line.fields", value=option)
        if letter in nouns:
            nouns[letter] = value
        elif what == "tenses":
            asked[letter][what] = tuple(value.split(","))
        elif what in ("subject", "without", "tag", "gap"):
            asked[letter][what] = value
        else:
            reason = f"{option!r}: there is no such option"
            raise RosewoodError(reason, code="line.unknown", argument="option", value=option)
    for letter, value in nouns.items():
        if not value:
            reason = f"say what {letter} is: {letter}=person"
            raise RosewoodError(reason, code="line.fields", argument=letter)
    is_short = len(asked) > 1
    wanted = {
        letter: ClauseWanted(is_short=is_short, **options) for letter, options in asked.items()
    }
    return wanted, nouns


def _check(side: Side, language: str, template: Template) -> None:
    forms = FORMS if language == "ja" else {*orders(language), *([""] if language == "en" else [])}
    for item in side:
        if not isinstance(item, Slot) or item.letter in template.nouns:
            continue
        if item.letter not in template.clauses:
            reason = f"{item.letter} is not in the English side"
            raise RosewoodError(reason, code="line.unknown", argument="part", value=item.letter)
        if item.form not in forms:
            known = ", ".join(sorted(filter(None, forms)))
            reason = f"{item.form!r} is no form of a clause: there are {known}"
            raise RosewoodError(reason, code="line.unknown", argument="form", value=item.form)


def _weight(text: str) -> float:
    return number("the weight", text)


@cache
def orders(language: str) -> dict[str, Weighted[Order]]:
    """The orders of words of a language by the name of the form, the usual one first."""
    found: dict[str, list[tuple[Order, float]]] = {}
    for row in rows("orders.txt", least=3, most=3):
        form, weight, slots = row.columns
        with at(row.file, row.line):
            order = (tuple(slots.split()), _weight(weight))
        if row.section == language:
            found.setdefault(form, []).append(order)
    return {form: Weighted(each) for form, each in found.items()}


@cache
def grammar(language: str) -> dict[str, Any]:
    """Pronouns, articles, endings, auxiliaries: the tables of a language."""
    path = DATA / "grammar.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = f"it cannot be read: {error}"
        raise FormatError(reason, code="file.format", file=path) from error
    return dict(table[language])
