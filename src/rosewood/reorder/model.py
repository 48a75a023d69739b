"""What all reordering models share, and all that a decoder asks of them.

A model says how likely each class is (monotone, swap, …) for a translation option in its source
context: towards the phrase before it (backward) and towards the one behind it (forward).  That
depends on nothing but the option and the sentence, so it is computed once for each option; which
class a step of the search has is tracked by the decoder (core/reorder/tracking.hpp), by the model's
kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from numpy.typing import ArrayLike

from rosewood.rules.settings import CLASSES, Classes, Kind
from rosewood.rules.table import RuleTable

if TYPE_CHECKING:
    from rosewood.decode.options import TranslationOptions

__all__ = ["ReorderingModel", "class_names"]


@runtime_checkable
class ReorderingModel(Protocol):
    """Log probabilities of classes for translation options."""

    @property
    def name(self) -> str:
        """How its features begin: `reorder` makes reorder_backward_swap."""
        ...

    @property
    def kind(self) -> Kind:
        """What orientation is towards: words, phrases or hierarchical blocks."""
        ...

    @property
    def classes(self) -> Classes:
        """The names of its classes, see `rules.settings.CLASSES`."""
        ...

    @property
    def directions(self) -> tuple[str, ...]:
        """Backward, forward or both."""
        ...

    def columns(self, table: RuleTable) -> tuple[int, ...] | None:
        """Columns of the rule table that have the log probabilities already, in the order of
        `class_names`; None if they are to be asked for."""
        ...

    def log_probabilities(self, options: TranslationOptions) -> ArrayLike:
        """A row for each option, in the order of `class_names`; 0 says nothing."""
        ...


def class_names(model: ReorderingModel) -> tuple[str, ...]:
    """The columns of a model: a direction after the other, and in each a class after the other."""
    return tuple(f"{way}_{name}" for way in model.directions for name in CLASSES[model.classes])
