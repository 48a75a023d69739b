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
from rosewood.settings import Settings, setting, setting_of


@dataclass(frozen=True, kw_only=True)
class AlignmentModel(Settings):
    """What all models have."""

    error: ClassVar[type[RosewoodError]] = AlignmentError
    name: ClassVar[str]
    placing: ClassVar[str]

    iterations: int = setting(5, "Training rounds of the model itself.", low=0, high=1000)
    null: float = setting(0.2, "The probability that a word has no partner.", low=1e-6, high=0.999)
    prior: float = setting(
        0.01, "Pseudo-count of each pair of words; 0 is plain EM.", low=0, high=100
    )
    agreement: bool = setting(False, "Train both directions together.")
    least: float = setting(
        0.3, "With agreement: minimum geometric mean of a link's two posteriors.", low=0, high=1
    )

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
class Model1(AlignmentModel, name="model1", placing="uniform"):
    """Every place is as likely as any other."""


@dataclass(frozen=True, kw_only=True)
class Diagonal(AlignmentModel, name="diag", placing="diagonal"):
    """Places near the diagonal are likelier, by a tension that is learned."""

    null: float = setting_of(AlignmentModel, "null", 0.08)
    tension: float = setting(4.0, "How strongly partners keep to the diagonal.", low=0, high=1000)
    learn_tension: bool = setting(True, "Learn the tension; its setting is the start.")


@dataclass(frozen=True, kw_only=True)
class Hmm(AlignmentModel, name="hmm", placing="jumps"):
    """Places are chosen by a jump from the one before; jumps are learned."""

    prior: float = setting_of(AlignmentModel, "prior", 0.1)
    model1: int = setting(5, "Rounds of Model 1 before the model itself.", low=1, high=1000)
    reach: int = setting(
        40, "Longer jumps are all as likely as those of this length.", low=1, high=1000
    )


@dataclass(frozen=True, kw_only=True)
class Best(AlignmentModel, name="best", placing="jumps"):
    """Collapsed HMMs that agree, with word forms and spelling."""

    iterations: int = setting_of(AlignmentModel, "iterations", 8)
    prior: float = setting_of(AlignmentModel, "prior", 0.1)  # of Model 1, which comes first
    agreement: bool = setting_of(AlignmentModel, "agreement", True)
    learn_null: bool = setting(True, "Learn null; its setting is the start.")
    model1: int = setting_of(Hmm, "model1")
    reach: int = setting_of(Hmm, "reach")
    pair_prior: float = setting(
        0.001, "Pseudo-count of each pair of words, after Model 1.", low=1e-9, high=100
    )
    null_prior: float = setting(
        0.001, "Pseudo-count of each word without a partner.", low=1e-9, high=100
    )
    spelling: float = setting(
        1.0, "Pseudo-count of two words that are spelled the same.", low=0, high=1000
    )
    stem: int = setting(
        4, "Characters that word forms share; 0: they share nothing.", low=0, high=100
    )
    stem_weight: float = setting(
        1.0, "Pseudo-counts that a word gets from the forms of its stem.", low=0, high=1e6
    )
    stem_prior: float = setting(0.01, "Pseudo-count of each pair of stems.", low=1e-9, high=100)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.agreement:
            raise AlignmentError(
                "best: its directions always agree",
                code="argument.conflict", argument="agreement", value=False,
            )  # fmt: skip


MODELS: dict[str, type[AlignmentModel]] = {
    kind.name: kind for kind in (Model1, Diagonal, Hmm, Best)
}


def make_model(name: str = "best", settings: Mapping[str, Any] | None = None) -> AlignmentModel:
    """The model of this name; settings may be texts, as they are typed."""
    check_known("model", [name], MODELS, error=AlignmentError)
    return MODELS[name].from_values({} if settings is None else settings, f"{name} setting")
