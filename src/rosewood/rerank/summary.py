"""What there is in a file of candidates: how many, and how their numbers spread."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.rerank.candidates import CandidateList


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean, standard deviation, least and greatest of some numbers; None does not fit a double."""

    mean: float | None
    sd: float | None
    min: float
    max: float


@dataclass(frozen=True, slots=True)
class CandidateSummary:
    """What a stream of lists had."""

    lists: int
    candidates: int
    shortest: int  # candidates of the shortest list
    longest: int
    distinct: int  # candidates without those whose text was in their list before
    sources: int  # lists that have one
    references: int  # of each list
    features: dict[str, Spread]  # the dense ones
    sparse: int  # names of sparse features
    scores: dict[str, Spread]

    def to_dict(self) -> dict[str, Any]:
        """Everything, in a form that JSON can hold."""
        return asdict(self)


def summarise(lists: Iterable[CandidateList]) -> CandidateSummary:
    """Read all lists once; memory holds one of them, and the names of sparse features."""
    sizes: list[int] = []
    distinct = sources = references = 0
    sparse: set[str] = set()
    dense, scores = _Columns(), _Columns()
    for candidates in lists:
        sizes.append(len(candidates))
        distinct += len(set(candidates.texts))
        sources += candidates.source is not None
        references = len(candidates.references)
        sparse.update(name for table in candidates.sparse for name in table)
        dense.add(candidates.names, candidates.dense)
        if candidates.scores:
            scores.add(tuple(candidates.scores), np.column_stack([*candidates.scores.values()]))
    return CandidateSummary(
        lists=len(sizes),
        candidates=sum(sizes),
        shortest=min(sizes, default=0),
        longest=max(sizes, default=0),
        distinct=distinct,
        sources=sources,
        references=references,
        features=dense.spreads(),
        sparse=len(sparse),
        scores=scores.spreads(),
    )


class _Columns:
    """Running moments of the columns of a matrix that comes in pieces (Chan et al. 1979)."""

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._count = 0
        self._mean: FloatArray = np.zeros(0)
        self._square: FloatArray = np.zeros(0)  # sum of squared distances from the mean
        self._least: FloatArray = np.zeros(0)
        self._greatest: FloatArray = np.zeros(0)

    def add(self, names: tuple[str, ...], rows: FloatArray) -> None:
        count = len(rows)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = rows.mean(axis=0)
            square = ((rows - mean) ** 2).sum(axis=0)
            least, greatest = rows.min(axis=0), rows.max(axis=0)
            if not self._count:
                self._names, self._mean, self._square = names, mean, square
                self._least, self._greatest = least, greatest
            else:
                total = self._count + count
                step = mean - self._mean
                self._mean = self._mean + step * (count / total)
                self._square = self._square + square + step**2 * (self._count * count / total)
                self._least = np.minimum(self._least, least)
                self._greatest = np.maximum(self._greatest, greatest)
        self._count += count

    def spreads(self) -> dict[str, Spread]:
        with np.errstate(over="ignore", invalid="ignore"):
            deviation = np.sqrt(self._square / max(self._count, 1))
        rows = zip(
            self._names,
            map(_finite, self._mean.tolist()),
            map(_finite, deviation.tolist()),
            self._least.tolist(),
            self._greatest.tolist(),
            strict=True,
        )
        return {name: Spread(*values) for name, *values in rows}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
