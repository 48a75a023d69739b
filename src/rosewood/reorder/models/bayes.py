"""Naive Bayes over word pairs and context, with a point estimate: one pass, streaming."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rosewood.reorder.bayes import BayesSettings, MultinomialBayes
from rosewood.reorder.trained_kind import Fitted, TrainedKind, Work
from rosewood.settings import Settings, setting_of

_NEVER = 1e-9  # share of a class that was never seen: decoders need finite numbers


@dataclass(frozen=True, kw_only=True)
class BayesModelSettings(Settings):
    """Settings of a Bayes model: inference is its kind."""

    error = BayesSettings.error

    alpha: float = setting_of(BayesSettings, "alpha")


class BayesKind(TrainedKind):
    """Bayes models of Alrajeh & Niranjan (WMT 2014)."""

    name = "bayes"
    settings_type = BayesModelSettings
    inference: ClassVar[str] = "map"

    def fit(self, work: Work, settings: BayesModelSettings) -> dict[str, Fitted]:
        """Counts of both directions in one pass: memory does not grow with the events."""
        models = {way: self._classifier(settings, work.threads) for way in work.events.directions}
        done = 0
        for block in work.blocks():
            if not len(block):
                continue
            for way, model in models.items():
                model.partial_fit(block, way)
            done += len(block)
            if work.told is not None:
                work.told("counting classes", done, None)
        return {way: self._fitted(model, done) for way, model in models.items()}

    def _classifier(self, settings: BayesModelSettings, threads: int) -> MultinomialBayes:
        return MultinomialBayes(alpha=settings.alpha, inference=self.inference, threads=threads)

    def _fitted(self, model: MultinomialBayes, examples: int) -> Fitted:
        prior = np.log(np.maximum(model.class_count_ / model.class_count_.sum(), _NEVER))
        facts: dict[str, Any] = {"examples": examples}
        totals = model.totals_ if self.inference == "full" else None
        return Fitted(np.ascontiguousarray(model.coef_.T), prior, totals, facts)


PLUGIN = BayesKind()
