"""Candidates in, candidates out: sorted by a weighted sum of their features."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from os import PathLike
from typing import NamedTuple

import numpy as np

from rosewood.errors import TuningError
from rosewood.forest.arrays import FloatArray, LongArray
from rosewood.model import read_weights
from rosewood.rerank.candidates import CandidateList, is_sparse
from rosewood.rerank.readers import read_candidates

__all__ = ["Reranked", "rerank"]


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
    lists: Iterable[CandidateList] | str | PathLike[str],
    weights: Mapping[str, float] | str | PathLike[str],
) -> Iterator[Reranked]:
    """Each list with its candidates in order; among equals, in the order they came.

    Lists and weights may be files.  Every dense feature needs a weight, and every weight that is
    not of a sparse feature a feature.
    """
    if isinstance(lists, str | PathLike):
        lists = read_candidates(lists)
    if isinstance(weights, str | PathLike):
        weights = read_weights(weights)
    return _reranked(lists, weights)


def _reranked(lists: Iterable[CandidateList], weights: Mapping[str, float]) -> Iterator[Reranked]:
    checked: tuple[str, ...] | None = None
    vector = np.empty(0)
    for candidates in lists:
        if candidates.names is not checked and candidates.names != checked:
            vector = _dense_weights(candidates, weights)
            checked = candidates.names
        with np.errstate(over="ignore", invalid="ignore"):
            scores = candidates.dense @ vector
            for row, table in enumerate(candidates.sparse):
                scores[row] += sum(weights.get(name, 0.0) * x for name, x in table.items())
        if not np.isfinite(scores).all():
            raise TuningError(f"list {candidates.id!r}: a score does not fit a double")
        yield Reranked(candidates, np.argsort(-scores, kind="stable"), scores)


def _dense_weights(candidates: CandidateList, weights: Mapping[str, float]) -> FloatArray:
    for name in candidates.names:
        if name not in weights:
            raise TuningError(f"list {candidates.id!r}: there is no weight for feature {name!r}")
    known = set(candidates.names)
    for name in weights:
        if name not in known and not is_sparse(name):
            raise TuningError(
                f"list {candidates.id!r}: there is a weight for {name!r}, but no such feature"
            )
    return np.array([weights[name] for name in candidates.names], dtype=np.float64)
