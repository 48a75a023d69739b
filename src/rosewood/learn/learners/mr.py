"""Minimum risk (Li & Eisner 2009): minimises the expected loss.

On n-best lists and on forests, with dense and very many sparse features.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rosewood.arrays import FloatArray
from rosewood.errors import TuningError
from rosewood.learn.candidates import Candidates
from rosewood.learn.losses import check_linear, edge_losses
from rosewood.learn.objective import Objective, Terms
from rosewood.learn.smooth import Smooth
from rosewood.learn.tuning_set import TuningSet
from rosewood.metrics.metric import Metric
from rosewood.settings import setting


@dataclass(frozen=True)
class MinimumRisk(Smooth):
    """The expected loss, as small as it gets."""

    loss: Literal["auto", "sentence", "linear", "length"] = setting(
        "auto", "Loss; auto: sentence on n-best lists, else linear."
    )
    scale: float = setting(1.0, "Scale γ of the distribution.", low=1e-9)
    entropy: float = setting(0.0, "Reward for entropy, T.")
    match_length: bool = setting(
        True,
        "Linear BLEU: let words count so much that translations are as long as references, as the "
        "brevity penalty does; without it they get too short.",
    )

    def objective(
        self, tuning: TuningSet, candidates: Candidates, units: FloatArray
    ) -> tuple[Objective, tuple[str, ...]]:
        losses = edge_losses(tuning, candidates, self.loss, max_edges=self.max_edges)
        objective = Objective(
            losses.batches, units, l2=self.l2, threads=tuning.threads,
            word_gain=losses.word_gain if self.match_length else 0.0,
        )  # fmt: skip
        return objective, losses.notes

    def check_forests(self, metric: Metric) -> None:
        if self.loss == "sentence":
            reason = "the sentence loss needs n-best lists; forests need the linear loss"
            raise TuningError(reason, code="argument.conflict", argument="loss", value=self.loss)
        if self.loss != "length":
            check_linear(metric)

    def stages_of(self, count: int) -> list[tuple[str, Terms]]:
        return [("risk", Terms(risk=1.0, entropy=-self.entropy / count, scale=self.scale))]


PLUGIN = MinimumRisk
