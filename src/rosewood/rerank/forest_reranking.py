"""The best translations of packed forests by given weights, with n-gram weights if there are any.

for each in rerank_forests("test.rwf", "weights.json", "second.json"):
    print(each.text)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rosewood.arguments import check_type
from rosewood.arrays import FloatArray, as_count
from rosewood.errors import ForestError, TuningError
from rosewood.forest import Derivations, NamedForest, SecondStage
from rosewood.forest.second_stage import SECOND_STAGE, Rescored
from rosewood.forest.trees import TREES
from rosewood.rerank.candidates import CandidateList, is_sparse
from rosewood.rerank.packed_forests import (
    FirstStage,
    Forests,
    PackedForests,
    about,
    overflow,
    references_of,
)
from rosewood.resources import check_threads
from rosewood.shared_types import PathName
from rosewood.threads import in_order

_HINTS = {
    TREES: "it is that of trees, which are for lists of candidates",
    SECOND_STAGE: "it is that of a second stage, whose file is missing (--second-stage)",
}


class RerankedForest(NamedTuple):
    """The best translation of a forest; the empty text and no score if it has no derivations."""

    id: str
    text: str
    score: float | None
    is_changed: bool  # without the second stage it would be another text
    nbest: CandidateList | None = None


def rerank_forests(
    forests: Forests,
    weights: Mapping[str, float] | PathName,
    second: SecondStage | PathName | None = None,
    *,
    k: int | None = None,
    format: str | None = None,
    threads: int = 1,
) -> Iterator[RerankedForest]:
    """The best translation of each forest; with `k`, the k best distinct ones as well.

    Forests are a file (`format` is one of those of `read_any`), a set, or named forests; memory has
    one for each thread.  Every dense feature needs a weight, and every weight that is not of a
    sparse feature a feature.  `second` is a second stage, its file, or a model that has one; the
    weight `second_stage`, if there is one, is its scale.
    """
    packed = PackedForests(forests, format=format)
    first = FirstStage(weights, hints=_HINTS, adds_second=second is not None)
    if isinstance(second, str | PathLike):
        second = open_second_stage(second)
    check_type("second", second, SecondStage | None, "a SecondStage", error=TuningError)
    scale = 1.0 if second is None else first.pop(SECOND_STAGE, 1.0)
    most = None if k is None else as_count("k", k, 1, error=TuningError)
    threads = check_threads(threads, TuningError)
    first.check(packed)
    columns = tuple(name for name in first.weights if not is_sparse(name))
    search = _Search(first, second, scale, most, columns)
    return in_order(search, _jobs(packed, first), threads=threads)


def open_second_stage(path: PathName) -> SecondStage:
    """The second stage of a file, or of the folder of a model."""
    if not Path(path).is_dir():
        return SecondStage.load(path)
    from rosewood.model import Bundle

    found: SecondStage | None = Bundle.open(path).part("second_stage")
    if found is None:
        reason = f"{path}: the model has no second stage"
        raise TuningError(reason, code="model.no-second-stage", argument="second", file=path)
    return found


_Job = tuple[NamedForest, FloatArray]  # and its θ


def _jobs(packed: PackedForests, first: FirstStage) -> Iterator[_Job]:
    is_empty = True
    for item in packed.read():
        is_empty = False
        yield item, first.theta(item)
    if is_empty:
        raise packed.empty()
    first.finish(packed)


@dataclass(frozen=True)
class _Search:
    """Searches one forest."""

    first: FirstStage
    second: SecondStage | None
    scale: float
    k: int | None
    columns: tuple[str, ...]  # features that each candidate of a list has, besides dense ones

    def __call__(self, job: _Job) -> RerankedForest:
        item, theta = job
        try:
            return self._searched(item, theta)
        except ForestError as error:
            raise about(item, error) from error

    def _searched(self, item: NamedForest, theta: FloatArray) -> RerankedForest:
        forest = item.forest
        if forest.is_empty:
            blank = None if self.k is None else self._blank(item)
            return RerankedForest(item.name, "", None, False, blank)
        score = self.first.score(item, theta)
        first = best = forest.best(score)
        made: Rescored | None = None
        if self.second is not None:
            with np.errstate(over="ignore", invalid="ignore"):
                made = self.second.rescore(forest, score, scale=self.scale)
            if not np.isfinite(made.total).all():
                raise overflow(item)
            best = made.best()
        if not isfinite(best.score):
            raise overflow(item)
        text = best.text
        listed = None if self.k is None else self._listed(item, score, made, self.k)
        return RerankedForest(item.name, text, best.score, text != first.text, listed)

    def _listed(
        self, item: NamedForest, score: FloatArray, made: Rescored | None, k: int
    ) -> CandidateList:
        """The k best strings, with the features of the forest and what n-grams add."""
        forest = item.forest
        if made is None:
            found, ngrams = forest.k_best(score, k, distinct=True), None
        else:
            refined = made.refined.forest.k_best(made.total, k, distinct=True)
            ngrams = np.add.reduceat(made.ngrams[refined.edge], refined.start[:-1])
            edges = made.edge_map[refined.edge]
            found = Derivations(forest, refined.start, edges, refined.score)
        dense, start, ids, values = found.features()
        pairs = [(forest.features.sparse[i], value)
                 for i, value in zip(ids.tolist(), values.tolist(), strict=True)]  # fmt: skip
        tables = [dict(pairs[a:b]) for a, b in pairwise(start.tolist())]
        return self._list(item, found.texts(), dense, tables, ngrams, found.score)

    def _blank(self, item: NamedForest) -> CandidateList:
        """Of a forest without derivations: learners want a list for each line of references."""
        width = len(item.forest.features.dense)
        ngrams = None if self.second is None else np.zeros(1)
        return self._list(item, [""], np.zeros((1, width)), [{}], ngrams, np.zeros(1))

    def _list(
        self,
        item: NamedForest,
        texts: list[str],
        dense: FloatArray,
        tables: list[dict[str, float]],
        ngrams: FloatArray | None,
        score: FloatArray,
    ) -> CandidateList:
        # A list has the same features without a colon for all candidates: sparse ones of other
        # programs, too, if they are weighed.
        own = item.forest.features.dense
        more = [name for name in self.columns if name not in own]
        blocks = [dense, np.array([[row.pop(n, 0.0) for n in more] for row in tables])]
        names = [*own, *more]
        if ngrams is not None:
            blocks.append(ngrams[:, None])
            names.append(SECOND_STAGE)
        source = item.info.get("src")
        return CandidateList(
            id=item.name,
            texts=tuple(texts),
            names=tuple(names),
            dense=np.hstack(blocks),
            source=source if isinstance(source, str) else None,
            references=references_of(f"forest {item.name!r}", item.info),
            sparse=tuple(tables) if any(tables) else (),
            scores={"rosewood": score},
        )
