"""Words that never end: names, towns, dates, times of day.

Some are well known and come often; others are made up of parts, so that a new one keeps coming.
"""

from __future__ import annotations

from functools import cache

from rosewood.corpus.lines import at
from rosewood.corpus.phrasebook.chance import Draw, Weighted, zipf
from rosewood.corpus.phrasebook.lexicon import Phrase, rows
from rosewood.corpus.phrasebook.meaning import HE, SHE
from rosewood.corpus.phrasebook.tokens import Token
from rosewood.errors import RosewoodError


class Names:
    """Names of people and towns."""

    def __init__(self, lists: dict[str, list[str]]) -> None:
        people = [
            each
            for pair in zip(lists["female"], lists["male"], strict=True)
            for each in zip(pair, (SHE, HE), strict=True)
        ]
        self._first: Weighted[tuple[str, int]] = zipf(people, 10.0)
        self._last = zipf(lists["last"], 4.0)
        self._towns = zipf(lists["town"], 5.0)
        self._parts = {
            name: lists[name] for name in ("last begins", "last ends", "town begins", "town ends")
        }

    def first(self, draw: Draw) -> tuple[str, int]:
        """A first name, and he or she."""
        return self._first.pick(draw)

    def last(self, draw: Draw) -> str:
        """A family name; most of them are made up."""
        return self._last.pick(draw) if draw() < 0.35 else self._made_up("last", draw)

    def town(self, draw: Draw) -> str:
        """A town; some of them are made up."""
        return self._towns.pick(draw) if draw() < 0.55 else self._made_up("town", draw)

    def _made_up(self, what: str, draw: Draw) -> str:
        begins, ends = self._parts[f"{what} begins"], self._parts[f"{what} ends"]
        return begins[int(draw() * len(begins))] + ends[int(draw() * len(ends))]


@cache
def names() -> Names:
    """The names of the data folder, read once."""
    lists: dict[str, list[str]] = {}
    for row in rows("names.txt", least=1, most=1):
        lists.setdefault(row.section, []).extend(row.columns[0].split())
    return Names(lists)


@cache
def number_words() -> dict[int, tuple[str, str, str]]:
    """Numbers that are written as words, in the three languages."""
    found = {}
    for row in rows("numbers.txt", least=4, most=4):
        with at(row.file, row.line):
            number, english, german, japanese = row.columns
            if not number.isdecimal():
                raise RosewoodError(f"{number!r} is no number", code="line.number", value=number)
            found[int(number)] = (english, german, japanese)
    return found


_MONTHS = (
    ("January", "Januar"), ("February", "Februar"), ("March", "März"), ("April", "April"),
    ("May", "Mai"), ("June", "Juni"), ("July", "Juli"), ("August", "August"),
    ("September", "September"), ("October", "Oktober"), ("November", "November"),
    ("December", "Dezember"),
)  # fmt: skip


def _phrase(
    english: tuple[Token, ...],
    german: tuple[tuple[Token, ...], ...],
    japanese: tuple[Token, ...],
) -> Phrase:
    return Phrase(
        english,
        Weighted((each, 1.0) for each in german),
        Weighted([(japanese, 1.0)]),
        frozenset(),
    )


def date(draw: Draw) -> Phrase:
    """On May 3."""
    month, day = int(draw() * 12), 1 + int(draw() * 28)
    english, german = _MONTHS[month]
    return _phrase(
        (("on", 2), (english, 4), (f"{day}", 6)),
        ((("am", 2), (f"{day}.", 6), (german, 4)),),
        ((f"{month + 1}", 4), ("gatsu", 4), (f"{day}", 6), ("nichi", 7), ("ni", 2)),
    )


def year(draw: Draw) -> Phrase:
    """In 1987."""
    number = f"{2024 - int(draw() * draw() * 110)}"
    return _phrase(
        (("in", 2), (number, 4)),
        ((("im", 2), ("Jahr", 5), (number, 4)), ((number, 4, 3),)),
        ((number, 4), ("nen", 5), ("ni", 2)),
    )


def price(draw: Draw) -> Phrase:
    """12.50 euros."""
    whole, rest = 2 + int(draw() * draw() * 180), ("00", "50", "95", "80", "20")[int(draw() * 5)]
    return _phrase(
        ((f"{whole}.{rest}", 2), ("euros", 4)),
        (((f"{whole},{rest}", 2), ("Euro", 4)),),
        ((f"{whole}.{rest}", 2), ("yūro", 4)),
    )


def number(draw: Draw) -> Phrase:
    """A number that counts nothing: of a room, a bus, a house."""
    word = f"{1 + int(draw() * 699)}"
    return _phrase(((word, 2),), (((word, 2),),), ((word, 2),))


def clock(draw: Draw) -> Phrase:
    """At 7:35; at seven o'clock; at half past seven."""
    hour = 1 + int(draw() * 12)
    chance, known = draw(), number_words()
    english, german, japanese = known[hour]
    german = "ein" if hour == 1 else german
    if chance < 0.45:
        return _phrase(
            (("at", 2), (english, 4), ("o'clock", 6)),
            ((("um", 2), (german, 4), ("Uhr", 6)),),
            ((_hour(hour, japanese), 4), ("ji", 6), ("ni", 2)),
        )
    if chance < 0.6:
        return _phrase(
            (("at", 2), ("half", 6), ("past", 7), (english, 4)),
            ((("um", 2), ("halb", 6), (known[hour % 12 + 1][1], 5)),),  # seven is not acht
            ((_hour(hour, japanese), 4), ("ji", 5), ("han", 6), ("ni", 2)),
        )
    minutes = 5 + 10 * int(draw() * 6)
    time = f"{hour}:{minutes:02}"
    return _phrase(
        (("at", 2), (time, 4)),
        ((("um", 2), (time, 4), ("Uhr", 5)),),
        ((f"{hour}", 4), ("ji", 5), (f"{minutes}", 4), ("fun", 5), ("ni", 2)),
    )


def _hour(hour: int, japanese: str) -> str:
    return {4: "yo", 7: "shichi", 9: "ku"}.get(hour, japanese)
