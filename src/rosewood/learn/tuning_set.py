"""What learners see: forests, and the metric's statistics of anything the forests can say.

    tuning = TuningSet(forest_set, metric)          # references are in the set
    tuning = TuningSet(forests, metric, references)
    tuning.score(theta)                             # the metric of the best derivations

A *row* is a place in the table of statistics.  In an n-best list (a forest of one node) every edge
is a candidate, and its row is its number in the set; in other forests rows are given to strings
as they are met, so that none is counted twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from functools import cached_property
from itertools import pairwise
from threading import Lock
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.arrays import FloatArray, LongArray, as_count, as_weight
from rosewood.corpus import Vocabulary
from rosewood.errors import ForestError, RosewoodError, TuningError
from rosewood.forest import Derivations, FeatureSpace, Forest, ForestSet, nbest_texts
from rosewood.learn.candidates import Candidates, concatenate, listed
from rosewood.metrics.metric import Metric

__all__ = ["TuningSet", "whole_number"]

Scores = Mapping[str, Sequence[float]]


class TuningSet:
    """Forests with one metric.  Immutable, but for the table of statistics, which only grows."""

    def __init__(
        self,
        forests: Sequence[Forest],
        metric: Metric,
        references: Sequence[Sequence[str]] | None = None,
        *,
        scores: Sequence[Scores] | None = None,
        names: Sequence[str] | None = None,
        threads: int = 1,
        step: Callable[[int], None] | None = None,
    ) -> None:
        """`scores` are columns of numbers for candidates; `step` is called as work gets done."""
        if not isinstance(forests, Sequence) or isinstance(forests, str):
            raise TuningError(f"the forests are {type(forests).__name__}, want a list or a set")
        if not len(forests):
            raise TuningError("there is nothing to tune on: no forests")
        if not isinstance(metric, Metric):
            raise TuningError(f"the metric is {metric!r}, want one of rosewood.metrics")
        self.metric = metric
        self.threads = whole_number("threads", threads, 1)
        told = _told(forests, references, scores, names)
        self.names: list[str] = told["names"]
        self.references: list[Sequence[str]] = told["references"]
        self._scores: list[Scores] = told["scores"]
        self.forests: list[Forest] = list(forests)
        for name, each in zip(self.names, self.forests, strict=True):
            if not isinstance(each, Forest):
                raise TuningError(f"{name!r} is {type(each).__name__}, want a forest")
        self.features: FeatureSpace = self.forests[0].features
        self._lock = Lock()
        for name, forest in zip(self.names, self.forests, strict=True):
            if forest.is_empty:
                raise TuningError(f"forest {name!r} has no derivations")
            if forest.features is not self.features and forest.features != self.features:
                raise TuningError(f"forest {name!r} has other features than {self.names[0]!r}")
        self.is_flat = all(f.num_nodes == 1 for f in self.forests)
        self._seen: list[dict[str, int]] = []
        self._table: FloatArray = np.empty((0, len(metric.columns)))
        self._used = 0
        if self.is_flat:
            self._fill_flat(step)
        else:
            self._seen = [{} for _ in self.forests]

    def _fill_flat(self, step: Callable[[int], None] | None) -> None:
        """Statistics of all candidates, a few hundred lists at a time."""
        blocks = []
        for first in range(0, len(self), 256):
            last = min(first + 256, len(self))
            blocks.append(self._statistics(range(first, last)))
            if step is not None:
                step(last - first)
        self._table = np.concatenate(blocks)
        self._used = len(self._table)

    def _statistics(self, chosen: range) -> FloatArray:
        texts = [nbest_texts(self.forests[i]) for i in chosen]
        try:
            if any(self._scores[i] for i in chosen):
                rows = [
                    self.metric.statistics(each, self.references[i], self._scores[i])
                    for i, each in zip(chosen, texts, strict=True)
                ]
                return np.concatenate(rows)
            references = [self.references[i] for i in chosen]
            return self.metric.statistics_many(texts, references, threads=self.threads)
        except RosewoodError as error:
            told = self.names[chosen[0]] if len(chosen) == 1 else None
            if told is None:  # which list it was
                for i in chosen:
                    self._statistics(range(i, i + 1))
            raise type(error)(f"{told}: {error}" if told else str(error)) from error

    def _row_block(self, i: int, texts: Sequence[str]) -> FloatArray:
        try:
            rows = self.metric.statistics(texts, self.references[i], self._scores[i])
        except RosewoodError as error:
            raise type(error)(f"{self.names[i]}: {error}") from error
        if not np.isfinite(rows).all():
            raise TuningError(f"{self.names[i]}: a statistic of {self.metric.name} is not finite")
        return rows

    # -- shape ------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.forests)

    def __repr__(self) -> str:
        kind = "lists" if self.is_flat else "forests"
        return f"TuningSet({len(self)} {kind}, {self.num_edges} edges, {self.metric.name})"

    @cached_property
    def edge_start(self) -> LongArray:
        """Where the edges of each forest begin among those of all."""
        return np.cumsum([0, *(f.num_edges for f in self.forests)], dtype=np.int64)

    @property
    def num_edges(self) -> int:
        return int(self.edge_start[-1])

    @cached_property
    def batch(self) -> _core.ForestBatch:
        """The forests as native kernels take them."""
        return _core.make_batch(
            [f.view for f in self.forests], [f.feature_view for f in self.forests]
        )

    def subset(self, chosen: Sequence[int] | LongArray, *, threads: int | None = None) -> TuningSet:
        """Some of the forests, statistics and all."""
        if not len(chosen):
            raise TuningError("a part of a tuning set must have at least one forest")
        part = object.__new__(TuningSet)
        numbers = [whole_number("a forest", i, 0, len(self) - 1) for i in chosen]
        part.metric, part.features = self.metric, self.features
        part.threads = self.threads if threads is None else threads
        part.names = [self.names[i] for i in numbers]
        part.references = [self.references[i] for i in numbers]
        part._scores = [self._scores[i] for i in numbers]
        part.forests = [self.forests[i] for i in numbers]
        part._lock, part.is_flat = Lock(), self.is_flat
        part._seen = [{} for _ in numbers]
        part._table, part._used = self._table[:0], 0
        if self.is_flat:
            rows = [np.arange(self.edge_start[i], self.edge_start[i + 1]) for i in numbers]
            part._table = self._table[np.concatenate(rows)]
            part._used = len(part._table)
        return part

    def identity(self) -> str:
        """A hash of all that decides a fit: forests, what they say, references, scores, metric."""
        digest = hashlib.sha256(f"{self.metric.signature}{_settings(self.metric)}".encode())
        digest.update("\0".join(self.features.names).encode())
        words: Vocabulary | None = None
        for i, forest in enumerate(self.forests):
            if forest.vocabulary is not None and forest.vocabulary is not words:
                words = forest.vocabulary
                digest.update(repr(list(words)).encode())
            digest.update(repr((self.names[i], list(self.references[i]))).encode())
            for name, column in sorted(self._scores[i].items()):
                digest.update(name.encode() + np.asarray(column, dtype=np.float64).tobytes())
            for name in ("edge_start", "tail_start", "tail", "dense", "feat_start", "feat_id",
                         "feat_value", "yield_start", "yield_symbol"):  # fmt: skip
                digest.update(getattr(forest, name).tobytes())
        return digest.hexdigest()

    def sentences(self) -> list[str]:
        """A hash of each list: what it says and is to say, in any order and by any name; where
        that is nothing, its features."""
        found = []
        for forest, references in zip(self.forests, self.references, strict=True):
            texts = sorted(nbest_texts(forest))
            facts = repr((texts, list(references))).encode()
            if not any(texts) and not len(references):
                facts = forest.dense.tobytes() + forest.feat_value.tobytes()
            found.append(hashlib.sha256(facts).hexdigest())
        return found

    # -- statistics -------------------------------------------------------------------------------

    @property
    def statistics(self) -> FloatArray:
        """[rows, columns]: what there is so far."""
        return self._table[: self._used]

    def rows(self, owner: LongArray, start: LongArray, edge: LongArray) -> LongArray:
        """The row of each derivation: of forest owner[k], edges start[k] .. start[k+1]-1."""
        if self.is_flat:
            return edge
        rows = np.empty(len(owner), dtype=np.int64)
        bounds = np.flatnonzero(np.diff(owner, prepend=-1, append=-1))
        for first, last in pairwise(bounds):
            i = int(owner[first])
            edges = edge[start[first] : start[last]] - self.edge_start[i]
            places = start[first : last + 1] - start[first]
            found = Derivations(self.forests[i], places, edges, np.empty(len(places) - 1))
            rows[first:last] = self.rows_of_texts(i, found.texts())
        return rows

    def texts_of_rows(self, rows: LongArray, lists: LongArray | None = None) -> list[str]:
        """The strings of rows, one of each list (or of those with these numbers); lists only."""
        numbers = np.arange(len(self)) if lists is None else lists
        texts = []
        for i, row in zip(numbers.tolist(), rows.tolist(), strict=True):
            forest, edge = self.forests[i], row - int(self.edge_start[i])
            begin, end = forest.yield_start[edge : edge + 2]
            texts.append(" ".join(map(forest.word, forest.yield_symbol[begin:end].tolist())))
        return texts

    def rows_of_texts(self, i: int, texts: Sequence[str]) -> list[int]:
        """The rows of strings that forest i can say; only for forests that are not lists."""
        seen = self._seen[i]
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in seen]
            if new:
                block = self._row_block(i, new)
                if self._used + len(block) > len(self._table):
                    grown = np.empty((2 * (self._used + len(block)), block.shape[1]))
                    grown[: self._used] = self._table[: self._used]
                    self._table = grown
                self._table[self._used : self._used + len(block)] = block
                seen.update(zip(new, range(self._used, self._used + len(block)), strict=True))
                self._used += len(block)
        return [seen[text] for text in texts]

    # -- weights ----------------------------------------------------------------------------------

    def edge_scores(self, theta: ArrayLike, *, threads: int | None = None) -> FloatArray:
        """θ·φ of every edge of every forest."""
        scores: FloatArray = self.edge_scores_many([theta], threads=threads)[0]
        return scores

    def edge_scores_many(
        self, thetas: Iterable[ArrayLike], *, threads: int | None = None
    ) -> FloatArray:
        """Edge scores under each θ, [n, edges]: features are read from memory once for all."""
        rows = np.stack([as_weight("theta", theta, len(self.features)) for theta in thetas])
        out = np.empty((len(rows), self.num_edges))
        _core.batch_scores(self.batch, rows, out, threads or self.threads)
        return out

    def best_rows(self, theta: ArrayLike) -> LongArray:
        """The row of each forest's best derivation."""
        start, edge = _core.batch_best(self.batch, self.edge_scores(theta), self.threads)
        return self.rows(np.arange(len(self)), start, edge)

    def score(self, theta: ArrayLike) -> float:
        """The metric, of the best derivations under θ."""
        rows = self.best_rows(theta)  # the table may grow
        return self.metric.score(self.statistics[rows])

    def gain(self, theta: ArrayLike) -> float:
        """What learners maximise: the score, or its negative where lower is better."""
        return self.metric.sign * self.score(theta)

    def candidates(self, theta: ArrayLike, k: int) -> Candidates:
        """Lists of candidates: all of an n-best list, the k best strings of other forests."""
        if self.is_flat:
            return concatenate(self.forests, self.edge_start, self.statistics)
        return listed(self, as_weight("theta", theta, len(self.features)), k)


def whole_number(what: str, value: SupportsIndex, low: int = 0, high: int = 2**63 - 1) -> int:
    """A whole number from `low` to `high`: counts, seeds, places."""
    if isinstance(value, bool | np.bool_):
        raise TuningError(f"{what} is {value}, want a whole number")
    try:
        return as_count(what, value, low, high)
    except ForestError as error:
        raise TuningError(str(error)) from None


def _settings(metric: Metric) -> str:
    """All settings of a metric; its signature rounds some, as sacreBLEU's does."""
    return repr(asdict(metric)) if is_dataclass(metric) else ""


def _told(
    forests: Sequence[Forest],
    references: Sequence[Sequence[str]] | None,
    scores: Sequence[Scores] | None,
    names: Sequence[str] | None,
) -> dict[str, list[Any]]:
    """What is known beside the forests, from the arguments or from the set's own notes."""
    told: dict[str, list[Any]] = {}
    infos: list[dict[str, Any]] = [{}] * len(forests)
    if isinstance(forests, ForestSet):
        infos = [forests.info(i) for i in range(len(forests))]
    for key, given, own in (
        ("names", names, [str(info.get("id", i)) for i, info in enumerate(infos)]),
        ("references", references, [info.get("refs", ()) for info in infos]),
        ("scores", scores, [info.get("scores", {}) for info in infos]),
    ):
        try:
            told[key] = list(own if given is None else given)
            if key == "references":
                told[key] = [tuple(each) for each in told[key]]
        except TypeError:
            raise TuningError(f"{key} are {given!r:.40}, want a list for each forest") from None
        if len(told[key]) != len(forests):
            raise TuningError(f"{len(told[key])} {key} for {len(forests)} forests")
    return told
