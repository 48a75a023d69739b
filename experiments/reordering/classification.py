"""Held-out error, training time and active examples of all models of orientations.

Every model learns from the same events of eight tenths of the sentences and is judged on another
tenth, three times with other sentences.  The last tenth chooses the priors, which the papers do not
tell, for each set of features.  Seconds are processor seconds of one thread.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from experiments.reordering.orientations import CLASSES, EventExamples, Part
from rosewood.arrays import FloatArray
from rosewood.reorder import DualMaxEnt, MultinomialBayes, PrimalMaxEnt

PASSES = 100  # as the papers
SHRINK = (0.01, 0.1, 1.0)
CURVE = (1, 2, 3, 5, 10, 20, 50, 100)  # passes after which models are judged
SMOOTHING = 0.5  # of Moses
START = 0.001  # written out: defaults of Rosewood may change
SIGMA2 = (1.0, 0.3, 0.1, 0.03, 0.01)  # of which the best is taken
ALPHA = {"map": (11.0, 5.0, 2.0, 1.5, 1.1), "full": (10.0, 4.0, 1.0, 0.5, 0.1)}
NEAR = 0.001  # of error: as good as


class Fit(NamedTuple):
    """A model that was trained and judged."""

    error: float
    seconds: float
    model: Any


class Priors(NamedTuple):
    """What the events of the tuning sentences chose."""

    sigma2: float
    alpha_map: float
    alpha_full: float


def chosen_priors(train: Part, tuning: Part) -> Priors:
    """The priors with the lowest error on the tuning events."""

    def best(values: Sequence[float], make: Callable[[float], Any]) -> float:
        return min(values, key=lambda value: fitted(lambda: make(value), train, tuning).error)

    return Priors(
        best(SIGMA2, lambda value: exact_dual(value)),
        best(ALPHA["map"], lambda value: MultinomialBayes(inference="map", alpha=value)),
        best(ALPHA["full"], lambda value: MultinomialBayes(inference="full", alpha=value)),
    )


def lexicalized_log_probabilities(train: Part, pair: Any) -> FloatArray:
    """Relative frequencies of phrase pairs, smoothed as in Moses; those of all for unseen ones."""
    classes = len(CLASSES)
    size = int(max(train.pair.max(), pair.max(initial=0))) + 1
    key = train.pair * classes + train.label
    count = np.bincount(key, minlength=size * classes).reshape(size, classes).astype(float)
    share = np.bincount(train.label, minlength=classes) / len(train.label)
    smoothed = count[pair] + SMOOTHING
    smoothed[count[pair].sum(axis=1) == 0] = share
    found: FloatArray = np.log(smoothed / smoothed.sum(axis=1, keepdims=True))
    return found


def fitted(make: Callable[[], Any], train: Part, held_out: Part) -> Fit:
    """Train a classifier and judge it."""
    begin = time.process_time()
    model = make().fit(train.examples)
    seconds = time.process_time() - begin
    return Fit(model.error(held_out.examples), seconds, model)


def lexicalized(train: Part, held_out: Part) -> Fit:
    """The baseline: phrase pairs, no features."""
    begin = time.process_time()
    lexicalized_log_probabilities(train, held_out.pair[:0])
    seconds = time.process_time() - begin
    found = lexicalized_log_probabilities(train, held_out.pair).argmax(axis=1)
    return Fit(float((found != held_out.label).mean()), seconds, None)


def paper_dual(sigma2: float, shrink: float, passes: int = PASSES) -> DualMaxEnt:
    """Algorithm 1 as it is printed: halved steps, no example comes back, no certificate asked."""
    return DualMaxEnt(
        sigma2=sigma2, start=START, shrink=shrink, passes=passes, step="halving", tolerance=None
    )  # fmt: skip


def exact_dual(sigma2: float, passes: int = PASSES) -> DualMaxEnt:
    """Rosewood's: exact steps, examples come back, until the duality gap is 1 %."""
    return DualMaxEnt(
        sigma2=sigma2, start=START, shrink=0.1, passes=passes, step="exact", tolerance=0.01
    )  # fmt: skip


def iterative(priors: Priors) -> dict[str, Callable[[int], Any]]:
    """Makers of classifiers that make passes, from the number of passes."""
    sigma2 = priors.sigma2
    return {
        "primal": lambda passes: PrimalMaxEnt(sigma2=sigma2, passes=passes),
        **{f"dual_{s}": lambda passes, s=s: paper_dual(sigma2, s, passes) for s in SHRINK},
        "dual_rosewood": lambda passes: exact_dual(sigma2, passes),
    }


def models(passes: int, priors: Priors) -> dict[str, Callable[[Part, Part], Fit]]:
    """All that are compared, by name."""
    made: dict[str, Callable[[], Any]] = {
        "bayes": lambda: MultinomialBayes(inference="map", alpha=priors.alpha_map),
        "bayes_full": lambda: MultinomialBayes(inference="full", alpha=priors.alpha_full),
        **{name: lambda make=make: make(passes) for name, make in iterative(priors).items()},
    }
    return {
        "lexicalized": lexicalized,
        **{
            name: lambda train, held_out, make=make: fitted(make, train, held_out)
            for name, make in made.items()
        },
    }


def measure(events: EventExamples, seeds: Sequence[int], passes: int = PASSES) -> dict[str, Any]:
    """Error and time of every model in every repetition; what passes did in the first one."""
    found: dict[str, dict[str, Any]] = {}
    sizes: dict[str, list[int]] = {"train": [], "held_out": [], "features": [], "pairs": []}
    unseen: list[float] = []
    chosen: list[Priors] = []
    for seed in seeds:
        train, tuning, held_out = events.split(seed)
        chosen.append(chosen_priors(train, tuning))
        sizes["train"].append(len(train.examples))
        sizes["held_out"].append(len(held_out.examples))
        sizes["features"].append(train.examples.num_features)
        sizes["pairs"].append(len(np.unique(train.pair)))
        unseen.append(float(1 - np.isin(held_out.pair, train.pair).mean()))
        majority = np.bincount(train.label).argmax()
        _note(found, "majority", Fit(float((held_out.label != majority).mean()), 0.0, None))
        for name, fit in models(passes, chosen[-1]).items():
            _note(found, name, fit(train, held_out))
    shares = np.bincount(events.examples.label(), minlength=len(CLASSES)) / len(events.examples)
    return {
        "seeds": list(seeds),
        "passes": passes,
        "sentences": len(np.unique(events.sentence)),
        "events": len(events.examples),
        "classes": dict(zip(CLASSES, shares.round(4).tolist(), strict=True)),
        "unseen_pairs": round(statistics.mean(unseen), 4),
        "sizes": {name: round(statistics.mean(each)) for name, each in sizes.items()},
        "priors": [each._asdict() for each in chosen],
        "models": found,
        "curves": curves(events, seeds[0], passes, chosen[0]),
    }


def _note(found: dict[str, dict[str, Any]], name: str, fit: Fit) -> None:
    row = found.setdefault(name, {"error": [], "seconds": []})
    row["error"].append(round(fit.error, 5))
    row["seconds"].append(round(fit.seconds, 3))
    if isinstance(fit.model, DualMaxEnt):
        row.setdefault("passes", []).append(fit.model.passes_)
        row.setdefault("gap", []).append(float(f"{fit.model.gap_ / fit.model.objective_:.4g}"))
        row.setdefault("active_share", [float(f"{each:.4g}") for each in fit.model.active_share_])


def curves(
    events: EventExamples, seed: int, passes: int, priors: Priors
) -> dict[str, list[dict[str, float]]]:
    """Error and seconds after some numbers of passes, each trained from the start."""
    train, _, held_out = events.split(seed)
    found: dict[str, list[dict[str, float]]] = {}
    for name, make in iterative(priors).items():
        rows: list[dict[str, float]] = []
        for upto in [each for each in CURVE if each <= passes]:
            fit = fitted(lambda make=make, upto=upto: make(upto), train, held_out)
            rows.append(
                {"passes": upto, "error": round(fit.error, 5), "seconds": round(fit.seconds, 3)}
            )
            if getattr(fit.model, "passes_", upto) < upto:
                break  # it was done before
        found[name] = rows
    return found


def seconds_to(rows: Sequence[dict[str, float]], error: float) -> dict[str, float] | None:
    """The fewest passes that come as near as `NEAR` to an error; None if none does."""
    return next((row for row in rows if row["error"] <= error + NEAR), None)
