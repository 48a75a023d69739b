"""Consensus by name: choose a translation by agreement instead of by score.

choose = Consensus.parse("mbr", {"k": "50", "metric": "chrf"})
derivation, facts = choose(forest, weight)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosewood.arguments import check_choice, check_known
from rosewood.errors import DecodingError, RosewoodError
from rosewood.settings import Setting

if TYPE_CHECKING:
    from rosewood.arrays import FloatArray
    from rosewood.forest import Derivation, Forest


def _metric(text: str) -> Any:
    from rosewood.metrics import parse_metric

    return parse_metric(text)


def _mixture(text: str) -> dict[int, float]:
    """Orders and their weights, as in 1:0.5,2:0.5."""
    shares: dict[int, float] = {}
    for part in text.split(","):
        order, _, share = part.partition(":")
        try:
            number, weight = int(order), float(share)
        except ValueError:
            reason = f"{part!r} is not order:weight, expected something like 1:0.5,2:0.5"
            raise _fault(reason, "argument.value", "mixture", part) from None
        if number in shares:
            raise _fault(f"order {number} is given twice", "argument.duplicate", "mixture", number)
        shares[number] = weight
    return shares


def _fault(reason: str, code: str, argument: str, value: object = None) -> DecodingError:
    return DecodingError(reason, code=code, argument=argument, value=value)


_EVERYWHERE: dict[str, Any] = {"scale": float, "margin": float}
CONSENSUS: dict[str, dict[str, type | Callable[[str], Any]]] = {  # settings with their types
    "mbr": {"k": int, "metric": _metric, **_EVERYWHERE},
    "forest-mbr": {
        "order": int, "precision": float, "ratio": float, "posterior": str, **_EVERYWHERE,
    },
    "variational": {"order": int, "mixture": _mixture, "viterbi": float, **_EVERYWHERE},
}  # fmt: skip


@dataclass(frozen=True)
class Consensus:
    """A method of choosing, with its settings."""

    name: str
    settings: Mapping[str, Any]

    @classmethod
    def parse(cls, name: str | None, typed: Mapping[str, str]) -> Consensus | None:
        """The method of a name, with settings as texts; None without a name."""
        if name is None:
            if typed:
                reason = f"setting {next(iter(typed))}: a method of consensus is missing"
                raise _fault(reason, "argument.missing", "consensus")
            return None
        known = CONSENSUS[check_choice("consensus", name, CONSENSUS, error=DecodingError)]
        check_known("setting", typed, known, error=DecodingError)
        settings = {key: _read(key, known[key], text) for key, text in typed.items()}
        if "order" in settings and "mixture" in settings:
            reason = "setting order: the mixture has orders already: drop one of them"
            raise _fault(reason, "argument.conflict", "order")
        return cls(name, settings)

    def __call__(self, forest: Forest, weight: FloatArray) -> tuple[Derivation, dict[str, Any]]:
        """The derivation that is chosen, and facts about the choice for JSON."""
        from rosewood.decode.consensus import forest_mbr, mbr, variational

        facts: dict[str, Any] = {"name": self.name}
        if self.name == "mbr":
            first = mbr(forest, weight, **self.settings)[0]
            return first.derivation, {**facts, "gain": first.gain, "posterior": first.posterior}
        if self.name == "forest-mbr":
            best = forest_mbr(forest, weight, **self.settings)
            return best.derivation, {**facts, "gain": best.gain}
        model = variational(forest, weight, **self.settings)
        return model.derivation, {**facts, "value": model.value, "divergence": model.divergence}


def _read(name: str, kind: Any, text: str) -> Any:
    try:
        if isinstance(kind, type):
            return Setting(name, kind, (), False, None, {}).read(text, DecodingError)
        return kind(text)
    except RosewoodError as error:
        raise error.restated(f"setting {name}={text}: {error}", DecodingError) from None
