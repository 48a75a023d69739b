"""Why phrases moved: the features of reordering models for and against what a translation does.

A `Move` is one phrase of a translation in one direction of a model: the class that occurs, its
probability, and how much each feature speaks for it: its weight for this class less that for the
most probable other class.  For MaxEnt and Bayes, MAP, these strengths add up to the log odds of the
two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rosewood.decode import Decoder, Explanation, SearchResult
from rosewood.decode.explanation import ExplainedRule
from rosewood.decode.explanation_table import aligned
from rosewood.reorder.linear import LinearReordering

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
    probability: float  # as the model has it; decoders round those of `forward`
    otherwise: str  # the most probable other class
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
            "otherwise": self.otherwise,
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
    return tuple(_moves(models, found, why))


def _moves(
    models: Sequence[LinearReordering], found: SearchResult, why: Explanation
) -> Iterator[Move]:
    """Phrase by phrase."""
    for n, rule in enumerate(why.rules):
        for model in models:
            for way in model.directions:
                # What a phrase sees come behind it is a feature of the step to the next one.
                step = n if way == "backward" else n + 1
                if step < len(why.rules):
                    values = why.rules[step].features
                    yield _move(model, why.source.words, rule, found.best.links, way, values)


def _move(
    model: LinearReordering, words: Sequence[str], rule: ExplainedRule,
    links: Sequence[tuple[int, int]], way: str, values: Mapping[str, float],
) -> Move:  # fmt: skip
    ((begin, end),), (first, behind) = rule.source_spans, rule.target_spans[0]
    own = [(i - begin, j - first) for i, j in links if begin <= i < end and first <= j < behind]
    chances, reasons = model.explain(words, begin, end, rule.target, own, way)
    ranked = sorted(chances, key=lambda name: -chances[name])
    # A value of 0 is left out of the features: then the class is the one that is nearly certain.
    occurs = [name for name in chances if f"{model.name}_{way}_{name}" in values]
    name = occurs[0] if occurs else ranked[0]
    other = ranked[1] if name == ranked[0] else ranked[0]
    strengths = [(each.feature, each.weights[name] - each.weights[other]) for each in reasons]
    return Move(
        rule.source_text, rule.target_text, rule.begin, rule.end, model.name, way, name,
        chances[name], other, tuple(sorted(strengths, key=lambda pair: -pair[1])),
    )  # fmt: skip


def moves_text(moves: Sequence[Move]) -> str:
    """Moves that are not monotone, for a terminal."""
    rows = [["moved", "", "", "p", "rather than", "for", "against"]]
    for each in moves:
        if each.orientation != "monotone":
            rows.append([
                f"{each.source} → {each.target}", f"{each.model} {each.direction}",
                each.orientation, f"{each.probability:.3f}", each.otherwise,
                ", ".join(each.supporting) or "–", ", ".join(each.opposing) or "–",
            ])  # fmt: skip
    return aligned(rows, right=[3]) if len(rows) > 1 else ""


def _shown(reason: tuple[str, float]) -> str:
    return f"{reason[0]} {reason[1]:+.2f}"
