"""What stages tell, read with care: a report is written whatever is missing.

A report comes at the end of hours of work, and facts may be from a stage of another run; so what is
not there, or is not what it should be, is nothing, and its part of the page is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from rosewood.svg_text import duration

_SETTINGS, _LONG = 200, 500  # settings that are told, and characters of each


class Facts:
    """Names and values, of which any may be missing."""

    def __init__(self, values: object = None) -> None:
        self._values: Mapping[str, Any] = values if isinstance(values, Mapping) else {}

    def __bool__(self) -> bool:
        return bool(self._values)

    def number(self, name: str) -> float | None:
        """A finite number."""
        return _finite(self._values.get(name))

    def count(self, name: str) -> int:
        """A whole number; nothing is none."""
        value = self.number(name)
        return 0 if value is None else int(value)

    def is_true(self, name: str) -> bool:
        return self._values.get(name) is True

    def text(self, name: str, otherwise: str = "") -> str:
        """A text, or a number as text."""
        value = self._values.get(name)
        return str(value) if isinstance(value, str | int | float) else otherwise

    def texts(self, name: str) -> list[str]:
        """A list of texts, or one text."""
        value = self._values.get(name)
        if isinstance(value, str):
            return [value]
        return [each for each in _list(value) if isinstance(each, str)]

    def numbers(self, name: str) -> list[float]:
        """A list of numbers, with zero in place of other values."""
        return [_finite(each) or 0.0 for each in _list(self._values.get(name))]

    def items(self, name: str) -> list[Any]:
        """A list of anything."""
        return _list(self._values.get(name))

    def pairs(self, name: str) -> list[tuple[Any, Any]]:
        """A list of pairs of anything."""
        return [(each[0], each[1]) for each in map(_list, self.items(name)) if len(each) == 2]

    def weighed(self, name: str) -> list[tuple[str, float]]:
        """A list of pairs: a text, or a number as text, and a number."""
        found = [(each, _finite(value)) for each, value in self.pairs(name)]
        return [
            (str(each), value)
            for each, value in found
            if isinstance(each, str | int | float) and value is not None
        ]

    def part(self, name: str) -> Facts:
        """Facts among the facts."""
        return Facts(self._values.get(name))

    def plain(self, name: str) -> dict[str, Any]:
        """A table as it is; empty where there is none."""
        found = self._values.get(name)
        return dict(found) if isinstance(found, Mapping) else {}

    def parts(self, name: str) -> list[Facts]:
        """A list of facts."""
        return [Facts(each) for each in self.items(name) if isinstance(each, Mapping)]

    def named(self, name: str) -> dict[str, Facts]:
        """Facts by names."""
        found = self.part(name)._values
        return {str(k): Facts(v) for k, v in found.items() if isinstance(v, Mapping)}

    def named_numbers(self, name: str) -> dict[str, float]:
        """Numbers by names."""
        found = {str(k): _finite(v) for k, v in self.part(name)._values.items()}
        return {k: v for k, v in found.items() if v is not None}

    def told(self) -> list[tuple[str, str]]:
        """Everything, for a list of settings: yes and no, and a dash where there is nothing."""
        some = list(self._values.items())[:_SETTINGS]
        return [(str(name)[:_LONG].replace("_", " "), _told(value)[:_LONG]) for name, value in some]


def _list(value: object) -> list[Any]:
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else []


def _finite(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    return float(value)


def _told(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "–"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={_told(each)}" for name, each in value.items()) or "–"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_told, value)) or "–"
    return f"{value:,}" if type(value) is int and value >= 10_000 else str(value)


def percent(part: float, whole: float) -> str:
    """A share in percent; a share above zero is never shown as zero."""
    if not whole:
        return "–"
    share = 100.0 * part / whole
    if 0 < share < 0.01:
        return "<\u00a00.01\u00a0%"
    digits = 0 if share >= 9.95 or not share else 1 if share >= 0.95 else 2
    if share < 100 and round(share, digits) >= 100:
        return ">\u00a099\u00a0%"
    return f"{share:.{digits}f}\u00a0%"


def byte_size(count: float) -> str:
    """Bytes with three digits or so."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 999.5:
            digits = 0 if count >= 99.5 or unit == "bytes" else 1
            return f"{count:.{digits}f}\u00a0{unit}"
        count /= 1000
    return f"{count:,.1f}\u00a0TB"


def took(seconds: float) -> str:
    """How long something took; less than ten seconds with tenths."""
    return f"{max(0.0, seconds):.1f} s" if seconds < 9.95 else duration(seconds)
