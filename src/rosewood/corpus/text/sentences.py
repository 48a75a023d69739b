"""Splitting a paragraph into sentences, and what is between them.

    gaps, sentences = split_sentences("Dr. Weber ist da. Kommt <b>z.B. Anna</b>?  Ja.", "de")
    sentences        # "Dr. Weber ist da.", "Kommt <b>z.B. Anna</b>?", "Ja."
    gaps             # "", " ", "  ", "": before the first, between them, behind the last

A sentence ends at . ! ? or … before white space, if what follows does not begin with a small
letter, and at 。！？ anywhere; so does a label such as <b>Note:</b>.  A full stop behind an
abbreviation, an initial or (where they are written so) an ordinal number ends nothing: a long
sentence is translated better than a torn one.  Tags and placeholders are never torn, and no
sentence has only one half of a pair of tags: such tags become part of the gap where they are at the
edge of a sentence, and where they are not, the sentences stay together.  So do placeholders behind
the end of a sentence, such as references to footnotes.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import NamedTuple

from rosewood.corpus.text.languages import language_of
from rosewood.corpus.text.tags import Found, Protection, paired

_TAG, _VALUE = "\ue000", "\ue001"  # stand for the characters of tags and values
_CLOSED = "\"'”’“»«)]"
_CLOSING = _CLOSED.replace("]", r"\]")
_OPENING = "\"'„“‚‘«»‹›(\\[¿¡"
_MARKS = ".!?…؟।"
_END = re.compile(
    rf"(?<![{_MARKS}])(?P<mark>[{_MARKS}]++)(?:[{_CLOSING}]|{_TAG}|{_VALUE})*+(?P<gap>\s++)"
    rf"(?:[{_OPENING}–—-]|{_TAG}|\s)*+(?P<next>\S)"
    rf"|:{_TAG}++(?P<gap3>\s++)(?=\S)"
    rf"|(?<![。！？])[。！？]++(?:[」』）{_CLOSING}]|{_TAG})*+(?P<gap2>\s*+)(?=\S)"
)
_WORD = re.compile(r"[^\s\"'„“‚‘«»‹›(\[¿¡\ue000]*\Z")
_LONGEST = 60  # characters before a full stop that are looked at for an abbreviation
_ROUNDS = 20
_PROTECTION = Protection()
_LINES = re.compile(r"(?<![^\S\n])[^\S\n]*+(?:\n[^\S\n]*+)+")
_FULL_LINE = 40  # a shorter line was not ended by its length


class Sentences(NamedTuple):
    """A text in parts: `gaps` has one item more than `sentences`."""

    gaps: list[str]
    sentences: list[str]

    def joined(self, translations: Sequence[str]) -> str:
        """The text with other sentences in the places of its own."""
        parts = [self.gaps[0]]
        for text, gap in zip(translations, self.gaps[1:], strict=True):
            parts += [text, gap]
        return "".join(parts)


def split_sentences(text: str, language: str = "", *, breaks: bool = False) -> Sentences:
    """The sentences of a text.

    With `breaks` a line break ends a sentence, unless it looks like one that only keeps lines
    short.
    """
    found = _PROTECTION.find(text)
    masked = _masked(text, found)
    tags = [each for each in found if each.kind != "value"]
    halves = paired([(each.kind, each.key) for each in tags])
    values = {each.end: each.start for each in found if each.kind == "value"}
    cuts = [(0, 0), *_ends(masked, language, breaks), (len(text), len(text))]
    for _ in range(_ROUNDS):
        spans, torn = _spans(text, cuts, tags, halves, values)
        if not torn:
            break
        cuts = _without(cuts, torn)
    else:
        spans, _ = _spans(text, [cuts[0], cuts[-1]], tags, halves, values)
    gaps, sentences, end = [], [], 0
    for first, last in spans:
        gaps.append(text[end:first])
        sentences.append(text[first:last])
        end = last
    return Sentences([*gaps, text[end:]], sentences)


def has_words(text: str) -> bool:
    """Whether there are letters that are not of tags or placeholders."""
    return any(map(str.isalpha, _masked(text, _PROTECTION.find(text))))


def _masked(text: str, found: Sequence[Found]) -> str:
    """The text with a private character for each character of tags and of values."""
    if not found:
        return text
    parts, end = [], 0
    for each in found:
        mask = _VALUE if each.kind == "value" else _TAG
        parts += [text[end : each.start], mask * (each.end - each.start)]
        end = each.end
    return "".join([*parts, text[end:]])


def _ends(masked: str, language: str, breaks: bool) -> list[tuple[int, int]]:
    """Where sentences end and the next ones begin, from left to right."""
    rules = language_of(language)
    abbreviations = frozenset(rules.abbreviations)
    ends: set[tuple[int, int]] = set()
    start = place = 0
    while (found := _END.search(masked, place)) is not None:
        place = found.end("mark") if found["mark"] else found.end()
        if found["mark"]:
            following = found["next"]
            if following.islower():
                continue
            if found["mark"] == "." and not _stops(
                masked, start, found.start(), following, abbreviations, rules.ordinals
            ):
                continue
            cut = found.span("gap")
        else:
            cut = found.span("gap2" if found["gap3"] is None else "gap3")
        ends.add(cut)
        start = cut[1]
    if breaks:
        ends |= {each.span() for each in _LINES.finditer(masked) if _breaks(masked, each)}
    cuts: list[tuple[int, int]] = []
    for cut in sorted(ends):
        if cuts and cut[0] < cuts[-1][1]:  # of two that overlap: both
            cuts[-1] = (cuts[-1][0], max(cuts[-1][1], cut[1]))
        else:
            cuts.append(cut)
    return cuts


def _stops(
    masked: str, start: int, dot: int, following: str, abbreviations: frozenset[str], ordinals: bool
) -> bool:
    """Whether a full stop ends a sentence, by the word before it."""
    found = _WORD.search(masked[max(start, dot - _LONGEST) : dot])
    word = "" if found is None else found[0]
    if word in abbreviations or word.lower() in abbreviations or "." in word:
        return False
    if len(word) == 1 and word.isalpha():
        return False
    if word.isdigit():
        is_first = not masked[start : dot - len(word)].strip()
        return not (ordinals or is_first) and following.isupper()
    return True


def _breaks(masked: str, found: re.Match[str]) -> bool:
    """Whether a line break is more than the end of a line that was full."""
    if found[0].count("\n") > 1:
        return True
    before = masked[masked.rfind("\n", 0, found.start()) + 1 : found.start()]
    behind = masked[found.end() : found.end() + 1]
    if len(before) < _FULL_LINE or before[-1] in ".:;!?…":
        return True
    return not (behind.isalnum() or behind in (_TAG, _VALUE))


def _spans(
    text: str,
    cuts: Sequence[tuple[int, int]],
    tags: Sequence[Found],
    halves: Sequence[int | None],
    values: Mapping[int, int],
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The sentences between cuts, without white space and lone tags at their edges.

    Then pairs of tags of which one is within a sentence and the other one is not, by the numbers of
    their sentences.
    """
    begins = [each.start for each in tags]
    places = [bisect_right(cuts, each, key=itemgetter(1)) - 1 for each in begins]
    spans: list[tuple[int, int]] = []
    torn: list[tuple[int, int]] = []
    for number, ((_, start), (stop, _)) in enumerate(pairwise(cuts)):
        low, high = bisect_left(begins, start), bisect_left(begins, stop)

        def is_alone(tag: int, low: int = low, high: int = high) -> bool:
            half = halves[tag]
            return half is None or not low <= half < high

        first, last, left, right = start, stop, low, high
        while True:
            first = _without_spaces(text, first, last)
            if left < right and tags[left].start == first and is_alone(left):
                first, left = tags[left].end, left + 1
            else:
                break
        while True:
            last = first + len(text[first:last].rstrip())
            if left < right and tags[right - 1].end == last and is_alone(right - 1):
                last, right = tags[right - 1].start, right - 1
            elif first <= (begin := values.get(last, -1)) and _is_ended(text, first, begin):
                last = begin  # such as a reference to a footnote
            else:
                break
        if first < last:
            spans.append((first, last))
        for tag in range(left, right):
            half = halves[tag]
            if half is not None and not low <= half < high:
                one, other = sorted((number, min(max(places[half], 0), len(cuts) - 2)))
                torn.append((one, other))
    return spans, torn


def _is_ended(text: str, first: int, last: int) -> bool:
    """Whether a text ends a sentence before a place."""
    before = text[first:last][-_LONGEST:].rstrip(f"{_CLOSED}")
    return bool(before) and before[-1] in f"{_MARKS}。！？"


def _without_spaces(text: str, first: int, last: int) -> int:
    while first < last and text[first].isspace():
        first += 1
    return first


def _without(
    cuts: Sequence[tuple[int, int]], torn: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """The cuts that are not between sentences that must stay together."""
    change = [0] * (len(cuts) + 1)
    for one, other in torn:
        change[one + 1] += 1
        change[other + 1] -= 1
    covered = accumulate(change)
    return [cut for cut, depth in zip(cuts, covered, strict=False) if depth == 0]
