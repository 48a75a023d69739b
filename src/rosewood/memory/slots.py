"""Texts that are the same but for their placeholders and tags.

    form = slot_form("Hallo {name}!", protection.find)
    form.key                                    # the same for "Hallo %s!"
    with_values_of(pair_form, form, "Hello {name}!", protection.find)       # "Hello %s!"

Values of a text replace those of the memory's translation only where nothing is left to chance:
the translation has each value of its source exactly as often, equal values are replaced by equal
ones, and values whose meaning depends on their order (`%s`, `{}`) do not change it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple
from unicodedata import is_normalized, normalize

from rosewood.corpus.text.tags import Found

FindValues = Callable[[str], Sequence[Found]]

_MARKS = {"value": "\0v", "open": "\0o", "close": "\0c"}  # no text has a zero character
_ORDERED = re.compile(r"%(?!\(|\d+\$|%|[A-Za-z_]\w*%)|\{\s*(?:[:!][^{}]*)?\}")


class SlotForm(NamedTuple):
    """A text with marks for its placeholders and tags."""

    key: str
    values: tuple[str, ...]  # the placeholders and tags in their order


def exact_form(text: str) -> str:
    """What must be equal in exact matches: the text in Unicode NFC, a space for white space."""
    if not is_normalized("NFC", text):
        text = normalize("NFC", text)
    return " ".join(text.split())


def slot_form(text: str, find: FindValues) -> SlotForm | None:
    """The form of a text; None where it has no placeholders and tags."""
    found = find(text)
    if not found:
        return None
    parts, values, place = [], [], 0
    for start, end, kind, _ in found:
        parts += [text[place:start], _MARKS[kind]]
        values.append(text[start:end])
        place = end
    return SlotForm(exact_form("".join([*parts, text[place:]])), tuple(values))


def keeps_order(source: str, translation: str, find: FindValues) -> bool:
    """Whether placeholders whose meaning depends on their order, such as `%s`, keep it."""
    first, second = (
        [text[each.start : each.end] for each in find(text)] for text in (source, translation)
    )
    return list(filter(_ORDERED.match, first)) == list(filter(_ORDERED.match, second))


def with_values_of(old: SlotForm, new: SlotForm, translation: str, find: FindValues) -> str | None:
    """The translation of a text of the form `old` with the values of `new`; None where unsure."""
    replaced: dict[str, str] = {}
    for before, after in zip(old.values, new.values, strict=True):
        if replaced.setdefault(before, after) != after:
            return None
    found = find(translation)
    values = [translation[each.start : each.end] for each in found]
    if Counter(values) != Counter(old.values):
        return None
    made = [replaced[value] for value in values]
    if values != list(old.values) and any(_ORDERED.match(each) for each in (*old.values, *made)):
        return None
    parts, place = [], 0
    for each, value in zip(found, made, strict=True):
        parts += [translation[place : each.start], value]
        place = each.end
    text = "".join([*parts, translation[place:]])
    # A value may be none beside other letters, as %d before n't.
    return text if [text[each.start : each.end] for each in find(text)] == made else None
