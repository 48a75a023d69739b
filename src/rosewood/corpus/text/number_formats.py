"""How languages write numbers, percentages and amounts of money: facts of CLDR 48, as tables.

    number_format("de").decimal          # ","
    number_format("de-CH").grouping      # "’"
    number_format("tlh")                 # None: nothing is known, nothing is localised

A code has the format of its region, or else of its language.  Fields that are empty are not known
or have no one convention, and such expressions stay as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

NO_BREAK, NARROW = "\u00a0", "\u202f"
_SIGNS = "-−+±"
_SIGN = r"(?:(?<![-–−+±])[-−+±])?"
_SPACES = f" {NO_BREAK}{NARROW}"
_APOSTROPHES = "'’"


def _none(number: str, fraction: str) -> int:
    """No plural after numbers."""
    return 0


def _one(number: str, fraction: str) -> int:
    """1 is singular; 1.0 and 1.5 are not (English, German, …)."""
    return 0 if number == "1" and not fraction else 1


def _below_two(number: str, fraction: str) -> int:
    """Everything below 2 is singular (French, Portuguese)."""
    return 0 if int(number) < 2 else 1


def _russian(number: str, fraction: str) -> int:
    """One, few, many, fractions."""
    if fraction:
        return 3
    last, two = int(number) % 10, int(number) % 100
    if last == 1 and two != 11:
        return 0
    return 1 if 2 <= last <= 4 and not 12 <= two <= 14 else 2


def _polish(number: str, fraction: str) -> int:
    """One, few, many, fractions: only 1 itself is one."""
    found = _russian(number, fraction)
    return 2 if found == 0 and number != "1" else found


def _czech(number: str, fraction: str) -> int:
    """One, few (2 to 4), fractions, other."""
    if fraction:
        return 2
    return 0 if number == "1" else 1 if number in ("2", "3", "4") else 3


class Number(NamedTuple):
    """The parts of a written number."""

    sign: str
    digits: str
    is_grouped: bool
    fraction: str


@dataclass(frozen=True)
class NumberFormat:
    """The conventions of one language.

    `percent` and `money` are templates: n is the number, s the sign of the currency.  `currencies`
    has the forms of names that are written behind a number, as `plural` counts them.
    """

    decimal: str
    grouping: str  # as it is written
    also_read: str = ""  # further marks between groups
    is_indian: bool = False  # 12,34,567
    percent: str = ""
    money: str = ""
    plural: Callable[[str, str], int] = _one
    currencies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)  # symbols, by the international ones

    @property
    def groups_by_spaces(self) -> bool:
        """Whether spaces are what is written between groups."""
        return self.grouping in (NO_BREAK, NARROW)

    def pattern(self, group: str = "n") -> str:
        """A pattern of numbers, in a group of this name; their signs are part of them."""
        marks = "".join(map(re.escape, dict.fromkeys(self.grouping + self.also_read)))
        grouped = rf"\d{{1,3}}(?:[{marks}]\d{{3}})+(?!\d)"
        if self.is_indian:
            grouped = rf"\d{{1,2}}(?:,\d\d)*,\d{{3}}(?!\d)|{grouped}"
        return rf"(?P<{group}>{_SIGN}(?:{grouped}|\d+)(?:{re.escape(self.decimal)}\d+)?)"

    def read(self, text: str) -> Number | None:
        """The parts of what `pattern` matches; None where it is not surely one number."""
        sign = text[0] if text[0] in _SIGNS else ""
        whole, _, fraction = text[len(sign) :].partition(self.decimal)
        groups = re.split(r"\D", whole)
        if len(groups) == 1:
            return Number(sign, whole, False, fraction)
        marks = set(re.findall(r"\D", whole))
        if len(marks) > 1 or groups[0].startswith("0"):
            return None
        if marks == {"."} and not fraction and _is_ip_address(groups):
            return None
        return Number(sign, "".join(groups), True, fraction)

    def write(self, number: Number) -> str:
        """A number in this format: grouped if it was, with the digits of its fraction."""
        digits = number.digits
        if number.is_grouped:
            head, groups = digits[:-3], [digits[-3:]]
            step = 2 if self.is_indian else 3
            while head:
                groups.insert(0, head[-step:])
                head = head[:-step]
            digits = self.grouping.join(groups)
        return number.sign + digits + (self.decimal + number.fraction if number.fraction else "")

    def currency(self, code: str, number: Number) -> str:
        """The name of a currency behind a number; empty if it is not known."""
        forms = self.currencies.get(code, ())
        return (
            forms[min(self.plural(number.digits, number.fraction), len(forms) - 1)] if forms else ""
        )


def _is_ip_address(groups: list[str]) -> bool:
    return len(groups) == 4 and all(int(each) < 256 and str(int(each)) == each for each in groups)


def _names(euro: str, dollar: str, yen: str) -> dict[str, tuple[str, ...]]:
    named = {"EUR": euro, "USD": dollar, "JPY": yen}
    return {code: tuple(forms.split("/")) for code, forms in named.items() if forms}


_TIGHT, _APART, _BEFORE, _AFTER = "{n}%", "{n} %", "{s}{n}", "{n} {s}"
_CYRILLIC = {"km/h": "км/ч", "km": "км", "kg": "кг", "cm": "см", "mm": "мм", "m": "м", "l": "л"}

_COMMA_DOT = NumberFormat(",", ".", _SPACES + _APOSTROPHES, percent=_APART, money=_AFTER)
_COMMA_SPACE = NumberFormat(",", NO_BREAK, _SPACES, percent=_APART, money=_AFTER)
_DOT_COMMA = NumberFormat(".", ",", percent=_TIGHT, money=_BEFORE)
_SWISS: dict[str, Any] = {"decimal": ".", "grouping": "’", "also_read": _APOSTROPHES}

_EN = replace(_DOT_COMMA, currencies=_names("euro/euros", "dollar/dollars", "yen"))
_DE = replace(_COMMA_DOT, plural=_none, currencies=_names("Euro", "Dollar", "Yen"))
_FR = replace(
    _COMMA_SPACE,
    grouping=NARROW,
    plural=_below_two,
    currencies=_names("euro/euros", "dollar/dollars", "yen/yens"),
)
_ES = replace(_COMMA_DOT, currencies=_names("euro/euros", "dólar/dólares", "yen/yenes"))
_IT = replace(_COMMA_DOT, percent=_TIGHT, currencies=_names("euro", "dollaro/dollari", "yen"))
_PT = replace(
    _COMMA_DOT,
    percent=_TIGHT,
    money="",  # R$ 5,00 in Brazil, 5,00 € in Portugal
    plural=_below_two,
    currencies=_names("euro/euros", "dólar/dólares", "iene/ienes"),
)
_NL = replace(
    _COMMA_DOT,
    percent=_TIGHT,
    money="{s} {n}",
    plural=_none,
    currencies=_names("euro", "dollar", "yen"),
)
_RU = replace(
    _COMMA_SPACE,
    plural=_russian,
    currencies=_names("евро", "доллар/доллара/долларов/доллара", "иена/иены/иен/иены"),
    units=_CYRILLIC,
)
_PL = replace(
    _COMMA_SPACE,
    percent=_TIGHT,
    plural=_polish,
    currencies=_names("euro", "dolar/dolary/dolarów/dolara", "jen/jeny/jenów/jena"),
)
_CS = replace(
    _COMMA_SPACE,
    plural=_czech,
    currencies=_names("euro/eura/eura/eur", "dolar/dolary/dolaru/dolarů", "jen/jeny/jenu/jenů"),
)
_NORDIC: dict[str, Any] = {"plural": _none, "currencies": _names("euro", "dollar", "yen")}
_TR = replace(
    _COMMA_DOT,
    percent="%{n}",
    money=_BEFORE,
    plural=_none,
    currencies=_names("euro", "dolar", "yen"),
)
_JA = replace(_DOT_COMMA, plural=_none, currencies=_names("ユーロ", "ドル", "円"))
_ZH = replace(_DOT_COMMA, plural=_none, currencies=_names("欧元", "", "日元"))
_AR = replace(_DOT_COMMA, money="", plural=_none, currencies=_names("يورو", "", "ين"))
_HI = replace(_DOT_COMMA, is_indian=True, plural=_none, currencies=_names("यूरो", "डॉलर", "येन"))
_AMERICAS = ("mx", "us", "gt", "hn", "ni", "sv", "pa", "do", "pr", "pe", "cu")  # 1,234.56

_FORMATS: dict[str, NumberFormat] = {
    "en": _EN,
    "en-in": replace(_EN, is_indian=True),
    "de": _DE,
    **dict.fromkeys(("de-ch", "de-li"), replace(_DE, **_SWISS, percent=_TIGHT, money="")),
    "fr": _FR,
    "fr-ca": replace(_FR, grouping=NO_BREAK),
    "fr-ch": replace(_FR, percent=_TIGHT, money=""),  # prices have another decimal mark
    "es": _ES,
    **{f"es-{region}": replace(_ES, decimal=".", grouping=",", also_read="", money="")
       for region in _AMERICAS},
    "it": _IT,
    "it-ch": replace(_IT, **_SWISS, money=""),
    "pt": _PT,
    "pt-pt": replace(_PT, grouping=NO_BREAK, also_read=_SPACES + ".", money=_AFTER, plural=_one),
    "nl": _NL,
    "ru": _RU,
    "pl": _PL,
    "cs": _CS,
    "sv": replace(_COMMA_SPACE, **_NORDIC),
    "da": replace(_COMMA_DOT, **_NORDIC),
    "tr": _TR,
    **dict.fromkeys(("ja", "jpn"), _JA),
    **dict.fromkeys(("zh", "zho", "cmn"), _ZH),
    "ar": _AR,
    "hi": _HI,
    "uk": replace(_COMMA_SPACE, percent=_TIGHT, units={**_CYRILLIC, "km/h": "км/год"}),
    **dict.fromkeys(("fi", "nb", "nn", "no", "sk"), _COMMA_SPACE),
    **dict.fromkeys(("bg", "hu"), replace(_COMMA_SPACE, percent=_TIGHT)),
    **dict.fromkeys(("ca", "hr", "ro", "sl"), _COMMA_DOT),
    **dict.fromkeys(("el", "vi"), replace(_COMMA_DOT, percent=_TIGHT)),
    "id": replace(_COMMA_DOT, percent=_TIGHT, money=""),
    "ko": _DOT_COMMA,
    "he": replace(_DOT_COMMA, money=""),
}  # fmt: skip

_DIGITS = str.maketrans(
    {chr(zero + n): str(n) for zero in (0xFF10, 0x660, 0x6F0, 0x966) for n in range(10)}
    | dict(zip("．：％－／￥＄٫٬٪", ".:%-/¥$.,%", strict=True))
)


def number_format(code: str) -> NumberFormat | None:
    """The format of a code such as de or fr-CA; None if nothing is known of the language."""
    return by_language(_FORMATS, code)


def by_language(table: Mapping[str, T], code: str) -> T | None:
    """What a table has for a region, or else for its language."""
    whole = code.lower().replace("_", "-")
    found = table.get(whole)
    return table.get(whole.partition("-")[0]) if found is None else found


def with_ascii_digits(text: str) -> str:
    """Full-width, Arabic, Persian and Devanagari digits and marks as ASCII, one for one."""
    return text if text.isascii() else text.translate(_DIGITS)
