"""Multinomial logistic regression of word pairs and context, by averaged gradient descent."""

from __future__ import annotations

import numpy as np

from rosewood.reorder.primal import PrimalMaxEnt, PrimalSettings
from rosewood.reorder.trained_kind import Fitted, TrainedKind, Work


class PrimalKind(TrainedKind):
    """MaxEnt models trained in the primal."""

    name = "maxent_primal"
    settings_type = PrimalSettings

    def fit(self, work: Work, settings: PrimalSettings) -> dict[str, Fitted]:
        """Each direction is a problem of its own over the same examples."""
        examples = work.examples()
        found = {}
        for way in work.events.directions:
            model = PrimalMaxEnt(**settings.to_dict()).fit(examples, way, progress=work.step(way))
            facts = {
                "examples": len(examples),
                "objective": model.objective_,
                "passes": model.passes_,
                "rate": model.rate_,
                "error": model.error(examples, way),
            }
            weights = np.ascontiguousarray(model.coef_.T)
            found[way] = Fitted(weights, np.zeros(work.num_classes), None, facts)
        return found


PLUGIN = PrimalKind()
