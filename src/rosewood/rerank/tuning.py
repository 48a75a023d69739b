"""Weights for a set of candidates, with the evidence that they help.

    tuned = tune("dev.jsonl", method="mert", metric="bleu")
    print(tuned.summary()); tuned.weights

What counts is the score of sentences that were not tuned on: each fold of a cross-validation is
chosen with weights from the others (or a file is held out), against the choice that was there
before.  Then the weights are fitted once more, on everything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from os import PathLike
from typing import Any

import numpy as np

from rosewood.errors import TuningError
from rosewood.forest import ForestSet
from rosewood.forest.arrays import FloatArray, LongArray
from rosewood.journal import Journal, fingerprint
from rosewood.learn import Learner, TuningSet, check_weights, make_learner, normalize
from rosewood.learn.learner import Normalization
from rosewood.metrics import Metric, bounds, paired_bootstrap, parse_metric
from rosewood.model import weights_vector
from rosewood.rerank.arrays import forest_set
from rosewood.rerank.effects import FeatureEffect, feature_effects
from rosewood.rerank.readers import read_candidates

__all__ = ["Heldout", "Replicate", "Tuned", "tune"]

SIGNIFICANT = 0.05
_ALSO = {"bleu": "chrf", "bleu-sbp": "chrf"}  # what judges beside the metric that was tuned
Told = Callable[[str, int, int], None]  # what is being done, how much of it, out of how much


@dataclass(frozen=True)
class Replicate:
    """One fit on everything."""

    seed: int
    score: float  # on what it was tuned on
    weights: dict[str, float]
    history: list[dict[str, Any]]


@dataclass(frozen=True)
class Heldout:
    """How choices on sentences that were not tuned on compare with those before."""

    how: str  # "5-fold cross-validation", "held-out file"
    sentences: int
    metric: str
    before: float
    after: float  # the mean over replicates
    replicates: list[float]
    p_value: float  # of the replicate in the middle
    interval: tuple[float, float]  # 95 % of its difference
    gain: float  # after - before, its sign so that more is better

    @property
    def verdict(self) -> str:
        if self.p_value >= SIGNIFICANT or self.gain == 0:
            return "unclear"
        return "helps" if self.gain > 0 else "hurts"


@dataclass(frozen=True)
class Tuned:
    """Weights, and all that is to be known of them."""

    method: str
    settings: dict[str, Any]
    metric: str
    signature: str
    lists: int
    candidates: int
    baseline: str  # what was chosen before: "the first candidate", "the starting weights"
    weights: dict[str, float]
    score: float  # of these weights, on what they were tuned on: too good to be true
    before: float  # of the baseline there
    oracle: float
    random: float
    worst: float
    heldout: list[Heldout]  # the tuned metric first, then others
    replicates: list[Replicate]
    deviations: dict[str, float]  # of each weight, over all fits
    features: list[FeatureEffect]
    seed: int
    notes: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """helps, hurts, unclear, or unknown where nothing could be held out."""
        return self.heldout[0].verdict if self.heldout else "unknown"

    def summary(self) -> str:
        """What a person wants to know, in a few lines."""
        from rosewood.rerank.words import summary

        return summary(self)

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return {**asdict(self), "verdict": self.verdict}


@dataclass(frozen=True)
class _Work:
    """What every fit needs."""

    learner: Learner
    start: FloatArray
    normalization: Normalization
    journal: Journal
    identity: str
    seed: int

    def fit(self, tuning: TuningSet, chosen: LongArray | None, seed: int) -> dict[str, Any]:
        """Normalised weights and the story of a fit, from the journal where it is known."""
        part = b"" if chosen is None else np.asarray(chosen, dtype=np.int64).tobytes()

        def work() -> dict[str, Any]:
            rows = tuning if chosen is None else tuning.subset(chosen)
            fit = self.learner.fit(rows, self.start, seed=seed)
            check_weights(fit.theta, tuning.features.names)
            theta = normalize(fit.theta, self.normalization)
            return {"theta": theta.tolist(), "score": fit.score, "history": fit.history,
                    "notes": list(fit.notes)}  # fmt: skip

        key = fingerprint("tune", self.identity, part, seed)
        found: dict[str, Any] = self.journal.done(key, work)
        return found


def tune(
    candidates: ForestSet | str | PathLike[str],
    *,
    method: str = "mert",
    metric: Metric | str = "bleu",
    settings: Mapping[str, Any] | None = None,
    heldout: ForestSet | str | PathLike[str] | None = None,
    folds: int = 5,
    replicates: int = 3,
    start: Mapping[str, float] | None = None,
    normalization: Normalization = "l1",
    seed: int = 0,
    threads: int = 1,
    samples: int = 1000,
    journal: Journal | None = None,
    told: Told | None = None,
) -> Tuned:
    """Tune weights on candidates (a forest set, or a file of lists), and judge them.

    `heldout` are other candidates to judge on; without them `folds` parts of `candidates` take
    turns.  `replicates` fits with different seeds show how much chance there is in the result; the
    one with the best score is kept.  `start` are the weights before; without them, what comes first
    in a list counts as the choice before.  `journal` lets a run that was killed go on.
    """
    if replicates < 1 or folds < 2:
        raise TuningError("tuning needs at least one replicate and two folds")
    judge = parse_metric(metric) if isinstance(metric, str) else metric
    learner = make_learner(method, settings)
    tell = told or (lambda what, done, total: None)
    data = _tuning_set(candidates, judge, threads, tell)
    other = None if heldout is None else _tuning_set(heldout, judge, threads, tell)
    if other is not None and other.features.dense != data.features.dense:
        raise TuningError("the held-out candidates have other features than those to tune on")
    theta = np.zeros(len(data.features))
    if start is not None:
        theta = weights_vector(start, data.features, file="the starting weights")
    told_settings = {name: getattr(learner, name) for name in learner.__dataclass_fields__}
    identity = fingerprint(
        data.identity(), method, told_settings, theta.tobytes(), normalization, seed
    )
    record = Journal() if journal is None else journal  # an empty one is false
    work = _Work(learner, theta, normalization, record, identity, seed)
    judged, thetas = _held_out(work, data, other, folds, replicates, theta, samples, tell)
    fits = []
    for number in range(replicates):
        tell("fitting on everything", number, replicates)
        fits.append(work.fit(data, None, seed + number))
    tell("fitting on everything", replicates, replicates)
    final = [np.array(fit["theta"]) for fit in fits]
    best = max(range(replicates), key=lambda i: judge.sign * fits[i]["score"])
    limits = bounds(judge, data.statistics, data.edge_start, seed=seed)
    names = data.features.names
    before = _baseline_rows(data, theta)
    return Tuned(
        method=method,
        settings=told_settings,
        metric=judge.title,
        signature=judge.signature,
        lists=len(data),
        candidates=data.num_edges,
        baseline="the starting weights" if theta.any() else "the first candidate",
        weights=_named(names, final[best], len(data.features.dense)),
        score=data.score(final[best]),
        before=judge.score(data.statistics[before]),
        oracle=limits.oracle,
        random=limits.random,
        worst=limits.worst,
        heldout=judged,
        replicates=[
            Replicate(seed + i, data.score(final[i]),
                      _named(names, final[i], len(data.features.dense)), fit["history"])
            for i, fit in enumerate(fits)
        ],
        deviations=_named(names, np.std([*thetas, *final], axis=0), len(data.features.dense)),
        features=feature_effects(data, final[best]),
        seed=seed,
        notes=_notes(data, fits, judged),
    )  # fmt: skip


def _tuning_set(
    candidates: ForestSet | str | PathLike[str], metric: Metric, threads: int, tell: Told
) -> TuningSet:
    lists = candidates
    if not isinstance(lists, ForestSet):
        lists = forest_set(read_candidates(lists))
    done = 0

    def step(count: int) -> None:
        nonlocal done
        done += count
        tell(f"counting for {metric.title}", done, len(lists))

    tuning = TuningSet(lists, metric, threads=threads, step=step)
    if not tuning.is_flat:
        raise TuningError(
            "reranking takes lists of candidates, these are forests: tune them with "
            "rosewood.learn, or list their best strings first"
        )
    return tuning


def _baseline_rows(data: TuningSet, theta: FloatArray) -> LongArray:
    """What was chosen before: under the starting weights, or whatever came first."""
    return data.best_rows(theta) if theta.any() else data.edge_start[:-1]


def _held_out(
    work: _Work,
    data: TuningSet,
    other: TuningSet | None,
    folds: int,
    replicates: int,
    theta: FloatArray,
    samples: int,
    tell: Told,
) -> tuple[list[Heldout], list[FloatArray]]:
    """Choices on sentences that were not tuned on, for each replicate; and all weights found."""
    thetas: list[FloatArray] = []
    if other is not None:
        shared = _shared(data, other)
        fits = [work.fit(data, None, work.seed + i)["theta"] for i in range(replicates)]
        rows = [other.best_rows(shared(np.array(fit))) for fit in fits]
        before = _baseline_rows(other, shared(theta))
        return _judge(other, before, rows, "held-out file", samples, threads=other.threads), thetas
    if len(data) < 2:
        return [], thetas
    folds = min(folds, len(data))
    rows = []
    for number in range(replicates):
        order = np.random.default_rng([work.seed + number, folds]).permutation(len(data))
        chosen = np.empty(len(data), dtype=np.int64)
        for fold in range(folds):
            tell("cross-validating", number * folds + fold, replicates * folds)
            out = np.sort(order[fold::folds])
            kept = np.setdiff1d(np.arange(len(data)), out)
            found = np.array(work.fit(data, kept, work.seed + number)["theta"])
            thetas.append(found)
            part = data.subset(out)
            local = part.best_rows(found) - part.edge_start[:-1]
            chosen[out] = data.edge_start[out] + local
        rows.append(chosen)
    tell("cross-validating", replicates * folds, replicates * folds)
    before = _baseline_rows(data, theta)
    return _judge(data, before, rows, f"{folds}-fold cross-validation", samples), thetas


def _shared(data: TuningSet, other: TuningSet) -> Callable[[FloatArray], FloatArray]:
    """θ of one set as θ of another that may know other sparse features."""
    if data.features == other.features:
        return lambda theta: theta
    width = len(data.features.dense)
    pairs = [
        (other.features.index(name), width + i)
        for i, name in enumerate(data.features.sparse)
        if name in other.features.sparse
    ]

    def moved(theta: FloatArray) -> FloatArray:
        out = np.zeros(len(other.features))
        out[:width] = theta[:width]
        for there, here in pairs:
            out[there] = theta[here]
        return out

    return moved


def _judge(
    data: TuningSet,
    before: LongArray,
    rows: Sequence[LongArray],
    how: str,
    samples: int,
    threads: int = 1,
) -> list[Heldout]:
    """The tuned metric, and one that was not tuned, of held-out choices against the baseline."""
    found = [_compare(data.metric, data.statistics[before], [data.statistics[r] for r in rows],
                      how, samples)]  # fmt: skip
    also = _ALSO.get(data.metric.name, "bleu")
    if all(len(references) for references in data.references):
        metric = parse_metric(also)
        tables = [_chosen_statistics(data, metric, r, threads) for r in (before, *rows)]
        found.append(_compare(metric, tables[0], tables[1:], how, samples))
    return found


def _chosen_statistics(
    data: TuningSet, metric: Metric, rows: LongArray, threads: int
) -> FloatArray:
    return metric.statistics_many(
        [[text] for text in data.texts_of_rows(rows)], data.references, threads=threads
    )


def _compare(
    metric: Metric, before: FloatArray, after: Sequence[FloatArray], how: str, samples: int
) -> Heldout:
    scores = [metric.score(table) for table in after]
    middle = sorted(range(len(after)), key=lambda i: (scores[i], i))[(len(after) - 1) // 2]
    test = paired_bootstrap(metric, after[middle], before, samples=samples)
    mean = float(np.mean(scores))
    return Heldout(
        how=how,
        sentences=len(before),
        metric=metric.title,
        before=test.baseline,
        after=mean,
        replicates=scores,
        p_value=test.p_value,
        interval=test.interval or (0.0, 0.0),
        gain=metric.sign * (mean - test.baseline),
    )


def _named(names: list[str], theta: FloatArray, dense: int) -> dict[str, float]:
    """All dense weights, and the sparse ones that are not zero."""
    return {
        name: float(value)
        for i, (name, value) in enumerate(zip(names, theta.tolist(), strict=True))
        if i < dense or value != 0.0
    }


def _notes(
    data: TuningSet, fits: Sequence[Mapping[str, Any]], judged: Sequence[Heldout]
) -> list[str]:
    notes = [note for fit in fits for note in fit["notes"]]
    if not judged:
        notes.append("there is only one list: nothing could be held out, so nothing is known")
    elif len(data) < 100:
        notes.append(f"{len(data)} lists are few: differences are hard to tell from chance")
    return list(dict.fromkeys(notes))
