"""Pairs of candidates as PRO samples them, and the minimiser of its loss."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from rosewood.learn.candidates import Candidates
from rosewood.learn.objective import minimize_lbfgs
from rosewood.learn.pairs import sample_pairs

GAINS = st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.5]), min_size=1, max_size=6)  # many are equal


@settings(max_examples=60, deadline=None)
@given(st.lists(GAINS, min_size=1, max_size=4), st.integers(1, 30), st.integers(0, 2**16))
def test_the_pairs_that_differ_most_are_kept(lists, keep, seed):
    gains = np.array([gain for each in lists for gain in [*each, 1.0]])
    start = np.cumsum([0, *(len(each) + 1 for each in lists)])
    none = np.empty(0)
    table = Candidates(
        start, np.zeros((len(gains), 0)), np.zeros(len(gains) + 1, np.int64), none, none, 0, none
    )
    found = sample_pairs(
        table, gains, samples=40, keep=keep, threshold=0.05, random=np.random.default_rng(seed)
    )
    random = np.random.default_rng(seed)
    better, worse = [], []
    for first, last in pairwise(start):
        drawn = random.integers(first, last, size=(2, 40)).T.tolist()
        drawn = [(a, b) for a, b in drawn if abs(gains[a] - gains[b]) > 0.05]
        if len(drawn) > keep:
            drawn.sort(key=lambda pair: -abs(gains[pair[0]] - gains[pair[1]]))
        better += [a if gains[a] > gains[b] else b for a, b in drawn[:keep]]
        worse += [b if gains[a] > gains[b] else a for a, b in drawn[:keep]]
    assert found.better.tolist() == better
    assert found.worse.tolist() == worse
    assert found.gap.tolist() == (gains[better] - gains[worse]).tolist()


def blas_threads() -> list[int]:
    return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]


def test_minimising_takes_one_thread_of_the_algebra_library():
    during = []

    def objective(x):
        during.extend(blas_threads())
        return float(x @ x), 2 * x

    before = blas_threads()
    minimize_lbfgs(objective, np.ones(3), iterations=5)
    assert set(during) == {1}
    assert blas_threads()[: len(before)] == before
