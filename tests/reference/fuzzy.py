"""Fuzzy matches in a translation memory: the sentence asked for against every other.

The score of two sentences is 1 - d / n, with d the least number of word insertions, deletions and
substitutions that make one of the other, and n the words of the longer one.
"""

from __future__ import annotations

from collections.abc import Sequence

Words = Sequence[str]


def edit_distance(one: Words, other: Words) -> int:
    """Word edit distance."""
    row = list(range(len(other) + 1))
    for number, word in enumerate(one, 1):
        before, row[0] = row[0], number
        for place, own in enumerate(other, 1):
            cheapest = min(before + (word != own), row[place] + 1, row[place - 1] + 1)
            before, row[place] = row[place], cheapest
    return row[-1]


def score(one: Words, other: Words) -> float:
    """1 for equal sentences, 0 for those without equal words in the same order."""
    longer = max(len(one), len(other))
    return (longer - edit_distance(one, other)) / longer


def best_matches(
    wanted: Words, sentences: Sequence[Words], least: float, most: int
) -> list[tuple[int, int, float]]:
    """Row, distance and score of the best sentences; those of equal scores by their rows."""
    if not wanted:
        return []
    found = [
        (row, edit_distance(wanted, each), score(wanted, each))
        for row, each in enumerate(sentences)
    ]
    good = [each for each in found if each[2] >= least]
    return sorted(good, key=lambda each: (-each[2], each[0]))[:most]
