"""Naive Bayes over word pairs and context, with Dirichlet-multinomial probabilities."""

from __future__ import annotations

from rosewood.reorder.models.bayes import BayesKind


class FullBayesKind(BayesKind):
    """Bayes models with full inference."""

    name = "bayes_full"
    inference = "full"


PLUGIN = FullBayesKind()
