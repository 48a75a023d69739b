"""Minimum risk with deterministic annealing (Li & Eisner 2009).

Minimises E[loss] - T·H(p), with T from high to 0 and each stage started where the last one ended,
then lets γ grow.
"""

from __future__ import annotations

from dataclasses import dataclass

from rosewood.learn.learners.mr import MinimumRisk
from rosewood.learn.objective import Terms
from rosewood.settings import setting


@dataclass(frozen=True)
class Annealed(MinimumRisk):
    """Minimum risk at falling temperatures, then at growing γ."""

    iterations: int = setting(30, "Maximum L-BFGS iterations per stage.", low=1)
    hottest: float = setting(1.0, "Initial temperature.", low=1e-9)
    cooling: float = setting(0.5, "Factor of the temperature per stage.", low=0.01, high=1)
    stages: int = setting(6, "Number of temperatures above 0.", low=1)
    quench: int = setting(2, "Stages at temperature 0, in each of which γ doubles.", low=0)

    def stages_of(self, count: int) -> list[tuple[str, Terms]]:
        plan = []
        for stage in range(self.stages):
            heat = self.hottest * self.cooling**stage
            plan.append((f"T={heat:g}", Terms(risk=1.0, entropy=-heat / count, scale=self.scale)))
        plan.append(("T=0", Terms(risk=1.0, scale=self.scale)))
        for doubling in range(1, self.quench + 1):
            scale = self.scale * 2.0**doubling
            plan.append((f"γ={scale:g}", Terms(risk=1.0, scale=scale)))
        return plan


PLUGIN = Annealed
