"""Forests in figures: sizes, measures of their distributions, scores by named weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.errors import ForestError
from rosewood.forest import expectations
from rosewood.forest.forest import Forest
from rosewood.forest.search import count_saturating


class NamedScores:
    """Log weights of edges by named feature weights; without weights every feature has 1.

    `unused` are names that no forest has had so far: they may be misspelt.
    """

    def __init__(self, weights: Mapping[str, float] | None, scale: float = 1.0) -> None:
        self.weights, self.scale = weights, scale
        self.unused = set(weights or ())

    def __call__(self, forest: Forest) -> FloatArray:
        space = forest.features
        if self.weights is None:
            theta = np.ones(len(space))
        else:
            known = {n: v for n, v in self.weights.items() if n in space.sparse or n in space.dense}
            self.unused -= known.keys()
            theta = space.vector(known)
        with np.errstate(over="ignore", invalid="ignore"):
            weight = self.scale * forest.score(theta)
        if not np.isfinite(weight).all():
            reason = "scores overflow a double: are weights or the scale too large?"
            raise ForestError(reason, code="forest.overflow", argument="scale", value=self.scale)
        return weight


def sizes(forest: Forest) -> dict[str, Any]:
    """Nodes, edges, features and words that are used, and derivations, as 1e18.5 if very many."""
    words = forest.yield_symbol[forest.yield_symbol >= 0]
    count = int(count_saturating(forest)[-1])
    derivations: int | str = count
    if count >= 10**18:  # there may be millions of digits
        digits = float(forest.inside(np.zeros(forest.num_edges))[-1]) / np.log(10)
        derivations = f"1e{digits:.1f}"
    return {
        "nodes": forest.num_nodes,
        "edges": forest.num_edges,
        "features": len(forest.features.dense) + len(np.unique(forest.feat_id)),
        "words": len(np.unique(words)),
        "derivations": derivations,
    }


def measures(
    forest: Forest, score: NamedScores, other: NamedScores | None = None, *, by_feature: bool
) -> dict[str, Any]:
    """log Z, entropy and expected length; against another model cross-entropy and KL divergence.

    `by_feature` adds the expected features and the gradient of the entropy.
    """
    names = ["log_z", "entropy", "expected_length"]
    names += [] if other is None else ["cross_entropy", "kl_divergence"]
    if forest.is_empty:
        return dict.fromkeys(names)
    weight = score(forest)
    gradient = expectations.entropy_gradient(forest, weight)
    found: dict[str, Any] = {
        "log_z": expectations.log_partition(forest, weight),
        "entropy": gradient.value,
        "expected_length": expectations.expected_length(forest, weight),
    }
    if other is not None:
        against = other(forest)
        found["cross_entropy"] = expectations.cross_entropy(forest, weight, against)
        found["kl_divergence"] = expectations.kl_divergence(forest, weight, against)
    if by_feature:
        mean = expectations.feature_expectations(forest, weight)
        found["expected_features"] = forest.features.mapping(mean)
        found["entropy_gradient"] = forest.features.mapping(gradient.theta)
    return found
