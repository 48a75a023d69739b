"""Tuning sets whose forests have a feature more: what boosted trees make of the others."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.errors import TuningError
from rosewood.forest import BoostedTrees, FeatureSpace, Forest
from rosewood.forest.trees import TREES
from rosewood.learn.tuning_set import TuningSet


def check_names(names: Collection[str]) -> None:
    """Refuses features among which there is one that is called as the one that trees make."""
    if TREES in names:
        reason = f"a feature is called {TREES!r}, as the feature that trees make: rename it"
        raise TuningError(reason, code="argument.duplicate", argument="features", value=TREES)


def with_trees(
    tuning: TuningSet, theta: FloatArray, trees: BoostedTrees | None
) -> tuple[TuningSet, FloatArray]:
    """The set with that feature, the last of the dense ones, and θ with its weight, 1; both as they
    are without trees."""
    if trees is None:
        return tuning, theta
    dense = tuning.features.dense
    check_names(dense)
    space = FeatureSpace((*dense, TREES), tuning.features.sparse)
    places = [dense.index(name) for name in trees.columns]

    def change(number: int, forest: Forest) -> Forest:
        column = trees.score(forest.dense[:, places])
        return forest.derive(features=space, dense=np.column_stack([forest.dense, column]))

    return tuning.changed(change, space, 1), np.insert(theta, len(dense), 1.0)
