"""Candidates as tuning sets: read, counted for a metric, checked; alone or beside training data."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from os import PathLike

import numpy as np

from rosewood.arguments import check_type
from rosewood.errors import MetricError, TuningError
from rosewood.forest import ForestSet
from rosewood.learn import TuningSet
from rosewood.learn.training_set import TrainingSet
from rosewood.metrics import Metric
from rosewood.model import shared_features
from rosewood.rerank.arrays import forest_set
from rosewood.rerank.candidates import CandidateList
from rosewood.rerank.readers import read_candidates
from rosewood.resources import MAX_MEMORY
from rosewood.shared_types import PathName, ProgressCallback

Lists = ForestSet | Iterable[CandidateList] | PathName


def two_sets(
    candidates: Lists,
    training: Lists | None,
    metric: Metric,
    threads: int,
    tell: ProgressCallback,
    *,
    max_memory: int,
) -> tuple[TuningSet, TrainingSet | None]:
    """Candidates to tune on, in the feature space of all, and those to learn from besides."""
    if training is None:
        return tuning_set(candidates, metric, threads, tell, max_memory=max_memory), None
    what = "the training candidates"
    small = as_forest_set(candidates, metric, "the candidates")
    large = tuning_set(training, metric, threads, tell, what=what, max_memory=max_memory)
    shared_features(small.features, large.features, other_name=what)
    space, places = small.features.joined(large.features)
    every = ForestSet(small.path, features=space)
    weakref.finalize(every, lambda kept: None, small)  # a temporary file lasts as long as its set
    data = tuning_set(every, metric, threads, tell, max_memory=max_memory)
    check_apart(large, data, what="the candidates that are tuned on")
    return data, TrainingSet(large, places)


def as_forest_set(candidates: Lists, metric: Metric, what: str) -> ForestSet:
    """Candidates as a forest set; errors call them `what`."""
    if isinstance(candidates, str | PathLike):
        candidates = read_candidates(candidates, needs_references=metric.needs_references)
    check_type(what, candidates, Iterable, "a file, lists or a forest set", error=TuningError)
    return candidates if isinstance(candidates, ForestSet) else forest_set(_only_lists(candidates))


def tuning_set(
    candidates: Lists,
    metric: Metric,
    threads: int,
    tell: ProgressCallback,
    *,
    what: str = "the candidates",
    max_memory: int = MAX_MEMORY,
) -> TuningSet:
    """Candidates with the metric's statistics; errors call them `what`."""
    lists = as_forest_set(candidates, metric, what)
    done = 0

    def step(count: int) -> None:
        nonlocal done
        done += count
        tell(f"counting for {metric.title}", done, len(lists))

    try:
        tuning = TuningSet(lists, metric, threads=threads, max_memory=max_memory, step=step)
    except MetricError as error:
        raise error.restated(f"{what}: list {error}") from error
    if not tuning.is_flat:
        reason = (
            "reranking takes lists of candidates, these are forests: tune them with "
            "rosewood.learn, or list their best strings first"
        )
        raise TuningError(reason, code="tuning.not-lists", argument=what)
    if not len(tuning.features):
        reason = f"{what} have no features: there is nothing to weigh"
        raise TuningError(reason, code="tuning.no-features", argument=what)
    gains, first = metric.sentence_gains(tuning.statistics), tuning.edge_start[:-1]
    if (np.maximum.reduceat(gains, first) == np.minimum.reduceat(gains, first)).all():
        told = f"{metric.title} does not vary within any list"
        reason = f"{what} give nothing to choose by: {told}"
        raise TuningError(reason, code="tuning.no-choice", argument=what)
    return tuning


def _only_lists(lists: Iterable[CandidateList]) -> Iterator[CandidateList]:
    for each in lists:
        check_type("candidates", each, CandidateList, "lists of candidates", error=TuningError)
        yield each


def check_apart(data: TuningSet, other: TuningSet, *, what: str) -> list[str]:
    """The same features, but other lists; a note where some of the lists are the same."""
    shared_features(data.features, other.features, other_name=what)
    known = set(data.sentences())
    seen = sum(each in known for each in other.sentences())
    if seen == len(other):
        reason = f"{what} are those that are tuned on: expected other lists"
        raise TuningError(reason, code="argument.conflict", argument=what)
    if seen:
        return [f"{seen} of {len(other)} of {what} are tuned on, too: the scores are too good"]
    return []
