"""`rosewood decode --consensus`: which translation is taken, if not the one of the best score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosewood.cli.options import named_values
from rosewood.errors import DecodingError, RosewoodError

if TYPE_CHECKING:
    from rosewood.arrays import FloatArray
    from rosewood.forest import Derivation, Forest

__all__ = ["Consensus"]


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
            told = f"{part!r} is no order with its weight: want something like 1:0.5,2:0.5"
            raise DecodingError(told) from None
        if number in shares:
            raise DecodingError(f"order {number} stands twice")
        shares[number] = weight
    return shares


_EVERYWHERE: dict[str, Callable[[str], Any]] = {"scale": float, "margin": float}
_SETTINGS: dict[str, dict[str, Callable[[str], Any]]] = {
    "mbr": {"k": int, "metric": _metric, **_EVERYWHERE},
    "forest-mbr": {
        "order": int, "precision": float, "ratio": float, "posterior": str, **_EVERYWHERE,
    },
    "variational": {"order": int, "mixture": _mixture, "viterbi": float, **_EVERYWHERE},
}  # fmt: skip


@dataclass(frozen=True)
class Consensus:
    """A way of choosing, with its settings."""

    name: str
    settings: Mapping[str, Any]

    @classmethod
    def parse(cls, name: str | None, texts: Sequence[str] | None) -> Consensus | None:
        """What was typed: the name, and name=value of its settings."""
        typed = named_values(texts, "--set")
        if name is None:
            if typed:
                raise DecodingError(f"--set {next(iter(typed))}: it is for --consensus")
            return None
        known = _SETTINGS.get(name)
        if known is None:
            raise DecodingError(f"--consensus {name}: want {', '.join(_SETTINGS)}")
        settings: dict[str, Any] = {}
        for key, text in typed.items():
            if key not in known:
                raise DecodingError(
                    f"--set {key}={text}: {name} has no such setting; it has {', '.join(known)}"
                )
            try:
                settings[key] = known[key](text)
            except ValueError:
                raise DecodingError(f"--set {key}={text}: want a number") from None
            except RosewoodError as error:
                raise DecodingError(f"--set {key}={text}: {error}") from None
        if "order" in settings and "mixture" in settings:
            raise DecodingError("--set mixture: it has orders already, there is no other order")
        return cls(name, settings)

    def __call__(self, forest: Forest, weight: FloatArray) -> tuple[Derivation, dict[str, Any]]:
        """The derivation that is chosen, and what JSON tells of the choice."""
        from rosewood.decode import forest_mbr, mbr, variational

        told: dict[str, Any] = {"name": self.name}
        if self.name == "mbr":
            first = mbr(forest, weight, **self.settings)[0]
            return first.derivation, {**told, "gain": first.gain, "posterior": first.posterior}
        if self.name == "forest-mbr":
            best = forest_mbr(forest, weight, **self.settings)
            return best.derivation, {**told, "gain": best.gain}
        model = variational(forest, weight, **self.settings)
        return model.derivation, {**told, "value": model.value, "divergence": model.divergence}
