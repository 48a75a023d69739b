"""Multinomial logistic regression of word pairs and context, trained in the dual with shrinking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosewood.reorder.dual import DualMaxEnt, DualSettings
from rosewood.reorder.settings import SIGMA2
from rosewood.reorder.trained_kind import Fitted, TrainedKind, Work
from rosewood.settings import setting_of


@dataclass(frozen=True, kw_only=True)
class MaxEntSettings(DualSettings):
    """Settings of a MaxEnt model."""

    sigma2: float = setting_of(DualSettings, "sigma2", SIGMA2)


class MaxEntKind(TrainedKind):
    """MaxEnt models of Alrajeh & Niranjan (EMNLP 2014), algorithm 1."""

    name = "maxent"
    settings_type = MaxEntSettings

    def fit(self, work: Work, settings: MaxEntSettings) -> dict[str, Fitted]:
        """Each direction is a problem of its own over the same examples."""
        examples = work.examples()
        found = {}
        for way in work.events.directions:
            if (kept := work.kept(way)) is not None:
                found[way] = kept
                continue
            model = DualMaxEnt(**settings.to_dict()).fit(
                examples, way, folder=work.folder / f"dual-{way}", progress=work.step(way)
            )
            facts: dict[str, Any] = {
                "examples": len(examples),
                "objective": model.objective_,
                "gap": model.gap_,
                "passes": model.passes_,
                "ran_out_of_passes": not model.is_converged_,
                "active_share": model.active_share_.tolist(),
                "error": model.error(examples, way),
            }
            fitted = Fitted(model.weights_, np.zeros(work.num_classes), None, facts)
            found[way] = work.keep(way, fitted)
        return found


PLUGIN = MaxEntKind()
