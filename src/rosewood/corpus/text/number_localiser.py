"""Numbers, amounts, percentages, dates and times of a text as another language writes them.

    localiser = NumberLocaliser.between("de", "en")
    localiser.text("Er kostet 119,20 Euro.")             # Er kostet 119.20 euros.
    localiser.spans(tokens, spaced)                      # [LocalSpan(2, 4, "119.20 euros", "money")]

Only notation changes, never a value, a unit or a currency.  What could be read in two ways stays
as it is: version numbers, IP addresses, telephone numbers, ISO dates, times of a clock of twelve
hours, numeric dates of a language with two orders.  The tables are in `number_formats.py` and
`date_formats.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from typing import Literal, NamedTuple

from rosewood.corpus.text.date_formats import (
    DateFormat,
    date_format,
    is_date,
    is_month,
    month_pattern,
)
from rosewood.corpus.text.number_formats import (
    NumberFormat,
    number_format,
    with_ascii_digits,
)
from rosewood.corpus.text.scripts import CJK

Kind = Literal["date", "time", "money", "unit", "percent", "number", "digits"]

BARRIER = "\ufffc"  # stands for what no expression may contain: a tag, a value, a known translation
_WORD = rf"[^\W{CJK}]"  # in scripts with spaces between words
_LEFT = rf"(?<!{_WORD})(?<!\d[.,:/'’–-])(?<![%$€£¥₹₽₩°])"
_RIGHT = rf"(?![.,:/'’–-]?{_WORD})(?!-)"
_SIGN = r"(?:(?<![-–−+±])[-−+±])?"
_SYMBOL = "[€$£¥₹₽₩]"
_SUFFIX = (
    "(?:°[CFK]?|‰|[€$£¥₹₽₩]|k?Wh?|[kMGT]B|[kMG]?Hz|km²?|[cm]?m[²³]?|kg|mg|g|ml|cl|l|ha|V|A|x)"
)
_DIGIT = re.compile(r"\d")
_NO_BREAK_DIGITS = re.compile(r"\d[\u00a0\u202f]\d")
# What comes before numbers that are names of things, and not quantities.
_LABELS = frozenset(
    "version v ver release section sec § chapter ch figure fig table tab no nr № article art "
    "paragraph clause rule appendix page p pp windows android ios linux ubuntu python java "
    "bluetooth usb http release level kapitel abschnitt abbildung abb tabelle seite artikel "
    "chapitre figure tableau capítulo sección versión versione capitolo versão versie hoofdstuk "
    "версия глава wersja rozdział verze kapitola バージョン 版本 第 版 章 تلفون هاتف tel phone fax".split()
)
_SCALES = frozenset(
    "million millions billion billions trillion trillions thousand hundred mn bn tn m k mio mrd "
    "millionen milliarden tausend milliard milliards mille millones millón mil milioni milione "
    "miliardi milhões bilhões milhão miljoen miljard duizend миллионов миллиона миллион тысяч "
    "млн млрд тыс mln mld tys miliony milionów milionů miliard miljoner miljarder milyon milyar "
    "bin लाख करोड़ हज़ार अरब 万 億 亿 兆 千 百 مليون مليار ألف".split()
)


class LocalSpan(NamedTuple):
    """Tokens begin .. end-1, and what they become in the other language."""

    begin: int
    end: int
    target: str  # spaces between digits are no-break spaces, others are not
    kind: Kind


class _Found(NamedTuple):
    """Characters begin .. end-1; a target that is the text itself changes nothing."""

    begin: int
    end: int
    target: str
    kind: Kind


class NumberLocaliser:
    """From the notation of one language to that of another."""

    def __init__(self, source: str, target: str) -> None:
        """Languages of which `number_format` knows something: see `between`."""
        one, other = number_format(source), number_format(target)
        if one is None or other is None:
            raise ValueError(f"no number format is known for {source!r} or {target!r}")
        self._source, self._target = one, other
        self._finders = list(_finders(one, other, date_format(source), date_format(target)))
        self._plain_spaces = " " in one.groupings and one.grouping in "\u00a0\u202f"

    @classmethod
    def between(cls, source: str, target: str) -> NumberLocaliser | None:
        """None if either language is unknown, or both are the same."""
        known = number_format(source) is not None and number_format(target) is not None
        return cls(source, target) if known and source.lower() != target.lower() else None

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("make it again from the languages")

    def text(self, text: str) -> str:
        """A text with everything localised that can be."""
        parts, place = [], 0
        plain = with_ascii_digits(text)
        for begin, end, target, _ in self._found(plain, text):
            parts += [text[place:begin], target]
            place = end
        return "".join([*parts, text[place:]])

    def spans(
        self,
        tokens: Sequence[str],
        spaced: Sequence[bool],
        *,
        barriers: Collection[int] = (),
        breaks: Collection[int] = (),
        text: str = "",
    ) -> list[LocalSpan]:
        """What changes in a text that is cut into tokens, from left to right.

        `spaced` tells which tokens have white space before them, `barriers` which tokens nothing
        may touch, `breaks` before which tokens a tag is.  In `text`, which the tokens are from,
        no-break spaces are looked for: they group digits where spaces may or may not.
        """
        parts: list[str] = []
        starts: dict[int, int] = {}
        ends: dict[int, int] = {}
        length = 0
        for place, token in enumerate(tokens):
            before = BARRIER if place in breaks else ""
            if spaced[place]:
                before += " "
            said = BARRIER if place in barriers else token
            parts += [before, said]
            starts[length + len(before)] = place
            length += len(before) + len(said)
            ends[length] = place + 1
        line = with_ascii_digits("".join(parts))
        found = self._found(line, "".join(parts), text, lambda a, b: a in starts and b in ends)
        return [LocalSpan(starts[each.begin], ends[each.end], *each[2:]) for each in found]

    def _found(
        self,
        line: str,
        written: str,
        raw: str = "",
        fits: Callable[[int, int], bool] = lambda begin, end: True,
    ) -> list[_Found]:
        """Expressions that change, in order: of those that overlap, the kind that comes first."""
        taken: list[tuple[int, int]] = []
        found: list[_Found] = []
        for kind, pattern, write in self._finders:
            for match in pattern.finditer(line):
                begin, end = match.span()
                if not fits(begin, end) or any(a < end and begin < b for a, b in taken):
                    continue
                if kind != "digits" and self._is_doubtful(line, begin, end, raw or written):
                    continue
                target = write(match)
                if target is None:
                    continue
                taken.append((begin, end))
                if target != written[begin:end]:
                    found.append(_Found(begin, end, target, kind))
        return sorted(found)

    def _is_doubtful(self, line: str, begin: int, end: int, raw: str) -> bool:
        """Whether digits that spaces join may be several numbers."""
        said = line[begin:end]
        grouped = re.search(r"\d{1,3}(?: \d{3})+(?!\d)", said)
        if grouped is None or not self._plain_spaces:
            return False
        digits = grouped[0]
        if _NO_BREAK_DIGITS.search(raw):
            joined = raw.replace("\u00a0", " ").replace("\u202f", " ")
            at = joined.find(digits)
            if at >= 0 and " " not in raw[at : at + len(digits)]:
                return False
        first, *others = digits.split(" ")
        before, behind = line[:begin], line[end:]
        return (
            first.startswith("0")
            or (len(first) == 3 and len(others) == 2)  # a telephone number
            or re.search(r"[\d+)] ?$|\+ ?\d+ $", before) is not None
            or re.match(r" ?\d", behind) is not None
        )


# -- finding and writing ---------------------------------------------------------------------------

_Writer = Callable[[re.Match[str]], str | None]


def _finders(
    source: NumberFormat,
    target: NumberFormat,
    source_dates: DateFormat | None,
    target_dates: DateFormat | None,
) -> Iterator[tuple[Kind, re.Pattern[str], _Writer]]:
    """Patterns with what writes their matches, the most specific first."""
    number = _number(source)
    if source_dates is not None and target_dates is not None:
        yield from _date_finders(source_dates, target_dates)
    if source.money and target.money:
        either = rf"(?P<a>{_SYMBOL}) ?{number}|{number.replace('?P<n', '?P<m')} ?(?P<b>{_SYMBOL})"
        yield "money", _compiled(either), partial(_money, source, target)
    names = _currency_names(source)
    if names:
        listed = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        pattern = rf"{number} ?(?P<name>{listed})(?![ァ-ヺー])"
        yield "money", _compiled(pattern), partial(_named_money, source, target, names)
    symbols = {symbol: unit for unit, symbol in source.units.items()}
    if not symbols and target.units:
        symbols = {unit: unit for unit in target.units}
    if symbols:
        listed = "|".join(map(re.escape, sorted(symbols, key=len, reverse=True)))
        pattern = rf"{number} ?(?P<unit>{listed})(?![²³/])"
        yield "unit", _compiled(pattern), partial(_unit, source, target, symbols)
    if source.percent and target.percent:
        pattern = rf"% ?{number}" if source.percent.startswith("%") else rf"{number} ?%"
        yield "percent", _compiled(pattern), partial(_percent, source, target)
    one, two = number, number.replace("?P<n", "?P<m")
    yield (
        "number",
        _compiled(rf"{one}(?:(?P<to>[-–]){two})?(?P<suffix>{_SUFFIX})?"),
        partial(_plain, source, target),
    )
    yield "digits", re.compile(rf"(?<!\d)\d+(?!\d)"), lambda match: match[0]


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(f"{_LEFT}(?:{pattern}){_RIGHT}", re.IGNORECASE)


def _number(form: NumberFormat) -> str:
    """A pattern of a number in the group n; signs are part of it."""
    marks = "".join(map(re.escape, dict.fromkeys(form.groupings.replace("\u202f", "")
                                                 .replace("\u00a0", " "))))
    marks += "\u00a0\u202f" if " " in marks else ""
    grouped = rf"\d{{1,3}}(?:[{marks}]\d{{3}})+(?!\d)"
    if form.is_indian:
        grouped = rf"\d{{1,2}}(?:,\d\d)*,\d{{3}}(?!\d)|{grouped}"
    return rf"(?P<n>{_SIGN}(?:{grouped}|\d+)(?:{re.escape(form.decimal)}\d+)?)"


class _Number(NamedTuple):
    sign: str
    digits: str
    is_grouped: bool
    fraction: str


def _read(form: NumberFormat, text: str) -> _Number | None:
    """The parts of a number; None where its marks are not those of one number."""
    sign = text[0] if text[0] in "-−+±" else ""
    whole, _, fraction = text[len(sign) :].partition(form.decimal)
    groups = re.split(r"\D", whole)
    if len(groups) == 1:
        return _Number(sign, whole, False, fraction)
    marks = set(re.findall(r"\D", whole))
    if len(marks) > 1 or groups[0].startswith("0"):
        return None
    if len(groups) == 4 and not fraction and marks <= {".", ","}:
        if all(int(each) < 256 and str(int(each)) == each for each in groups):
            return None  # an IP address
    return _Number(sign, "".join(groups), True, fraction)


def _written(form: NumberFormat, number: _Number) -> str:
    digits = number.digits
    if number.is_grouped:
        head, tail = digits[:-3], [digits[-3:]]
        step = 2 if form.is_indian else 3
        while head:
            tail.insert(0, head[-step:])
            head = head[:-step]
        digits = form.grouping.join(tail)
    return number.sign + digits + (form.decimal + number.fraction if number.fraction else "")


def _plain(source: NumberFormat, target: NumberFormat, match: re.Match[str]) -> str | None:
    parts = [_read(source, match["n"])]
    if match["m"]:
        parts.append(_read(source, match["m"]))
    said = [_written(target, part) for part in parts if part is not None]
    if len(said) < len(parts):
        return None
    if parts[0] is not None and _is_label(source, match, parts[0]):
        return None
    return (match["to"] or "").join(said) + (match["suffix"] or "")


def _is_label(form: NumberFormat, match: re.Match[str], number: _Number) -> bool:
    """Whether a number names something: version 1.2, Python 3.11."""
    before = match.string[: match.start()].rstrip(" .:")
    word = re.search(rf"{_WORD}+\Z|[第版章]\Z|バージョン\Z|[§№]\Z", before)
    if word is None:
        return False
    if word[0].lower() in _LABELS:
        return True
    if form.decimal != "." or not number.fraction or number.is_grouped or match["suffix"]:
        return False
    if not word[0][0].isupper() or not before[: word.start()].strip():
        return False
    behind = re.match(rf"\s?({_WORD}+|[%万億亿千百])", match.string[match.end() :])
    return behind is None or behind[1].lower() not in _SCALES | {"%"}


def _money(source: NumberFormat, target: NumberFormat, match: re.Match[str]) -> str | None:
    symbol, said = (match["a"], match["n"]) if match["a"] else (match["b"], match["m"])
    number = _read(source, said)
    if number is None:
        return None
    text = _written(target, number)
    behind = re.match(rf"[ -]?({_WORD}+|[万億亿千百])", match.string[match.end() :])
    if behind is not None and behind[1].lower() in _SCALES:
        return match[0].replace(said, text)  # $3.5 million
    sign = number.sign
    return target.money.format(s=symbol, n=text) if not sign else match[0].replace(said, text)


def _currency_names(form: NumberFormat) -> dict[str, str]:
    return {
        name.lower(): code for code, names in form.currencies.items() for name in names if name
    }


def _named_money(
    source: NumberFormat, target: NumberFormat, names: dict[str, str], match: re.Match[str]
) -> str | None:
    number = _read(source, match["n"])
    if number is None:
        return None
    code = names[match["name"].lower()]
    if source.currency(code, number.digits, number.fraction).lower() != match["name"].lower():
        return None  # a five-dollar bill
    name = target.currency(code, number.digits, number.fraction)
    if not name:
        return None
    return _written(target, number) + _gap(name) + name


def _gap(name: str) -> str:
    return "" if re.match(f"[{CJK}]", name) else " "


def _unit(
    source: NumberFormat, target: NumberFormat, symbols: dict[str, str], match: re.Match[str]
) -> str | None:
    unit = symbols.get(match["unit"])
    number = _read(source, match["n"])
    if unit is None or number is None:
        return None
    return f"{_written(target, number)} {target.units.get(unit, unit)}"


def _percent(source: NumberFormat, target: NumberFormat, match: re.Match[str]) -> str | None:
    number = _read(source, match["n"])
    return None if number is None else target.percent.format(n=_written(target, number))


# -- dates and times -------------------------------------------------------------------------------


def _date_finders(
    source: DateFormat, target: DateFormat
) -> Iterator[tuple[Kind, re.Pattern[str], _Writer]]:
    months = month_pattern(source)
    for pattern in source.dates:
        yield (
            "date",
            _compiled(pattern.replace("{months}", months)),
            partial(_named_date, source, target),
        )
    marks = re.escape(source.separators)
    orders = (source.order,) if source.order else ("dmy", "mdy")
    for order in orders:
        one, two, three = (rf"(?P<{each}>\d{{{'4' if each == 'y' else '1,2'}}})" for each in order)
        pattern = rf"{one}(?P<mark>[{marks}]){two}(?P=mark){three}"
        yield "date", _compiled(pattern), partial(_numeric_date, source, target)
    for pattern in source.times:
        yield "time", _compiled(pattern), partial(_time, target)


_IN_A_RANGE = re.compile(r"\d(?:\.|st|nd|rd|th|er)?(?: ?[-–/&] ?| \w{1,4} |, )\Z")


def _named_date(source: DateFormat, target: DateFormat, match: re.Match[str]) -> str | None:
    groups = match.groupdict()
    year = groups.get("y") or ""
    day = int(re.sub(r"\D", "", groups["d"]))
    if source.months:
        name = groups["M"]
        if not is_month(name, has_year=bool(year)):
            return None
        month = source.numbers.get(name.lower(), 0)
    else:
        month = int(groups["m"])
    if not is_date(month, day) or _IN_A_RANGE.search(match.string[: match.start()]):
        return None
    return target.written(year, month, day)


def _numeric_date(source: DateFormat, target: DateFormat, match: re.Match[str]) -> str | None:
    year, month, day = match["y"], match["m"], match["d"]
    if not is_date(int(month), int(day)) or not 1000 <= int(year) <= 2999:
        return None
    if not source.order and int(day) <= 12:
        return None  # either may be the day
    return target.numeric(year, month, day)


def _time(target: DateFormat, match: re.Match[str]) -> str | None:
    hour, minute = match["h"], match.groupdict().get("n") or ""
    if int(hour) > 24 or int(minute or 0) > 59:
        return None
    return target.clock(hour, minute)
