"""The tuning loop: candidates, merge, optimise, until nothing changes.

    result = tune_loop(decode, Mert(), metric, references)

`decode(weights, round)` makes a forest for each sentence, with the weights by name; a decoder, or
anything that lists candidates.  Each round's forests are merged with those of the rounds before,
the learner finds new weights for all of them, and the decoder is asked again.  What counts is the
score of what the decoder really said with some weights: the best of those is kept.
Forests are taken from the decoder one at a time, and those of all rounds are in a file: memory has
what `max_memory` allows.  With a folder, every round is on disk when it ends, and a loop that was
killed, or is given more rounds, goes on from there.
The last forests of a round may be of sentences without references: they are merged as the others,
but do not count in the score; learners that take them get them besides.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from rosewood.arguments import check_number, check_whole
from rosewood.errors import TuningError
from rosewood.forest import FeatureSpace, Forest, ForestSet, Weights
from rosewood.journal import fingerprint
from rosewood.learn.forest_pruning import prune_set
from rosewood.learn.learner import (
    Fit,
    Learner,
    Normalization,
    check_weights,
    no_unlabelled,
    normalize,
)
from rosewood.learn.loop_state import LoopState, merge_round, resume_loop, save_loop
from rosewood.learn.tuning_set import TuningSet
from rosewood.metrics.metric import Metric
from rosewood.resources import MAX_MEMORY
from rosewood.shared_types import PathName, Report

Decode = Callable[[Mapping[str, float], int], Iterable[Forest]]


class RoundLearner(Protocol):
    """What finds weights in a round: a `Learner`, or something like one.

    `project(theta, dense)`, if there is one, makes weights of earlier rounds into such as it can
    find; the first `dense` ones are of dense features.
    """

    def fit(
        self, tuning: TuningSet, start: ArrayLike, *, seed: int = 0, report: Report | None = None
    ) -> Fit:
        """Weights for the features of `tuning`."""
        ...


class TrainingRound(NamedTuple):
    """What other data have to say in a round."""

    learner: RoundLearner
    space: FeatureSpace  # in which it works: it begins with the features that are tuned
    facts: dict[str, Any]  # for the history


class Training(Protocol):
    """Other data than those that are tuned on, from which the learner of a round is made."""

    @property
    def identity(self) -> str:
        """A hash of all that decides what comes of it."""
        ...

    def round(self, weights: Weights, number: int, space: FeatureSpace) -> TrainingRound:
        """The learner of a round, in which the decoder has these weights."""
        ...


@dataclass(frozen=True)
class LoopResult:
    """The best weights of all rounds, and what happened in each."""

    weights: Weights
    score: float  # of what the decoder said with them
    history: list[dict[str, Any]]
    ending: str  # why the loop ended


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
    max_memory: int = MAX_MEMORY,
    folder: PathName | None = None,
    training: Training | None = None,
    edges_per_word: float | None = None,
    unlabelled: int = 0,
    report: Report | None = None,
) -> LoopResult:
    """Tune a decoder.

    The learner is asked `rounds` times, the decoder once more, so that the last weights are scored
    too.  It ends before when there is nothing new to learn from, when weights move by less than
    `tolerance` (of their length), or after `patience` rounds without a better score.  A learner
    that fails, or finds weights that nobody should use (not numbers, all zero, exploded), ends it
    too, with the best weights so far.  `training` makes the learner of each round from other data.
    Merged forests are pruned to so many edges for each word; the history tells what that changes.
    The decoder's last `unlabelled` forests, after those of the references, are of sentences without
    any; the history tells what becomes of their entropy.
    """
    check_whole("rounds", rounds, low=1, error=TuningError)
    check_whole("patience", patience, low=1, error=TuningError)
    if edges_per_word is not None:
        check_number("edges_per_word", edges_per_word, low=1, error=TuningError)
    if getattr(learner, "makes_trees", False):
        reason = f"{type(learner).__name__} makes trees, which decoders do not have: tune lists"
        raise TuningError(reason, code="argument.conflict", argument="learner")
    check_whole("unlabelled", unlabelled, low=0, error=TuningError)
    if unlabelled and not getattr(learner, "takes_unlabelled", False):
        raise no_unlabelled(type(learner).__name__)
    given = _numbers(start or {})
    every = [list(each) for each in references]
    identity = fingerprint(
        repr(learner), metric.signature, every, normalization, seed, given.named,
        *(each for name, arrays in given.numbered.items() for each in (name, *_bytes(arrays))),
        *(() if training is None else (training.identity,)),
        *(() if edges_per_word is None else (f"at most {edges_per_word} edges a word",)),
        *((f"{unlabelled} without references",) if unlabelled else ()),
    )  # fmt: skip
    with ExitStack() as stack:
        place = None if folder is None else Path(folder)
        state = resume_loop(place, identity) or LoopState(None, given, Weights(), None, [])
        if place is None:
            work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rosewood-")))
        else:
            work = place
        stack.callback(state.close)
        while state.ending is None:
            number = len(state.history) + 1
            made = merge_round(
                state.forests, decode(state.weights, number), state.weights, metric, every,
                work / f"round-{number}.rwf", number=number, threads=threads,
                unlabelled=unlabelled,
            )  # fmt: skip
            score = made.score(metric)
            row: dict[str, Any] = {"round": number, "score": score, "new": made.new}
            row |= {"tuned": None, "moved": None}
            state.keep_best(score, metric.sign)
            state.ending = _nothing_to_do(state, row, learner, metric, patience)
            last = number > rounds
            state.replace_forests(made.forests)
            if state.ending is None and not last:
                opened = partial(
                    TuningSet, metric=metric, references=every, threads=threads,
                    max_memory=max_memory, unlabelled=unlabelled,
                )  # fmt: skip
                if edges_per_word is not None:
                    _prune(state, row, opened, edges_per_word)
                forests, chosen = cast(ForestSet, state.forests), cast(RoundLearner, learner)
                if training is not None and state.ending is None:
                    found = training.round(state.weights, number, forests.features)
                    chosen, forests = found.learner, ForestSet(forests.path, features=found.space)
                    row |= found.facts
                if state.ending is None:
                    _learn(state, row, chosen, opened(forests), normalization, seed, tolerance)
            state.history.append(row)
            # A loop that only ran out of rounds may be given more: then this round is done again.
            if last and state.ending is None:
                made.forests.path.unlink()
                state.ending = f"{rounds} rounds are done"
            elif place is not None:
                save_loop(place, identity, state)
            if report is not None:
                report(row)
    if state.best_score is None:
        raise TuningError(state.ending, code="tuning.no-weights")
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
    folder: PathName | None = None,
    **options: Any,
) -> LoopReplicates:
    """`tune_loop` with seeds from `seed` on, each in a folder of its own; `options` are its."""
    check_whole("replicates", replicates, low=1, error=TuningError)
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


def _numbers(start: Mapping[str, float]) -> Weights:
    """The starting weights, refused where one is not a number."""
    if not isinstance(start, Weights):
        for name, value in start.items():
            check_number(name, value, error=TuningError)
    weights = Weights.of(start)
    bad = [name for name, value in weights.named.items() if not isfinite(value)]
    for template, (numbers, values) in weights.numbered.items():
        bad += [f"{template}:{number}" for number in numbers[~np.isfinite(values)][:1].tolist()]
    if bad:
        check_number(bad[0], weights[bad[0]], error=TuningError)
    return weights


def _bytes(arrays: tuple[Any, ...]) -> list[bytes]:
    return [array.tobytes() for array in arrays]


def _nothing_to_do(
    state: LoopState, row: Mapping[str, Any], learner: Learner, metric: Metric, patience: int
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


def _prune(
    state: LoopState,
    row: dict[str, Any],
    opened: Callable[[ForestSet], TuningSet],
    edges_per_word: float,
) -> None:
    """Make the merged forests smaller, and note what that changes."""
    forests = cast(ForestSet, state.forests)
    theta = forests.features.vector(state.weights, only_known=True)
    if not theta.any():
        return
    whole = forests.path
    try:
        made = prune_set(opened(forests), theta, edges_per_word, whole.with_suffix(".pruned"))
    except TuningError as error:
        state.ending = f"round {row['round']}: {error}"
        return
    row |= asdict(made.facts)
    made.forests.close()
    forests.close()
    made.forests.path.replace(whole)
    state.replace_forests(ForestSet(whole))


def _learn(
    state: LoopState,
    row: dict[str, Any],
    learner: RoundLearner,
    tuning: TuningSet,
    normalization: Normalization,
    seed: int,
    tolerance: float,
) -> None:
    """New weights from the forests of all rounds so far."""
    number, space = row["round"], tuning.features
    theta = space.vector(state.weights, only_known=True)
    project = getattr(learner, "project", None)
    if project is not None:
        theta = project(theta, len(space.dense))
    begin = theta if theta.any() else np.ones(len(theta))
    scaled = partial(normalize, how=normalization, dense=len(space.dense))
    try:
        fit = learner.fit(tuning, begin, seed=seed + number - 1)
        check_weights(fit.theta, space, fit.units)
        found = scaled(fit.theta)
        share = getattr(learner, "interpolation", 1.0)
        if theta.any() and share < 1.0:
            mixed = share * found + (1.0 - share) * scaled(theta)
            check_weights(mixed, space, fit.units)
            found = scaled(mixed)
    except TuningError as error:
        state.ending = f"round {number}: {error}"
        return
    length = float(np.sqrt((found**2).sum()))
    row["moved"] = float(np.sqrt(((found - scaled(theta)) ** 2).sum())) / length
    row["tuned"] = tuning.score(found)
    row |= fit.facts
    state.weights = space.weights(found)
    if row["moved"] < tolerance:
        state.ending = f"the weights moved by less than {tolerance:g}"
