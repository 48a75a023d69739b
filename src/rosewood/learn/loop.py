"""The tuning loop: candidates, merge, optimise, until nothing changes.

    result = tune_loop(decode, Mert(), metric, references)

`decode(weights, round)` makes a forest for each sentence, with the weights by name; a decoder, or
anything that lists candidates.  Each round's forests are merged with those of the rounds before,
the learner finds new weights for all of them, and the decoder is asked again.  What counts is the
score of what the decoder really said with some weights: the best of those is kept.
With a folder, every round is on disk when it ends, and a loop that was killed, or is given more
rounds, goes on from there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.corpus import Vocabulary
from rosewood.errors import FormatError, TuningError
from rosewood.forest import FeatureSpace, Forest, ForestSet, ForestSetWriter, merge, renamed
from rosewood.journal import fingerprint
from rosewood.learn.learner import Learner, Normalization, Report, check_weights, normalize
from rosewood.learn.tuning_set import TuningSet
from rosewood.metrics.metric import Metric
from rosewood.output import whole_file

__all__ = ["LoopReplicates", "LoopResult", "replicate_loop", "tune_loop"]

Decode = Callable[[Mapping[str, float], int], Sequence[Forest]]


@dataclass(frozen=True)
class LoopResult:
    """The best weights of all rounds, and what happened in each."""

    weights: dict[str, float]
    score: float  # of what the decoder said with them
    history: list[dict[str, Any]]
    ending: str  # why the loop ended


@dataclass
class _State:
    """What is known between rounds."""

    forests: list[Forest]
    weights: dict[str, float]
    best: dict[str, float]
    best_score: float | None
    history: list[dict[str, Any]]
    ending: str | None = None


def tune_loop(
    decode: Decode,
    learner: Learner,
    metric: Metric,
    references: Sequence[Sequence[str]],
    *,
    start: Mapping[str, float] | None = None,
    rounds: int = 15,
    tolerance: float = 1e-3,
    patience: int = 5,
    normalization: Normalization = "l1",
    seed: int = 0,
    threads: int = 1,
    folder: str | PathLike[str] | None = None,
    report: Report | None = None,
) -> LoopResult:
    """Tune a decoder.

    The learner is asked `rounds` times, the decoder once more, so that the last weights are scored
    too.  It ends before when there is nothing new to learn from, when weights move by less than
    `tolerance` (of their length), or after `patience` rounds without a better score.  A learner
    that fails, or finds weights that nobody should use (not numbers, all zero, exploded), ends it
    too, with the best weights so far.
    """
    if rounds < 1 or patience < 1:
        raise TuningError("a loop needs at least one round, and patience for one")
    given = _numbers(start or {})
    every = [list(each) for each in references]
    identity = fingerprint(
        learner.name, repr(learner), metric.signature, every, given, normalization, seed
    )
    place = None if folder is None else Path(folder)
    state = _resume(place, identity) or _State([], given, {}, None, [])
    while state.ending is None:
        number = len(state.history) + 1
        fresh = list(decode(state.weights, number))
        if len(fresh) != len(every):
            raise TuningError(f"round {number}: {len(fresh)} forests for {len(every)} sentences")
        space, theta, row = _score(state, fresh, metric, every, given, threads)
        row = {"round": number, **row, "tuned": None, "moved": None}
        state.ending = _nothing_to_do(state, row, learner, metric, patience)
        last = number > rounds
        if state.ending is None and not last:
            tuning = TuningSet(state.forests, metric, every, threads=threads)
            _learn(state, row, learner, tuning, theta, space, normalization, seed, tolerance)
        state.history.append(row)
        # A loop that only ran out of rounds may be given more: then this round is done again.
        if place is not None and not (last and state.ending is None):
            _save(place, identity, state)
        if last and state.ending is None:
            state.ending = f"{rounds} rounds are done"
        if report is not None:
            report(row)
    if state.best_score is None:
        raise TuningError(state.ending)
    return LoopResult(state.best, state.best_score, state.history, state.ending)


@dataclass(frozen=True)
class LoopReplicates:
    """The same loop with other seeds: what chance has to do with the result."""

    best: LoopResult
    results: list[LoopResult]
    deviations: dict[str, float]  # of each weight over the replicates


def replicate_loop(
    decode: Decode,
    learner: Learner,
    metric: Metric,
    references: Sequence[Sequence[str]],
    *,
    replicates: int = 3,
    seed: int = 0,
    folder: str | PathLike[str] | None = None,
    **options: Any,
) -> LoopReplicates:
    """`tune_loop` with seeds from `seed` on, each in a folder of its own; `options` are its."""
    if replicates < 1:
        raise TuningError(f"{replicates} replicates: there must be at least one")
    results = [
        tune_loop(
            decode, learner, metric, references,
            seed=seed + i, folder=None if folder is None else Path(folder) / f"seed-{seed + i}",
            **options,
        )
        for i in range(replicates)
    ]  # fmt: skip
    names = list(dict.fromkeys(name for each in results for name in each.weights))
    table = [[each.weights.get(name, 0.0) for name in names] for each in results]
    return LoopReplicates(
        best=max(results, key=lambda each: metric.sign * each.score),
        results=results,
        deviations=dict(zip(names, np.std(table, axis=0).tolist(), strict=True)),
    )


def _numbers(start: Mapping[str, float]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for name, value in start.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise TuningError(f"the starting weight of {name!r} is {value!r}, want a number")
        weights[name] = float(value)
    return weights


def _score(
    state: _State,
    fresh: list[Forest],
    metric: Metric,
    references: Sequence[Sequence[str]],
    given: Mapping[str, float],
    threads: int,
) -> tuple[FeatureSpace, FloatArray, dict[str, Any]]:
    """Score what the decoder said, and merge it with what it said before."""
    space, words = _common_space([*state.forests[:1], *fresh])
    for name in given:
        if ":" not in name and space.dense_index(name) is None:
            raise TuningError(f"there is a starting weight for {name!r}, but no such feature")
    fresh = [renamed(forest, space, words) for forest in fresh]
    state.forests = [renamed(forest, space, words) for forest in state.forests]
    known = {n: w for n, w in state.weights.items() if n in space.sparse or n in space.dense}
    theta = space.vector(known)
    row: dict[str, Any] = {"score": None}
    if theta.any():  # without weights, no derivation is the best one
        row["score"] = TuningSet(fresh, metric, references, threads=threads).score(theta)
        sign = metric.sign
        if state.best_score is None or sign * row["score"] > sign * state.best_score:
            state.best, state.best_score = state.weights, row["score"]
    before = sum(forest.num_edges for forest in state.forests)
    pairs = zip(state.forests, fresh, strict=True) if state.forests else zip(fresh, strict=True)
    state.forests = [merge(pair).forest for pair in pairs]
    row["new"] = sum(forest.num_edges for forest in state.forests) - before
    return space, theta, row


def _nothing_to_do(
    state: _State, row: Mapping[str, Any], learner: Learner, metric: Metric, patience: int
) -> str | None:
    """Why another fit would be in vain, if it would."""
    whole = getattr(learner, "interpolation", 1.0) == 1.0  # others are still on their way
    if state.history and row["new"] == 0 and whole:
        return "the last round brought nothing new"
    scores = [each["score"] for each in (*state.history, row) if each["score"] is not None]
    gains = [metric.sign * score for score in scores]
    if len(gains) > patience and max(gains[-patience:]) <= max(gains[:-patience]):
        return f"no better score in {patience} rounds"
    return None


def _learn(
    state: _State,
    row: dict[str, Any],
    learner: Learner,
    tuning: TuningSet,
    theta: FloatArray,
    space: FeatureSpace,
    normalization: Normalization,
    seed: int,
    tolerance: float,
) -> None:
    """New weights from all that the decoder has said so far."""
    number = row["round"]
    begin = theta if theta.any() else np.ones(len(theta))
    try:
        fit = learner.fit(tuning, begin, seed=seed + number - 1)
        check_weights(fit.theta, space.names, fit.units)
        found = normalize(fit.theta, normalization)
        share = getattr(learner, "interpolation", 1.0)
        if theta.any() and share < 1.0:
            mixed = share * found + (1.0 - share) * normalize(theta, normalization)
            check_weights(mixed, space.names, fit.units)
            found = normalize(mixed, normalization)
    except TuningError as error:
        state.ending = f"round {number}: {error}"
        return
    length = float(np.sqrt((found**2).sum()))
    row["moved"] = float(np.sqrt(((found - normalize(theta, normalization)) ** 2).sum())) / length
    row["tuned"] = tuning.score(found)
    state.weights = dict(zip(space.names, found.tolist(), strict=True))
    if row["moved"] < tolerance:
        state.ending = f"the weights moved by less than {tolerance:g}"


def _common_space(forests: Sequence[Forest]) -> tuple[FeatureSpace, Vocabulary | None]:
    """Names that all forests can be written in: those of the first, and what others add."""
    first = forests[0]
    sparse = first.features.sparse.copy()
    words = None if first.vocabulary is None else Vocabulary(first.vocabulary)
    for forest in forests[1:]:
        if forest.features is not first.features:
            sparse.add_all(forest.features.sparse)
        own = forest.vocabulary
        if words is not None and own is not None and own is not first.vocabulary:
            words.add_all(own)
    return FeatureSpace(first.features.dense, sparse), words


def _save(folder: Path, identity: str, state: _State) -> None:
    """The round's forests, then the note that makes them count, then the old ones go."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"round-{len(state.history)}.rwf"
    with ForestSetWriter(folder / name) as writer:
        for forest in state.forests:
            writer.append(forest)
    note = {
        "identity": identity,
        "forests": name,
        "weights": state.weights,
        "best": state.best,
        "best_score": state.best_score,
        "history": state.history,
        "ending": state.ending,
    }
    with whole_file(folder / "state.json") as out:
        out.write(json.dumps(note, ensure_ascii=False, allow_nan=False).encode())
    for old in folder.glob("round-*.rwf"):
        if old.name != name:
            old.unlink(missing_ok=True)


def _resume(folder: Path | None, identity: str) -> _State | None:
    file = None if folder is None else folder / "state.json"
    if folder is None or file is None or not file.exists():
        return None
    try:
        note = json.loads(file.read_text(encoding="utf-8"))
        if note["identity"] != identity:
            raise TuningError(
                f"{folder}: it holds a loop with other settings, references or starting weights; "
                "give it another folder, or remove this one"
            )
        return _State(
            list(ForestSet(folder / note["forests"])),
            note["weights"],
            note["best"],
            note["best_score"],
            note["history"],
            note["ending"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"it is not the state of a loop: {error}", file=file) from error
