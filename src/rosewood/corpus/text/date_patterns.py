"""Patterns of dates and times in one language, and how another writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from rosewood.corpus.text.date_formats import DateFormat, is_date, is_month
from rosewood.corpus.text.number_patterns import Finder, bounded, one_of

_FIRST_YEAR, _LAST_YEAR = 1000, 2999  # of numeric dates
_NEAR = 60  # characters
_MARKS = "[-‐–—−/&~〜～至到]"
_TO = (
    "to|until|till|through|thru|and|or|bis|und|oder|au|et|ou|al|y|e|a|à|ao|até|hasta|fino|tot|"
    "en|t/m|до|по|и|do|i|až|til|och|og"
)
_ARTICLE = "(?:(?:the|zum|dem|den|le|el|il|het|de|o) )?"
_HOUR = " ?(?:h|[:.]\\d\\d|uhr|uur|o'clock|[ap]\\.?m)"
# A day before this one: from 3 to 5 May, from May 3 to May 5.
_RANGE_BEFORE = re.compile(
    rf"\d(?:\.|st|nd|rd|th|er|日)?(?: ?{_MARKS} ?| \w{{1,4}} | ?から ?|, )\Z"
    rf"|\d[^\d,;!?]{{0,20}}(?: ?{_MARKS} ?| (?:{_TO}) {_ARTICLE}| ?(?:から|まで) ?)\Z",
    re.IGNORECASE,
)
# A day behind this one.
_RANGE_BEHIND = re.compile(
    rf"(?: ?{_MARKS} ?| ?(?:から|まで) ?)(?:\w+ )?\d"
    r"| ?[、・,，] ?\d{1,2} ?日"
    rf"| (?:{_TO}) {_ARTICLE}(?!las? )(?:\w+ )?(?:\d{{4}}|\d{{1,2}}(?!\d|{_HOUR}))",
    re.IGNORECASE,
)
_ENDS_WITH_YEAR = re.compile(r"\d{4}\D+\Z")
# What comes before dates of another calendar or era, and before a month whose year is not read.
_ERA = re.compile(
    "(?:令和|平成|昭和|大正|明治|民[国國]|公元|前|[农農旧舊阴陰][历曆暦]|"
    "(?<![今去明同翌昨来來毎每本当當次前])年) ?\\Z"
)
_YEAR_BEHIND = re.compile(
    r" ['’]?\d{1,4}(?![\d:]|[.,]\d)|, ?\d{1,3} (?:BC|AD|CE|v\. ?Chr|n\. ?Chr|av\.|apr\.|a\. ?C)"
)
# Before hours of the French kind: how long something takes.
_LENGTH_BEFORE = re.compile(r"\b(?:dur|pendant|temps|limit|rédui|passe)\w*\b[^.;!?]{0,30}\Z", re.I)
# Behind them: from somewhere, as in à 2h30 de Paris, but not à 2h30 du matin.
_FROM_BEHIND = re.compile(
    r" (?:de|du|des)\b(?! (?:matin|soir|l['’]après-midi|la (?:nuit|manhã|tarde|noite)))| d['’]",
    re.IGNORECASE,
)
_TIME_BEFORE = re.compile(r"(?:(\w+) )?\d{1,2} ?h ?\d* (?:à|às) \Z", re.IGNORECASE)
_CLOCK_TO = re.compile(r" ?(?:h|\d\d)? ?(?:à|às) \d", re.IGNORECASE)


def date_finders(source: DateFormat | None, target: DateFormat | None) -> Iterator[Finder]:
    """From one format to another, the most specific first; none where one is not known."""
    if source is None or target is None:
        return
    months = one_of(source.months)
    for pattern in source.dates:
        named = bounded(pattern.replace("{months}", months))
        write = partial(_named_date, source, target)
        yield Finder("date", named, write, tuple(source.numbers) or ("月",))
    marks = re.escape(source.separators)
    for order in (source.order,) if source.order else ("dmy", "mdy"):
        one, two, three = (rf"(?P<{each}>\d{{{'4' if each == 'y' else '1,2'}}})" for each in order)
        numeric = bounded(rf"{one}(?P<mark>[{marks}]){two}(?P=mark){three}")
        write = partial(_numeric_date, source, target)
        yield Finder("date", numeric, write, tuple(source.separators))
    for pattern in source.times:
        words = tuple(source.time_words.split())
        yield Finder("time", bounded(pattern), partial(_time, source, target), words)


def _named_date(source: DateFormat, target: DateFormat, match: re.Match[str]) -> str | None:
    groups = match.groupdict()
    year = groups.get("y") or ""
    day = int(re.sub(r"\D", "", groups["d"]))
    if source.months:
        name = groups["M"]
        month = source.numbers.get(name.lower(), 0) if is_month(name, has_year=bool(year)) else 0
    else:
        month = int(groups["m"])
    before, behind = _around(match)
    if not is_date(month, day, int(year or 0)) or _ERA.search(before):
        return None
    if _RANGE_BEFORE.search(before) or _RANGE_BEHIND.match(behind):
        return None
    if not year and _YEAR_BEHIND.match(behind):
        return None  # a year of less than four digits, or one without this day
    return target.written(year, month, day)


def _numeric_date(source: DateFormat, target: DateFormat, match: re.Match[str]) -> str | None:
    year, month, day = match["y"], match["m"], match["d"]
    before, _ = _around(match)
    if _RANGE_BEFORE.search(before) and not _ENDS_WITH_YEAR.search(before):
        return None
    if not is_date(int(month), int(day), int(year)) or not _FIRST_YEAR <= int(year) <= _LAST_YEAR:
        return None
    if not source.order and int(day) <= 12:
        return None  # either number may be the day
    return target.numeric(year, month, day)


def _time(source: DateFormat, target: DateFormat, match: re.Match[str]) -> str | None:
    hour, minute = match["h"], match.groupdict().get("n") or ""
    if int(hour) > 24 or int(minute or 0) > 59:
        return None
    if source.time_cues and not _is_clock(source.time_cues, *_around(match)):
        return None
    return target.clock(hour, minute)


def _is_clock(cues: str, before: str, behind: str) -> bool:
    """Whether what is around a time tells that it is no duration."""
    if _LENGTH_BEFORE.search(before) or _FROM_BEHIND.match(behind):
        return False
    first = _TIME_BEFORE.search(before)
    if first and (first[1] or "").lower() not in ("de", "das"):
        return False  # the time before this one stays, too
    if re.search(rf"(?:^|\W)(?:{cues}) \Z", before, re.IGNORECASE):
        return True
    between = re.search(r"\b(?:entre|de) \Z|\bentre .{3,8} (?:et|e|y) \Z", before, re.IGNORECASE)
    return between is not None and (
        " " in between[0].strip() or _CLOCK_TO.match(behind) is not None
    )


def _around(match: re.Match[str]) -> tuple[str, str]:
    """The text just before and just behind a match."""
    begin, end = match.span()
    return match.string[max(0, begin - _NEAR) : begin], match.string[end : end + _NEAR]
