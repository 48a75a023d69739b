"""The n-grams of a model, one by one: of an estimate, of an ARPA file, of a small model's table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosewood import _core
from rosewood.arguments import check_whole
from rosewood.errors import LanguageModelError
from rosewood.lm.vocabulary import Words


class Ngram(NamedTuple):
    """Words, and two log10: of the last one's probability after the others, and of the back-off.

    There is no back-off where no longer n-gram begins with this one and backing off loses nothing.
    """

    words: tuple[str, ...]
    log10: float
    backoff: float | None


def ngrams(table: _core.NgramTable, words: Words, n: int) -> Iterator[Ngram]:
    """All n-grams of n words, sorted by their last word's number, then the one before, and so on.

    All of that order are in memory while this goes on.
    """
    check_whole("n", n, low=1, high=table.order, error=LanguageModelError)
    known = words.list()
    firsts, suffixes = [], []  # of each order: first words, and places of the rest
    for m in range(1, n + 1):
        word, children, log10, backoff = table.columns(m)
        firsts.append(word)
        suffixes.append(np.repeat(np.arange(len(children)), children))
    has_backoff = len(backoff) > 0
    for place in range(len(firsts[-1])):
        said, at = [], place
        for m in range(n - 1, -1, -1):
            said.append(known[firsts[m][at]])
            at = int(suffixes[m - 1][at]) if m else 0
        left = float(backoff[place]) if has_backoff else 0.0
        is_none = not has_backoff or (left == 0.0 and bool(np.signbit(backoff[place])))
        yield Ngram(tuple(said), float(log10[place]), None if is_none else left)
