"""What decides a reordering model, but for its events: features, classifier, selection."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

from rosewood.errors import ReorderingError
from rosewood.rules.settings import DIRECTIONS, EventClasses, EventSettings, Kind
from rosewood.settings import Settings, setting, setting_of

Symbols = Literal["words", "classes", "both"]

SIGMA2 = 0.1  # of the weights of MaxEnt models: events overlap, so the prior must be strong
SYMBOLS = ("words", "classes", "both")  # in the order of the native ones
_features = partial(setting, group="Features")


@dataclass(frozen=True)
class EventFeatureSettings(Settings):
    """Which features a phrase pair has: aligned word pairs and source words beside the phrase."""

    error = ReorderingError

    window: int | Literal["auto"] = _features(
        "auto",
        "Source words on each side of a phrase that are features; auto is 2, or 1 of events as "
        "text, which have no more.",
        low=0,
        high=7,
    )
    sides: bool = _features(True, "Tell words to the left of a phrase from words to the right.")
    boundaries: bool = _features(True, "Add features for the ends of the sentence.")
    source_edges: bool = _features(True, "Add the first and last word of the source phrase.")
    target_edges: bool = _features(True, "Add the first and last word of the target phrase.")
    symbols: Symbols = _features(
        "words",
        "Features of words, of word classes (rosewood cluster), or of both.",
        option="feature-symbols",
    )
    min_count: int = _features(
        2, "Drop features that occur fewer times.", low=1, high=2**31 - 1,
        option="min-feature-count",
    )  # fmt: skip


@dataclass(frozen=True)
class ReorderingSettings(EventFeatureSettings):
    """How a reordering model is trained from events."""

    select: float | None = _features(
        None,
        "Keep features whose normalised mutual information with the class is at least this.",
        low=0,
        high=1,
    )
    bits: Literal["8", "16", "32"] = setting(
        "16", "Bits of a weight in the model file; 32 are not rounded.", group="Model"
    )
    step: float = setting(
        1.0,
        "Decoders round forward log probabilities to multiples of this, so that more hypotheses "
        "recombine; 0: they do not.",
        low=0, high=100, group="Model", option="forward-step",
    )  # fmt: skip
    kind: Kind = setting_of(EventSettings, "kind", group="Events")
    classes: EventClasses = setting_of(EventSettings, "classes", "mslr", group="Events")
    max_phrase: int = setting_of(EventSettings, "max_phrase", group="Events")

    towards: Literal["before", "behind", "both"] = setting(
        "both",
        "Neighbour whose orientation is learned: the phrase before (backward), the one behind "
        "(forward), or both.",
        group="Events",
        metavar="before|behind|both",
    )

    @property
    def directions(self) -> tuple[str, ...]:
        """Backward, forward or both."""
        return {"before": DIRECTIONS[:1], "behind": DIRECTIONS[1:]}.get(self.towards, DIRECTIONS)
