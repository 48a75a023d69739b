"""Rule tables by definition: every rule is held against every part of a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from rosewood.rules import Gap, Rule
from rosewood.rules.rule import Symbol

Match = tuple[int, int, tuple[Symbol, ...], tuple[tuple[int, int], ...]]


def ways(source: Sequence[Symbol], words: Sequence[str], min_gap: int) -> Iterator[tuple[int, ...]]:
    """How many words each symbol stands for, in every way in which the source is these words."""
    for sizes in product(range(1, len(words) + 1), repeat=len(source)):
        if sum(sizes) != len(words):
            continue
        at, fits = 0, True
        for symbol, size in zip(source, sizes, strict=True):
            if isinstance(symbol, Gap):
                fits = fits and size >= min_gap
            else:
                fits = fits and size == 1 and words[at] == symbol
            at += size
        if fits:
            yield sizes


def matches(
    rules: Sequence[Rule], sentence: Sequence[str], max_span: int, min_gap: int
) -> Iterator[Match]:
    """Every source that matches a span, with its gaps; each source once for each way."""
    for source in {rule.source for rule in rules}:
        for begin in range(len(sentence)):
            for end in range(begin + 1, min(begin + max_span, len(sentence)) + 1):
                for sizes in ways(source, sentence[begin:end], min_gap):
                    at, gaps = begin, []
                    for symbol, size in zip(source, sizes, strict=True):
                        if isinstance(symbol, Gap):
                            gaps.append((at, at + size))
                        at += size
                    yield begin, end, source, tuple(gaps)


def kept(rules: Sequence[Rule], sentences: Sequence[Sequence[str]]) -> set[tuple[Symbol, ...]]:
    """The sources that a sentence can use."""
    return {
        match[2] for words in sentences for match in matches(rules, words, max(1, len(words)), 1)
    }
