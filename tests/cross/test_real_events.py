"""MaxEnt on events of real text: the optimum of scikit-learn, and primal and dual agree."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from tests import real

from rosewood.align import Aligner
from rosewood.align.models import make_model
from rosewood.corpus import IndexedCorpus
from rosewood.reorder import CorpusEvents, DualMaxEnt, Examples, PrimalMaxEnt
from rosewood.reorder.event_features import count_features
from rosewood.reorder.settings import EventFeatureSettings
from rosewood.reorder.trained_kind import Work


@pytest.fixture(scope="module")
def events() -> Examples:
    """Orientations of phrase pairs of Chinese and English, a few thousand."""
    sides = [real.lines(f"tatoeba-zh-en/train.{side}.gz", 400) for side in ("zh", "en")]
    corpus = IndexedCorpus.from_lines(*sides)
    _, both = Aligner.fit_align(corpus, make_model("model1"))
    found = CorpusEvents(corpus, both.symmetrize("grow-diag-final-and"), classes="msd")
    table = count_features(found, EventFeatureSettings(min_count=5))
    with TemporaryDirectory() as folder:
        made = Work(found, table, Path(folder), 1, None).examples()
        return made.take(np.arange(len(made)))


@pytest.mark.slow
@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_the_optimum_is_scikit_learns(events, direction):
    linear = pytest.importorskip("sklearn.linear_model")
    from scipy.sparse import csr_matrix

    count = np.ones(len(events.feature)) if events.count is None else events.count.astype(float)
    X = csr_matrix((count, events.feature, events.start), (len(events), events.num_features))
    y = events.label(direction)
    dual = DualMaxEnt(sigma2=0.5, tolerance=1e-6, passes=2000).fit(events, direction)
    assert 0 <= dual.gap_ <= 1e-6 * dual.objective_
    peer = linear.LogisticRegression(C=0.5, fit_intercept=False, tol=1e-8, max_iter=5000).fit(X, y)
    scores = peer.decision_function(X)
    scores -= scores.max(axis=1, keepdims=True)
    loss = np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(len(y)), y]
    objective = (peer.coef_**2).sum() / (2 * 0.5) + loss.sum()
    assert dual.objective_ == pytest.approx(objective, rel=1e-4)
    assert dual.objective_ <= objective * (1 + 1e-6)
    primal = PrimalMaxEnt(sigma2=0.5, passes=60).fit(events, direction)
    assert primal.objective_ == pytest.approx(dual.objective_, rel=1e-2)
