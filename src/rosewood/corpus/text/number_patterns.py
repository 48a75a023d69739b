"""Patterns of numbers, amounts and percentages in one language, and how another writes them.

    for kind, pattern, write in number_finders(number_format("de"), number_format("en")):
        write(pattern.search("119,20 Euro"))                   # 119.20 euros, by the kind money

A writer returns None where what its pattern matches is not surely what it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Literal, NamedTuple

from rosewood.corpus.text.number_formats import Number, NumberFormat
from rosewood.corpus.text.scripts import CJK

Kind = Literal["date", "time", "money", "unit", "percent", "number", "digits"]

# In scripts with spaces between words.  With IGNORECASE large classes take long to compile.
WORD = rf"(?-i:[^\W{CJK}])"
_LEFT = rf"(?<!{WORD})(?<!\d[.,:/'’–-])(?<![%$€£¥₹₽₩°])"
_RIGHT = rf"(?![.,:/'’–-]?{WORD})(?!-)"
_SYMBOL = "[€$£¥₹₽₩]"
_PREFIX = r"(?:(?:R|US|AU?|CA?)?\$|[€£¥₹₽₩])"
_SUFFIX = "(?:°[CFK]?|‰|[€$£¥₹₽₩]|k?Wh?|[kMGT]B|[kMG]?Hz|km²?|[cm]?m[²³]?|kg|mg|g|ml|cl|l|ha|V|A|x)"


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# What comes before numbers that name something, in small letters.
_LABELS = _set(
    "version v ver release section sec § chapter ch figure fig table tab no nr № article art "
    "paragraph clause rule appendix page p pp level windows android ios linux ubuntu python java "
    "bluetooth usb http kapitel abschnitt abbildung abb tabelle seite artikel chapitre tableau "
    "capítulo sección versión versione capitolo versão versie hoofdstuk версия глава wersja "
    "rozdział verze kapitola バージョン 版本 第 版 章 tel phone fax"
)
# What comes between a number and the currency: 3.5 million dollars.
_SCALES = _set(
    "million millions billion billions trillion trillions thousand hundred mn bn tn m k mio mrd "
    "millionen milliarden tausend milliard milliards mille millones millón mil milioni milione "
    "miliardi milhões bilhões milhão miljoen miljard duizend миллионов миллиона миллион тысяч "
    "млн млрд тыс mln mld tys miliony milionów milionů miliard miljoner miljarder milyon milyar "
    "bin लाख करोड़ हज़ार अरब 万 億 亿 兆 千 百 مليون مليار ألف"
)
_SCALE = re.compile(rf"[\s-]?({WORD}+|[万億亿兆千百])")
_LABEL = re.compile(rf"({WORD}+|[第版章]|バージョン|版本|[§№])[ .:]*\Z")

Writer = Callable[[re.Match[str]], str | None]


class Finder(NamedTuple):
    """A pattern, what its matches become, and texts in small letters of which matches have one."""

    kind: Kind
    pattern: re.Pattern[str]
    write: Writer
    needs: tuple[str, ...] = ()


def bounded(pattern: str) -> re.Pattern[str]:
    """The pattern where it is not part of a longer word or number."""
    return re.compile(f"{_LEFT}(?:{pattern}){_RIGHT}", re.IGNORECASE)


def number_finders(source: NumberFormat, target: NumberFormat) -> Iterator[Finder]:
    """From one format to another, the most specific first."""
    number = source.pattern()
    if source.money and target.money:
        either = rf"(?P<a>{_SYMBOL}) ?{number}|{source.pattern('m')} ?(?P<b>{_SYMBOL})"
        write = partial(_money, source, target)
        yield Finder("money", bounded(either), write, tuple(_SYMBOL[1:-1]))
    names = {
        name.lower(): code for code, names in source.currencies.items() for name in names
    }  # fmt: skip
    if names:
        pattern = rf"{number} ?(?P<name>{one_of(names)})(?![ァ-ヺー])"
        write = partial(_named_money, source, target, names)
        yield Finder("money", bounded(pattern), write, tuple(names))
    if source.units != target.units:
        symbols = {symbol: unit for unit, symbol in source.units.items()}
        symbols = symbols or {unit: unit for unit in target.units}
        pattern = rf"{number} ?(?P<unit>{one_of(symbols)})(?![²³/])"
        write = partial(_unit, source, target, symbols)
        yield Finder("unit", bounded(pattern), write, tuple(symbols))
    if source.percent and target.percent:
        pattern = rf"% ?{number}" if source.percent.startswith("%") else rf"{number} ?%"
        yield Finder("percent", bounded(pattern), partial(_percent, source, target), ("%",))
    span = rf"(?P<to>[-–]){source.pattern('m')}"
    pattern = rf"(?P<prefix>{_PREFIX})?{number}(?:{span})?(?P<suffix>{_SUFFIX})?"
    yield Finder("number", bounded(pattern), partial(_plain, source, target))
    yield Finder("digits", re.compile(r"(?<!\d)\d+(?!\d)"), lambda match: match[0])


def one_of(words: Mapping[str, object] | tuple[str, ...]) -> str:
    """A pattern of these words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


def _plain(source: NumberFormat, target: NumberFormat, match: re.Match[str]) -> str | None:
    number = source.read(match["n"])
    if number is None or _is_label(source, match, number):
        return None
    said = target.write(number)
    if match["to"]:
        other = source.read(match["m"])
        if other is None:
            return None
        said += match["to"] + target.write(other)
    return (match["prefix"] or "") + said + (match["suffix"] or "")


def _is_label(form: NumberFormat, match: re.Match[str], number: Number) -> bool:
    """Whether a number names something: version 1.2, Python 3.11."""
    before = match.string[: match.start()]
    word = _LABEL.search(before)
    if word is None:
        return False
    if word[1].lower() in _LABELS:
        return True
    if form.decimal != "." or not number.fraction or number.is_grouped or match["suffix"]:
        return False
    is_name = word[1][0].isupper() and bool(before[: word.start()].strip())
    return is_name and not _has_scale(match)


def _has_scale(match: re.Match[str]) -> bool:
    behind = _SCALE.match(match.string[match.end() :])
    return behind is not None and behind[1].lower() in _SCALES


def _money(source: NumberFormat, target: NumberFormat, match: re.Match[str]) -> str | None:
    symbol, said = (match["a"], match["n"]) if match["a"] else (match["b"], match["m"])
    number = source.read(said)
    if number is None:
        return None
    written = target.write(number)
    if number.sign or _has_scale(match):  # $3.5 million
        return match[0].replace(said, written)
    return target.money.format(s=symbol, n=written)


def _named_money(
    source: NumberFormat, target: NumberFormat, names: Mapping[str, str], match: re.Match[str]
) -> str | None:
    number = source.read(match["n"])
    if number is None:
        return None
    code = names[match["name"].lower()]
    if source.currency(code, number).lower() != match["name"].lower():
        return None  # a five dollar bill
    name = target.currency(code, number)
    gap = "" if re.match(f"[{CJK}]", name) else " "
    return target.write(number) + gap + name if name else None


def _unit(
    source: NumberFormat, target: NumberFormat, symbols: Mapping[str, str], match: re.Match[str]
) -> str | None:
    unit = symbols.get(match["unit"])
    number = source.read(match["n"])
    if unit is None or number is None:
        return None
    return f"{target.write(number)} {target.units.get(unit, unit)}"


def _percent(source: NumberFormat, target: NumberFormat, match: re.Match[str]) -> str | None:
    number = source.read(match["n"])
    return None if number is None else target.percent.format(n=target.write(number))
