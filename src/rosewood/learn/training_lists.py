"""Lists of candidates of training sentences, on disk in shards, merged from round to round.

    lists = TrainingLists(decode, references, metric, ranking, folder="work")
    lists.pairs(weights, 1).table        # differences of pairs, sampled as PRO samples them

A round translates the sentences of each shard, merges their lists with those of the rounds before,
and samples pairs from them; a process has one shard in memory at a time.  Stopped in a round, it
goes on with the shards that are not finished.
Folder      shard-S-N.rwf: lists of shard S of all rounds up to N;  pairs-S-N.npz: its pairs in
            round N, written last.  Those of earlier rounds are removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
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
from rosewood.workers import in_order, start_workers

SHARD = 500  # sentences
_PART = "training sentences"
_ARRAYS = ("dense", "feat_start", "feat_id", "feat_value", "statistics", "new", "key")

# Called with weights, the round and numbers of sentences, makes a forest of each; can be pickled.
DecodeSome = Callable[[Weights, int, range], Iterable[Forest]]


@dataclass(frozen=True)
class ShardOfLists:
    """All that the lists of a shard depend on in a round."""

    decode: DecodeSome
    sentences: range
    references: list[list[str]]
    metric: Metric
    ranking: Ranking
    weights: Weights
    number: int  # of the round, from 1
    place: int  # of the shard, from 0
    folder: Path
    seed: int
    max_memory: int
    key: str = ""  # of all that decides the result, but for the decoder

    def file(self, kind: str, number: int | None = None) -> Path:
        """Where the lists (`shard`) or pairs of a round are."""
        suffix = "rwf" if kind == "shard" else "npz"
        of_round = self.number if number is None else number
        return self.folder / f"{kind}-{self.place:05}-{of_round}.{suffix}"


def make_shard(work: ShardOfLists) -> None:
    """Translate the sentences of a shard, merge their lists with earlier ones, and sample pairs.

    A pure function but for the files that it writes: any process or machine that sees the folder
    can run it.
    """
    before = work.file("shard", work.number - 1)
    old = ForestSet(before) if work.number > 1 else None
    made = merge_round(
        old, work.decode(work.weights, work.number, work.sentences), work.weights, work.metric,
        work.references, work.file("shard"), number=work.number, threads=1,
    )  # fmt: skip
    if old is not None:
        old.close()
    tuning = TuningSet(made.forests, work.metric, work.references, max_memory=work.max_memory)
    table = _sampled(tuning, work)
    statistics = made.statistics
    write_arrays(
        work.file("pairs"), dense=table.dense, feat_start=table.feat_start,
        feat_id=table.feat_id, feat_value=table.feat_value, new=np.array(made.new),
        key=np.frombuffer(work.key.encode(), np.uint8),
        statistics=np.empty((0, 0)) if statistics is None else statistics,
    )  # fmt: skip
    made.forests.close()
    for kind in ("shard", "pairs"):
        work.file(kind, work.number - 1).unlink(missing_ok=True)


def _sampled(tuning: TuningSet, work: ShardOfLists) -> Candidates:
    """Differences of pairs; none if no two candidates of a list differ enough."""
    theta = tuning.features.vector(work.weights, only_known=True)
    candidates = tuning.candidates(theta, work.ranking.k)
    random = np.random.default_rng([work.seed, work.number, work.place])
    try:
        return work.ranking.feature_differences(tuning, candidates, random)
    except TuningError as error:
        if error.code != "tuning.no-pairs":
            raise
        made = TableBuilder(work.max_memory)
        return Candidates(
            start=np.zeros(1, np.int64), num_sparse=candidates.num_sparse,
            statistics=np.empty((0, 0)), **made.arrays(candidates.dense.shape[1]),
        )  # fmt: skip


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
        processes: int = 1,
        max_memory: int = MAX_MEMORY,
        progress: ProgressCallback | None = None,
    ) -> None:
        """`decode(weights, round, numbers)` makes a forest for each of some sentences.

        With several processes it is pickled.  Results do not depend on their number.
        """
        if not len(references):
            reason = "there are no training sentences"
            raise TuningError(reason, code="argument.missing", argument="references")
        check_whole("shard", shard, low=1, error=TuningError)
        check_whole("processes", processes, low=1, error=TuningError)
        self._decode, self._references, self._metric = decode, references, metric
        self._ranking, self._folder, self._shard = ranking, Path(folder), shard
        self._seed, self._processes, self._max_memory = seed, processes, max_memory
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
        arrays = (each.tobytes() for pair in weights.numbered.values() for each in pair)
        key = fingerprint(self.identity, number, weights.named, list(weights.numbered), *arrays)
        every = [
            self._work(place, range(first, min(first + self._shard, count)), weights, number, key)
            for place, first in enumerate(range(0, count, self._shard))
        ]
        wanted = [work for work in every if not work.file("pairs").exists()]
        done = count - sum(len(work.sentences) for work in wanted)
        self._tell(done)
        workers = start_workers(min(self._processes, len(wanted)))
        with workers or nullcontext():
            made = in_order(workers, make_shard, ((self._filled(work),) for work in wanted))
            for work, _ in zip(wanted, made, strict=True):
                done += len(work.sentences)
                self._tell(done)
        return self._joined(every)

    def _work(
        self, place: int, sentences: range, weights: Weights, number: int, key: str
    ) -> ShardOfLists:
        return ShardOfLists(
            self._decode, sentences, [], self._metric, self._ranking, weights, number, place,
            self._folder, self._seed, max(1, self._max_memory // self._processes), key,
        )  # fmt: skip

    def _filled(self, work: ShardOfLists) -> ShardOfLists:
        return replace(work, references=[list(self._references[i]) for i in work.sentences])

    def _tell(self, done: int) -> None:
        if self._progress is not None:
            self._progress(_PART, done, len(self._references))

    def _joined(self, shards: Sequence[ShardOfLists]) -> TrainingPairs:
        """The pairs of all shards, with the features of all of them."""
        space: FeatureSpace | None = None
        made = TableBuilder(self._max_memory)
        statistics: list[FloatArray] = []
        new = 0
        for work in shards:
            found = read_arrays(work.file("pairs"), "pairs of a tuning loop", _ARRAYS)
            if found["key"].tobytes() != work.key.encode():
                reason = (
                    f"{self._folder}: it has lists of other sentences, settings or weights; choose "
                    "another folder, or remove this one"
                )
                raise TuningError(reason, code="file.mismatch", file=self._folder)
            forests = ForestSet(work.file("shard"))
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
