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
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, NamedTuple

from rosewood.arguments import check_choice, check_flag, check_known, check_number, check_whole
from rosewood.errors import AlignmentError

__all__ = [
    "MODELS",
    "SETTINGS",
    "Best",
    "Diagonal",
    "Hmm",
    "Model",
    "Model1",
    "Setting",
    "make_model",
]


class Setting(NamedTuple):
    """What a setting may be, and what it is for."""

    low: float
    high: float
    help: str


SETTINGS: dict[str, Setting] = {
    "iterations": Setting(0, 1000, "rounds of training of the model's own"),
    "null": Setting(1e-6, 0.999, "the probability that a word has no partner"),
    "learn_null": Setting(0, 1, "whether null is only where it starts from"),
    "prior": Setting(0, 100, "pseudo-count of each pair of words; 0 is plain EM"),
    "agreement": Setting(0, 1, "train both directions together"),
    "least": Setting(0, 1, "with agreement, least geometric mean of a link's two posteriors"),
    "tension": Setting(0, 1000, "how strongly partners keep to the diagonal"),
    "learn_tension": Setting(0, 1, "whether tension is only where it starts from"),
    "model1": Setting(1, 1000, "rounds of Model 1 first"),
    "reach": Setting(1, 1000, "jumps beyond are all as likely as those of this size"),
    "pair_prior": Setting(1e-9, 100, "pseudo-count of each pair of words, after Model 1"),
    "null_prior": Setting(1e-9, 100, "pseudo-count of each word without a partner"),
    "spelling": Setting(0, 1000, "pseudo-count of two words that are spelled the same"),
    "stem": Setting(0, 100, "characters that word forms share; 0: they share nothing"),
    "stem_weight": Setting(0, 1e6, "pseudo-counts that a word gets from the forms of its stem"),
    "stem_prior": Setting(1e-9, 100, "pseudo-count of each pair of stems"),
}


@dataclass(frozen=True, kw_only=True)
class Model:
    """What all models have; SETTINGS tells what their fields are for."""

    name: ClassVar[str]
    placing: ClassVar[str]

    iterations: int = 5
    null: float = 0.2
    prior: float = 0.01
    agreement: bool = False
    least: float = 0.3

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            low, high, _ = SETTINGS[each.name]
            if each.type == "bool":
                check_flag(each.name, value, error=AlignmentError)
            elif each.type == "int":
                check_whole(each.name, value, low=int(low), high=int(high), error=AlignmentError)
            else:
                check_number(each.name, value, low=low, high=high, error=AlignmentError)
        if self.agreement and not self.iterations:
            raise AlignmentError(
                "directions that agree need iterations of their own",
                code="argument.conflict", argument="iterations", value=self.iterations,
            )  # fmt: skip

    @property
    def warm_up(self) -> int:
        """Rounds of Model 1 before the model's own."""
        return 0

    def settings(self) -> dict[str, Any]:
        """All of them, to be written down."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class Model1(Model):
    """Every place is as likely as any other."""

    name: ClassVar[str] = "model1"
    placing: ClassVar[str] = "uniform"


@dataclass(frozen=True, kw_only=True)
class Diagonal(Model):
    """Places near the diagonal are likelier, by a tension that is learned."""

    name: ClassVar[str] = "diag"
    placing: ClassVar[str] = "diagonal"

    null: float = 0.08
    tension: float = 4.0
    learn_tension: bool = True


@dataclass(frozen=True, kw_only=True)
class Hmm(Model):
    """Places are chosen by a jump from the one before; jumps are learned."""

    name: ClassVar[str] = "hmm"
    placing: ClassVar[str] = "jumps"

    prior: float = 0.1
    model1: int = 5
    reach: int = 40

    @property
    def warm_up(self) -> int:
        return self.model1


@dataclass(frozen=True, kw_only=True)
class Best(Model):
    """Collapsed HMMs that agree, with word forms and spelling."""

    name: ClassVar[str] = "best"
    placing: ClassVar[str] = "jumps"

    iterations: int = 8
    prior: float = 0.1  # of Model 1, which comes first
    agreement: bool = True
    learn_null: bool = True
    model1: int = 5
    reach: int = 40
    pair_prior: float = 0.001
    null_prior: float = 0.001
    spelling: float = 1.0
    stem: int = 4
    stem_weight: float = 1.0
    stem_prior: float = 0.01

    @property
    def warm_up(self) -> int:
        return self.model1

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
    kind = MODELS[name]
    known = {each.name: str(each.type) for each in fields(kind)}
    check_known(f"{name} setting", settings or {}, known, error=AlignmentError)
    read = {
        setting: _read(setting, known[setting], value) if isinstance(value, str) else value
        for setting, value in (settings or {}).items()
    }
    return kind(**read)


def _read(setting: str, kind: str, text: str) -> Any:
    if kind == "bool":
        return check_choice(setting, text, ("true", "false"), error=AlignmentError) == "true"
    try:
        return int(text) if kind == "int" else float(text)
    except ValueError:
        raise AlignmentError(
            f"{setting} is {text!r}, expected a number",
            code="argument.type", argument=setting, value=text, expected="a number",
        ) from None  # fmt: skip
