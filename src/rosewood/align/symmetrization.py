"""Two alignments into one: heuristics on links, thresholds on posteriors.

Models of word alignment are one-sided: `forward` gives each target word a source word, `backward`
each source word a target word.  Both come as source–target links.

Links of the grow-diag family may shut each other out, and programs meet them in different orders.
`symal` is the order of the pseudo code of Koehn et al. (2005) and of Moses' program of that name:
growing goes over what is aligned, target word by target word, and adds neighbours.  `atools` is
that of fast_align's program: it goes over the links that might be added, source word by source
word, and asks whether a neighbour is aligned.  The rules are the same, intersection and union too;
on real text one sentence in ten (good alignments) to three (poor ones) differs by a link or so.

Native      core/align/symmetrize.hpp
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosewood import _core
from rosewood.align.alignment import Links
from rosewood.align.settings import ORDERS, SYMMETRIZATIONS, AlignmentSettings
from rosewood.arguments import check_known, check_shape
from rosewood.errors import AlignmentError
from rosewood.resources import check_threads

_Matrix = NDArray[np.float64]
COMBINATIONS: dict[str, Callable[[_Matrix, _Matrix], _Matrix]] = {
    "product": lambda p, q: p * q,
    "geometric": lambda p, q: np.sqrt(p * q),
    "mean": lambda p, q: (p + q) / 2,
    "min": np.minimum,
    "max": np.maximum,
}


def symmetrize(
    forward: Links,
    backward: Links,
    method: str = AlignmentSettings.symmetrize,
    *,
    order: str = AlignmentSettings.order,
    threads: int = 1,
) -> Links:
    """The links that two alignments of the same sentences make together, as `order` meets them."""
    check_known("symmetrisation", [method], SYMMETRIZATIONS, error=AlignmentError)
    check_known("order", [order], ORDERS, error=AlignmentError)
    threads = check_threads(threads, AlignmentError)
    return Links(*_core.symmetrize(forward.view, backward.view, method, order, threads))


def combine(forward: ArrayLike, backward: ArrayLike, how: str = "product") -> _Matrix:
    """Posteriors of both directions for one sentence, [source, target] each, as one matrix."""
    check_known("combination", [how], COMBINATIONS, error=AlignmentError)
    p, q = _posteriors("forward", forward), _posteriors("backward", backward)
    check_shape("backward", q, p.shape, error=AlignmentError)
    return COMBINATIONS[how](p, q)


def threshold(
    forward: Iterable[ArrayLike],
    backward: Iterable[ArrayLike],
    how: str = "product",
    at: float = 0.5,
) -> Links:
    """Links whose combined posterior is `at` or more.

    Each sentence has a matrix [source words, target words] in both.  `how` is product, geometric
    (its square root), mean, min or max: with min, both directions must be sure enough by
    themselves; with max, one of them.
    """
    if not 0 < at <= 1:
        expected = "a number above 0, up to 1"
        raise AlignmentError(
            f"the threshold is {at}, expected {expected}",
            code="argument.range", argument="at", value=at, expected=expected,
        )  # fmt: skip
    found = [np.nonzero(combine(p, q, how) >= at) for p, q in _both(iter(forward), iter(backward))]
    start = np.cumsum([0, *(len(i) for i, _ in found)], dtype=np.int64)
    empty = np.zeros(0, dtype=np.int64)
    source = np.concatenate([empty, *(i for i, _ in found)])
    target = np.concatenate([empty, *(j for _, j in found)])
    return Links(start, source, target)


def _both(
    forward: Iterator[ArrayLike], backward: Iterator[ArrayLike]
) -> Iterator[tuple[ArrayLike, ArrayLike]]:
    end: Any = object()
    for count, one in enumerate(forward):
        other = next(backward, end)
        if other is end:
            reason = f"backward has posteriors of {count} sentences, forward of more"
            raise AlignmentError(reason, code="argument.shape", argument="backward", value=count)
        yield one, other
    if next(backward, end) is not end:
        reason = "forward has posteriors of fewer sentences than backward"
        raise AlignmentError(reason, code="argument.shape", argument="forward")


def _posteriors(name: str, value: ArrayLike) -> _Matrix:
    matrix = np.asarray(value, dtype=np.float64)
    check_shape(name, matrix, ("source", "target"), error=AlignmentError)
    # Sums of many small numbers may be a little above one.
    if matrix.size and not (matrix.min() >= 0 and matrix.max() <= 1 + 1e-6):
        raise AlignmentError(
            f"{name} posteriors must be numbers from 0 to 1",
            code="argument.range", argument=name, expected="numbers from 0 to 1",
        )  # fmt: skip
    return matrix
