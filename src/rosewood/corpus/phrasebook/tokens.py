"""Words that know what they mean: the keys from which gold alignments are made.

A token is a word and the keys of the parts of meaning it expresses; words of the two sides that
share a key are linked.  Keys are even; a key plus one is a weaker claim to the same part, and makes
the link possible instead of sure.  A word without a key stays unaligned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Token: TypeAlias = tuple[str, *tuple[int, ...]]
Tokens: TypeAlias = list[Token]
Links: TypeAlias = frozenset[tuple[int, int]]

STEP = 64  # distance of the keys of two parts of a sentence: room for 32 words of each


def rebased(tokens: Sequence[Token], base: int) -> Tokens:
    """Tokens of the lexicon, whose keys count from 0, as part of a sentence."""
    return [(token[0], *[base + key for key in token[1:]]) for token in tokens]


def links_of(source: Sequence[Token], target: Sequence[Token]) -> tuple[Links, Links]:
    """The sure links, and all links, between words that share a key."""
    places: dict[int, list[tuple[int, int]]] = {}
    for i, token in enumerate(source):
        for key in token[1:]:
            places.setdefault(key >> 1, []).append((i, key & 1))
    sure: set[tuple[int, int]] = set()
    possible: set[tuple[int, int]] = set()
    for j, token in enumerate(target):
        for key in token[1:]:
            for i, is_weak in places.get(key >> 1, ()):
                possible.add((i, j))
                if not is_weak and not key & 1:
                    sure.add((i, j))
    return frozenset(sure), frozenset(possible)
