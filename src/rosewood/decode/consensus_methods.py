"""Consensus by name: choose a translation by agreement instead of by score.

choose = make_consensus("mbr", {"k": "50", "metric": "chrf"})
derivation, facts = choose(forest, weight)
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from rosewood.arguments import check_choice
from rosewood.errors import DecodingError, RosewoodError
from rosewood.settings import Settings, setting, settings_of

if TYPE_CHECKING:
    from rosewood.arrays import FloatArray
    from rosewood.forest import Derivation, Forest

Chosen = tuple["Derivation", dict[str, Any]]  # and facts about the choice for JSON


@dataclass(frozen=True, kw_only=True)
class Consensus(Settings):
    """A method of choosing, with its settings."""

    error: ClassVar[type[RosewoodError]] = DecodingError

    scale: float = setting(1.0, "Factor of the log scores.", low=1e-9)
    margin: float | None = setting(
        None, "Leave out derivations that are worse than the best by more, in log score.", low=0
    )

    @abstractmethod
    def __call__(self, forest: Forest, weight: FloatArray) -> Chosen:
        """The derivation that is chosen, and facts about the choice for JSON."""

    def _evidence(self) -> dict[str, Any]:
        return {"scale": self.scale, "margin": self.margin}


@dataclass(frozen=True, kw_only=True)
class Mbr(Consensus):
    """Minimum Bayes risk over a k-best list."""

    k: int = setting(100, "Length of the list.", low=1)
    metric: str | None = setting(None, "Metric; none is smoothed BLEU of words.")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._parsed()

    def _parsed(self) -> Any:
        from rosewood.metrics import parse_metric

        try:
            return None if self.metric is None else parse_metric(self.metric)
        except RosewoodError as error:
            raise error.restated(str(error), DecodingError) from None

    def __call__(self, forest: Forest, weight: FloatArray) -> Chosen:
        from rosewood.decode.consensus import mbr

        first = mbr(forest, weight, self.k, metric=self._parsed(), **self._evidence())[0]
        facts = {"name": "mbr", "gain": first.gain, "posterior": first.posterior}
        return first.derivation, facts


@dataclass(frozen=True, kw_only=True)
class ForestMbr(Consensus):
    """Minimum Bayes risk by linear BLEU, over the whole forest."""

    order: int = setting(4, "Length of the longest n-grams.", low=1, high=1000)
    precision: float = setting(0.8, "Precision of single words.", low=1e-9)
    ratio: float = setting(0.6, "Precision of each order, relative to the one before.", low=1e-9)
    posterior: Literal["exact", "expected"] = setting(
        "exact", "Probability of an n-gram, or its expected count, which is quicker."
    )

    def __call__(self, forest: Forest, weight: FloatArray) -> Chosen:
        from rosewood.decode.consensus import forest_mbr

        own = {name: getattr(self, name) for name in ("order", "precision", "ratio", "posterior")}
        best = forest_mbr(forest, weight, **own, **self._evidence())
        return best.derivation, {"name": "forest-mbr", "gain": best.gain}


@dataclass(frozen=True, kw_only=True)
class Variational(Consensus):
    """The best string under n-gram models of the forest."""

    order: int | None = setting(
        None, "Order of the model.", low=1, high=1000, default_text="2", types_none=False
    )
    mixture: str | None = setting(
        None, "Orders and their weights instead, such as 1:0.5,2:0.5.", types_none=False
    )
    viterbi: float = setting(0.0, "Weight of the score of the derivation.", low=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.orders()
        if self.order is not None and self.mixture is not None:
            reason = "setting order: the mixture has orders already: drop one of them"
            raise _fault(reason, "argument.conflict", "order")

    def orders(self) -> dict[int, float]:
        """The weight of each order."""
        shares: dict[int, float] = {}
        for part in [] if self.mixture is None else self.mixture.split(","):
            order, _, share = part.partition(":")
            try:
                number, weight = int(order), float(share)
            except ValueError:
                reason = f"mixture={self.mixture}: {part!r} is not order:weight, as in 1:0.5,2:0.5"
                raise _fault(reason, "argument.value", "mixture", part) from None
            if not (1 <= number <= 1000 and 0 < weight < float("inf")):
                reason = (
                    f"mixture={self.mixture}: {part!r} is not an order from 1 to 1000 with a "
                    "weight above 0"
                )
                raise _fault(reason, "argument.range", "mixture", part)
            if number in shares:
                reason = f"mixture={self.mixture}: order {number} is given twice"
                raise _fault(reason, "argument.duplicate", "mixture", number)
            shares[number] = weight
        return shares or {self.order or 2: 1.0}

    def __call__(self, forest: Forest, weight: FloatArray) -> Chosen:
        from rosewood.decode.consensus import variational

        how = {"mixture": self.orders(), "viterbi": self.viterbi, **self._evidence()}
        model = variational(forest, weight, **how)
        facts = {"name": "variational", "value": model.value, "divergence": model.divergence}
        return model.derivation, facts


def _fault(reason: str, code: str, argument: str, value: object = None) -> DecodingError:
    return DecodingError(reason, code=code, argument=argument, value=value)


CONSENSUS: dict[str, type[Consensus]] = {
    "mbr": Mbr, "forest-mbr": ForestMbr, "variational": Variational,
}  # fmt: skip


def make_consensus(name: str | None, settings: Mapping[str, Any]) -> Consensus | None:
    """The method of a name, with settings that may be texts; None without a name."""
    if name is None:
        if settings:
            reason = f"setting {next(iter(settings))}: a method of consensus is missing"
            raise _fault(reason, "argument.missing", "consensus")
        return None
    kind = CONSENSUS[check_choice("consensus", name, CONSENSUS, error=DecodingError)]
    return kind.from_values(settings)


def settings_help() -> str:
    """The names of all settings, by method."""
    shared = [each.name for each in settings_of(Consensus)]
    rows = [", ".join(shared)]
    for name, kind in CONSENSUS.items():
        own = [each.name for each in settings_of(kind) if each.name not in shared]
        rows.append(f"{name}: {', '.join(own)}")
    return "; ".join(rows)
