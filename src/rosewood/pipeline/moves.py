"""Why phrases moved: the features of reordering models for and against what a translation does.

A `Move` is one phrase of a translation in one direction of a model: the class that occurs, its
probability, and how much each feature speaks for it: its weight for this class less the mean of its
weights for the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

from rosewood.decode import Decoder, Explanation, SearchResult
from rosewood.decode.explanation import ExplainedRule
from rosewood.decode.explanation_table import aligned
from rosewood.reorder.linear import LinearReordering
from rosewood.rules.settings import EVENT_CLASSES

_SHOWN = 3  # features on each side, in a terminal


@dataclass(frozen=True)
class Move:
    """How a phrase lies to the one before it (backward) or behind it (forward), and why."""

    source: str
    target: str
    begin: int
    end: int
    model: str
    direction: str
    orientation: str
    probability: float
    reasons: tuple[tuple[str, float], ...]  # features, the strongest for it first

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "source": self.source,
            "target": self.target,
            "begin": self.begin,
            "end": self.end,
            "model": self.model,
            "direction": self.direction,
            "orientation": self.orientation,
            "probability": self.probability,
            "reasons": [{"feature": name, "strength": value} for name, value in self.reasons],
        }

    @property
    def supporting(self) -> list[str]:
        """The strongest features for it."""
        return [_shown(each) for each in self.reasons if each[1] > 0][:_SHOWN]

    @property
    def opposing(self) -> list[str]:
        """The strongest features against it."""
        return [_shown(each) for each in reversed(self.reasons) if each[1] < 0][:_SHOWN]


def moves_of(decoder: Decoder, found: SearchResult, why: Explanation) -> tuple[Move, ...]:
    """All moves of the best translation that trained reordering models know of."""
    models = [
        each for each in getattr(decoder, "reorder", ()) if isinstance(each, LinearReordering)
    ]
    return tuple(move for model in models for move in _moves(model, found, why))


def _moves(model: LinearReordering, found: SearchResult, why: Explanation) -> Iterator[Move]:
    links = found.best.links
    for n, rule in enumerate(why.rules):
        for way in model.directions:
            # What a phrase sees come behind it is a feature of the step to the next one.
            step = n if way == "backward" else n + 1
            values = why.rules[step].features if step < len(why.rules) else {}
            for name in EVENT_CLASSES[model.classes]:
                value = values.get(f"{model.name}_{way}_{name}")
                if value is not None:
                    reasons = _reasons(model, why.source.words, rule, links, way, name)
                    yield Move(
                        rule.source_text, rule.target_text, rule.begin, rule.end, model.name, way,
                        name, exp(value), reasons,
                    )  # fmt: skip


def _reasons(
    model: LinearReordering, words: Sequence[str], rule: ExplainedRule,
    links: Sequence[tuple[int, int]], way: str, name: str,
) -> tuple[tuple[str, float], ...]:  # fmt: skip
    ((begin, end),), (first, behind) = rule.source_spans, rule.target_spans[0]
    own = [(i - begin, j - first) for i, j in links if begin <= i < end and first <= j < behind]
    found = []
    for each in model.reasons(words, begin, end, rule.target, own, way):
        others = [value for other, value in each.weights.items() if other != name]
        found.append((each.feature, each.weights[name] - sum(others) / len(others)))
    return tuple(sorted(found, key=lambda pair: -pair[1]))


def moves_text(moves: Sequence[Move]) -> str:
    """Moves that are not monotone, for a terminal."""
    rows = [["moved", "", "", "p", "for", "against"]]
    for each in moves:
        if each.orientation != "monotone":
            rows.append([
                f"{each.source} → {each.target}", f"{each.model} {each.direction}",
                each.orientation, f"{each.probability:.3f}", ", ".join(each.supporting) or "–",
                ", ".join(each.opposing) or "–",
            ])  # fmt: skip
    return aligned(rows, right=[3]) if len(rows) > 1 else ""


def _shown(reason: tuple[str, float]) -> str:
    return f"{reason[0]} {reason[1]:+.2f}"
