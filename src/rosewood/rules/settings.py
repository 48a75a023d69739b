"""What decides a rule table, but for its corpus: which rules there are, and how they are scored."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal

from rosewood.errors import RuleError
from rosewood.settings import Settings, setting, setting_of, settings_of

Kind = Literal["word", "phrase", "hierarchy"]
Classes = Literal["msd", "mslr"]
EventClasses = Literal["msd", "mslr", "distance"]
Direction = Literal["backward", "forward"]
Prior = Literal["uniform", "counts"]
SmoothingName = Literal["plain", "good-turing", "kneser-ney"]
GrammarFormat = Literal["moses", "cdec", "joshua"]

KINDS = ("word", "phrase", "hierarchy")  # in the order of the native ones
SMOOTHINGS = ("plain", "good-turing", "kneser-ney")
DIRECTIONS = ("backward", "forward")
CLASSES = {
    "msd": ("monotone", "swap", "discontinuous"),
    "mslr": ("monotone", "swap", "left", "right"),
}
# What events and reordering models may have besides; rule tables have columns for CLASSES alone.
EVENT_CLASSES = {
    **CLASSES,
    "distance": (
        "monotone", "swap", "left_near", "left_middle", "left_far", "right_near", "right_middle",
        "right_far",
    ),
}  # fmt: skip
# Settings that mean nothing for rules of the other kind.
PHRASE_SETTINGS = (
    "max_phrase", "orientation", "classes", "orientation_smoothing", "orientation_prior",
    "significance",
)  # fmt: skip
GAP_SETTINGS = (
    "max_span", "max_symbols", "max_gaps", "min_gap", "adjacent_gaps", "unlinked_rules", "loose",
    "tight_gaps", "whole_counts", "min_gapped",
)  # fmt: skip
_rules, _scores = partial(setting, group="Rules"), partial(setting, group="Scores")
_orientations = partial(setting, group="Orientations")
_LONGEST = 255  # words of a phrase
_LARGEST = 1e15  # counts are exact up to here
_FIXED = ("phrase_ef", "phrase_fe", "lexical_ef", "lexical_fe", "rule_penalty")
_FALLBACK = (0.5, 1.0, 1.5)  # discounts, where there are none


@dataclass(frozen=True)
class ExtractionSettings(Settings):
    """Which rules are extracted, how they are scored, and which are kept."""

    error = RuleError

    max_phrase: int = _rules(
        7, "Maximum phrase length in words, on each side.", low=1, high=_LONGEST
    )
    hierarchical: bool = _rules(
        False, "Extract hierarchical rules (Chiang 2007) and glue rules instead of phrase pairs."
    )
    max_span: int = _rules(
        10,
        "Maximum length in words of the phrase pair that a hierarchical rule is made from, on "
        "each side.",
        low=1,
        high=_LONGEST,
    )
    max_symbols: int = _rules(
        5,
        "Maximum number of words and gaps in the source of a hierarchical rule.",
        low=1,
        high=_LONGEST,
    )
    max_gaps: int = _rules(2, "Maximum number of gaps in a hierarchical rule.", low=0, high=2)
    min_gap: int = _rules(
        1, "Minimum number of source words that a gap covers.", low=1, high=_LONGEST
    )
    adjacent_gaps: bool = _rules(False, "Allow adjacent gaps in the source.")
    unlinked_rules: bool = _rules(False, "Allow hierarchical rules without a linked word pair.")
    loose: bool = _rules(
        False,
        "Allow null-aligned words at the edges of the phrase pairs that hierarchical rules are "
        "made from.",
    )
    tight_gaps: bool = _rules(
        False, "With loose phrase pairs, allow no null-aligned words at the edges of gaps."
    )
    whole_counts: bool = _rules(
        False,
        "Count each hierarchical rule of a phrase pair as 1 instead of dividing 1 among all of "
        "them.",
    )
    orientation: Kind | None = _orientations(
        "hierarchy", "Orientation model of phrase pairs: by word, phrase or hierarchy; or none."
    )
    classes: Classes = _orientations(
        "mslr",
        "Orientation classes: monotone, swap, discontinuous (msd), or monotone, swap, left, right "
        "(mslr).",
    )
    orientation_smoothing: float = _orientations(
        0.5,
        "Pseudo-count added to the orientation counts of each phrase pair; above 0.",
        low=1e-9,
        high=_LARGEST,
    )
    orientation_prior: Prior = _orientations(
        "uniform",
        "How pseudo-counts are spread: the same for each class (uniform), or in proportion to the "
        "counts of the corpus (counts).",
    )
    smoothing: SmoothingName = _scores(
        "plain", "Smoothing of translation probabilities: plain, good-turing or kneser-ney."
    )
    min_count: float = _scores(0.0, "Drop rules with a lower count.", low=0, high=_LARGEST)
    min_gapped: int = _scores(
        1, "Drop rules with gaps that occur fewer times.", low=1, high=1 << 40
    )
    limit: int | None = _scores(
        None,
        "Maximum number of rules of each source phrase: those with the highest p(target|source) "
        "are kept.",
        low=1,
        high=1 << 40,
    )
    significance: float | Literal["a+e", "a-e"] | None = _scores(
        None,
        "Drop phrase pairs whose -log p by Fisher's exact test is lower (Johnson et al. 2007); "
        "a+e drops pairs whose phrases occur once, together, a-e keeps them.",
        low=0,
    )

    def __post_init__(self) -> None:
        for each in settings_of(type(self)):
            value = getattr(self, each.name)
            if each.name in ("orientation", "significance") and isinstance(value, str):
                object.__setattr__(self, each.name, each.read(value, RuleError))  # as typed
        super().__post_init__()
        if self.significance is not None and self.hierarchical:
            reason = "significance is for phrase pairs: not with hierarchical rules"
            raise RuleError(
                reason, code="argument.conflict", argument="significance", value=self.significance
            )

    def told(self) -> dict[str, Any]:
        """Those that mean something for this kind of rules."""
        left_out = PHRASE_SETTINGS if self.hierarchical else GAP_SETTINGS
        return {name: value for name, value in asdict(self).items() if name not in left_out}

    @property
    def longest(self) -> int:
        """Words of the longest run of a rule."""
        return self.max_span if self.hierarchical else self.max_phrase

    @property
    def kind(self) -> Kind | None:
        """Orientations that are counted: rules with gaps have none."""
        return None if self.hierarchical else self.orientation

    def threshold(self, sentences: int) -> float | None:
        """The least -log p of Fisher's exact test, for a corpus of so many sentence pairs.

        Two phrases that occur once, in the same sentence pair, have log(sentences), which Johnson
        et al. (2007) call α: `a+e` is a little more, so that they are left out, `a-e` a little
        less.
        """
        if self.significance is None:
            return None
        alpha = math.log(max(1, sentences))
        if self.significance in ("a+e", "a-e"):
            return alpha + (1e-6 if self.significance == "a+e" else -1e-6)
        return float(self.significance)

    @property
    def orientation_features(self) -> tuple[str, ...]:
        """Their names: backward, then forward."""
        if self.kind is None:
            return ()
        return orientation_columns(self.classes, DIRECTIONS)

    @property
    def features(self) -> tuple[str, ...]:
        """The features of a rule, in their order."""
        return (*_FIXED, *(("glue",) if self.hierarchical else ()), *self.orientation_features)

    @property
    def groups(self) -> list[list[str]]:
        """Columns of a table that go together: there are few distinct rows of each group."""
        counted = ["count", "source_count", "target_count", "phrase_ef", "phrase_fe"]
        fixed = ["rule_penalty", *(["glue"] if self.hierarchical else [])]
        made = [counted, ["lexical_ef"], ["lexical_fe"], fixed]
        return [*made, list(self.orientation_features)] if self.kind else made


@dataclass(frozen=True)
class EventSettings(Settings):
    """Which orientation events are made."""

    error = RuleError

    kind: Kind = setting(
        "hierarchy", "Neighbours of a phrase pair: word, phrase or hierarchy.", metavar="KIND",
        option="orientation",
    )  # fmt: skip
    direction: Direction = setting(
        "backward", "Compare with the previous target phrase (backward) or the next (forward).",
        metavar="backward|forward",
    )  # fmt: skip
    classes: EventClasses = setting(
        "msd",
        "Orientation classes: monotone, swap, discontinuous (msd); monotone, swap, left, right "
        "(mslr); or left and right by distance: up to 2, up to 6 or more words (distance).",
        metavar="msd|mslr|distance",
    )
    max_phrase: int = setting_of(ExtractionSettings, "max_phrase", high=2**31 - 1, group="")


def orientation_columns(classes: str, directions: Iterable[str]) -> tuple[str, ...]:
    """The features of orientations, a direction after the other; as Moses orders them."""
    return tuple(
        f"orientation_{way}_{name}" for way in directions for name in EVENT_CLASSES[classes]
    )


@dataclass(frozen=True)
class Smoothed:
    """What smoothing takes from counts."""

    good_turing: tuple[float, ...]  # what is left of counts 0 to 9, as factors
    kneser_ney: tuple[float, float, float]  # what is taken from counts 1, 2, and 3 or more
    fallback: str | None = None  # why discounts are fixed ones


def smoothed(name: str, of_count: Sequence[int]) -> Smoothed:
    """From how many rules have each count (`of_count[1]`: how many were counted once).

    Good-Turing as in Moses: (c+1)/c · n(c+1)/n(c), with a tenth added to both, at most 1, and never
    less than for the count before.
    """
    left = [0.01]
    for count in range(1, 10):
        ratio = (of_count[count + 1] + 0.1) / (of_count[count] + 0.1)
        left.append(max(left[-1], min(1.0, (count + 1) / count * ratio)))
    if name != "kneser-ney":
        return Smoothed(tuple(left), (0.0, 0.0, 0.0))
    from rosewood.lm.smoothing import discounts  # language models are not needed otherwise

    found, fallback = discounts(1, of_count[1:5], _FALLBACK)
    reason = None if fallback is None else fallback.reason
    return Smoothed(tuple(left), (found[0], found[1], found[2]), reason)
