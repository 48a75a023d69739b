"""The tuning loop: candidates, merge, optimise, until nothing changes.

    result = tune_loop(decode, Mert(), metric, references)

`decode(weights, round)` makes a forest for each sentence, with the weights by name; a decoder, or
anything that lists candidates.  Each round's forests are merged with those of the rounds before,
the learner finds new weights for all of them, and the decoder is asked again.  What counts is the
score of what the decoder really said with some weights: the best of those is kept.
With a folder, every round is on disk when it ends, and a loop that was killed goes on from there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from rosewood.corpus import Vocabulary
from rosewood.errors import FormatError, TuningError
from rosewood.forest import FeatureSpace, Forest, ForestSet, ForestSetWriter, merge, renamed
from rosewood.journal import fingerprint
from rosewood.learn.learner import Learner, Normalization, Report, check_weights, normalize
from rosewood.learn.tuning_set import TuningSet
from rosewood.metrics.metric import Metric
from rosewood.output import whole_file

__all__ = ["LoopResult", "tune_loop"]

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

    It ends when a round brings nothing new, when weights move by less than `tolerance` (of their
    length), after `patience` rounds without a better score, or after `rounds`.  Weights that nobody
    should use (not numbers, all zero, exploded) end it too, with the best ones so far.
    """
    if rounds < 1 or patience < 1:
        raise TuningError("a loop needs at least one round, and patience for one")
    identity = fingerprint(
        learner.name, repr(learner), metric.signature, [list(r) for r in references],
        dict(start or {}), normalization, seed,
    )  # fmt: skip
    place = None if folder is None else Path(folder)
    state = _resume(place, identity) or _State([], dict(start or {}), {}, None, [])
    while state.ending is None:
        number = len(state.history) + 1
        fresh = list(decode(state.weights, number))
        if len(fresh) != len(references):
            raise TuningError(
                f"round {number}: {len(fresh)} forests for {len(references)} sentences"
            )
        _round(state, fresh, learner, metric, references, number, normalization, seed, threads)
        state.ending = state.ending or _ending(state, metric, tolerance, patience, rounds)
        if place is not None:
            _save(place, identity, state)
        if report is not None:
            report(state.history[-1])
    if state.best_score is None:
        raise TuningError(state.ending)
    return LoopResult(state.best, state.best_score, state.history, state.ending)


def _round(
    state: _State,
    fresh: list[Forest],
    learner: Learner,
    metric: Metric,
    references: Sequence[Sequence[str]],
    number: int,
    normalization: Normalization,
    seed: int,
    threads: int,
) -> None:
    """Score what the decoder said, merge it with what it said before, find new weights."""
    space = _common_space([*state.forests[:1], *fresh])
    fresh = [renamed(forest, *space) for forest in fresh]
    state.forests = [renamed(forest, *space) for forest in state.forests]
    theta = _vector(state.weights, space[0])
    said = TuningSet(fresh, metric, references, threads=threads)
    row: dict[str, Any] = {"round": number, "score": None}
    if theta.any():  # without weights, no derivation is the best one
        row["score"] = said.score(theta)
        sign = metric.sign
        if state.best_score is None or sign * row["score"] > sign * state.best_score:
            state.best, state.best_score = state.weights, row["score"]
    before = sum(forest.num_edges for forest in state.forests)
    if state.forests:
        pairs = zip(state.forests, fresh, strict=True)
        state.forests = [merge(pair).forest for pair in pairs]
    else:
        state.forests = [merge([forest]).forest for forest in fresh]
    row["new"] = sum(forest.num_edges for forest in state.forests) - before
    tuning = TuningSet(state.forests, metric, references, threads=threads)
    start = theta if theta.any() else np.ones(len(theta))
    fit = learner.fit(tuning, start, seed=seed + number - 1)
    try:
        check_weights(fit.theta, space[0].names)
    except TuningError as error:
        state.ending = f"round {number}: {error}"
        state.history.append({**row, "tuned": None, "moved": None})
        return
    found = normalize(fit.theta, normalization)
    share = getattr(learner, "interpolation", 1.0)
    if theta.any() and share < 1.0:
        found = share * found + (1.0 - share) * normalize(theta, normalization)
    length = float(np.sqrt((found**2).sum()))
    moved = float(np.sqrt(((found - normalize(theta, normalization)) ** 2).sum())) / length
    state.weights = dict(zip(space[0].names, found.tolist(), strict=True))
    state.history.append({**row, "tuned": tuning.score(found), "moved": moved})


def _common_space(forests: Sequence[Forest]) -> tuple[FeatureSpace, Vocabulary | None]:
    """Names that all forests can be written in: those of the first, and what others add."""
    first = forests[0]
    sparse = Vocabulary(first.features.sparse)
    words = None if first.vocabulary is None else Vocabulary(first.vocabulary)
    for forest in forests[1:]:
        if forest.features is not first.features:
            sparse.add_all(forest.features.sparse)
        own = forest.vocabulary
        if words is not None and own is not None and own is not first.vocabulary:
            words.add_all(own)
    return FeatureSpace(first.features.dense, sparse), words


def _vector(weights: Mapping[str, float], space: FeatureSpace) -> Any:
    """θ for weights by name; features that no forest has (yet) are left out."""
    known = {n: w for n, w in weights.items() if n in space.sparse or n in space.dense}
    return space.vector(known)


def _ending(
    state: _State, metric: Metric, tolerance: float, patience: int, rounds: int
) -> str | None:
    row = state.history[-1]
    if len(state.history) > 1 and row["new"] == 0:
        return "the last round brought nothing new"
    if row["moved"] is not None and row["moved"] < tolerance:
        return f"the weights moved by less than {tolerance:g}"
    scores = [each["score"] for each in state.history if each["score"] is not None]
    if len(scores) > patience:
        gains = [metric.sign * score for score in scores]
        if max(gains[-patience:]) <= max(gains[:-patience]):
            return f"no better score in {patience} rounds"
    if len(state.history) >= rounds:
        return f"{rounds} rounds are done"
    return None


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
