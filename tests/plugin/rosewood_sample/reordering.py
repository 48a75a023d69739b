"""A reordering model in one file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosewood.rules.settings import CLASSES, DIRECTIONS


@dataclass(frozen=True)
class Monotone:
    """Prefers monotone order, whatever the phrase."""

    kind: str = "word"
    classes: str = "msd"
    directions: tuple[str, ...] = DIRECTIONS
    name: str = "order"

    @classmethod
    def of(cls, table, *, kind=None):
        return cls(kind or "word")

    def columns(self, table):
        return None

    def log_probabilities(self, options):
        classes = CLASSES[self.classes]
        row = np.log([0.8 if name == "monotone" else 0.1 for name in classes])
        return np.tile(row, (len(options), len(self.directions)))
