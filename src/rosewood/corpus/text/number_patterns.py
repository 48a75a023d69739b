"""Patterns of numbers, amounts and percentages in one language, and how another writes them.

    for kind, pattern, write in number_finders(number_format("de"), number_format("en")):
        write(pattern.search("119,20 Euro"))                   # 119.20 euros, by the kind money

A writer returns None where what its pattern matches is not surely what it looks like, and an empty
text where it stays as it is written, in one piece.
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
_MYRIADS = "万萬億亿兆千百"  # one number in two parts: 1万2,000
_LEFT = rf"(?<!{WORD})(?<!\d[.,:/'’–-])(?<![%$€£¥₹₽₩°])(?<![{_MYRIADS}])(?<![{_MYRIADS}] )"
_RIGHT = rf"(?![.,:/'’–-]?{WORD})(?!-)(?! ?[{_MYRIADS}])"
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
    "rozdział verze kapitola バージョン 版本 第 版 章 tel phone fax "
    "telephone mobile telefon telefax handy fon téléphone tél telefono teléfono telefone "
    "telefoon mobil acct account iban blz isbn "
    "kto konto compte cuenta conto conta rekening rechnung artikel numéro número numero номер id"
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
_LABEL = re.compile(rf"({WORD}+|[第版章]|バージョン|版本|[§№])[ .:/-]*\Z")
# Numbers before this one that have the same label: versions 1.5 and 1.6, Tel. 030 123.456.
_CHAIN = re.compile(
    r"(?<![\d.])(?:[+(]?\d[\d.]*\)?"
    r"(?:,? (?:and|or|to|und|oder|bis|et|ou|à|y|o|e|en|of|и|или|i|lub) | ?[,/&–-] ?| ))+\Z"
)
_PLURALS = ("s", "es", "n", "en", "e")  # versions, Versionen, Kapiteln
_NEAR = 80  # characters in which labels are looked for
# Capitalised words at the start of sentences that are no names.
_NO_NAMES = _set(
    "a about above after again all almost already also am among an and any approximately are "
    "around as at barely because before being below between both but by can could did do does "
    "during each either even every exactly fewer for from had has have he her his how i if in "
    "increase is it its just last less like may maybe might more most my nearly next no nor not "
    "now of on only or other our out over per perhaps plus minus roughly she since so some still "
    "such than that the their then there these they this those to total under until up was we "
    "were what when where which while who will with within without would you your add take use"
)
# What comes behind a number that counts or measures: it is no version.
_MEASURE = re.compile(
    r" ?(?:[°%]|(?:k?Wh?|[kMGT]B|[kMG]?Hz|km|[cm]?m|kg|mg|g|ml|l|percent|per|times|points?"
    r"|inch(?:es)?|feet|miles?|met(?:er|re)s?|lit(?:er|re)s?|kilo\w+|tons?|tonnes?|pounds?|years?|months?"
    r"|weeks?|days?|hours?|minutes?|seconds?|degrees?|euros?|dollars?|yen|people|million)\b)"
)
# 12.30 may be a time of day: before am or pm, and behind words such as at or until.
_CLOCK = re.compile(r"\d{1,2}\.[0-5]\d\Z")
_HALF_DAY = re.compile(
    r"(?: ?(?:to|until|till|and|or|[-–—]) ?\d{1,2}\.\d\d)? ?[ap]\.? ?m\b", re.IGNORECASE
)
_TOLD_TIME = re.compile(
    r"\b(?:at|until|till|by|from|um|ab|gegen|alle|ore|las|from \d{1,2}\.\d\d (?:to|until|till))"
    r"(?: about| around)? \Z",
    re.IGNORECASE,
)
_BIBLE = _set(
    "joh johannes mt matthäus mk markus lk lukas apg röm kor gal eph phil kol thess hebr jak petr "
    "offb mose jes jer hes ez ps psalm spr jn"
)

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
    # What no other may touch: it is copied as one piece.
    kept = rf"\d{{1,3}}(?:，\d{{3}})+(?!\d)|(?<=[{_MYRIADS}])\d+(?:[，,.]\d+)+|"
    kept += rf"\d+(?:[，,.]\d+)+(?= ?[{_MYRIADS}])"
    yield Finder("number", re.compile(rf"(?<![\d.,，])(?:{kept})"), _kept, ("，", *_MYRIADS))
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


def _kept(match: re.Match[str]) -> str:
    return ""


def one_of(words: Mapping[str, object] | tuple[str, ...]) -> str:
    """A pattern of these words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


def _plain(source: NumberFormat, target: NumberFormat, match: re.Match[str]) -> str | None:
    number = source.read(match["n"])
    if number is None or _is_label(source, match, number) or _is_clock(match):
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
    if not number.is_grouped and not number.fraction and not match["to"]:
        return False  # it stays anyway
    before = match.string[max(0, match.start() - _NEAR) : match.start()]
    before = _CHAIN.sub("", before) + " "
    word = _LABEL.search(before)
    if word is None:
        return False
    if _is_in_labels(word[1].lower()):
        return True
    if not number.fraction or number.is_grouped or match["suffix"] or _has_scale(match):
        return False
    if form.decimal != ".":
        return word[1].lower() in _BIBLE and word[1][0].isupper()
    if not any(each.isupper() for each in word[1]):
        return False
    if before[: word.start()].strip() or any(each.isupper() for each in word[1][1:]):
        return True
    behind = match.string[match.end() :]
    return word[1].lower() not in _NO_NAMES and not _MEASURE.match(behind)


def _is_in_labels(word: str) -> bool:
    """Also in the plural, and compounds: Kontonummer."""
    if word in _LABELS or word.endswith(("nummer", "nummern", "number", "numbers")):
        return True
    return len(word) > 3 and any(word.removesuffix(each) in _LABELS for each in _PLURALS)


def _is_clock(match: re.Match[str]) -> bool:
    """Whether it may be a time of day: 12.30 pm."""
    if match["prefix"] or match["suffix"] or not _CLOCK.match(match["n"]):
        return False
    behind = match.string[match.end() :]
    if int(match["n"].partition(".")[0]) > 24:
        return False
    if _HALF_DAY.match(behind):
        return True
    near = match.string[max(0, match.start() - _NEAR) : match.start()]
    told = _TOLD_TIME.search(near)
    return told is not None and not _MEASURE.match(behind) and not _has_scale(match)


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
