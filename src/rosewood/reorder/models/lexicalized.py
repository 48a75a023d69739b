"""Lexicalized reordering: smoothed relative frequencies of each phrase pair, from the rule table.

    reorder = Lexicalized.of(table)
    decoder = PhraseDecoder(table, lm, reorder=reorder)

`rosewood extract` counts and smooths them (eq. 4 of Alrajeh & Niranjan 2014, with Moses's
smoothing), and tables of Moses bring theirs along; here they only have to be found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.errors import DecodingError
from rosewood.reorder.model import OptionsInContext
from rosewood.rules.settings import (
    DIRECTIONS,
    EVENT_CLASSES,
    KINDS,
    EventClasses,
    Kind,
    orientation_columns,
)
from rosewood.rules.table import RuleTable


@dataclass(frozen=True)
class Lexicalized:
    """Probabilities that are columns of the rule table."""

    kind: Kind = "hierarchy"
    classes: EventClasses = "mslr"
    directions: tuple[str, ...] = DIRECTIONS
    name: str = "reorder"

    @classmethod
    def of(cls, table: RuleTable, *, kind: Kind | None = None) -> Lexicalized | None:
        """The model that a table has columns for; None if it has none.

        The kind is the one the table was made with, or this.  Where nobody knows, as of tables of
        other programs, it is `hierarchy`.
        """
        for classes in EVENT_CLASSES:
            ways = tuple(
                way
                for way in DIRECTIONS
                if set(orientation_columns(classes, (way,))) <= set(table.features)
            )
            if ways:
                return cls(kind or _known_kind(table.facts), cast(EventClasses, classes), ways)
        return None

    def columns(self, table: RuleTable) -> tuple[int, ...]:
        """Where the table has them."""
        places = {name: number for number, name in enumerate(table.features)}
        wanted = orientation_columns(self.classes, self.directions)
        for name in wanted:
            if name not in places:
                reason = f"{table.folder}: the table has no column {name!r}"
                raise DecodingError(
                    reason, code="features.missing", argument=name, file=table.folder
                )
        return tuple(places[name] for name in wanted)

    def log_probabilities(self, options: OptionsInContext) -> FloatArray:
        """Log probabilities from the rule table; zero rows for options without a rule."""
        rows = np.zeros((len(options), len(self.directions) * len(EVENT_CLASSES[self.classes])))
        own = options.rule >= 0
        values = options.table.feature_rows(options.rule[own])
        rows[own] = values[:, list(self.columns(options.table))]
        return rows


def _known_kind(facts: dict[str, Any]) -> Kind:
    """As extraction and the reader of reordering tables tell it."""
    for name in ("orientation", "reordering"):
        kind = (facts.get(name) or {}).get("kind")
        if kind in KINDS:
            return cast(Kind, kind)
    return "hierarchy"


PLUGIN = Lexicalized
