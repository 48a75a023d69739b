"""Which pairs of a corpus are trained on: filters, duplicates, sets that are held out.

`sift` and `deal` are called in worker processes, for a block of pairs each.  `sift` applies the
filters and computes fingerprints; by these `Sifting` finds duplicates across blocks, in order, and
gives each pair a `Verdict`.  `deal` then makes the lines of the pairs that are kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from enum import IntEnum
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rosewood.corpus import Filters, SentencePair
from rosewood.corpus.filters import FilterReport
from rosewood.corpus.fingerprints import SeenFingerprints, fingerprint
from rosewood.corpus.splitting import Split, SplitChooser
from rosewood.pipeline.pair_blocks import Block
from rosewood.pipeline.settings import TrainingSettings
from rosewood.workers import LateWorkers

_SHARE, _MOST = 10, 1000  # of the pairs, one in so many is split off, but not more
_ENOUGH = 2 * _SHARE * _MOST  # pairs that tell whether a development set is of full size


class Verdict(IntEnum):
    """What becomes of a pair."""

    REFUSED = 0  # by the filters
    DUPLICATE = 1
    HELD_OUT = 2  # it is in a development or test set that was given
    KEPT = 3


REASONS = {Verdict.DUPLICATE: "duplicate pair", Verdict.HELD_OUT: "in a held-out set"}


class Sifted(NamedTuple):
    """The pairs of a block that the filters keep."""

    good: bytes  # 1 for each pair that is kept, else 0
    pairs: bytes  # the fingerprint of each kept pair
    sources: bytes  # the fingerprint of each source, by the seed of the split
    report: FilterReport


class HeldBack(NamedTuple):
    """A pair whose source was chosen for the development set."""

    name: bytes  # the fingerprint of its source
    source: bytes
    target: bytes
    file: str
    line: int  # -1: none is known


class Dealt(NamedTuple):
    """The training pairs of a block, the others by what becomes of them."""

    source: bytes  # a sentence a line
    target: bytes
    files: list[str]
    file: list[int]  # its place in `files`
    line: list[int]  # -1: none is known
    held_back: list[HeldBack]
    report: FilterReport  # of the pairs that are not held back


def sift(path: Path, filters: Filters, seed: int | None) -> Sifted:
    """Apply filters to a block; without a seed no sources are held back."""
    block = Block.load(path)
    sources, targets = block.sources(), block.targets()
    report = FilterReport(seen=len(sources))
    good = bytearray(len(sources))
    texts = zip(block.source.decode().split("\n"), block.target.decode().split("\n"), strict=True)
    for number, (source, target) in enumerate(islice(texts, len(sources))):
        pair = SentencePair(source, target)
        reason = filters.reason(pair)
        if reason is None:
            good[number] = 1
        else:
            report.remove(_placed(pair, block, number), reason)
    kept = [number for number, is_good in enumerate(good) if is_good]
    pairs = b"".join([fingerprint(b"%b\n%b" % (sources[n], targets[n])) for n in kept])
    names = b"" if seed is None else b"".join([fingerprint(sources[n], seed) for n in kept])
    return Sifted(bytes(good), pairs, names, report)


def deal(path: Path, verdicts: bytes, chosen: Collection[bytes], seed: int | None) -> Dealt:
    """Make lines of the pairs of a block; those with a chosen source are held back."""
    block = Block.load(path)
    sources, targets = block.sources(), block.targets()
    report = FilterReport()
    held_back: list[HeldBack] = []
    kept: list[int] = []
    for number, verdict in enumerate(verdicts):
        if verdict >= Verdict.HELD_OUT:
            if seed is not None and (name := fingerprint(sources[number], seed)) in chosen:
                place = block.line[number]
                held_back.append(
                    HeldBack(
                        name, sources[number], targets[number], block.files[block.file[number]],
                        -1 if place is None else place,
                    )
                )  # fmt: skip
                continue
            report.seen += 1
            if verdict == Verdict.KEPT:
                kept.append(number)
                continue
        if verdict != Verdict.REFUSED:
            pair = SentencePair(sources[number].decode(), targets[number].decode())
            report.remove(_placed(pair, block, number), REASONS[Verdict(verdict)])
    lines = [block.line[number] for number in kept]
    files: dict[str, int] = {}
    file = [files.setdefault(block.files[block.file[number]], len(files)) for number in kept]
    return Dealt(
        b"".join([b"%b\n" % sources[number] for number in kept]),
        b"".join([b"%b\n" % targets[number] for number in kept]),
        list(files),
        file,
        [-1 if line is None else line for line in lines],
        held_back,
        report,
    )


class Sifting:
    """The verdict on each pair, and counts and examples of the pairs that are left out."""

    def __init__(self, settings: TrainingSettings, held_out: set[bytes], *, splits: bool) -> None:
        """`held_out` are fingerprints of pairs; with `splits` a development set is split off."""
        self._filters = Filters(min_words=1, deduplicate=settings.deduplicate)
        self._seen = SeenFingerprints() if settings.deduplicate else None
        self._held_out = np.frombuffer(b"".join(held_out), np.uint64)
        self._size, self._seed = settings.dev_size, settings.seed if splits else None
        self._chooser = SplitChooser(_MOST if self._size is None else self._size, settings.seed)
        self._first: set[bytes] = set()  # sources of the first pairs
        self._looked_at = 0
        self._verdicts: list[bytes] = []
        self._chosen: frozenset[bytes] = frozenset()
        self._refused, self._dealt = FilterReport(), FilterReport()

    def sift(self, paths: Iterable[Path], workers: LateWorkers) -> None:
        """Give each pair its verdict."""
        calls = ((path, self._filters, self._seed) for path in paths)
        for sifted in workers.map(sift, calls):
            self._refused.merge(sifted.report)
            keys = np.frombuffer(sifted.pairs, np.uint64)
            is_new = np.ones(len(keys), bool)
            if self._seen is not None:
                is_new = np.array(self._seen.add([sifted.pairs]), bool)
            good = np.where(np.isin(keys, self._held_out), Verdict.HELD_OUT, Verdict.KEPT)
            verdicts = np.frombuffer(sifted.good, np.uint8).copy()
            verdicts[verdicts > 0] = np.where(is_new, good, Verdict.DUPLICATE)
            self._verdicts.append(verdicts.tobytes())
            if self._seed is not None:
                self._look_at(np.frombuffer(sifted.sources, "V8")[is_new].tobytes())

    def _look_at(self, sources: bytes) -> None:
        self._chooser.add(sources)
        if self._size is None and self._looked_at < _ENOUGH:
            some = sources[: 8 * (_ENOUGH - self._looked_at)]
            self._first.update(some[at : at + 8] for at in range(0, len(some), 8))
            self._looked_at += len(some) // 8

    def split(self) -> Split | None:
        """Choose the pairs to tune on: a tenth of a small corpus, a thousand of a large one."""
        if self._seed is None:
            return None
        size = self._size
        if size is None:
            size = min(_MOST, len(self._first) // _SHARE)
        split = self._chooser.split(size)
        self._chosen = frozenset(split.chosen)
        return split

    def deal(self, paths: Iterable[Path], workers: LateWorkers) -> Iterator[Dealt]:
        """The lines of the pairs that are kept, a block at a time."""
        verdicts = zip(paths, self._verdicts, strict=True)
        calls = ((path, some, self._chosen, self._seed) for path, some in verdicts)
        for dealt in workers.map(deal, calls):
            self._dealt.merge(dealt.report)
            yield dealt

    def reports(self) -> tuple[FilterReport, FilterReport]:
        """Counts of pairs removed by filters, and of pairs left out of the training set."""
        found = FilterReport(self._refused.seen, dict(self._refused.removed))
        left = FilterReport(self._dealt.seen, dict(self._dealt.removed))
        copies = left.removed.pop(REASONS[Verdict.DUPLICATE], None)
        if copies is not None:
            found.removed[REASONS[Verdict.DUPLICATE]] = copies
        return found, left


def _placed(pair: SentencePair, block: Block, number: int) -> SentencePair:
    return SentencePair(pair.source, pair.target, origin=block.origin(number))
