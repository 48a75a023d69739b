"""What boosted trees add to each phrase of a translation, and by which conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosewood.decode import Explanation
from rosewood.decode.explanation_table import aligned
from rosewood.forest import BoostedTrees
from rosewood.svg_text import clean

_SHOWN = 3  # trees of a phrase, in tables


@dataclass(frozen=True)
class TreeShare:
    """One tree at one phrase: the leaf that it comes to."""

    tree: int  # number, from 1
    value: float  # that the tree adds to the score
    conditions: str  # of the leaf: "log_count ≤ 0.9 and lm > -4"
    factors: tuple[str, ...] = ()  # features that the leaf's number is multiplied with

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"tree": self.tree, "value": self.value, "conditions": self.conditions,
                "factors": list(self.factors)}  # fmt: skip

    @property
    def told(self) -> str:
        """In words."""
        factors = f" by {' · '.join(self.factors)}" if self.factors else ""
        conditions = f" if {self.conditions}" if self.conditions else ""
        return f"{self.value:+.3g}{factors}{conditions}"


@dataclass(frozen=True)
class BoostedPhrase:
    """A phrase, or the end of the sentence, with what trees add to it."""

    text: str
    value: float  # of all trees
    shares: tuple[TreeShare, ...]  # the strongest first

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        shares = [each.to_dict() for each in self.shares]
        return {"text": self.text, "value": self.value, "trees": shares}

    @property
    def told(self) -> list[str]:
        """The strongest trees in words."""
        return [each.told for each in self.shares[:_SHOWN]]


def boosted_phrases(trees: BoostedTrees | None, why: Explanation) -> tuple[BoostedPhrase, ...]:
    """All phrases of a translation, glue and the end; nothing without trees."""
    if trees is None or not len(trees):
        return ()
    return tuple(_boosted(trees, text, features) for text, features in _places(why))


def _places(why: Explanation) -> Iterator[tuple[str, Mapping[str, float]]]:
    """What has features: a text for people, and their values."""
    for rule in why.rules:
        yield f"{rule.source_text} → {rule.target_text or '–'}", rule.features
    for glue in why.glue:
        yield f"glue {glue.span_text}", glue.features
    yield "end of the sentence", why.ending


def _boosted(trees: BoostedTrees, text: str, features: Mapping[str, float]) -> BoostedPhrase:
    column_of = {name: np.array([features.get(name, 0.0)]) for name in trees.columns}
    shares = []
    for number, tree in enumerate(trees.trees, 1):
        leaf = int(tree.leaves(column_of, 1)[0])
        value = tree.scale * float(tree.value(column_of, 1)[0])
        shares.append(TreeShare(number, value, tree.conditions(leaf), tree.factors))
    shares.sort(key=lambda each: -abs(each.value))
    return BoostedPhrase(text, sum(each.value for each in shares), tuple(shares))


def shares_text(phrases: Sequence[BoostedPhrase]) -> str:
    """For a terminal."""
    rows = [["boost", "of", "the strongest trees"]]
    for each in phrases:
        for n, told in enumerate(each.told):
            first = [f"{each.value:+.3g}", clean(each.text)] if n == 0 else ["", ""]
            rows.append([*first, clean(told)])
    return aligned(rows, right=[0]) if len(rows) > 1 else ""
