"""Fields of lines, and target sides of synchronous rules as cdec and Joshua write them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rosewood.corpus.lines import split
from rosewood.errors import ForestError

_SLOT = re.compile(r"\[(?:[^\[\], ]+,)?([1-9][0-9]{0,8})\]")


def fields(text: str) -> list[list[str]]:
    """The words between the marks |||, which are words themselves."""
    found: list[list[str]] = [[]]
    for word in split(text):
        if word == "|||":
            found.append([])
        else:
            found[-1].append(word)
    return found


def next_field(pattern: re.Pattern[str], text: str, place: int) -> re.Match[str]:
    """The beginning of a field name=value, as the pattern of a format has it."""
    match = pattern.match(text, place)
    if match is None:
        found = text[place:].strip()[:40]
        raise ForestError(f"expected name=value, not {found!r}", code="line.value")
    return match


def parse_target(words: Sequence[str]) -> list[str | int]:
    """Words, and k for the slot that the file writes [k+1] or [X,k+1]."""
    says: list[str | int] = []
    for word in words:
        slot = _SLOT.fullmatch(word)
        says.append(word if slot is None else int(slot.group(1)) - 1)
    return says


def check_slots(says: Sequence[str | int], tails: int, rule: object) -> None:
    """Refuse a rule that does not use each tail once, as synchronous rules do."""
    slots = sorted(symbol for symbol in says if isinstance(symbol, int))
    if slots != list(range(tails)):
        shown = " ".join(f"[{k + 1}]" for k in slots[:8]) or "no slots"
        reason = f"rule {rule} has {shown}, but its edge has {tails} tails"
        raise ForestError(reason, code="forest.slots", value=len(slots), expected=tails)
