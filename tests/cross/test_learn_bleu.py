"""BLEU in the inner loops of learners, where kernels take short cuts, against plain loops."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import learn as loops
from tests.reference.metrics import bleu_score

from rosewood import _core
from rosewood.learn.candidates import Candidates
from rosewood.metrics import Bleu, parse_metric

EXAMPLES = settings(max_examples=60, deadline=None)

METRICS = [
    Bleu("none"),
    Bleu("none", smooth="none"),
    Bleu("none", smooth="floor"),
    Bleu("none", smooth="add-k"),
    Bleu("none", orders=2),
    Bleu("none", effective_order=True),
]


def counts(random: np.random.Generator, rows: int, orders: int, right: float) -> np.ndarray:
    """Statistics of made-up sentences; `right` is how many n-grams match, of 1."""
    words = random.integers(0, 20, rows)
    reference = np.maximum(1, words + random.integers(-3, 6, rows))
    total = np.maximum(words[:, None] - np.arange(orders), 0)
    match = random.binomial(total, right ** np.arange(1, orders + 1))
    return np.column_stack([words, reference, match, total]).astype(float)


@EXAMPLES
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(METRICS),
    st.sampled_from([2, 20, 120]),
    st.sampled_from([0.05, 0.5, 0.9]),
)
def test_line_search_passes_over_nothing_that_is_best(seed, metric, sentences, right):
    random = np.random.default_rng(seed)
    lines, rows = [], 0
    for _ in range(sentences):
        # Places on a grid, so that many sentences change at once, some at 0 and some at -0.
        places = np.unique(np.round(random.normal(size=random.integers(0, 7)), 1))
        begins = [-np.inf, *(places * random.choice([-1.0, 1.0])).tolist()]
        lines.append([(x, rows + k) for k, x in enumerate(sorted(begins))])
        rows += len(begins)
    table = counts(random, rows, metric.orders, right)
    begin = np.array([x for sentence in lines for x, _ in sentence])
    x, gain, before = _core.line_search(
        np.cumsum([0, *map(len, lines)]), begin, np.arange(rows), table, metric.scorer,
        -10.0, 10.0, 1e-9,
    )  # fmt: skip

    def at(x: float) -> float:
        chosen = [[row for b, row in sentence if b <= x][-1] for sentence in lines]
        return metric.score(table[chosen])

    assert gain == loops.line_search(lines, table, metric.score, -10.0, 10.0)
    tie = any(b == 0.0 for sentence in lines for b, _ in sentence)
    assert (at(x), -np.inf if tie else at(0.0)) == (gain, before)


@EXAMPLES
@given(st.integers(0, 2**32 - 1), st.sampled_from(METRICS), st.booleans())
def test_mira_sees_the_metric_of_the_pseudo_corpus(seed, metric, empty):
    random = np.random.default_rng(seed)
    start = np.cumsum([0, *random.integers(1, 12, 6)])
    dense = np.round(random.standard_normal((start[-1], 3)), 2)
    table = counts(random, start[-1], metric.orders, 0.6)
    background = np.zeros(table.shape[1]) if empty else table.mean(axis=0)
    order = random.permutation(len(start) - 1)
    theta = random.standard_normal(3)
    options = (0.3, 0.9, 0.01)
    want, _, after, moved = loops.mira_pass(
        start, dense, table, metric.score, order, options, theta, background
    )
    view = _core.make_features(
        dense, np.zeros(len(dense) + 1, np.int64), np.empty(0, np.int32), np.empty(0), 0
    )
    found = _core.mira_pass(
        start, view, table, metric.scorer, order, options, theta, np.zeros(3), background, 0
    )
    assert found == moved
    assert theta == pytest.approx(want, abs=1e-12)
    assert background == pytest.approx(after, abs=1e-12)


@EXAMPLES
@given(st.integers(0, 2**32 - 1))
def test_line_search_with_bleu_passes_over_nothing(seed):
    """Sums that are dropped by products alone are never the best: short ones, and ones that match
    nothing of some order, among them."""
    random = np.random.default_rng(seed)
    counts = random.integers(1, 5, size=8)
    start = np.cumsum([0, *counts])
    begin = np.concatenate([[-np.inf, *np.sort(random.normal(size=n - 1))] for n in counts])
    words = random.integers(4, 12, size=len(begin))
    totals = np.stack([words - n for n in range(4)], axis=1)
    matches = np.minimum.accumulate(random.integers(0, totals + 1), axis=1)
    if random.random() < 0.3:
        matches[:, 3] = 0
    table = np.column_stack([words, random.integers(4, 14, size=len(begin)), matches, totals])
    table = table.astype(float)
    lines = [[(begin[k], k) for k in range(a, b)] for a, b in pairwise(start)]
    scorer = parse_metric("bleu").scorer

    def gain(total) -> float:
        return bleu_score(total, 4)

    found = _core.line_search(
        start, begin, np.arange(len(begin)), table, scorer, -9.0, 9.0, 1e-12
    )  # fmt: skip
    best = loops.line_search(lines, table, gain, -9.0, 9.0)
    assert found[1] == pytest.approx(best, rel=1e-12, abs=1e-12)


@EXAMPLES
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_mira_steps_with_bleu(seed, empty):
    """BLEU of all candidates of a list at once is BLEU of each; also where the pseudo-corpus has
    no matches yet."""
    random = np.random.default_rng(seed)
    rows = random.standard_normal((12, 3))
    words = random.integers(4, 12, size=12)
    totals = np.stack([words - n for n in range(4)], axis=1)
    matches = np.minimum.accumulate(random.integers(0, totals + 1), axis=1)
    table = Candidates(
        start=np.array([0, 5, 6, 12]),
        dense=rows,
        feat_start=np.zeros(13, dtype=np.int64),
        feat_id=np.empty(0, dtype=np.int32),
        feat_value=np.empty(0),
        num_sparse=0,
        statistics=np.column_stack(
            [words, random.integers(4, 14, size=12), matches, totals]
        ).astype(float),
    )
    background = np.zeros(10) if empty else table.statistics.mean(axis=0) + 0.5
    order = random.permutation(3)
    settings_ = (0.3, 0.9, 0.01)
    theta, drift = np.zeros(3), np.zeros(3)
    want, _, after, moved = loops.mira_pass(
        table.start, rows, table.statistics, lambda s: bleu_score(s, 4),
        order, settings_, theta, background,
    )  # fmt: skip
    found = _core.mira_pass(
        table.start, table.view, table.statistics, parse_metric("bleu").scorer, order, settings_,
        theta, drift, background, 0,
    )  # fmt: skip
    assert found == moved
    assert np.allclose(theta, want, atol=1e-9)
    assert np.allclose(background, after, atol=1e-9)
