"""What learners see: forests, and the metric's statistics of anything the forests can say.

    tuning = TuningSet(forest_set, metric)          # references are in the set
    tuning = TuningSet(forests, metric, references)
    tuning.score(theta)                             # the metric of the best derivations
    TuningSet(forest_set, metric, max_memory=500 << 20)   # forests are read slice by slice
    TuningSet(forests, metric, references, unlabelled=9)  # the last 9 forests have no references

A *row* is a place in the table of statistics that a set of n-best lists has (forests of one node):
every edge is a candidate, and its row is its number in the set.  Other forests have no table:
statistics of their strings are counted when they are asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from itertools import chain, pairwise
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.arguments import check_length, check_type, check_whole
from rosewood.arrays import FloatArray, LongArray, as_count, as_weight
from rosewood.corpus import Vocabulary
from rosewood.disk_arrays import Growing, filled
from rosewood.errors import RosewoodError, TuningError
from rosewood.forest import (
    Derivations,
    FeatureSpace,
    Forest,
    ForestSet,
    nbest_texts,
)
from rosewood.learn.batches import ForestReader, OriginalBatches, TuningBatch, check_forest
from rosewood.learn.candidates import Candidates, concatenate, listed
from rosewood.learn.string_statistics import StringStatistics
from rosewood.metrics.metric import Metric
from rosewood.resources import MAX_MEMORY
from rosewood.sequences import LazySequence
from rosewood.shared_types import CountCallback

Scores = Mapping[str, Sequence[float]]

_MOST_SLICE = 64 << 20  # larger slices are not faster


class Slice(NamedTuple):
    """Forests `first` .. `last`-1 of a set, as a batch."""

    first: int
    last: int
    batch: TuningBatch


class TuningSet:
    """Forests with one metric.  Immutable, but for what is remembered of strings.

    Forests that take more than an eighth of `max_memory` bytes (lists: a half) are not kept: each
    pass over the set reads them again, a slice at a time.  Results do not depend on it.
    Unlabelled forests are beside the set, for learners that take them; it neither counts nor scores
    them.
    """

    def __init__(
        self,
        forests: Sequence[Forest],
        metric: Metric,
        references: Sequence[Sequence[str]] | None = None,
        *,
        scores: Sequence[Scores] | None = None,
        names: Sequence[str] | None = None,
        threads: int = 1,
        max_memory: int = MAX_MEMORY,
        step: CountCallback | None = None,
        unlabelled: int = 0,
    ) -> None:
        """`scores` are columns of numbers for candidates; `step` is called as work gets done.

        The last `unlabelled` forests have no references, scores or names.
        """
        given = None if isinstance(forests, str) else forests
        check_type("forests", given, Sequence, "a list of forests or a set", error=TuningError)
        if not len(forests):
            reason = "there is nothing to tune on: no forests"
            raise TuningError(reason, code="argument.missing", argument="forests")
        check_type("metric", metric, Metric, "one of rosewood.metrics", error=TuningError)
        self.metric = metric
        self.threads = whole_number("threads", threads, 1)
        self.max_memory = whole_number("max_memory", max_memory, 1)
        count = len(forests) - whole_number("unlabelled", unlabelled, 0, len(forests) - 1)
        known = _beside(forests, count, references, scores, names)
        self.names: list[str] = known["names"]
        self.references: list[Sequence[str]] = known["references"]
        self._scores: list[Scores] = known["scores"]
        self.forests: Sequence[Forest] = forests
        self.features: FeatureSpace = FeatureSpace()
        self._reader = ForestReader(forests, self.max_memory, self._check)
        self.unlabelled: ForestReader | None = None
        if unlabelled:
            self.unlabelled = self._reader.subset(range(count, len(forests)))
            self._reader = self._reader.subset(range(count))
            self.forests = _Chosen(forests, range(count))
        self._prepare()
        if self.is_flat:
            self._fill_flat(step)

    def _check(self, number: int, forest: Forest) -> None:
        known = len(self.names)
        name = self.names[number] if number < known else f"unlabelled {number - known}"
        check_forest(name, forest)
        if number == 0:
            self.features = forest.features
        if forest.features is not self.features and forest.features != self.features:
            reason = f"forest {name!r} has other features than {self.names[0]!r}"
            raise TuningError(reason, code="tuning.other-features", argument="forests", value=name)

    def _prepare(self) -> None:
        """All that follows from the reader."""
        # Where each forest's edges begin among those of all.
        self.edge_start: LongArray = np.concatenate([[0], np.cumsum(self._reader.num_edges)])
        self.is_flat = bool((self._reader.num_nodes == 1).all())
        self.batches = OriginalBatches(self._reader, self.slice_memory)
        width = len(self.metric.columns)
        self._table: FloatArray = np.empty((0, width))
        self._strings = StringStatistics(self.count_strings, width, self.max_memory // 16)

    def _fill_flat(self, step: CountCallback | None) -> None:
        """Statistics of all candidates, a few hundred lists at a time."""
        made = self._table_builder()
        for first in range(0, len(self), 256):
            last = min(first + 256, len(self))
            made.append(self._statistics(range(first, last)))
            if step is not None:
                step(last - first)
        self._table = self._built(made)

    def _table_builder(self) -> Growing:
        return Growing(np.float64, self.max_memory // 16)

    def _built(self, made: Growing) -> FloatArray:
        return made.array().reshape(-1, len(self.metric.columns))

    def _statistics(self, chosen: range) -> FloatArray:
        forests = [self._reader[i] for i in chosen]
        if (found := self._word_statistics(chosen, forests)) is not None:
            return found
        return self._counted(chosen, [nbest_texts(forest) for forest in forests])

    def _counted(self, chosen: range, texts: Sequence[Sequence[str]]) -> FloatArray:
        """The statistics of strings of some forests, one forest after another."""
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
            name = self.names[chosen[0]] if len(chosen) == 1 else None
            if name is None:  # find the list that has the error
                for i, each in zip(chosen, texts, strict=True):
                    self._counted(range(i, i + 1), [each])
            raise error.restated(f"{name}: {error}" if name else str(error)) from error

    def _word_statistics(self, chosen: range, forests: Sequence[Forest]) -> FloatArray | None:
        """The statistics of lists whose words have the same numbers, if the metric takes those."""
        words = forests[0].vocabulary
        if words is None or any(each.vocabulary is not words for each in forests):
            return None
        if any(self._scores[i] for i in chosen):
            return None
        references = [self.references[i] for i in chosen]
        lists = [(forest.yield_start, forest.yield_symbol) for forest in forests]
        try:
            return self.metric.statistics_of_words(words, lists, references, threads=self.threads)
        except RosewoodError:
            return None  # the strings tell which list it is

    def count_strings(self, i: int, texts: Sequence[str]) -> FloatArray:
        """[texts, columns]: of strings that forest i can say."""
        return self._finite(range(i, i + 1), self._counted(range(i, i + 1), [texts]))

    def _finite(self, chosen: range, rows: FloatArray) -> FloatArray:
        """Rows of statistics, as many of each forest, refused where they are not numbers."""
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if bad.size:
            name = self.names[chosen[int(bad[0]) * len(chosen) // len(rows)]]
            reason = f"{name}: a statistic of {self.metric.name} is not finite"
            raise TuningError(reason, code="tuning.not-finite", argument="metric", value=name)
        return rows

    # -- shape ------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        kind = "lists" if self.is_flat else "forests"
        return f"TuningSet({len(self)} {kind}, {self.num_edges} edges, {self.metric.name})"

    @property
    def num_edges(self) -> int:
        return int(self.edge_start[-1])

    @property
    def slice_memory(self) -> int:
        """The bytes of forests that a thread may have in memory where not all of them fit."""
        return max(1, min(self.max_memory // (8 * self.threads), _MOST_SLICE))

    @property
    def reader(self) -> ForestReader:
        """The forests by number, from memory or from the set."""
        return self._reader

    def slices(self) -> Iterator[Slice]:
        """All forests in order, as many at a time as fit."""
        every = np.arange(len(self), dtype=np.int64)
        for part in self.batches.cut(every):
            batch, _ = self.batches.load(every[part])
            yield Slice(part.start, part.stop, batch)

    def each(self) -> Iterator[Forest]:
        """All forests in order, one at a time."""
        return (self._reader[i] for i in range(len(self)))

    def subset(
        self,
        chosen: Sequence[int] | LongArray,
        *,
        threads: int | None = None,
        max_memory: int | None = None,
    ) -> TuningSet:
        """Some of the forests, statistics and all; unlabelled ones stay."""
        if not len(chosen):
            reason = "a part of a tuning set must have at least one forest"
            raise TuningError(reason, code="argument.missing", argument="chosen")
        part = object.__new__(TuningSet)
        numbers = [whole_number("a forest", i, 0, len(self) - 1) for i in chosen]
        part.metric, part.features = self.metric, self.features
        part.threads = self.threads if threads is None else threads
        part.max_memory = self.max_memory if max_memory is None else max_memory
        part.names = [self.names[i] for i in numbers]
        part.references = [self.references[i] for i in numbers]
        part._scores = [self._scores[i] for i in numbers]
        part.forests = _Chosen(self.forests, numbers)
        part._reader = self._reader.subset(numbers)
        part.unlabelled = self.unlabelled
        part._prepare()
        if self.is_flat:
            made = part._table_builder()
            for i in numbers:
                made.append(self._table[self.edge_start[i] : self.edge_start[i + 1]])
            part._table = part._built(made)
        return part

    def changed(
        self, change: Callable[[int, Forest], Forest], features: FeatureSpace, values: int
    ) -> TuningSet:
        """The same forests with other features, of which each edge has so many values more;
        without unlabelled ones."""
        made = self.subset(range(len(self)))
        made.unlabelled = None
        made._reader, made.features = self._reader.changed(change, values), features
        made.forests = _Read(made._reader)
        made.batches = OriginalBatches(made._reader, made.slice_memory)
        return made

    def identity(self) -> str:
        """A hash of all that decides a fit: forests, their words, references, scores, metric."""
        digest = hashlib.sha256(f"{self.metric.signature}{_settings(self.metric)}".encode())
        digest.update("\0".join(self.features.names).encode())
        words: Vocabulary | None = None
        others = self.unlabelled
        rest = (others[i] for i in range(len(others))) if others is not None else ()
        for i, forest in enumerate(chain(self.each(), rest)):
            if forest.vocabulary is not None and forest.vocabulary is not words:
                words = forest.vocabulary
                digest.update(repr(list(words)).encode())
            if i < len(self):
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
        for forest, references in zip(self.each(), self.references, strict=True):
            texts = sorted(nbest_texts(forest))
            facts = repr((texts, list(references))).encode()
            if not any(texts) and not len(references):
                facts = forest.dense.tobytes() + forest.feat_value.tobytes()
            found.append(hashlib.sha256(facts).hexdigest())
        return found

    # -- statistics -------------------------------------------------------------------------------

    @property
    def statistics(self) -> FloatArray:
        """[candidates, columns]: the table of n-best lists; empty for other forests."""
        return self._table

    def rows(self, part: Slice, edge: LongArray) -> LongArray:
        """The rows of candidates, edges of lists that are numbered in a slice."""
        return edge if part.first == 0 else edge + self.edge_start[part.first]

    def statistics_of(
        self, part: Slice, owner: LongArray, start: LongArray, edge: LongArray
    ) -> FloatArray:
        """[derivations, columns]: of forest owner[k] of a slice, the edges start[k] ..
        start[k+1]-1, numbered in the slice.  Forests that are not lists."""
        found = [np.empty((0, len(self.metric.columns)))]
        bounds = np.flatnonzero(np.diff(owner, prepend=-1, append=-1))
        for first, last in pairwise(bounds):
            i = int(owner[first])
            texts = _texts(part, i, start[first : last + 1], edge)
            found.append(self.statistics_of_texts(part.first + i, texts))
        return np.concatenate(found)

    def texts_of_rows(self, rows: LongArray, lists: LongArray | None = None) -> list[str]:
        """The strings of rows, one of each list (or of those with these numbers); lists only."""
        numbers = np.arange(len(self)) if lists is None else lists
        texts = []
        for i, row in zip(numbers.tolist(), rows.tolist(), strict=True):
            forest, edge = self._reader[i], row - int(self.edge_start[i])
            begin, end = forest.yield_start[edge : edge + 2]
            texts.append(" ".join(map(forest.word, forest.yield_symbol[begin:end].tolist())))
        return texts

    def statistics_of_texts(self, i: int, texts: Sequence[str]) -> FloatArray:
        """The same; strings are remembered, and not counted again if they are met again soon."""
        return self._strings.of(i, texts)

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
        out = self._edge_table(len(rows))
        for part in self.slices():
            edges = slice(self.edge_start[part.first], self.edge_start[part.last])
            whole = part.last - part.first == len(self)
            scores = out if whole else np.empty((len(rows), edges.stop - edges.start))
            _core.batch_scores(part.batch.native, rows, scores, threads or self.threads)
            if not whole:
                out[:, edges] = scores
        return out

    def _edge_table(self, rows: int) -> FloatArray:
        """Rows of a number an edge, in memory if they fit, else in a scratch file."""
        size = rows * self.num_edges
        if 8 * size <= self.max_memory // 4:
            return np.empty((rows, self.num_edges))
        return filled(size, 0, np.float64).reshape(rows, self.num_edges)

    def best_rows(self, theta: ArrayLike) -> LongArray:
        """The row of each list's best candidate."""
        weights = as_weight("theta", theta, len(self.features))
        found = []
        for part in self.slices():
            _, edge = _core.batch_best(part.batch.native, weights, self.threads)
            found.append(self.rows(part, edge))
        return np.concatenate(found)

    def best_statistics(self, theta: ArrayLike) -> FloatArray:
        """[forests, columns]: the statistics of each forest's best derivation."""
        if self.is_flat:
            return self._table[self.best_rows(theta)]
        weights = as_weight("theta", theta, len(self.features))
        found = []
        for part in self.slices():
            start, edge = _core.batch_best(part.batch.native, weights, self.threads)
            texts = [_texts(part, i, start[i : i + 2], edge) for i in range(len(start) - 1)]
            chosen = range(part.first, part.last)
            found.append(self._finite(chosen, self._counted(chosen, texts)))
        return np.concatenate(found)

    def score(self, theta: ArrayLike) -> float:
        """The metric, of the best derivations under θ."""
        return self.metric.score(self.best_statistics(theta))

    def gain(self, theta: ArrayLike) -> float:
        """What learners maximise: the score, or its negative where lower is better."""
        return self.metric.sign * self.score(theta)

    def candidates(self, theta: ArrayLike, k: int, most: int | None = None) -> Candidates:
        """Lists of candidates: all of an n-best list, the k best strings of other forests.

        Of more than `most` other forests, so many are taken, evenly spaced.
        """
        if self.is_flat:
            return concatenate(self)
        count = len(self)
        taken = count if most is None else min(most, count)
        chosen = [number * count // taken for number in range(taken)]
        return listed(self, as_weight("theta", theta, len(self.features)), k, chosen)


def _texts(part: Slice, i: int, start: LongArray, edge: LongArray) -> list[str]:
    """The strings of derivations of forest i of a slice, with the edges start[k] .. start[k+1]-1,
    numbered in the slice."""
    edges = edge[start[0] : start[-1]] - part.batch.edge_start[i]
    return Derivations(
        part.batch.forests[i], start - start[0], edges, np.empty(len(start) - 1)
    ).texts()


class _Read(LazySequence[Forest]):
    """The forests of a reader."""

    def __init__(self, reader: ForestReader) -> None:
        self._reader = reader

    def __len__(self) -> int:
        return len(self._reader)

    def _item(self, number: int) -> Forest:
        return self._reader[number]


class _Chosen(LazySequence[Forest]):
    """Some forests of a sequence."""

    def __init__(self, forests: Sequence[Forest], numbers: Sequence[int]) -> None:
        self._forests, self._numbers = forests, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def _item(self, number: int) -> Forest:
        return self._forests[self._numbers[number]]


def whole_number(what: str, value: SupportsIndex, low: int = 0, high: int = 2**63 - 1) -> int:
    """A whole number from `low` to `high`: counts, seeds, places."""
    if isinstance(value, bool):
        check_whole(what, value, error=TuningError)
    return as_count(what, value, low, high, TuningError)


def _settings(metric: Metric) -> str:
    """All settings of a metric; its signature rounds some, as sacreBLEU's does."""
    return repr(asdict(metric)) if is_dataclass(metric) else ""


def _beside(
    forests: Sequence[Forest],
    count: int,
    references: Sequence[Sequence[str]] | None,
    scores: Sequence[Scores] | None,
    names: Sequence[str] | None,
) -> dict[str, list[Any]]:
    """Names, references and scores of the first `count` forests, from the arguments or from the
    set's own notes."""
    known: dict[str, list[Any]] = {}
    infos: list[dict[str, Any]] = [{}] * count
    if isinstance(forests, ForestSet):
        infos = [forests.info(i) for i in range(count)]
    for key, given, own in (
        ("names", names, [str(info.get("id", i)) for i, info in enumerate(infos)]),
        ("references", references, [info.get("refs", ()) for info in infos]),
        ("scores", scores, [info.get("scores", {}) for info in infos]),
    ):
        try:
            known[key] = list(own if given is None else given)
            if key == "references":
                known[key] = [tuple(each) for each in known[key]]
        except TypeError:
            reason = f"{key} are {given!r:.40}, expected a list for each forest"
            raise TuningError(reason, code="argument.type", argument=key, value=given) from None
        check_length(key, known[key], count, "forest", error=TuningError)
    return known
