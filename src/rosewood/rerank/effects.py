"""What each feature does to the choices: leave it out and see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.learn import TuningSet
from rosewood.learn.candidates import spread

MOST = 50  # features that are looked at
EXAMPLES = 3


@dataclass(frozen=True)
class FeatureEffect:
    """A feature's weight, and what changes when the weight is taken away."""

    name: str
    weight: float
    spread: float  # how much the feature varies within lists
    changed: int  # lists that would choose another candidate
    score_without: float
    examples: list[dict[str, str]]  # list, chosen, without, and where there is one, reference


def feature_effects(data: TuningSet, theta: FloatArray) -> list[FeatureEffect]:
    """The features with the most say (weight times spread), the strongest first."""
    varies = spread(data.candidates(theta, 1))
    names = data.features.names
    order = np.argsort(-np.abs(theta * varies), kind="stable")[:MOST]
    chosen = data.best_rows(theta)
    effects = []
    for feature in order.tolist():
        if theta[feature] == 0.0:
            continue
        less = theta.copy()
        less[feature] = 0.0
        rows = data.best_rows(less)
        changed = np.flatnonzero(rows != chosen)
        shown = changed[:EXAMPLES]
        own = data.texts_of_rows(chosen[shown], shown)
        other = data.texts_of_rows(rows[shown], shown)
        effects.append(
            FeatureEffect(
                name=names[feature],
                weight=float(theta[feature]),
                spread=float(varies[feature]),
                changed=len(changed),
                score_without=data.metric.score(data.statistics[rows]),
                examples=[
                    {"list": data.names[i], "chosen": a, "without": b, **_reference(data, i)}
                    for i, a, b in zip(shown.tolist(), own, other, strict=True)
                ],
            )
        )
    return effects


def _reference(data: TuningSet, i: int) -> dict[str, str]:
    return {"reference": str(data.references[i][0])} if len(data.references[i]) else {}
