"""BLEU in the inner loops of learners, where kernels take short cuts, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import learn as loops

from rosewood import _core
from rosewood.metrics import Bleu

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
    assert (at(x), at(0.0)) == (gain, before)


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
