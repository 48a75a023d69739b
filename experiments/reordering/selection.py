"""Feature selection by mutual information: ranked scores, and error against the share kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from experiments.reordering.classification import Priors, chosen_priors, exact_dual
from experiments.reordering.orientations import EventExamples, Part
from rosewood.reorder import MultinomialBayes, mutual_information, presence_counts

SHARES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
THRESHOLDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)  # the range of the paper
_RANKS = 200  # points of the ranked curve


def measure(events: EventExamples, seeds: Sequence[int]) -> dict[str, Any]:
    """Ranked scores of the first repetition; errors of all repetitions by share of features."""
    errors: dict[str, list[list[float]]] = {"bayes": [], "bayes_full": [], "dual_rosewood": []}
    facts: dict[str, Any] = {}
    for seed in seeds:
        train, tuning, held_out = events.split(seed)
        priors = chosen_priors(train, tuning)  # with all features
        scores = mutual_information(presence_counts(train.examples))
        if seed == seeds[0]:
            facts = _ranked(scores)
        order = np.argsort(-scores, kind="stable")
        rows: dict[str, list[float]] = {name: [] for name in errors}
        for share in SHARES:
            mask = np.zeros(len(scores), bool)
            mask[order[: max(1, round(share * len(scores)))]] = True
            parts = [
                Part(each.examples.with_features(mask), each.pair) for each in (train, held_out)
            ]
            for name, found in _errors(parts[0], parts[1], priors, seed == seeds[0]).items():
                rows[name].append(round(found, 5))
        for name, row in rows.items():
            if row:
                errors[name].append(row)
    return {"seeds": list(seeds), "shares": list(SHARES), "errors": errors, **facts}


def _errors(train: Part, held_out: Part, priors: Priors, is_first: bool) -> dict[str, float]:
    """Held-out errors; MaxEnt, which takes longer, in the first repetition alone."""
    made: dict[str, Any] = {
        "bayes": MultinomialBayes(inference="map", alpha=priors.alpha_map),
        "bayes_full": MultinomialBayes(inference="full", alpha=priors.alpha_full),
    }
    if is_first:
        made["dual_rosewood"] = exact_dual(priors.sigma2)
    return {
        name: model.fit(train.examples).error(held_out.examples) for name, model in made.items()
    }


def _ranked(scores: Any) -> dict[str, Any]:
    ranked = np.sort(scores)
    places = np.unique(np.linspace(0, len(ranked) - 1, _RANKS).astype(int))
    return {
        "features": len(ranked),
        "ranked": [[int(i) + 1, float(f"{ranked[i]:.4g}")] for i in places],
        "kept": {str(each): round(float((scores >= each).mean()), 4) for each in THRESHOLDS},
    }
