"""How far translations jump, counted from their alignment."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from rosewood.align import Links
from rosewood.pipeline.ordering import jump_lengths

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


@given(SENTENCES)
def test_jumps_are_those_of_a_plain_count(sentences):
    links = Links.of([sorted(each) for each in sentences])
    counts = jump_lengths(links)
    assert {n: int(c) for n, c in enumerate(counts) if c} == plainly(sentences)


def test_monotone_text_has_no_jumps():
    links = Links.of([[(0, 0), (1, 1), (2, 2)]] * 3)
    assert jump_lengths(links)[0] == jump_lengths(links).sum() == 6
