"""Options that `rosewood tune` and `sweep` share: the learner, its metric, where work is kept."""

from __future__ import annotations

from dataclasses import dataclass

from rosewood.cli.candidates import ReferenceOptions
from rosewood.learn.registry import learner_names
from rosewood.metrics.registry import metric_names
from rosewood.settings import setting
from rosewood.shared_types import PathName

__all__ = ["JUDGING", "LEARNING", "LearningOptions"]

LEARNING, JUDGING = "Learning", "Judging"  # panels of --help


@dataclass(frozen=True)
class LearningOptions(ReferenceOptions):
    """What is learnt, and for which metric."""

    method: str | None = setting(
        None,
        "Learner.",
        choices=learner_names,
        group=LEARNING,
        default_text="mert",
        types_none=False,
    )
    metric: str = setting(
        "bleu",
        f"Metric: {metric_names()}; settings as in bleu:tokenize=none; column:NAME is a score in "
        "the candidates.",
        group=LEARNING,
        metavar="NAME",
    )
    start: PathName | None = setting(
        None, "Weights to start from; their choices are the baseline.", group=LEARNING
    )
    seed: int = setting(0, "Random seed.", low=0, high=2**31 - 1)

    def starting_weights(self) -> dict[str, float] | None:
        """The weights of --start."""
        from rosewood.model import read_weights

        return None if self.start is None else read_weights(self.start)
