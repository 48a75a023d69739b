"""Multinomial logistic regression in its dual, with shrinking (Alrajeh & Niranjan 2014, alg. 1).

    model = DualMaxEnt(sigma2=1.0).fit(X, y)
    model.coef_; model.gap_; model.active_share_

Each example has a distribution α over classes; the weights are w_k = σ² Σ (p̃_k − α_k) φ.  A pass
visits the examples that are still active in random order and moves their α so that the dual falls;
one whose gradients differ by no more than `shrink` is left out of later passes.  Data is read in
blocks, and rows of active examples are copied together once few are left, so that the rest stays on
disk.

Certificate  The duality gap: no weights have an objective below objective_ − gap_.  It is computed
             when no example is active; while it is above `tolerance` times the objective,
             the threshold is lowered, and examples that violate it become active again.
Steps        `halving` is the paper's: η = 1/2, halved until the dual falls.  `exact` finds the α of
             the example that make the dual smallest, by Newton's method: fewer passes.
Shards       With one shard, the paper's sequence.  Several work side by side on weights of their
             own (CoCoA+, Ma et al. 2015); results depend on their number, not on that of threads.
Native       core/reorder/dual.hpp; specification: tests/reference/classifiers.py
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.errors import ReorderingError
from rosewood.reorder.classifier import Data, LinearClassifier, Target, coef_of, labelled
from rosewood.reorder.dual_work import DualWork, SavedWork
from rosewood.settings import Settings, setting, setting_of
from rosewood.shared_settings import SharedSettings
from rosewood.shared_types import PathName, ProgressCallback

_LOWER = 0.1  # what the threshold is multiplied with when the gap is too large


@dataclass(frozen=True, kw_only=True)
class DualSettings(Settings):
    """Settings of `DualMaxEnt`."""

    error = ReorderingError

    sigma2: float = setting(
        1.0, "Variance σ² of the Gaussian prior of weights.", low=1e-12, high=1e12
    )
    passes: int = setting(100, "Maximum passes over active examples.", low=1)
    shrink: float = setting(
        0.1, "Difference of an example's gradients at which it becomes inactive.", low=0
    )
    tolerance: float | None = setting(
        0.01, "Stop at this relative duality gap; none: when no example is active.",
        low=0,
    )  # fmt: skip
    step: Literal["exact", "halving"] = setting(
        "exact", "Step of an example; halving is the paper's."
    )
    trials: int = setting(20, "Maximum trials of a step.", low=1, high=1000)
    start: float = setting(
        1e-6, "Probability that wrong classes share at the start.", low=1e-300, high=0.5
    )
    shards: int = setting(1, "Parts of the data to work on side by side.", low=1, high=1024)
    seed: int = setting_of(SharedSettings, "seed", 1)
    threads: int = setting_of(SharedSettings, "threads", 1, default_text="1")


class DualMaxEnt(LinearClassifier):
    """Multinomial logistic regression without intercept, trained by its dual.

    After `fit`: `coef_` (a row for each class), `objective_`, `gap_`, `passes_`, `is_converged_`,
    `active_share_` (of each pass) and `checks_` (pass, objective and gap of each certificate).
    """

    def __init__(self, **settings: Any) -> None:
        self.settings = DualSettings(**settings)
        self.threads = self.settings.threads or 1

    def fit(
        self,
        X: Data,
        y: Target = None,
        *,
        folder: PathName | None = None,
        save_seconds: float = 60.0,
        progress: ProgressCallback | None = None,
    ) -> Self:
        """Learn from examples; with a `folder`, a run that was stopped goes on from there.

        The state is saved when `save_seconds` have passed since the last time.
        """
        examples, label, names, classes = labelled(X, y)
        work = DualWork(examples, label, classes, self.settings, progress)
        with SavedWork(work, folder, save_seconds) as saved:
            self._run(work, saved)
        self.coef_ = coef_of(work.rows, classes)
        self.classes_, self.num_features_ = names, examples.num_features
        self.active_share_ = np.array(work.active_share)
        self.passes_ = len(work.active_share)
        self.checks_ = work.checks
        self.objective_, self.gap_ = work.checks[-1]["objective"], work.checks[-1]["gap"]
        self.is_converged_ = self._is_enough(work)
        return self

    def _run(self, work: DualWork, saved: SavedWork) -> None:
        most = self.settings.passes
        while not work.is_done:
            work.run_pass()
            used_up = len(work.active_share) >= most
            if used_up or work.num_active == 0:
                work.check(_LOWER)
                work.is_done = used_up or self._is_enough(work)
            saved.tick()

    def _is_enough(self, work: DualWork) -> bool:
        if self.settings.tolerance is None:
            return work.num_active == 0 or len(work.active_share) < self.settings.passes
        last = work.checks[-1]
        return bool(last["gap"] <= self.settings.tolerance * last["objective"])

    @property
    def weights_(self) -> FloatArray:
        """The same as `coef_`, a row for each feature."""
        return np.ascontiguousarray(self.coef_.T)
