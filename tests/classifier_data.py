"""Data for tests of classifiers."""

from __future__ import annotations

import numpy as np


def data(examples=120, features=25, classes=3, seed=0, counts=4):
    """Sparse counts and labels that depend on them."""
    random = np.random.default_rng(seed)
    X = random.integers(1, counts, (examples, features)) * (
        random.random((examples, features)) < 0.15
    )
    planted = random.normal(size=(features, classes))
    y = (X @ planted + random.gumbel(size=(examples, classes))).argmax(axis=1)
    return X.astype(float), y
