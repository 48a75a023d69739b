"""Why one translation is better than another: the features that differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rosewood import svg_text as say
from rosewood.decode.explanation import Explanation
from rosewood.decode.explanation_table import aligned, signed
from rosewood.errors import DecodingError

_ROUNDING = 1e-9  # relative: scores are sums of many features


@dataclass(frozen=True)
class FeatureChange:
    """A feature of two translations, and by how much it makes the first one better."""

    name: str
    weight: float
    first: float
    second: float
    title: str  # the name as people read it

    @property
    def contribution(self) -> float:
        return self.weight * (self.first - self.second)


@dataclass(frozen=True)
class Difference:
    """Why one translation is better than another: features that differ, the strongest first."""

    first: Explanation
    second: Explanation
    changes: tuple[FeatureChange, ...]

    @property
    def margin(self) -> float:
        """By how much the first one's score is higher."""
        return self.first.score - self.second.score

    def verdict(self) -> str:
        """In one sentence: who wins, by what, against what.

        What is less than rounding makes of scores like these is no difference.
        """
        noise = _ROUNDING * max(1.0, abs(self.first.score), abs(self.second.score))
        if abs(self.margin) <= noise:
            return "Both have the same score."
        winner, sign = ("first", 1.0) if self.margin > 0 else ("second", -1.0)
        least = noise / len(self.changes)
        adds = [(c.title, sign * c.contribution) for c in self.changes]
        good = [(name, value) for name, value in adds if value > least]
        bad = [(name, value) for name, value in adds if value < -least]
        said = f"The {winner} is better by {signed(abs(self.margin))[1:]}: {_listed(good)}"
        return f"{said}, against {_listed(bad)}." if bad else f"{said}."

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "first": self.first.text,
            "second": self.second.text,
            "margin": self.margin,
            "features": [
                {
                    "name": c.name,
                    "title": c.title,
                    "weight": c.weight,
                    "first": c.first,
                    "second": c.second,
                    "contribution": c.contribution,
                }
                for c in self.changes
            ],
        }

    def to_text(self) -> str:
        """Both translations, a row for each feature that differs, and the verdict."""
        rows = [["feature", "weight", "first", "second", "adds"]]
        for c in self.changes:
            values = (f"{x:.4g}" for x in (c.weight, c.first, c.second))
            rows.append([c.title, *values, signed(c.contribution)])
        scores = (f"{x:.3f}" for x in (self.first.score, self.second.score))
        rows.append(["score", "", *scores, signed(self.margin)])
        lines = [f"first   {self.first.text}", f"second  {self.second.text}"]
        return "\n".join([*lines, aligned(rows, right=range(1, 5)), self.verdict()])

    def to_html(self) -> str:
        """The same for a page, with both pictures."""
        from rosewood.decode.explanation_page import difference_html

        return difference_html(self)

    _repr_html_ = to_html

    def __repr__(self) -> str:
        return f"Difference({self.margin:+.4f}, {say.plural(len(self.changes), 'feature')})"


def difference(first: Explanation, second: Explanation) -> Difference:
    """Which features make one translation better than another of the same model."""
    own, other = first.features, second.features
    weights = {**second.weights, **first.weights}
    titles = {**second.descriptions, **first.descriptions}
    for name in first.weights.keys() & second.weights.keys():
        if first.weights[name] != second.weights[name]:
            reason = (
                f"the two translations were explained with different weights of {name!r}: "
                f"{first.weights[name]:g} and {second.weights[name]:g}"
            )
            raise DecodingError(reason, code="argument.conflict", argument=name)
    changes = [
        FeatureChange(
            name, weight, own.get(name, 0.0), other.get(name, 0.0), titles.get(name, name)
        )
        for name, weight in weights.items()
    ]
    changed = [c for c in changes if c.first != c.second]
    return Difference(
        first, second, tuple(sorted(changed, key=lambda c: (-abs(c.contribution), c.name)))
    )


def _listed(adds: list[tuple[str, float]]) -> str:
    """The strongest by name; of many, the rest as one sum."""
    told = [f"{name} {signed(value)}" for name, value in adds[:4]]
    if len(adds) > 4:
        told.append(f"{say.plural(len(adds) - 4, 'other')} {signed(sum(v for _, v in adds[4:]))}")
    return ", ".join(told)
