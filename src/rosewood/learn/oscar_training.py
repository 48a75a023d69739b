"""Groups of features learnt from training data in each round of a tuning loop (Liu et al. 2013).

    training = OscarTraining(Oscar(lambda2=1e-7), lists, folder="work")
    tune_loop(decode, Oscar(lambda2=1e-7), metric, references, training=training)

Algorithm 1 of the paper: the loop translates the development set, this the training data; groups
come from pairs of the training data, and PRO finds a weight for each group on the development set.
Folder      grouping-N.npz: the state of the grouping in round N;  groups-N.npz: its groups, as
            weights by name whose values are the numbers of groups, from 1
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rosewood.forest import FeatureSpace, Weights
from rosewood.journal import fingerprint
from rosewood.learn.groups import Groups
from rosewood.learn.learners.oscar import Oscar
from rosewood.learn.loop import TrainingRound
from rosewood.learn.training_lists import TrainingLists
from rosewood.shared_types import PathName, ProgressCallback


class OscarTraining:
    """What a tuning loop asks in each round for groups and a learner that works with them."""

    def __init__(
        self,
        learner: Oscar,
        lists: TrainingLists,
        *,
        folder: PathName,
        dimension: int | None = None,
        seed: int = 0,
        processes: int = 1,
        progress: ProgressCallback | None = None,
    ) -> None:
        """`dimension` is the number of sparse features that there are, in lists or not."""
        self._learner, self._lists, self._folder = learner, lists, Path(folder)
        self._dimension, self._seed, self._processes = dimension, seed, processes
        self._progress = progress

    @property
    def identity(self) -> str:
        """A hash of all that decides the groups, besides weights."""
        return fingerprint(
            "oscar training 1", repr(self._learner), self._lists.identity, self._dimension,
            self._seed,
        )  # fmt: skip

    def round(self, weights: Weights, number: int, space: FeatureSpace) -> TrainingRound:
        """Translate the training data, group features, and make a learner with these groups."""
        pairs = self._lists.pairs(weights, number)
        facts: dict[str, Any] = {
            "training_score": pairs.score, "training_new": pairs.new, "pairs": len(pairs.table),
            "groups": 0, "active": 0, "reused": 0,  # features in groups that tuned lists have
        }  # fmt: skip
        groups = Groups.none(pairs.table.num_sparse)
        notes: tuple[str, ...] = ("no two candidates of a training sentence differ enough",)
        if len(pairs.table):
            file = self._folder / f"grouping-{number}.npz"
            found = self._learner.make_groups(
                pairs.table, dimension=self._dimension,
                seed=self._seed + number - 1, processes=self._processes, file=file,
                progress=self._progress,
            )  # fmt: skip
            groups, notes = found.groups, found.notes
            facts |= {"groups": len(groups), "active": groups.active, "grouping": found.history}
        self._save(groups, pairs.space, number)
        (self._folder / f"grouping-{number - 1}.npz").unlink(missing_ok=True)
        every, places = space.joined(pairs.space)
        facts["reused"] = int((places[groups.feature] < len(space.sparse)).sum())
        if notes:
            facts["notes"] = list(notes)
        learner = self._learner.in_groups(groups.renumbered(places, len(every.sparse)), notes)
        return TrainingRound(learner, every, facts)

    def _save(self, groups: Groups, space: FeatureSpace, number: int) -> None:
        theta = np.zeros(len(space))
        theta[len(space.dense) + groups.feature] = 1.0 + groups.group_of
        self._folder.mkdir(parents=True, exist_ok=True)
        found = space.weights(theta)
        names = {name: value for name, value in found.named.items() if value}
        Weights(names, found.numbered).save(self.groups_file(number))

    def groups_file(self, number: int) -> Path:
        """The file with the groups of a round."""
        return self._folder / f"groups-{number}.npz"
