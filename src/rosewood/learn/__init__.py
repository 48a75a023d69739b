"""Learners: forests in, weights out."""

from rosewood.learn.learner import Fit, Learner, check_weights, normalize
from rosewood.learn.loop import LoopReplicates, LoopResult, replicate_loop, tune_loop
from rosewood.learn.mert import Mert
from rosewood.learn.minrisk import Annealed, Likelihood, MinimumRisk
from rosewood.learn.mira import Mira
from rosewood.learn.objective import Objective, Terms
from rosewood.learn.ranking import L1, Pro
from rosewood.learn.registry import LEARNERS, make_learner
from rosewood.learn.sweep import Sweep, Trial, Uniform, sweep
from rosewood.learn.tuning_set import TuningSet

__all__ = [
    "L1",
    "LEARNERS",
    "Annealed",
    "Fit",
    "Learner",
    "Likelihood",
    "LoopReplicates",
    "LoopResult",
    "Mert",
    "MinimumRisk",
    "Mira",
    "Objective",
    "Pro",
    "Sweep",
    "Terms",
    "Trial",
    "TuningSet",
    "Uniform",
    "check_weights",
    "make_learner",
    "normalize",
    "replicate_loop",
    "sweep",
    "tune_loop",
]
