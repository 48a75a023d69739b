"""Blocks of sentences made into words: functions that worker processes call.

Casing is learnt from all of the text, so its words are made in two steps: `cut_pairs` cuts texts
into tokens and counts their forms, `case_pairs` gives tokens their case.  The tokens in between are
kept as bytes, so that no text is cut twice.  Without casing, `make_pairs` does it in one step.
"""

from __future__ import annotations

import json
import marshal
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from rosewood.corpus.filters import Filters
from rosewood.corpus.lines import split
from rosewood.corpus.pairs import SentencePair
from rosewood.corpus.text.processor import CutText, TextProcessor
from rosewood.corpus.text.truecase import CaseCounts, Plain

FORMAT = sys.implementation.cache_tag  # Python versions do not read each other's bytes
_BARS = "|||"  # separates the fields of rules as text
_MARKS = frozenset(("<s>", "</s>"))  # of language models
_EXAMPLES = 3  # texts of removed pairs that are kept, for each reason

Sides = tuple[str | None, str | None]  # the processor of each side as JSON; None: text is words


class MadePairs(NamedTuple):
    """The pairs of a block that are kept, as words, and those that are not."""

    seen: int
    kept: list[int]  # places in the block
    source: bytes  # a sentence a line
    target: bytes
    removed: list[tuple[int, str, str, str]]  # place, reason, texts of the first few


@lru_cache(maxsize=8)
def _processor(text: str) -> TextProcessor:
    return TextProcessor.from_dict(json.loads(text))


def _lines(block: bytes) -> list[str]:
    return block.decode().split("\n")[:-1]


def cut_pairs(sides: Sides, source: bytes, target: bytes) -> tuple[Plain, Plain, bytes]:
    """How words of both sides are cased, and the tokens, for `case_pairs`.

    Neighbours of words are counted for the source only: input may have lost its case.
    """
    counts: list[Plain] = []
    cuts: list[list[CutText]] = []
    for processor, block in zip(_both(sides), (source, target), strict=True):
        cut = [processor.cut(text) for text in _lines(block)]
        cuts.append([tuple(each) for each in cut])  # type: ignore[misc]  # marshal takes no others
        made = CaseCounts.of(
            (each.unmarked() for each in cut),
            processor.tokeniser.language,
            neighbours=not counts,
        )
        counts.append(made.to_plain())
    return counts[0], counts[1], marshal.dumps(cuts)


def case_pairs(sides: Sides, filters: Filters, cuts: bytes) -> MadePairs:
    """Words of what `cut_pairs` gave, by processors that have learnt casing."""
    words = [
        [" ".join(processor.words(CutText(*cut))) for cut in some]
        for processor, some in zip(_both(sides), marshal.loads(cuts), strict=True)
    ]
    return _filtered(zip(*words, strict=True), filters)


def make_pairs(sides: Sides, filters: Filters, source: bytes, target: bytes) -> MadePairs:
    """Words of texts, where no casing is learnt."""
    words = (
        words_of(side, _lines(text)) for side, text in zip(sides, (source, target), strict=True)
    )
    return _filtered(zip(*words, strict=True), filters)


def make_lines(side: str | None, lines: Sequence[str]) -> bytes:
    """The words of texts, a line each but for those without words."""
    return _joined(each for each in words_of(side, lines) if each)


def _both(sides: Sides) -> Iterator[TextProcessor]:
    return (_processor(each or "") for each in sides)


def words_of(side: str | None, texts: Iterable[str]) -> Iterator[str]:
    """The words of each text, by a processor that is done with learning."""
    if side is None:
        return (" ".join(split(text)) for text in texts)
    processor = _processor(side)
    return (" ".join(processor.words(processor.cut(text))) for text in texts)


def _joined(lines: Iterable[str]) -> bytes:
    return "".join([f"{line}\n" for line in lines]).encode()


def _filtered(pairs: Iterable[tuple[str, str]], filters: Filters) -> MadePairs:
    kept: list[int] = []
    removed: list[tuple[int, str, str, str]] = []
    sides: tuple[list[str], list[str]] = ([], [])
    counts: Counter[str] = Counter()
    number = -1
    for number, (source, target) in enumerate(pairs):
        reason = filters.reason(SentencePair(source, target)) or _odd_words(source, target)
        if reason is None:
            kept.append(number)
            sides[0].append(source)
            sides[1].append(target)
            continue
        counts[reason] += 1
        texts = (source, target) if counts[reason] <= _EXAMPLES else ("", "")
        removed.append((number, reason, *texts))
    return MadePairs(number + 1, kept, _joined(sides[0]), _joined(sides[1]), removed)


def _odd_words(source: str, target: str) -> str | None:
    """Words that mean something else to rules as text, or to language models."""
    if _BARS in source or _BARS in target:
        return f"a word with {_BARS}"
    if "s>" in target and not _MARKS.isdisjoint(target.split()):
        return "the word <s> or </s>"
    return None
