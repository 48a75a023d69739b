"""`--consensus` of `decode` and `translate`: choose by agreement instead of by score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosewood.arguments import check_choice, check_known
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
            raise DecodingError(
                f"{part!r} is not order:weight, expected something like 1:0.5,2:0.5",
                code="argument.value", argument="mixture", value=part,
            ) from None  # fmt: skip
        if number in shares:
            raise DecodingError(
                f"order {number} is given twice",
                code="argument.duplicate", argument="mixture", value=number,
            )  # fmt: skip
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
    def parse(cls, name: str | None, typed: Mapping[str, str]) -> Consensus | None:
        """The name and the settings that were typed."""
        if name is None:
            if typed:
                raise DecodingError(
                    f"--set {next(iter(typed))} needs --consensus",
                    code="argument.missing",
                    argument="--consensus",
                )
            return None
        known = _SETTINGS[check_choice("--consensus", name, _SETTINGS, error=DecodingError)]
        check_known("setting", typed, known, error=DecodingError)
        settings: dict[str, Any] = {}
        for key, text in typed.items():
            try:
                settings[key] = known[key](text)
            except ValueError:
                raise DecodingError(
                    f"--set {key}={text}: expected a number",
                    code="argument.type", argument=key, value=text, expected="a number",
                ) from None  # fmt: skip
            except RosewoodError as error:
                raise error.restated(f"--set {key}={text}: {error}", DecodingError) from None
        if "order" in settings and "mixture" in settings:
            raise DecodingError(
                "--set order: the mixture has orders already: drop one of them",
                code="argument.conflict",
                argument="order",
            )
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
