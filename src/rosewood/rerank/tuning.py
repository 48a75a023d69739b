"""Weights for a set of candidates, with the evidence that they help.

    tuned = tune("dev.jsonl", method="mert", metric="bleu")
    print(tuned.summary())
    tuned.write_weights("weights.json")
    tuned.write_report("report.html")

What counts is the score of sentences that were not tuned on: each fold of a cross-validation is
chosen with weights from the others (or a file is held out), against the choice that was there
before.  Then the weights are fitted once more, on everything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rosewood.arrays import FloatArray, LongArray
from rosewood.errors import TuningError
from rosewood.forest import BoostedTrees
from rosewood.journal import Journal, fingerprint
from rosewood.learn import TuningSet, check_weights, make_learner, normalize
from rosewood.learn.boosted_set import with_trees
from rosewood.learn.learner import Normalization, no_training
from rosewood.learn.loop import RoundLearner
from rosewood.learn.parallel import side_by_side
from rosewood.learn.tuning_set import whole_number
from rosewood.metrics import Bounds, Metric, bounds, parse_metric
from rosewood.model import shared_features, weights_vector, write_weights
from rosewood.rerank.effects import FeatureEffect, feature_effects
from rosewood.rerank.heldout import Heldout, judge
from rosewood.rerank.reranking import trees_file
from rosewood.rerank.settings import METHOD, TuneSettings
from rosewood.rerank.tuning_sets import Lists, check_apart, tuning_set, two_sets
from rosewood.resources import MAX_MEMORY
from rosewood.shared_types import PathName, ProgressCallback, Report

ONE_LIST = "there is only one list: nothing can be held out, so whether it helps is not known"


@dataclass(frozen=True)
class Replicate:
    """One fit on everything."""

    seed: int
    score: float  # on what it was tuned on
    weights: dict[str, float]
    history: list[dict[str, Any]]


@dataclass(frozen=True)
class Tuned:
    """Weights, and all that is to be known of them."""

    method: str
    settings: dict[str, Any]
    metric: str
    signature: str
    higher_is_better: bool
    normalization: str
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
    trees: BoostedTrees | None = None  # their sum is the feature `boost`
    baseline_by_chance: bool = False  # the baseline is no better than random choices

    @property
    def verdict(self) -> str:
        """helps, hurts, unclear, or unknown where nothing could be held out."""
        return self.heldout[0].verdict if self.heldout else "unknown"

    def summary(self) -> str:
        """What a person wants to know, in a few lines."""
        from rosewood.rerank.summary_text import summary

        return summary(self)

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON values."""
        from rosewood import __version__

        told = asdict(self) | {"trees": None if self.trees is None else self.trees.to_dict()}
        return {"verdict": self.verdict, **told, "version": __version__}

    def write_weights(self, path: PathName) -> None:
        """The weights as a JSON file, which `rosewood.model.read_weights` reads.

        Trees, if there are any, are in a file beside it: `trees_file(path)`.
        """
        if self.trees is not None:
            self.trees.save(trees_file(path))
        write_weights(self.weights, path)

    def write_report(self, path: PathName, *, command: str | None = None) -> None:
        """All of it on one HTML page; `command` is how to do it again."""
        from rosewood.rerank.report import write_report

        write_report(self, path, command=command)


@dataclass(frozen=True)
class _Fits:
    """What every fit needs."""

    data: TuningSet
    learner: RoundLearner
    start: FloatArray
    normalization: Normalization
    journal: Journal
    identity: str
    threads: int
    max_memory: int  # of one fit

    def __call__(self, job: tuple[int, LongArray | None], report: Report) -> dict[str, Any]:
        """Normalised weights and the story of a fit on some lists, or on all of them: from the
        journal where it is known."""
        seed, chosen = job
        part = b"" if chosen is None else np.asarray(chosen, dtype=np.int64).tobytes()

        def work() -> dict[str, Any]:
            every = range(len(self.data)) if chosen is None else chosen
            rows = self.data.subset(every, threads=self.threads, max_memory=self.max_memory)
            try:
                fit = self.learner.fit(rows, self.start, seed=seed, report=report)
                check_weights(fit.theta, self.data.features, fit.units)
            except TuningError as error:
                if chosen is None:
                    raise
                told = f"cross-validation, on {len(rows)} of {len(self.data)} lists"
                raise error.restated(f"{told}: {error}") from error
            theta = normalize(fit.theta, self.normalization)
            trees = fit.trees
            if trees is not None:  # they stay as strong beside the weights
                largest = int(np.abs(fit.theta).argmax())
                trees = trees.scaled(float(theta[largest] / fit.theta[largest]))
            # Of many sparse features few have a weight.
            places = np.flatnonzero(theta)
            return {
                "places": places.tolist(), "weights": theta[places].tolist(), "score": fit.score,
                "history": fit.history, "notes": list(fit.notes),
                "trees": None if trees is None else trees.to_dict(),
            }  # fmt: skip

        key = fingerprint("tune", self.identity, part, seed)
        found: dict[str, Any] = self.journal.done(key, work)
        return found


def tune(
    candidates: Lists,
    *,
    method: str = METHOD,
    metric: Metric | str = TuneSettings.metric,
    settings: Mapping[str, Any] | None = None,
    heldout: Lists | None = None,
    training: Lists | None = None,
    folds: int = TuneSettings.folds,
    replicates: int = TuneSettings.replicates,
    start: Mapping[str, float] | None = None,
    normalization: Normalization = TuneSettings.normalize,
    seed: int = TuneSettings.seed,
    threads: int = 1,
    max_memory: int = MAX_MEMORY,
    samples: int = TuneSettings.samples,
    journal: Journal | None = None,
    told: ProgressCallback | None = None,
) -> Tuned:
    """Tune weights on candidates (a file, lists, or a forest set of lists), and judge them.

    (Packed forests are tuned by the learners of `rosewood.learn`.)

    `heldout` are other candidates to judge on; without them `folds` parts of `candidates` take
    turns.  `replicates` fits with different seeds show how much chance there is in the result; the
    one with the best score is kept.  `start` are the weights before; without them, what comes first
    in a list counts as the choice before.  `training` are further, many candidates, for learners
    that use training data (oscar: groups are learnt on them).  `journal` lets a run that was killed
    go on; `told` hears how far the work has come.
    """
    whole_number("seed", seed)
    whole_number("folds", folds, 2 if heldout is None else 0)
    for what, value in (("replicates", replicates), ("samples", samples), ("threads", threads),
                        ("max_memory", max_memory)):  # fmt: skip
        whole_number(what, value, 1)
    normalize(np.ones(1), normalization)  # before anything is read
    judging = metric if isinstance(metric, Metric) else parse_metric(metric)
    learner = make_learner(method, settings)
    tell = told or (lambda what, done, total: None)
    if training is not None and not learner.uses_training:
        raise no_training(method)
    data, beside = two_sets(candidates, training, judging, threads, tell, max_memory=max_memory)
    other, notes = None, list[str]()
    if heldout is not None:
        other = tuning_set(
            heldout, judging, threads, tell, what="the held-out candidates", max_memory=max_memory
        )
        notes = check_apart(data, other, what="the held-out candidates")
        if beside is not None:
            notes += check_apart(beside.tuning, other, what="the held-out candidates")
    theta = np.zeros(len(data.features))
    if start is not None:
        theta = weights_vector(start, data.features, file="the starting weights")
    told_settings = asdict(learner)
    identity = fingerprint(
        data.identity(), method, told_settings, theta.tobytes(), normalization, seed,
        *(() if beside is None else (beside.tuning.identity(),)),
    )  # fmt: skip
    parts = [] if other is not None else make_folds(len(data), folds, replicates, seed)
    jobs: list[tuple[int, LongArray | None]] = [
        *((seed + i, kept) for i, kept, _ in parts),
        *((seed + i, None) for i in range(replicates)),
    ]
    done = 0

    def step(fit: object) -> None:
        nonlocal done
        done += 1
        tell("fitting", done, len(jobs))

    tell("fitting", 0, len(jobs))
    workers = max(1, min(threads, len(jobs)))
    inner = max(1, threads // workers)
    record = Journal() if journal is None else journal  # an empty one is false
    fitting: RoundLearner = learner
    if beside is not None:
        tell("learning from training data", 0, None)
        fitting = learner.with_training(beside, seed=seed)
    work = _Fits(
        data, fitting, theta, normalization, record, identity, inner, max(1, max_memory // workers)
    )
    found = side_by_side(work, jobs, workers=workers, step=step)
    models = [_Model.of(fit, len(theta)) for fit in found]
    final, fits = models[len(parts) :], found[len(parts) :]
    limits = bounds(judging, data.statistics, data.edge_start, seed=seed)
    before = _baseline_rows(data, theta)
    by_chance = _is_by_chance(data, before, limits)
    judged: list[Heldout] = []
    if other is not None:
        shared = shared_features(data.features, other.features)
        others = bounds(judging, other.statistics, other.edge_start, seed=seed)
        rows = _baseline_rows(other, shared(theta))
        by_chance = by_chance or _is_by_chance(other, rows, others)
        judged = judge(
            other,
            rows,
            [each.best_rows(other, shared) for each in final],
            how="held-out file",
            limits=others,
            samples=samples,
        )
    elif parts:
        chosen = _out_of_fold(data, parts, models, replicates)
        how = f"{len(parts) // replicates}-fold cross-validation"
        judged = judge(data, before, chosen, how=how, limits=limits, samples=samples)
    best = max(range(replicates), key=lambda i: judging.sign * fits[i]["score"])
    scored = [each.on(data) for each in final]
    data_with, weights = scored[best]
    baseline = "the starting weights" if theta.any() else "the first candidate"
    names, dense = data_with.features.names, len(data_with.features.dense)
    return Tuned(
        method=method,
        settings=told_settings,
        metric=judging.title,
        signature=judging.signature,
        higher_is_better=judging.higher_is_better,
        normalization=normalization,
        lists=len(data),
        candidates=data.num_edges,
        baseline=baseline,
        weights=_named(names, weights, dense),
        score=data_with.score(weights),
        before=judging.score(data.statistics[before]),
        oracle=limits.oracle,
        random=limits.random,
        worst=limits.worst,
        heldout=judged,
        replicates=[
            Replicate(seed + i, own.score(each), _named(names, each, dense), fit["history"])
            for i, ((own, each), fit) in enumerate(zip(scored, fits, strict=True))
        ],
        deviations=_named(
            data.features.names, np.std([m.theta for m in models], axis=0), len(data.features.dense)
        ),
        features=feature_effects(data_with, weights),
        seed=seed,
        notes=[*notes, *_notes(found, judged, baseline if by_chance else None)],
        trees=final[best].trees,
        baseline_by_chance=by_chance,
    )


class _Model(NamedTuple):
    """What a fit found."""

    theta: FloatArray
    trees: BoostedTrees | None

    @classmethod
    def of(cls, fit: Mapping[str, Any], size: int) -> _Model:
        theta = np.zeros(size)
        theta[np.array(fit["places"], np.int64)] = fit["weights"]
        told = fit.get("trees")
        return cls(theta, None if told is None else BoostedTrees.from_dict(told))

    def on(
        self, data: TuningSet, shared: Callable[[FloatArray], FloatArray] | None = None
    ) -> tuple[TuningSet, FloatArray]:
        """Data with what trees make of their features, and θ for them."""
        return with_trees(data, self.theta if shared is None else shared(self.theta), self.trees)

    def best_rows(
        self, data: TuningSet, shared: Callable[[FloatArray], FloatArray] | None = None
    ) -> LongArray:
        """What it chooses in each list."""
        scored, weights = self.on(data, shared)
        return scored.best_rows(weights)


def make_folds(
    lists: int, folds: int, replicates: int, seed: int
) -> list[tuple[int, LongArray, LongArray]]:
    """A replicate, the lists that are kept, and those that are held out; one list has no folds."""
    if lists < 2:
        return []
    folds = min(folds, lists)
    parts = []
    for number in range(replicates):
        order = np.random.default_rng([seed + number, folds]).permutation(lists)
        for fold in range(folds):
            out = np.sort(order[fold::folds])
            parts.append((number, np.setdiff1d(np.arange(lists), out), out))
    return parts


def _out_of_fold(
    data: TuningSet,
    parts: Sequence[tuple[int, LongArray, LongArray]],
    models: Sequence[_Model],
    replicates: int,
) -> list[LongArray]:
    """What each replicate chooses in each list, with weights that do not know the list."""
    rows = [np.empty(len(data), dtype=np.int64) for _ in range(replicates)]
    for (number, _, out), model in zip(parts, models[: len(parts)], strict=True):
        part = data.subset(out)
        rows[number][out] = data.edge_start[out] + model.best_rows(part) - part.edge_start[:-1]
    return rows


def _baseline_rows(data: TuningSet, theta: FloatArray) -> LongArray:
    """What was chosen before: under the starting weights, or whatever came first."""
    return data.best_rows(theta) if theta.any() else data.edge_start[:-1]


def _named(names: list[str], theta: FloatArray, dense: int) -> dict[str, float]:
    """All dense weights, and the sparse ones that are not zero."""
    return {
        name: float(value)
        for i, (name, value) in enumerate(zip(names, theta.tolist(), strict=True))
        if i < dense or value != 0.0
    }


def _is_by_chance(data: TuningSet, rows: LongArray, limits: Bounds) -> bool:
    """Whether some choices are no better than random ones, by whatever metric."""
    if not data.num_edges > len(data) > 1:
        return False
    ahead = data.metric.sign * (data.metric.score(data.statistics[rows]) - limits.random)
    return bool(ahead <= 2 * limits.random_deviation)


def _notes(
    fits: Sequence[Mapping[str, Any]], judged: Sequence[Heldout], by_chance: str | None
) -> list[str]:
    """What is doubtful; `by_chance` is the baseline, if it is no better than random choices."""
    notes = [note for fit in fits for note in fit["notes"]]
    if not judged:
        notes.append(ONE_LIST)
    elif judged[0].sentences < 100:
        notes.append(
            f"{judged[0].sentences} sentences are few: differences are hard to tell from chance"
        )
    if len(judged) > 1 and {each.verdict for each in judged[:2]} == {"helps", "hurts"}:
        notes.append(
            f"{judged[0].metric} and {judged[1].metric} go opposite ways, both beyond chance: look "
            "at the translations (is a lower score the better one? then say higher=false)"
        )
    if by_chance is not None:
        are = "is" if by_chance.endswith("candidate") else "are"
        notes.append(
            f"{by_chance} {are} no better than one at random: if the order of the lists tells "
            "nothing, the gain is over chance, not over a system"
        )
    return list(dict.fromkeys(notes))
