"""Models of word alignment by name, and their settings.

    Model1()       words choose their partners regardless of where they stand (Brown et al. 1993)
    Diagonal()     partners near the diagonal are likelier (Dyer et al. 2013, fast_align)
    Hmm()          each word's partner stands near that of the word before (Vogel et al. 1996,
                   Och & Ney 2003)
    Best()         HMMs of both directions that agree, in which a word's own link never counts as
                   evidence for itself; word forms and spelling help where counts are few

The first three are trained by EM; `prior` makes it variational (Dirichlet priors on word
translations), which small corpora need; `agreement` trains both directions together, links counting
as much as both believe in them (Liang et al. 2006).  docs/decisions/0005-collapsed-agreement.md
tells where Best comes from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rosewood.arguments import check_known
from rosewood.errors import AlignmentError, RosewoodError
from rosewood.settings import Settings, setting

# Bounds and help of each setting, whichever models have it.
_FACTS: dict[str, tuple[float, float, str]] = {
    "iterations": (0, 1000, "rounds of training of the model's own"),
    "null": (1e-6, 0.999, "the probability that a word has no partner"),
    "learn_null": (0, 1, "whether null is only where it starts from"),
    "prior": (0, 100, "pseudo-count of each pair of words; 0 is plain EM"),
    "agreement": (0, 1, "train both directions together"),
    "least": (0, 1, "with agreement, least geometric mean of a link's two posteriors"),
    "tension": (0, 1000, "how strongly partners keep to the diagonal"),
    "learn_tension": (0, 1, "whether tension is only where it starts from"),
    "model1": (1, 1000, "rounds of Model 1 first"),
    "reach": (1, 1000, "jumps beyond are all as likely as those of this size"),
    "pair_prior": (1e-9, 100, "pseudo-count of each pair of words, after Model 1"),
    "null_prior": (1e-9, 100, "pseudo-count of each word without a partner"),
    "spelling": (0, 1000, "pseudo-count of two words that are spelled the same"),
    "stem": (0, 100, "characters that word forms share; 0: they share nothing"),
    "stem_weight": (0, 1e6, "pseudo-counts that a word gets from the forms of its stem"),
    "stem_prior": (1e-9, 100, "pseudo-count of each pair of stems"),
}


def _setting(name: str, default: Any) -> Any:
    low, high, help = _FACTS[name]
    return setting(default, help, low=low, high=high)


@dataclass(frozen=True, kw_only=True)
class Model(Settings):
    """What all models have."""

    error: ClassVar[type[RosewoodError]] = AlignmentError
    name: ClassVar[str]
    placing: ClassVar[str]

    iterations: int = _setting("iterations", 5)
    null: float = _setting("null", 0.2)
    prior: float = _setting("prior", 0.01)
    agreement: bool = _setting("agreement", False)
    least: float = _setting("least", 0.3)

    def __init_subclass__(cls, *, name: str, placing: str) -> None:
        cls.name, cls.placing = name, placing

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.agreement and not self.iterations:
            raise AlignmentError(
                "directions that agree need iterations of their own",
                code="argument.conflict", argument="iterations", value=self.iterations,
            )  # fmt: skip

    @property
    def warm_up(self) -> int:
        """Rounds of Model 1 before the model's own."""
        return int(getattr(self, "model1", 0))


@dataclass(frozen=True, kw_only=True)
class Model1(Model, name="model1", placing="uniform"):
    """Every place is as likely as any other."""


@dataclass(frozen=True, kw_only=True)
class Diagonal(Model, name="diag", placing="diagonal"):
    """Places near the diagonal are likelier, by a tension that is learned."""

    null: float = _setting("null", 0.08)
    tension: float = _setting("tension", 4.0)
    learn_tension: bool = _setting("learn_tension", True)


@dataclass(frozen=True, kw_only=True)
class Hmm(Model, name="hmm", placing="jumps"):
    """Places are chosen by a jump from the one before; jumps are learned."""

    prior: float = _setting("prior", 0.1)
    model1: int = _setting("model1", 5)
    reach: int = _setting("reach", 40)


@dataclass(frozen=True, kw_only=True)
class Best(Model, name="best", placing="jumps"):
    """Collapsed HMMs that agree, with word forms and spelling."""

    iterations: int = _setting("iterations", 8)
    prior: float = _setting("prior", 0.1)  # of Model 1, which comes first
    agreement: bool = _setting("agreement", True)
    learn_null: bool = _setting("learn_null", True)
    model1: int = _setting("model1", 5)
    reach: int = _setting("reach", 40)
    pair_prior: float = _setting("pair_prior", 0.001)
    null_prior: float = _setting("null_prior", 0.001)
    spelling: float = _setting("spelling", 1.0)
    stem: int = _setting("stem", 4)
    stem_weight: float = _setting("stem_weight", 1.0)
    stem_prior: float = _setting("stem_prior", 0.01)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.agreement:
            raise AlignmentError(
                "best: its directions always agree",
                code="argument.conflict", argument="agreement", value=False,
            )  # fmt: skip


MODELS: dict[str, type[Model]] = {kind.name: kind for kind in (Model1, Diagonal, Hmm, Best)}


def make_model(name: str = "best", settings: Mapping[str, Any] | None = None) -> Model:
    """The model of this name; settings may be texts, as they are typed."""
    check_known("model", [name], MODELS, error=AlignmentError)
    return MODELS[name].from_values(settings or {}, f"{name} setting")
