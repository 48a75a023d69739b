"""Multinomial logistic regression by averaged stochastic gradient descent.

    model = PrimalMaxEnt(sigma2=1.0, passes=5).fit(X, y)

The objective of `DualMaxEnt`, one example at a time (Bottou 2010): η_t = η0 (1 + λ η0 t)^(−3/4)
with λ = 1 / σ²N; weights are averaged over the steps after the first pass (Xu 2011).  Both the
penalty and the average are kept as scales, so that a step costs what its example has of features.
η0 is what gives the lowest objective on a sample.

Native       core/reorder/primal.hpp; specification: tests/reference/classifiers.py
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.arrays import FloatArray
from rosewood.errors import ReorderingError
from rosewood.reorder.classifier import Data, LinearClassifier, Target, coef_of, labelled
from rosewood.reorder.dual import DualSettings
from rosewood.reorder.examples import Examples
from rosewood.settings import Settings, setting, setting_of
from rosewood.shared_types import ProgressCallback

_BLOCK = 1 << 16  # examples that are shuffled together
_CALL = 16  # blocks a call of a kernel visits
_RATES = 4.0 ** np.arange(-8, 4)  # that are tried on a sample


@dataclass(frozen=True, kw_only=True)
class PrimalSettings(Settings):
    """Settings of `PrimalMaxEnt`."""

    error = ReorderingError

    sigma2: float = setting_of(DualSettings, "sigma2")
    passes: int = setting(10, "Passes over the examples.", low=1)
    rate: float | None = setting(
        None, "Step size η0 at the start; none: the best on a sample.", low=1e-12, high=1e12
    )
    sample: int = setting(20_000, "Examples of the sample.", low=1)
    seed: int = setting_of(DualSettings, "seed")
    threads: int = setting_of(DualSettings, "threads")


class PrimalMaxEnt(LinearClassifier):
    """Multinomial logistic regression without intercept, trained by averaged gradient descent.

    After `fit`: `coef_` (a row for each class), `objective_`, `passes_` and `rate_`.
    """

    def __init__(self, **settings: Any) -> None:
        self.settings = PrimalSettings(**settings)
        self.threads = self.settings.threads or 1

    def fit(self, X: Data, y: Target = None, *, progress: ProgressCallback | None = None) -> Self:
        """Learn from examples."""
        examples, label, names, classes = labelled(X, y)
        lambda_ = 1.0 / (self.settings.sigma2 * len(examples))
        rate = self.settings.rate
        self.rate_ = rate if rate is not None else self._best_rate(examples, label, classes)
        work = self._problem(examples, label, classes, lambda_, self.rate_)
        blocks = -(-len(examples) // _BLOCK)
        for number in range(self.settings.passes):
            for first in range(0, blocks, _CALL):
                _core.primal_pass(work, number, first, first + _CALL)
                if progress is not None:
                    progress(f"pass {number + 1}", min(first + _CALL, blocks), blocks)
        rows = self._rows(work, examples, classes)
        loss = _core.log_loss(examples.native, label, classes, rows, self.threads)
        self.objective_ = float(np.square(rows).sum()) / (2.0 * self.settings.sigma2) + loss
        self.coef_ = coef_of(rows, classes)
        self.classes_, self.num_features_ = names, examples.num_features
        self.passes_ = self.settings.passes
        return self

    def _problem(
        self, examples: Examples, label: NDArray[np.uint8], classes: int, lambda_: float,
        rate: float,
    ) -> _core.PrimalProblem:  # fmt: skip
        return _core.make_primal(
            examples.native, label, classes, lambda_, rate, len(examples), _BLOCK,
            self.settings.seed,
        )  # fmt: skip

    def _rows(self, work: _core.PrimalProblem, examples: Examples, classes: int) -> FloatArray:
        rows = np.empty(examples.num_features * _core.row_width(classes))
        _core.primal_weights(work, work.steps > len(examples), rows)
        return rows

    def _best_rate(self, examples: Examples, label: NDArray[np.uint8], classes: int) -> float:
        """The η0 with the lowest mean objective on a sample after one pass over it."""
        size = min(self.settings.sample, len(examples))
        random = np.random.default_rng(self.settings.seed)
        chosen = np.sort(random.choice(len(examples), size, replace=False, shuffle=False))
        sample, own = examples.take(chosen), np.ascontiguousarray(label[chosen])
        lambda_ = 1.0 / (self.settings.sigma2 * len(examples))
        best, lowest = float(_RATES[0]), np.inf
        for rate in _RATES.tolist():
            work = self._problem(sample, own, classes, lambda_, rate)
            _core.primal_pass(work, 0, 0, -(-size // _BLOCK))
            rows = np.empty(sample.num_features * _core.row_width(classes))
            _core.primal_weights(work, False, rows)
            loss = _core.log_loss(sample.native, own, classes, rows, self.threads) / size
            found = loss + lambda_ / 2.0 * float(np.square(rows).sum())
            if found < lowest:
                best, lowest = rate, found
        return best
