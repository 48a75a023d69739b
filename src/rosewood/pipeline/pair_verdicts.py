"""Verdicts on samples: whether sides are shuffled or shifted against each other, and from where on.

    found = mismatch(runs, evidence)             # None where all seems well
    found.offset, found.begin, found.end

Nothing is said without evidence: lines must have words from which something can be learnt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.corpus.samples import read_range
from rosewood.pipeline.pair_evidence import (
    OFFSETS,
    Evidence,
    LexicalModel,
    TokenRun,
    evidence,
    pairings,
    together,
)

_TELLING = 0.5  # words of a pair that tell something
_LEAST = 4.0  # z of lines that belong together, at least
_SLOPE = 0.5  # … and this times the square root of the number of pairs; real corpora have 1 to 4
_SHIFTED = 6.0  # z of another diagonal
_STRETCH = 14.0  # log likelihood ratio of a stretch of bad lines
_OUTLIER = 0.15  # of good lines may look like random ones
_CLOSE = 96  # lines in which the exact place is looked for
_ZOOMS = 4


class Mismatch(NamedTuple):
    """Runs begin .. end-1 do not match; `offset` is by how many lines targets are too late."""

    begin: int
    end: int
    offset: int | None
    is_all: bool


def mismatch(each: Sequence[Evidence]) -> Mismatch | None:
    """What the evidence of consecutive runs says."""
    whole = together(each)
    if whole.telling < _TELLING or whole.variance < 1e-6:
        return None
    if whole.z < max(_LEAST, _SLOPE * float(np.sqrt(whole.pairs))):
        return Mismatch(0, len(each), _offset(whole, _SLOPE / 2), True)
    return _stretch(each)


def _offset(found: Evidence, slope: float = 0.0) -> int | None:
    """The diagonal that has the real pairs."""
    least = max(_SHIFTED, slope * float(np.sqrt(found.pairs)), 2 * found.z)
    others = [k for k in range(-OFFSETS, OFFSETS + 1) if k]
    best = max(others, key=found.at)
    return best if found.at(best) > least else None


def _stretch(each: Sequence[Evidence]) -> Mismatch | None:
    """The consecutive lines that are best explained by random pairs, if there are enough."""
    gains = _gains(each)
    sums = np.concatenate([[0.0], np.cumsum(gains)])
    ahead = sums - np.minimum.accumulate(sums)
    last = int(np.argmax(ahead))
    first = int(np.argmin(sums[: last + 1]))
    if first >= last:
        return None
    ends = np.cumsum([one.pairs for one in each])
    begin = int(np.searchsorted(ends, first, side="right"))
    end = int(np.searchsorted(ends, last - 1, side="right")) + 1
    part = _part(each, begin, end, first, last)
    offset = _offset(part) if part.z < _LEAST else None
    if offset is None and (ahead[last] < _STRETCH or part.z > _LEAST or part.telling < _TELLING):
        return None
    return Mismatch(begin, end, offset, False)


def _part(each: Sequence[Evidence], begin: int, end: int, first: int, last: int) -> Evidence:
    """The evidence of runs begin .. end-1, with lines first .. last-1 alone on the diagonal."""
    found = together(each[begin:end])
    before = sum(one.pairs for one in each[:begin])
    lines = found.lines[first - before : last - before]
    z = float(lines.sum()) / float(np.sqrt(max(1, len(lines))))
    diagonals = found.diagonals.copy()
    diagonals[OFFSETS] = z * float(np.sqrt(found.variance))
    return replace(found, diagonals=diagonals)


def _gains(each: Sequence[Evidence]) -> FloatArray:
    """For each line, how much likelier its score is if lines were paired at random."""
    good = [one.lines for one in each if one.z > 3.0]
    lines = np.concatenate([one.lines for one in each])
    known = np.concatenate(good) if good else lines
    mean = max(0.5, float(np.median(known)))
    spread = max(1.0, float(np.median(np.abs(known - mean))) * 1.5)
    lines = np.clip(lines, -1.5, mean + spread)  # the tails of good lines are long
    fits = (1 - _OUTLIER) * _normal(lines, mean, spread) + _OUTLIER * _normal(lines, 0.0, 1.5)
    gains: FloatArray = np.log(_normal(lines, 0.0, 1.0)) - np.log(fits)
    silent = np.repeat(
        [one.variance < 1e-6 or one.telling < _TELLING / 2 for one in each],
        [one.pairs for one in each],
    )
    gains[silent] = 0.0
    return gains


def _normal(values: FloatArray, mean: float, spread: float) -> FloatArray:
    found: FloatArray = np.exp(-0.5 * ((values - mean) / spread) ** 2) / (
        spread * np.sqrt(2 * np.pi)
    )
    return found


def place(
    files: Sequence[str],
    runs: Sequence[TokenRun],
    found: Mismatch,
    model: LexicalModel | None = None,
    *,
    is_swapped: bool = False,
) -> int | None:
    """The line from which on sides do not match; None if all do not.  Text files are read again.

    `model` is one of other pairs; without it one is made of the runs that match.
    """
    offset, first = found.offset, found.begin
    if found.is_all and offset is None:
        return None
    if model is None:
        good = [run for k, run in enumerate(runs) if not found.begin <= k < found.end]
        model = LexicalModel.of(good or [run.shifted(offset or 0) for run in runs])
    if found.is_all:
        bad = [_is_bad(evidence(run, model), offset) for run in runs]
        first = next((k for k, is_bad in enumerate(bad) if is_bad), 0)
    low, high = runs[max(0, first - 1)].numbers.start, runs[first].numbers.stop
    line = _zoom(files, low, high, model, offset, is_swapped)
    if line is None:
        line = runs[first].numbers.start
    return None if found.is_all and line <= 1 + OFFSETS else line


def _zoom(
    files: Sequence[str],
    low: int,
    high: int,
    model: LexicalModel | None,
    offset: int | None,
    is_swapped: bool,
) -> int | None:
    """The first bad line of low .. high-1; None where files are not of text."""
    if len(files) != 2:
        return None
    for _ in range(_ZOOMS):
        size = high - low
        read = read_range(files, low, high, runs=16 if size > _CLOSE else size)
        closer = [TokenRun.of(run.swapped() if is_swapped else run) for run in read]
        if not closer:
            return None
        if size <= _CLOSE:
            return _line(_joined(closer), model, offset)
        bad = [_is_bad(evidence(run, model), offset) for run in closer]
        first = next((k for k in range(1, len(bad)) if all(bad[k:])), len(bad) - 1)
        before = closer[max(0, first - 1)].numbers.start
        if (before, closer[first].numbers.stop) == (low, high):
            break
        low, high = before, closer[first].numbers.stop
    return (low + high) // 2


def _is_bad(found: Evidence, offset: int | None) -> bool:
    return found.z < _LEAST / 2 if offset is None else found.at(offset) > found.z


def _joined(runs: Sequence[TokenRun]) -> TokenRun:
    numbers = range(runs[0].numbers.start, runs[-1].numbers.stop)
    source = [text for run in runs for text in run.source]
    target = [text for run in runs for text in run.target]
    lengths = [np.concatenate([run.lengths[side] for run in runs]) for side in (0, 1)]
    return TokenRun(numbers, source, target, (lengths[0], lengths[1]))


def _line(run: TokenRun, model: LexicalModel | None, offset: int | None) -> int:
    """The line that divides matching pairs from others best."""
    scores, _ = pairings(run, model)
    own = np.diag(scores)
    if offset is None:
        other = np.full(len(own), max(0.0, float(np.sort(own)[len(own) // 2 :].mean())) / 2)
    else:
        shifted = np.diag(scores, offset)
        other = np.zeros(len(own))
        first = max(0, -offset)
        other[first : first + len(shifted)] = shifted
    before = np.concatenate([[0.0], np.cumsum(own)])
    after = np.concatenate([np.cumsum(other[::-1])[::-1], [0.0]])
    return run.numbers.start + int(np.argmax(before + after))
