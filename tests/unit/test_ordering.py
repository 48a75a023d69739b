"""How far translations jump, counted from their alignment, and how far they may."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosewood.align import Links
from rosewood.pipeline import TrainingSettings
from rosewood.pipeline.reordering_stage import jump_lengths, jump_limit

SENTENCES = st.lists(
    st.sets(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=12), max_size=6
)


def plainly(sentences) -> dict[int, int]:
    found: dict[int, int] = {}
    for links in sentences:
        words = sorted({j for _, j in links})
        spans = [sorted(i for i, j in links if j == word) for word in words]
        for before, after in pairwise(spans):
            jump = abs(after[0] - before[-1] - 1)
            found[jump] = found.get(jump, 0) + 1
    return found


@pytest.mark.slow
@given(SENTENCES)
def test_jumps_are_those_of_a_plain_count(sentences):
    links = Links.of([sorted(each) for each in sentences])
    counts = jump_lengths(links)
    assert {n: int(c) for n, c in enumerate(counts) if c} == plainly(sentences)


def test_monotone_text_has_no_jumps():
    links = Links.of([[(0, 0), (1, 1), (2, 2)]] * 3)
    assert jump_lengths(links)[0] == jump_lengths(links).sum() == 6


# -- the limit -------------------------------------------------------------------------------------


def limit_of(counts: dict[int, int], chosen="auto") -> int | None:
    jumps = np.zeros(1001, np.int64)
    for length, count in counts.items():
        jumps[length] = count
    return jump_limit(TrainingSettings(distortion_limit=chosen), jumps)


@pytest.mark.parametrize(
    ("counts", "limit"),
    [
        ({}, 6),
        ({0: 1000}, 6),
        ({0: 999, 9: 1}, 6),
        ({0: 998, 9: 1, 30: 1}, 9),  # of a thousand jumps one is out of reach
        ({0: 900, 9: 98, 15: 2}, 15),
        ({0: 900, 19: 100}, 19),
        ({0: 900, 20: 100}, 20),
        ({0: 900, 21: 100}, 20),
        ({1000: 5}, 20),
    ],
)
def test_nearly_all_jumps_are_within_reach(counts, limit):
    assert limit_of(counts) == limit


@pytest.mark.parametrize("chosen", [0, 3, 50, None])
def test_a_limit_that_is_chosen_is_kept(chosen):
    assert limit_of({0: 900, 19: 100}, chosen) == chosen
