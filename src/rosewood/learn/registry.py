"""All learners by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rosewood.errors import TuningError
from rosewood.learn.learner import Learner
from rosewood.learn.mert import Mert
from rosewood.learn.minrisk import Annealed, Likelihood, MinimumRisk
from rosewood.learn.mira import Mira
from rosewood.learn.ranking import L1, Pro

__all__ = ["LEARNERS", "make_learner"]

LEARNERS: dict[str, type[Learner]] = {
    kind.name: kind for kind in (Mert, Pro, Mira, L1, MinimumRisk, Annealed, Likelihood)
}


_OTHER_NAMES = {"minrisk": "mr"}


def make_learner(name: str, settings: Mapping[str, Any] | None = None) -> Learner:
    """A learner by name, with these settings (strings are read as what the setting is)."""
    kind = LEARNERS.get(_OTHER_NAMES.get(name, name))
    if kind is None:
        known = ", ".join([*LEARNERS, *_OTHER_NAMES])
        raise TuningError(f"there is no learner {name!r}; there are {known}")
    return kind.from_settings(settings or {})
