"""Lists of candidates of training sentences, on disk in shards, merged from round to round.

    lists = TrainingLists(decode, references, metric, ranking, folder="work")
    lists.pairs(weights, 1).table        # differences of pairs, sampled as PRO samples them

A round translates one shard after the other, merges its lists with those of the rounds before, and
samples pairs from them; memory has one shard at a time.  Stopped in a round, it goes on with the
first shard that is not finished.
Folder      shard-S-N.rwf: lists of shard S of all rounds up to N;  pairs-S-N.npz: its pairs in
            round N, written last.  Those of earlier rounds are removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rosewood.arguments import check_whole
from rosewood.arrays import FloatArray
from rosewood.errors import TuningError
from rosewood.forest import FeatureSpace, Forest, ForestSet, Weights
from rosewood.journal import fingerprint
from rosewood.learn.array_files import read_arrays, write_arrays
from rosewood.learn.candidates import Candidates, TableBuilder
from rosewood.learn.loop_state import merge_round
from rosewood.learn.ranking import Ranking
from rosewood.learn.tuning_set import TuningSet
from rosewood.metrics.metric import Metric
from rosewood.resources import MAX_MEMORY
from rosewood.shared_types import PathName, ProgressCallback

SHARD = 1000  # sentences
_PART = "training sentences"
_ARRAYS = ("dense", "feat_start", "feat_id", "feat_value", "statistics", "new")

# Called with weights, the round and numbers of sentences; makes a forest of each.
DecodeSome = Callable[[Weights, int, range], Iterable[Forest]]


class TrainingPairs(NamedTuple):
    """Pairs of a round: feature differences, in terms of a feature space."""

    space: FeatureSpace
    table: Candidates
    score: float | None  # of what the decoder said
    new: int  # candidates that no round had before


class TrainingLists:
    """Lists of candidates of training sentences, in a folder."""

    def __init__(
        self,
        decode: DecodeSome,
        references: Sequence[Sequence[str]],
        metric: Metric,
        ranking: Ranking,
        *,
        folder: PathName,
        shard: int = SHARD,
        seed: int = 0,
        threads: int = 1,
        max_memory: int = MAX_MEMORY,
        progress: ProgressCallback | None = None,
    ) -> None:
        """`decode(weights, round, numbers)` makes a forest for each of some sentences."""
        if not len(references):
            reason = "there are no training sentences"
            raise TuningError(reason, code="argument.missing", argument="references")
        check_whole("shard", shard, low=1, error=TuningError)
        self._decode, self._references, self._metric = decode, references, metric
        self._ranking, self._folder, self._shard = ranking, Path(folder), shard
        self._seed, self._threads, self._max_memory = seed, threads, max_memory
        self._progress = progress

    @property
    def identity(self) -> str:
        """A hash of all that decides the pairs, besides weights."""
        every = [list(each) for each in self._references]
        return fingerprint(
            "training lists 1", repr(self._ranking), self._metric.signature, every, self._shard,
            self._seed,
        )  # fmt: skip

    def pairs(self, weights: Weights, number: int) -> TrainingPairs:
        """Translate all sentences in round `number`, merge their lists, and sample pairs."""
        self._folder.mkdir(parents=True, exist_ok=True)
        count = len(self._references)
        shards = [range(i, min(i + self._shard, count)) for i in range(0, count, self._shard)]
        self._tell(0)
        for place, sentences in enumerate(shards):
            if not self._file("pairs", place, number).exists():
                self._make(place, sentences, weights, number)
            for kind in ("shard", "pairs"):
                self._file(kind, place, number - 1).unlink(missing_ok=True)
            self._tell(sentences.stop)
        return self._joined(len(shards), number)

    def _tell(self, done: int) -> None:
        if self._progress is not None:
            self._progress(_PART, done, len(self._references))

    def _file(self, kind: str, place: int, number: int) -> Path:
        return self._folder / f"{kind}-{place:05}-{number}.{'rwf' if kind == 'shard' else 'npz'}"

    def _make(self, place: int, sentences: range, weights: Weights, number: int) -> None:
        """The lists and pairs of a shard."""
        references = [list(self._references[i]) for i in sentences]

        def decoded() -> Iterable[Forest]:
            for i, forest in zip(sentences, self._decode(weights, number, sentences), strict=True):
                yield forest
                self._tell(i + 1)

        old = ForestSet(self._file("shard", place, number - 1)) if number > 1 else None
        made = merge_round(
            old, decoded(), weights, self._metric, references,
            self._file("shard", place, number), number=number, threads=self._threads,
        )  # fmt: skip
        if old is not None:
            old.close()
        tuning = TuningSet(
            made.forests, self._metric, references, threads=self._threads,
            max_memory=self._max_memory,
        )  # fmt: skip
        table = self._sampled(tuning, weights, [self._seed, number, place])
        statistics = made.statistics
        write_arrays(
            self._file("pairs", place, number), dense=table.dense, feat_start=table.feat_start,
            feat_id=table.feat_id, feat_value=table.feat_value, new=np.array(made.new),
            statistics=np.empty((0, 0)) if statistics is None else statistics,
        )  # fmt: skip
        made.forests.close()

    def _sampled(self, tuning: TuningSet, weights: Weights, seed: list[int]) -> Candidates:
        """Differences of pairs; none if no two candidates of a list differ enough."""
        theta = tuning.features.vector(weights, only_known=True)
        candidates = tuning.candidates(theta, self._ranking.k)
        try:
            return self._ranking.feature_differences(
                tuning, candidates, np.random.default_rng(seed)
            )
        except TuningError as error:
            if error.code != "tuning.no-pairs":
                raise
            made = TableBuilder(self._max_memory)
            return Candidates(
                start=np.zeros(1, np.int64), num_sparse=candidates.num_sparse,
                statistics=np.empty((0, 0)), **made.arrays(candidates.dense.shape[1]),
            )  # fmt: skip

    def _joined(self, shards: int, number: int) -> TrainingPairs:
        """The pairs of all shards, with the features of all of them."""
        space: FeatureSpace | None = None
        made = TableBuilder(self._max_memory)
        statistics: list[FloatArray] = []
        new = 0
        for place in range(shards):
            file = self._file("pairs", place, number)
            found = read_arrays(file, "pairs of a tuning loop", _ARRAYS)
            forests = ForestSet(self._file("shard", place, number))
            own = forests.features
            forests.close()
            if space is None:
                space = FeatureSpace(own.dense)
            used, where = np.unique(found["feat_id"], return_inverse=True)
            ids = space.sparse.add_from(own.sparse, used.astype(np.int32))[where.reshape(-1)]
            counts = np.diff(found["feat_start"])
            order = np.lexsort((ids, np.repeat(np.arange(len(counts)), counts)))  # rows ascend
            made.dense.append(found["dense"])
            made.feat_count.append(counts)
            made.feat_id.append(ids[order])
            made.feat_value.append(found["feat_value"][order])
            statistics.append(found["statistics"])
            new += int(found["new"])
        assert space is not None
        arrays = made.arrays(len(space.dense))
        count = len(arrays["feat_start"]) - 1
        table = Candidates(
            start=np.arange(count + 1), num_sparse=len(space.sparse),
            statistics=np.empty((count, 0)), max_memory=self._max_memory, **arrays,
        )  # fmt: skip
        rows = np.concatenate(statistics) if all(map(len, statistics)) else None
        score = None if rows is None else self._metric.score(rows)
        return TrainingPairs(space, table, score, new)
