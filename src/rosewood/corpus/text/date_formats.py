"""How languages write dates and times of day: facts of CLDR 48, as tables.

    date_format("de").written(2024, 5, 3)     # 3. Mai 2024
    date_format("en").numeric(2024, 5, 3)     # 2024-05-03: 5/3/2024 would be read in two ways

A date is read only where it has one meaning in its language.  Dates of two digits for the year,
ISO dates, and clocks of twelve hours stay as they are written.
"""

from __future__ import annotations

import calendar
from dataclasses import dataclass, field, replace
from functools import cached_property

from rosewood.corpus.text.number_formats import by_language

_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True)
class DateFormat:
    """The conventions of one language.

    Templates have d, m and y for the numbers of day, month and year, M for the name of the month,
    and h and n for hour and minute.  `dates` and `times` are patterns of what is read, with groups
    of these names.
    """

    months: tuple[str, ...]  # as they are written beside a day
    with_year: str
    without_year: str
    dates: tuple[str, ...]
    first: str = ""  # how the first of a month is written, if not 1
    order: str = "dmy"  # of numeric dates; "": they are ambiguous
    separators: str = "."  # that are read in numeric dates; the first is written
    times: tuple[str, ...] = ()
    time_cues: str = ""  # a pattern of what comes before a time; others may be durations
    time_words: str = ""  # of which a text with such times has one, in small letters
    time: str = "{h}:{n}"
    hour: str = "{h}:00"  # a full hour
    small_hour: str = ""  # up to 12, if it is written otherwise
    is_iso: bool = field(default=False)  # numeric dates are written as 2024-05-03

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each month by its name, in small letters."""
        return {name.lower(): number for number, name in enumerate(self.months, 1)}

    def written(self, year: str, month: int, day: int) -> str:
        """A date with the name of its month; without a year if that is empty."""
        template = self.with_year if year else self.without_year
        said = self.first if day == 1 and self.first else str(day)
        name = self.months[month - 1] if self.months else ""
        return template.format(d=said, m=month, M=name, y=year)

    def numeric(self, year: str, month: str, day: str) -> str:
        """A date as three numbers, with the digits it has, or as an ISO date."""
        if self.is_iso or not self.order:
            return f"{year}-{month:0>2}-{day:0>2}"
        parts = {"d": day, "m": month, "y": year}
        return self.separators[0].join(parts[each] for each in self.order)

    def clock(self, hour: str, minute: str) -> str:
        """A time of day; a full hour if the minute is empty."""
        if minute:
            return self.time.format(h=hour, n=minute)
        small = self.small_hour if 1 <= int(hour) <= 12 else ""
        return (small or self.hour).format(h=hour)


def is_date(month: int, day: int, year: int = 0) -> bool:
    """Whether there is such a day in this year, or without one in some year."""
    if (month, day) == (2, 29) and year and not calendar.isleap(year):
        return False
    return 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1]


def _months(names: str) -> tuple[str, ...]:
    return tuple(names.split())


_D, _Y, _MONTH = r"(?P<d>\d{1,2})", r"(?P<y>\d{4})", "(?P<M>{months})"
_PLAIN = (rf"{_D} {_MONTH} {_Y}", rf"{_D} {_MONTH}")
_DOTTED = (rf"{_D}\. ?{_MONTH} {_Y}", rf"{_D}\. ?{_MONTH}")
_OF = (rf"{_D} de {_MONTH} (?:de|del) {_Y}", rf"{_D} de {_MONTH}")
_ASIAN = (r"(?P<y>\d{4}) ?年 ?(?P<m>\d{1,2}) ?月 ?(?P<d>\d{1,2}) ?日",
          r"(?P<m>\d{1,2}) ?月 ?(?P<d>\d{1,2}) ?日")  # fmt: skip
_TH = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_ENGLISH = (
    rf"{_MONTH} {_TH}(?:, ?| ){_Y}", rf"{_TH}(?: of)? {_MONTH},? {_Y}",
    rf"{_MONTH} {_TH}", rf"{_TH}(?: of)? {_MONTH}",
)  # fmt: skip
_CLOCK = r"(?P<h>\d{1,2})[:.](?P<n>\d\d)"
_NO_MINUTES = r"(?! ?(?:min|mn))"  # a duration: 12 h 30 min


def _day_month(names: str, **more: object) -> DateFormat:
    """3 maj 2024"""
    return replace(DateFormat(_months(names), "{d} {M} {y}", "{d} {M}", _PLAIN), **more)  # type: ignore[arg-type]


def _day_dot_month(names: str, **more: object) -> DateFormat:
    """3. maj 2024"""
    return replace(DateFormat(_months(names), "{d}. {M} {y}", "{d}. {M}", _DOTTED), **more)  # type: ignore[arg-type]


_EN = DateFormat(
    _months(
        "January February March April May June July August September October November December"
    ),
    "{M} {d}, {y}",
    "{M} {d}",
    _ENGLISH,
    order="",  # 5/3/2024 is in May or in March
    separators="/",
    small_hour="{h} o'clock",
)
_EN_DAY_FIRST = replace(_EN, with_year="{d} {M} {y}", without_year="{d} {M}", order="dmy")
_FR = _day_month(
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    dates=(rf"(?P<d>\d{{1,2}}|1er) {_MONTH} {_Y}", rf"(?P<d>\d{{1,2}}|1er) {_MONTH}"),
    first="1er",
    separators="/.",
    times=(rf"(?P<h>\d{{1,2}}) ?h ?(?P<n>\d\d){_NO_MINUTES}",),
    time_cues=r"à|vers|dès|jusqu['’]à|il est|entre",
    time_words="h",
    time="{h}h{n}",
    hour="{h} h",
)
_ES = DateFormat(
    _months("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
            "diciembre"),
    "{d} de {M} de {y}",
    "{d} de {M}",
    _OF,
    separators="/",
    times=(rf"{_CLOCK} (?:h|horas)(?!\.)",),
    time_cues="las?",
    time_words="h",
)  # fmt: skip
_PT = replace(
    _ES,
    months=_months("janeiro fevereiro março abril maio junho julho agosto setembro outubro "
                   "novembro dezembro"),
    times=(rf"(?P<h>\d{{1,2}})h(?P<n>\d\d){_NO_MINUTES}", rf"{_CLOCK} (?:h|horas)(?!\.)"),
    time_cues="às|à|das|pelas|até|desde|são",
    time_words="h",
)  # fmt: skip
_ASIA = DateFormat(
    (), "{y}年{m}月{d}日", "{m}月{d}日", _ASIAN, order="ymd", separators="/", hour="{h}時"
)

_FORMATS: dict[str, DateFormat] = {
    "de": _day_dot_month(
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        times=(rf"{_CLOCK} Uhr", r"(?P<h>\d{1,2}) Uhr(?! \d)"),
        time_words="uhr",
        time="{h}:{n} Uhr",
        hour="{h} Uhr",
    ),
    "en": _EN,
    **dict.fromkeys(("en-gb", "en-au", "en-nz", "en-ie", "en-in"), _EN_DAY_FIRST),
    "en-us": replace(_EN, order="mdy"),
    "fr": _FR,
    "fr-ca": replace(_FR, order="", separators="-", is_iso=True),
    "es": _ES,
    "it": _day_month(
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
        "dicembre",
        dates=(rf"(?P<d>\d{{1,2}})º? {_MONTH} {_Y}", rf"(?P<d>\d{{1,2}})º? {_MONTH}"),
        separators="/.",
        times=(rf"(?<=ore ){_CLOCK}", rf"(?<=alle ){_CLOCK}"),
        time_words="ore alle",
    ),
    "pt": _PT,
    "nl": _day_month(
        "januari februari maart april mei juni juli augustus september oktober november december",
        separators="-/",
        times=(rf"{_CLOCK} uur",),
        time_words="uur",
        hour="{h} uur",
    ),
    "ru": _day_month(
        "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
        with_year="{d} {M} {y} года",
        dates=(rf"{_D} {_MONTH} {_Y} (?:года?\b|г\.)", *_PLAIN),
    ),
    "uk": _day_month(
        "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
        with_year="{d} {M} {y} року",
        dates=(rf"{_D} {_MONTH} {_Y} (?:року|р\.)", *_PLAIN),
    ),
    "pl": _day_month(
        "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października "
        "listopada grudnia",
        dates=(rf"{_D} {_MONTH} {_Y} (?:roku|r\.)", *_PLAIN),
        times=(rf"(?<=godz\. ){_CLOCK}", rf"(?<=godzinie ){_CLOCK}"),
        time_words="godz",
    ),
    "cs": _day_dot_month(
        "ledna února března dubna května června července srpna září října listopadu prosince",
        times=(rf"{_CLOCK} hodin",),
        time_words="hodin",
    ),
    "sk": _day_dot_month(
        "januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra"
    ),
    "sv": _day_month(
        "januari februari mars april maj juni juli augusti september oktober november december",
        order="",
        separators="/",
        is_iso=True,
        times=(rf"(?<=kl\. ){_CLOCK}", rf"(?<=kl ){_CLOCK}", rf"(?<=klockan ){_CLOCK}"),
        time_words="kl",
    ),
    "da": _day_dot_month(
        "januar februar marts april maj juni juli august september oktober november december",
        times=(rf"(?<=kl\. ){_CLOCK}", rf"(?<=klokken ){_CLOCK}"),
        time_words="kl",
        time="{h}.{n}",
    ),
    **dict.fromkeys(
        ("nb", "no"),
        _day_dot_month(
            "januar februar mars april mai juni juli august september oktober november desember",
            times=(rf"(?<=kl\. ){_CLOCK}", rf"(?<=klokken ){_CLOCK}"),
        time_words="kl",
        ),
    ),
    "fi": _day_dot_month(
        "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta "
        "syyskuuta lokakuuta marraskuuta joulukuuta",
        times=(rf"(?<=kello ){_CLOCK}", rf"(?<=klo ){_CLOCK}"),
        time_words="kello klo",
        time="{h}.{n}",
    ),
    "ro": _day_month(
        "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie "
        "decembrie"
    ),
    "tr": _day_month(
        "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
        times=(rf"(?<=saat ){_CLOCK}",),
        time_words="saat",
    ),
    "ja": replace(
        _ASIA,
        times=(r"(?P<h>\d{1,2}) ?時 ?(?P<n>\d\d) ?分(?! ?間)",),
        time_words="時",
    ),
    "zh": replace(_ASIA, times=(r"(?P<h>\d{1,2}) ?[点點] ?(?P<n>\d\d) ?分(?! ?[钟鐘])",),
        time_words="点 點",
                  hour="{h}点"),
    "ar": _day_month(
        "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
        separators="/",
    ),
    "hi": _day_month(
        "जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर", separators="/"
    ),
}  # fmt: skip
_NOT_MONTHS = frozenset({"may", "march"})  # words of their own in small letters


def date_format(code: str) -> DateFormat | None:
    """The format of a code such as de or en-GB; None if nothing is known of the language."""
    return by_language(_FORMATS, code)


def is_month(name: str, *, has_year: bool) -> bool:
    """Whether a name in this case is surely a month: `march 3` need not be one."""
    return has_year or name not in _NOT_MONTHS
