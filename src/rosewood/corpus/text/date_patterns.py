"""Patterns of dates and times in one language, and how another writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from rosewood.corpus.text.date_formats import DateFormat, is_date, is_month
from rosewood.corpus.text.number_patterns import Finder, bounded, one_of

_FIRST_YEAR, _LAST_YEAR = 1000, 2999  # of numeric dates
# A day before this one: from 3 to 5 May.
_IN_A_RANGE = re.compile(r"\d(?:\.|st|nd|rd|th|er|日)?(?: ?[-–/&~〜～] ?| \w{1,4} |から|, )\Z")


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
        yield Finder("time", bounded(pattern), partial(_time, target), words)


def _named_date(source: DateFormat, target: DateFormat, match: re.Match[str]) -> str | None:
    groups = match.groupdict()
    year = groups.get("y") or ""
    day = int(re.sub(r"\D", "", groups["d"]))
    if source.months:
        name = groups["M"]
        month = source.numbers.get(name.lower(), 0) if is_month(name, has_year=bool(year)) else 0
    else:
        month = int(groups["m"])
    if not is_date(month, day) or _IN_A_RANGE.search(match.string[: match.start()]):
        return None
    return target.written(year, month, day)


def _numeric_date(source: DateFormat, target: DateFormat, match: re.Match[str]) -> str | None:
    year, month, day = match["y"], match["m"], match["d"]
    if not is_date(int(month), int(day)) or not _FIRST_YEAR <= int(year) <= _LAST_YEAR:
        return None
    if not source.order and int(day) <= 12:
        return None  # either number may be the day
    return target.numeric(year, month, day)


def _time(target: DateFormat, match: re.Match[str]) -> str | None:
    hour, minute = match["h"], match.groupdict().get("n") or ""
    if int(hour) > 24 or int(minute or 0) > 59:
        return None
    return target.clock(hour, minute)
