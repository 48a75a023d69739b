"""What all reordering models share, and all that a decoder asks of them.

A model says how likely each class is (monotone, swap, …) for a translation option in its source
context: towards the phrase before it (backward) and towards the one behind it (forward).  That
depends on nothing but the option and the sentence, so it is computed once for each option; which
class a step of the search has is tracked by the decoder (core/reorder/tracking.hpp), by the model's
kind.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from numpy.typing import ArrayLike

from rosewood.arguments import check_choice
from rosewood.arrays import IdArray, LongArray
from rosewood.errors import DecodingError
from rosewood.rules.settings import DIRECTIONS, EVENT_CLASSES, KINDS, EventClasses, Kind
from rosewood.rules.table import RuleTable


class OptionsInContext(Protocol):
    """Translation options of a sentence, as `rosewood.decode.TranslationOptions` has them: option n
    is of words begin[n]:end[n], by rule rule[n] of the table, or -1."""

    @property
    def words(self) -> tuple[str, ...]: ...
    @property
    def table(self) -> RuleTable: ...
    @property
    def begin(self) -> IdArray: ...
    @property
    def end(self) -> IdArray: ...
    @property
    def rule(self) -> LongArray: ...
    def __len__(self) -> int: ...
    def source_words(self, option: int) -> tuple[str, ...]: ...
    def target_words(self, option: int) -> tuple[str, ...]: ...
    def links(self, option: int) -> tuple[tuple[int, int], ...]: ...


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
    def classes(self) -> EventClasses:
        """The names of its classes, see `rules.settings.EVENT_CLASSES`."""
        ...

    @property
    def directions(self) -> tuple[str, ...]:
        """Backward, forward or both."""
        ...

    def columns(self, table: RuleTable) -> tuple[int, ...] | None:
        """Columns of the rule table that have the log probabilities already, in the order of
        `class_names`; None if they are to be asked for."""
        ...

    def log_probabilities(self, options: OptionsInContext) -> ArrayLike:
        """A row for each option, in the order of `class_names`; 0 has no effect.

        Decoders ask for it unless the model has an attribute `native`, a
        `_core.LinearReordering`, which they evaluate themselves.
        """
        ...


class ReorderingKind(Protocol):
    """Makes models of one kind: what `REORDERING` has by name."""

    def of(self, table: RuleTable) -> ReorderingModel | None:
        """The model for a rule table; None where the table has nothing for it."""
        ...


def class_names(model: ReorderingModel) -> tuple[str, ...]:
    """The columns of a model: a direction after the other, and in each a class after the other."""
    return tuple(
        f"{way}_{name}" for way in model.directions for name in EVENT_CLASSES[model.classes]
    )


def check_model(model: object, table: RuleTable) -> ReorderingModel:
    """Return a reordering model; refuse other objects, and models that a decoder cannot track."""
    if not isinstance(model, ReorderingModel):
        reason = f"{model!r} is not a reordering model"
        raise DecodingError(reason, code="argument.type", argument="reorder", value=model)
    if not isinstance(model.name, str) or not model.name or ":" in model.name:
        reason = f"{model!r} has the name {model.name!r}, expected a text without colon"
        raise DecodingError(reason, code="feature.names", argument="name", value=model.name)
    for what, value, among in (
        ("kind", model.kind, KINDS),
        ("classes", model.classes, tuple(EVENT_CLASSES)),
    ):
        check_choice(what, value, among, error=DecodingError)
    ways = tuple(model.directions)
    if not ways or len(set(ways)) != len(ways) or not set(ways) <= set(DIRECTIONS):
        listed = ", ".join(DIRECTIONS)
        reason = f"{model.name!r}: directions are {ways!r}, expected some of {listed}"
        raise DecodingError(
            reason, code="argument.choice", argument="directions", value=ways, expected=DIRECTIONS
        )
    columns = model.columns(table)
    if columns is not None:
        known = range(len(table.features))
        if len(columns) != len(class_names(model)) or any(each not in known for each in columns):
            raise DecodingError(
                f"{model.name!r}: columns are {columns!r}, expected {len(class_names(model))} of "
                f"the table's {len(known)}",
                code="argument.shape",
                argument="columns",
                value=columns,
                expected=len(class_names(model)),
            )
    return model
