"""Multinomial logistic regression of word pairs and context, by averaged gradient descent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosewood.reorder.primal import PrimalMaxEnt, PrimalSettings
from rosewood.reorder.settings import SIGMA2
from rosewood.reorder.trained_kind import Fitted, TrainedKind, Work
from rosewood.settings import setting_of


@dataclass(frozen=True, kw_only=True)
class PrimalModelSettings(PrimalSettings):
    """Settings of a MaxEnt model."""

    sigma2: float = setting_of(PrimalSettings, "sigma2", SIGMA2)


class PrimalKind(TrainedKind):
    """MaxEnt models trained in the primal."""

    name = "maxent_primal"
    settings_type = PrimalModelSettings

    def fit(self, work: Work, settings: PrimalModelSettings) -> dict[str, Fitted]:
        """Each direction is a problem of its own over the same examples."""
        examples = work.examples()
        found = {}
        for way in work.events.directions:
            if (kept := work.kept(way)) is not None:
                found[way] = kept
                continue
            model = PrimalMaxEnt(**settings.to_dict()).fit(examples, way, progress=work.step(way))
            facts = {
                "examples": len(examples),
                "objective": model.objective_,
                "passes": model.passes_,
                "rate": model.rate_,
                "error": model.error(examples, way),
            }
            weights = np.ascontiguousarray(model.coef_.T)
            fitted = Fitted(weights, np.zeros(work.num_classes), None, facts)
            found[way] = work.keep(way, fitted)
        return found


PLUGIN = PrimalKind()
