"""Groups of sparse features that share a weight, learnt by OSCAR (Liu et al. 2013); then PRO.

Groups may come from other, larger data than the weights: training data, while a small set with good
references decides the weight of each group (`Oscar.in_groups`).  Without such data they come from
the tuning set itself.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rosewood.arrays import FloatArray
from rosewood.learn.candidates import Candidates, spread
from rosewood.learn.groups import Groups
from rosewood.learn.learner import Fit, begin, with_indicators
from rosewood.learn.learners.pro import Pro
from rosewood.learn.oscar import Grouping, GroupingSettings, group_features
from rosewood.learn.ranking import ranking_units
from rosewood.learn.tuning_set import TuningSet
from rosewood.settings import setting, setting_of
from rosewood.shared_types import Report

if TYPE_CHECKING:
    from rosewood.learn.oscar_training import OscarTraining
    from rosewood.learn.training_lists import TrainingLists
    from rosewood.learn.training_set import TrainingSet


_LOSS = 0.015  # λ2·d of Liu et al.: 3e-8 for 500,000 features


@dataclass(frozen=True)
class Oscar(Pro):
    """PRO over groups of sparse features with equal weights, which OSCAR finds."""

    lambda1: float = setting_of(GroupingSettings, "lambda1")
    lambda2: float | None = setting_of(
        GroupingSettings,
        "lambda2",
        None,
        default_text="0.015 / dimension: the paper's",
    )
    passes: int = setting_of(GroupingSettings, "passes")
    batch: int = setting_of(GroupingSettings, "batch", 1000)
    delay: int | None = setting_of(
        GroupingSettings, "delay", None, default_text="as many as there are pairs"
    )
    shards: int = setting_of(GroupingSettings, "shards")
    scale: bool = setting_of(GroupingSettings, "scale")
    dimension: int | None = setting(
        None, "Sparse features that there are; the penalty λ2 depends on it.", low=1,
        default_text="those of the lists; in training, all rules",
    )  # fmt: skip

    uses_training: ClassVar[bool] = True

    def training(self, lists: TrainingLists, **options: Any) -> OscarTraining:
        """Groups from lists of training sentences in each round; `options` are those of
        `OscarTraining`."""
        from rosewood.learn.oscar_training import OscarTraining

        return OscarTraining(self, lists, **options)

    def with_training(self, training: TrainingSet, *, seed: int = 0) -> GroupedPro:
        """This learner with groups from a larger set."""
        found = self.make_groups(training.pairs(self, seed), seed=seed)
        size = int(training.places.max(initial=-1)) + 1
        groups = found.groups.renumbered(training.places, size)
        return self.in_groups(groups, found.notes)

    def make_groups(
        self, table: Candidates, *, dimension: int | None = None, **options: Any
    ) -> Grouping:
        """Groups from differences of pairs; `options` are those of `group_features`.

        `dimension` is how many sparse features there are, unless the setting says so.
        """
        size = max(self.dimension or dimension or 0, table.num_sparse)
        own = {each.name: getattr(self, each.name) for each in fields(GroupingSettings)}
        if self.lambda2 is None:  # a weight loses the same for each unit of step size
            own["lambda2"] = _LOSS / max(1, size)
        if self.delay is None:  # groups are not those of what was seen last
            own["delay"] = len(table)
        return group_features(table, GroupingSettings(**own), dimension=size, **options)

    def fit(
        self, tuning: TuningSet, start: ArrayLike, *, seed: int = 0, report: Report | None = None
    ) -> Fit:
        theta, candidates, _, _ = begin(tuning, start, self.k)
        random = np.random.default_rng([seed, 0])
        table = self.feature_differences(tuning, candidates, random)
        found = self.make_groups(table, seed=seed)
        learner = self.in_groups(found.groups, found.notes)
        return learner.fit(tuning, theta, seed=seed, report=report)

    def in_groups(self, groups: Groups, notes: tuple[str, ...] = ()) -> GroupedPro:
        """A learner with these groups, of sparse features by their ids in the tuning set."""
        return GroupedPro(self, groups, notes)


class GroupedPro:
    """PRO with a weight for each group of features; all members of a group have its weight."""

    def __init__(self, pro: Pro, groups: Groups, notes: tuple[str, ...] = ()) -> None:
        self.pro, self.groups, self.notes = pro, groups, notes
        self.interpolation = pro.interpolation

    def fit(
        self, tuning: TuningSet, start: ArrayLike, *, seed: int = 0, report: Report | None = None
    ) -> Fit:
        """Weights of all features of a tuning set, equal within groups, 0 outside of them."""
        theta, candidates, _, _ = begin(tuning, start, self.pro.k)
        grouped = self.groups.project(candidates)
        varies = with_indicators(spread(grouped), tuning.features)
        units = ranking_units(varies, candidates.dense.shape[1])
        width, size = candidates.dense.shape[1], len(theta)

        def unpack(weights: FloatArray) -> FloatArray:
            return self._unpacked(weights[:width], weights[width:], size)

        fit = self.pro.fit_candidates(
            tuning, grouped, units, unpack=unpack, seed=seed, report=report
        )
        return Fit(fit.theta, fit.score, fit.history, notes=self.notes)

    def project(self, theta: FloatArray, dense: int) -> FloatArray:
        """The nearest weights that are equal within groups and 0 outside of them."""
        packed = self.groups.pack(np.arange(len(theta) - dense), theta[dense:])
        return self._unpacked(theta[:dense], packed, len(theta))

    def _unpacked(self, dense: FloatArray, weights: FloatArray, size: int) -> FloatArray:
        theta = np.zeros(size)
        theta[: len(dense)] = dense
        ids, values = self.groups.unpack(weights)
        theta[len(dense) + ids] = values
        return theta


PLUGIN = Oscar
