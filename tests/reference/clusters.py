"""Word classes by exchange, written for reading: the specification of core/corpus/clusters.hpp."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product

Sentence = Sequence[str]
Bigrams = Mapping[tuple[str, str], int]

BOUNDARY = "\n"  # before the first word of a sentence, and after its last one
_LEAST_BLOCK, _BLOCKS, _FEW = 128, 128, 400
_TINY = 1e-7  # gains that are less are none


def bigrams(sentences: Sequence[Sentence]) -> Bigrams:
    """How often words follow each other; sentences without words do not count."""
    return Counter(
        pair for words in sentences if words for pair in pairwise([BOUNDARY, *words, BOUNDARY])
    )


def objective(counts: Bigrams, class_of: Mapping[str, int]) -> float:
    """F by its definition; words without a class have class 0, the boundary one of its own."""

    def number(word: str) -> int:
        return -1 if word == BOUNDARY else class_of.get(word, 0)

    both: Counter[tuple[int, int]] = Counter()
    first: Counter[int] = Counter()
    second: Counter[int] = Counter()
    for (one, other), count in counts.items():
        both[number(one), number(other)] += count
        first[number(one)] += count
        second[number(other)] += count
    return (
        math.fsum(map(_log_power, both.values()))
        - math.fsum(map(_log_power, first.values()))
        - math.fsum(map(_log_power, second.values()))
    )


def _log_power(n: int) -> float:
    return n * math.log(n)


def exchange(
    counts: Bigrams, order: Sequence[str], class_of: Mapping[str, int], classes: int
) -> tuple[dict[str, int], int]:
    """One round over words in this order: their classes, and how many have moved.

    The words of a block choose classes without seeing each other move; then they move one after
    the other, if that still raises F.
    """
    now = dict(class_of)
    moves = 0
    for block in blocks(counts, order):
        chosen = {word: _best(counts, word, now, classes) for word in block}
        for word, best in chosen.items():
            moved = now | {word: best}
            if objective(counts, moved) > objective(counts, now) + _TINY:
                now = moved
                moves += 1
    return now, moves


def _best(counts: Bigrams, word: str, class_of: Mapping[str, int], classes: int) -> int:
    """The class where F is largest; its own, or the first, of equal ones."""
    best, most = class_of[word], objective(counts, class_of)
    for number in range(1, classes + 1):
        value = objective(counts, {**class_of, word: number})
        if value > most + _TINY:
            best, most = number, value
    return best


def blocks(counts: Bigrams, order: Sequence[str]) -> Iterator[list[str]]:
    """Words of blocks are at most so many, and at most so much of the text, or one word."""
    occurs: Counter[str] = Counter()
    for (_, word), count in counts.items():
        occurs[word] += count
    most = sum(occurs.values()) // _FEW
    most_words = max(_LEAST_BLOCK, len(order) // _BLOCKS)
    block: list[str] = []
    for word in order:
        if block and (
            len(block) == most_words or sum(occurs[each] for each in [*block, word]) > most
        ):
            yield block
            block = []
        block.append(word)
    if block:
        yield block


def gains(
    counts: Bigrams, class_of: Mapping[str, int], classes: int
) -> Iterator[tuple[str, int, float]]:
    """What each single move would add to F."""
    now = objective(counts, class_of)
    for word, number in product(class_of, range(1, classes + 1)):
        yield word, number, objective(counts, {**class_of, word: number}) - now


def best_of_all(counts: Bigrams, words: Sequence[str], classes: int) -> float:
    """The largest F of all ways to put words into classes."""
    return max(
        objective(counts, dict(zip(words, numbers, strict=True)))
        for numbers in product(range(1, classes + 1), repeat=len(words))
    )
