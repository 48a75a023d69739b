"""Candidates in, candidates out: sorted by a weighted sum of their features."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import isfinite
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rosewood import _core
from rosewood.arguments import check_type
from rosewood.arrays import FloatArray, LongArray, as_count
from rosewood.errors import ForestError, TuningError
from rosewood.forest import BoostedTrees
from rosewood.forest.trees import TREES
from rosewood.model import read_weights
from rosewood.rerank.candidates import CandidateList, is_sparse
from rosewood.rerank.readers import read_candidates
from rosewood.shared_types import PathName


class Reranked(NamedTuple):
    """A list, the order of its candidates from best to worst, and the score of each candidate."""

    candidates: CandidateList
    order: LongArray
    scores: FloatArray

    @property
    def best(self) -> str:
        return self.candidates.texts[int(self.order[0])]

    def reordered(self, k: int | None = None) -> CandidateList:
        """The candidates from best to worst (the k best), with their score as `rosewood`."""
        if k is not None:
            as_count("k", k, 1, error=TuningError)
        first = self.order[:k]
        old = self.candidates
        return replace(
            old,
            texts=tuple(old.texts[i] for i in first),
            dense=old.dense[first],
            sparse=tuple(old.sparse[i] for i in first) if old.sparse else (),
            scores={
                **{name: column[first] for name, column in old.scores.items()},
                "rosewood": self.scores[first],
            },
        )


def rerank(
    lists: Iterable[CandidateList] | PathName,
    weights: Mapping[str, float] | PathName,
    *,
    trees: BoostedTrees | PathName | None = None,
) -> Iterator[Reranked]:
    """Each list with its candidates in order; among equals, in the order they came.

    Lists and weights may be files.  Every dense feature needs a weight, and every weight that is
    not of a sparse feature a feature.  `trees` add the feature `boost`; those that are beside a
    file of weights that has a weight for it are found.
    """
    if isinstance(lists, str | PathLike):
        lists = read_candidates(lists)
    if isinstance(weights, str | PathLike):
        file, weights = weights, read_weights(weights)
        if trees is None and TREES in weights and trees_file(file).exists():
            trees = trees_file(file)
    if isinstance(trees, str | PathLike):
        trees = BoostedTrees.load(trees)
    check_type("lists", lists, Iterable, "lists of candidates or a file of them", error=TuningError)
    return _reranked(lists, as_numbers(weights), trees)


def trees_file(weights: PathName) -> Path:
    """Where the trees are that belong to a file of weights: weights.json has weights.trees.json."""
    file = Path(weights)
    return file.with_name(f"{file.name.removesuffix('.json')}.trees.json")


def as_numbers(weights: Mapping[str, float]) -> dict[str, float]:
    """Weights by name, each a finite number."""
    check_type("weights", weights, Mapping, "numbers by name or a file of them", error=TuningError)
    return {name: _weight(name, value) for name, value in weights.items()}


def _weight(name: str, value: object) -> float:
    check_type("weights", name, str, "names that are strings", error=TuningError)
    try:
        if isinstance(value, Real) and not isinstance(value, bool) and isfinite(value):
            return float(value)
    except OverflowError:
        pass
    reason = f"the weight of {name!r} is {value!r:.40}, expected a finite number"
    code = "argument.range" if isinstance(value, Real) else "argument.type"
    raise TuningError(reason, code=code, argument=name, value=value)


def _reranked(
    lists: Iterable[CandidateList], weights: Mapping[str, float], trees: BoostedTrees | None
) -> Iterator[Reranked]:
    checked: tuple[str, ...] | None = None
    theta = np.empty(0)
    # Sparse features are added up in the order of the weights, whatever order a candidate has.
    number = {name: i for i, name in enumerate(filter(is_sparse, weights))}
    for candidates in lists:
        check_type("lists", candidates, CandidateList, "CandidateLists", error=TuningError)
        scored = candidates if trees is None else _with_trees(candidates, trees)
        if scored.names is not checked and scored.names != checked:
            _check_weights(scored, weights)
            theta = np.array([weights[name] for name in (*scored.names, *number)], dtype=float)
            checked = scored.names
        scores = _scores(scored, theta, number)
        if not np.isfinite(scores).all():
            reason = f"list {candidates.id!r}: a score does not fit a double"
            raise TuningError(reason, code="tuning.overflow", value=candidates.id)
        yield Reranked(candidates, np.argsort(-scores, kind="stable"), scores)


def _with_trees(candidates: CandidateList, trees: BoostedTrees) -> CandidateList:
    """A list with the feature that trees make."""
    names = candidates.names
    for name in trees.columns:
        if name not in names:
            reason = f"list {candidates.id!r}: trees look at the feature {name!r}, which is missing"
            raise TuningError(reason, code="features.missing", argument=name)
    column = trees.score(candidates.dense[:, [names.index(name) for name in trees.columns]])
    dense = np.column_stack([candidates.dense, column])
    return replace(candidates, names=(*names, TREES), dense=dense)


def _scores(candidates: CandidateList, theta: FloatArray, number: Mapping[str, int]) -> FloatArray:
    """θ·φ of each candidate, by the kernel that tuning uses: BLAS may round equal rows apart."""
    pairs = [
        sorted((number[name], value) for name, value in table.items() if name in number)
        for table in candidates.sparse
    ] or [[]] * len(candidates)
    scores = np.empty(len(candidates))
    try:
        features = _core.make_features(
            np.ascontiguousarray(candidates.dense, dtype=np.float64),
            np.cumsum([0, *map(len, pairs)], dtype=np.int64),
            np.array([i for row in pairs for i, _ in row], dtype=np.int32),
            np.array([value for row in pairs for _, value in row], dtype=np.float64),
            len(number),
        )
        _core.edge_scores(features, theta, scores)
    except (ForestError, TypeError, ValueError) as error:
        reason, code = f"list {candidates.id!r}: {error}", getattr(error, "code", "argument.type")
        raise TuningError(reason, code=code, argument="features", value=candidates.id) from error
    return scores


def _check_weights(candidates: CandidateList, weights: Mapping[str, float]) -> None:
    who = f"list {candidates.id!r}"
    check_dense(who, candidates.names, weights)
    known = set(candidates.names)
    for name in weights:
        if name not in known and not is_sparse(name):
            hint = "it is that of trees, whose file is missing (--trees)" if name == TREES else ""
            raise no_such_feature(who, name, hint)


def check_dense(who: str, names: Iterable[str], weights: Mapping[str, float]) -> None:
    """Refuse weights that lack one of these features."""
    for name in names:
        if name not in weights:
            reason = f"{who}: there is no weight for feature {name!r}"
            raise TuningError(reason, code="argument.missing", argument="weights", value=name)


def no_such_feature(who: str, name: str, hint: str = "") -> TuningError:
    """The error of a weight whose name may be misspelt."""
    reason = f"{who}: there is a weight for {name!r}, but no such feature{hint and ': '}{hint}"
    return TuningError(reason, code="argument.unknown", argument="weights", value=name)
