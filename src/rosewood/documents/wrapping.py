"""Text in a number of lines of about the same length."""

from __future__ import annotations

import re
from collections.abc import Callable

from rosewood.corpus.text.scripts import CJK
from rosewood.documents.inline_codes import without_codes

_ATOM = re.compile(rf'\s+|<(?:bpt|ept|ph) i="\d+"/>|<[^<>\s]{{1,20}}>|[{CJK}]|[^\s{CJK}<]+|<')
_WIDE = re.compile(f"[{CJK}]")
_AHEAD = 80  # characters that may_begin gets
_NOT_FIRST = frozenset("、。，．！？：；」』）】〉》ーっゃゅょッャュョ々…")  # of a line
_NOT_LAST = frozenset("「『（【〈《")


def wrapped(
    text: str,
    lines: int,
    *,
    newline: str = "\n",
    width: Callable[[str], int] | None = None,
    may_begin: Callable[[str], bool] | None = None,
) -> str:
    """The text with line breaks for white space, in at most this many lines, the longest of which
    is as short as can be.

    `may_begin` says whether a line may begin with a text, of which it gets the first characters.
    """
    if lines < 2:
        return " ".join(text.split())
    words = _words(text, may_begin)
    measure = width or _width
    widths = [measure(word.strip()) for word, _ in words]
    low, high = max(widths, default=0), sum(widths) + len(widths)
    while low < high:
        middle = (low + high) // 2
        if len(_filled(words, widths, middle)) <= lines:
            high = middle
        else:
            low = middle + 1
    return newline.join(_filled(words, widths, low))


def _width(text: str) -> int:
    return len(without_codes(text))


def _words(text: str, may_begin: Callable[[str], bool] | None) -> list[tuple[str, bool]]:
    """Parts between which a line may end, and whether a space is before each."""
    words: list[tuple[str, bool]] = []
    is_spaced, is_glued = False, True
    for found in _ATOM.finditer(text):
        atom = found[0]
        if atom.isspace():
            is_spaced = True
            continue
        last = words[-1][0] if words else ""
        is_wide = bool(last) and (_WIDE.fullmatch(atom) or _WIDE.match(last[-1])) and not is_glued
        can_break = is_wide and atom[0] not in _NOT_FIRST and last[-1] not in _NOT_LAST
        ahead = text[found.start() : found.start() + _AHEAD]
        if words and is_spaced and may_begin is not None and not may_begin(ahead):
            words[-1] = (f"{last} {atom}", words[-1][1])
        elif not words or is_spaced or can_break:
            words.append((atom, is_spaced))
        else:
            words[-1] = (last + atom, words[-1][1])
        is_spaced = False
        is_glued = atom.startswith("<bpt")
    return words


def _filled(words: list[tuple[str, bool]], widths: list[int], most: int) -> list[str]:
    """Lines that are filled one after the other."""
    found: list[str] = []
    used = 0
    for (word, is_spaced), width in zip(words, widths, strict=True):
        gap = 1 if is_spaced else 0
        if found and used + gap + width <= most:
            found[-1] += " " * gap + word
            used += gap + width
        else:
            found.append(word)
            used = width
    return found
