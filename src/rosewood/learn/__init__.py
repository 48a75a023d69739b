"""Learners: forests in, weights out."""

from typing import TYPE_CHECKING

from rosewood.lazy_names import lazy_names

if TYPE_CHECKING:
    from rosewood.learn.boost import Boosted, BoostSettings, boost_trees
    from rosewood.learn.groups import Groups
    from rosewood.learn.learner import Fit, Learner, check_weights, normalize
    from rosewood.learn.learners.boost import Boost
    from rosewood.learn.learners.l1 import L1
    from rosewood.learn.learners.likelihood import Likelihood
    from rosewood.learn.learners.mert import Mert
    from rosewood.learn.learners.mira import Mira
    from rosewood.learn.learners.mr import MinimumRisk
    from rosewood.learn.learners.mr_da import Annealed
    from rosewood.learn.learners.oscar import Oscar
    from rosewood.learn.learners.pro import Pro
    from rosewood.learn.loop import LoopReplicates, LoopResult, replicate_loop, tune_loop
    from rosewood.learn.objective import Objective, Terms
    from rosewood.learn.oscar import Grouping, GroupingSettings, group_features, oscar_prox
    from rosewood.learn.oscar_training import OscarTraining
    from rosewood.learn.registry import LEARNERS, make_learner
    from rosewood.learn.sweeps import Sweep, Trial, Uniform, sweep
    from rosewood.learn.training_lists import TrainingLists
    from rosewood.learn.tuning_set import TuningSet

__all__ = [
    "L1",
    "LEARNERS",
    "Annealed",
    "Boost",
    "BoostSettings",
    "Boosted",
    "Fit",
    "Grouping",
    "GroupingSettings",
    "Groups",
    "Learner",
    "Likelihood",
    "LoopReplicates",
    "LoopResult",
    "Mert",
    "MinimumRisk",
    "Mira",
    "Objective",
    "Oscar",
    "OscarTraining",
    "Pro",
    "Sweep",
    "Terms",
    "TrainingLists",
    "Trial",
    "TuningSet",
    "Uniform",
    "boost_trees",
    "check_weights",
    "group_features",
    "make_learner",
    "normalize",
    "oscar_prox",
    "replicate_loop",
    "sweep",
    "tune_loop",
]

__getattr__, __dir__ = lazy_names(__name__)
