"""What decides a rule table, but for its corpus: which rules there are, and how they are scored."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any, Literal, cast

from rosewood.errors import RuleError

__all__ = [
    "CLASSES",
    "DIRECTIONS",
    "GAP_SETTINGS",
    "KINDS",
    "PHRASE_SETTINGS",
    "SMOOTHINGS",
    "ExtractionSettings",
    "Smoothed",
    "orientation_columns",
    "smoothed",
]

Kind = Literal["word", "phrase", "hierarchy"]
Classes = Literal["msd", "mslr"]
Prior = Literal["uniform", "counts"]
SmoothingName = Literal["plain", "good-turing", "kneser-ney"]

KINDS = ("word", "phrase", "hierarchy")  # in the order of the native ones
SMOOTHINGS = ("plain", "good-turing", "kneser-ney")
DIRECTIONS = ("backward", "forward")
CLASSES = {
    "msd": ("monotone", "swap", "discontinuous"),
    "mslr": ("monotone", "swap", "left", "right"),
}
# Settings that mean nothing for rules of the other kind.
PHRASE_SETTINGS = (
    "max_phrase", "orientation", "classes", "orientation_smoothing", "orientation_prior",
    "significance",
)  # fmt: skip
GAP_SETTINGS = (
    "max_span", "max_symbols", "max_gaps", "min_gap", "adjacent_gaps", "unlinked_rules", "loose",
)  # fmt: skip
_LONGEST = 255  # words of a phrase
_LARGEST = 1e15  # counts are exact up to here
_FIXED = ("phrase_ef", "phrase_fe", "lexical_ef", "lexical_fe", "rule_penalty")
_FALLBACK = (0.5, 1.0, 1.5)  # discounts, where there are none


@dataclass(frozen=True)
class ExtractionSettings:
    """Which rules are extracted, how they are scored, and which are kept."""

    max_phrase: int = 7  # words of each side of a phrase pair
    hierarchical: bool = False  # rules with gaps (Chiang 2007) instead of phrase pairs
    max_span: int = 10  # words of each side of what a hierarchical rule comes from
    max_symbols: int = 5  # words and gaps of the source of a hierarchical rule
    max_gaps: int = 2
    min_gap: int = 1  # source words that a gap stands for
    adjacent_gaps: bool = False  # two gaps side by side in the source
    unlinked_rules: bool = False  # hierarchical rules without linked words
    loose: bool = False  # words without links at the edges of what hierarchical rules come from
    orientation: Kind | Literal["none"] | None = "hierarchy"  # of phrase pairs
    classes: Classes = "mslr"
    orientation_smoothing: float = 0.5  # made-up events of a phrase pair, as the prior spreads them
    orientation_prior: Prior = "uniform"  # so many of each class; or in all, spread as all events
    smoothing: SmoothingName = "plain"
    min_count: float = 0.0  # rules that are counted less are left out
    limit: int | None = None  # rules of one source: so many, those with the highest phrase_ef
    significance: str | float | None = None  # phrase pairs of less are left out: see `threshold`

    def __post_init__(self) -> None:
        for name, least, most in (
            ("max_phrase", 1, _LONGEST),
            ("max_span", 1, _LONGEST),
            ("max_symbols", 1, _LONGEST),
            ("max_gaps", 0, 2),
            ("min_gap", 1, _LONGEST),
            ("limit", 1, 1 << 40),
        ):
            value = getattr(self, name)
            if value is None and name == "limit":
                continue
            if not _is_whole(value) or not least <= value <= most:
                raise RuleError(f"{name} is {value!r}, want a whole number from {least} to {most}")
            object.__setattr__(self, name, int(value))
        for name in ("hierarchical", "adjacent_gaps", "unlinked_rules", "loose"):
            if not isinstance(getattr(self, name), bool):
                raise RuleError(f"{name} is {getattr(self, name)!r}, want True or False")
        if self.orientation == "none":  # as it is typed
            object.__setattr__(self, "orientation", None)
        for name, among in (
            ("orientation", (*KINDS, None)),
            ("classes", tuple(CLASSES)),
            ("orientation_prior", ("uniform", "counts")),
            ("smoothing", SMOOTHINGS),
        ):
            if getattr(self, name) not in among:
                listed = ", ".join("none" if each is None else each for each in among)
                raise RuleError(f"{name} is {getattr(self, name)!r}, want one of {listed}")
        for name, want in (("orientation_smoothing", "over 0"), ("min_count", "from 0 on")):
            value = getattr(self, name)
            is_number = isinstance(value, Real) and 0 <= float(value) <= _LARGEST
            if isinstance(value, bool) or not is_number or (want == "over 0" and value == 0):
                raise RuleError(f"{name} is {value!r}, want a number {want}, up to {_LARGEST:g}")
            object.__setattr__(self, name, float(value))
        if self.significance is not None and self.hierarchical:
            raise RuleError("the test of significance is for phrase pairs, not for rules with gaps")
        self.threshold(1)
        if isinstance(self.significance, str) and self.significance not in ("a+e", "a-e"):
            object.__setattr__(self, "significance", float(self.significance))

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
        return None if self.hierarchical else cast("Kind | None", self.orientation)

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
        try:
            value = float(self.significance)
        except (TypeError, ValueError):
            value = math.nan
        if isinstance(self.significance, bool) or not 0 <= value < math.inf:
            raise RuleError(f"significance is {self.significance!r}, want a+e, a-e or a number")
        return value

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


def orientation_columns(classes: str, directions: Iterable[str]) -> tuple[str, ...]:
    """The features of orientations, a direction after the other; as Moses orders them."""
    return tuple(f"orientation_{way}_{name}" for way in directions for name in CLASSES[classes])


def _is_whole(value: object) -> bool:
    """NumPy's whole numbers are as good as Python's."""
    return hasattr(value, "__index__") and not isinstance(value, bool)


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
