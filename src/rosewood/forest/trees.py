"""Boosted trees: features of edges that are learnt from other features of the same edge.

    trees = BoostedTrees.load("trees.json")
    trees.score(columns)              # Σ ρ·h(x) of each row, columns in the order of trees.columns
    print(trees.text())

A tree starts with one leaf.  Each split takes a leaf, and rows of it whose value is above the
threshold go to a new leaf.  The value of a row is the coefficient of its leaf, times the product of
the tree's factors: none (constant leaves), one (linear leaves), or several.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from rosewood.arrays import FloatArray
from rosewood.errors import ForestError, FormatError
from rosewood.output import whole_file
from rosewood.shared_types import PathName

FORMAT, VERSION = "rosewood trees", 1
MOST_LEAVES = 256
TREES = "boost"  # the feature that trees add up to
_POINTS = 21  # values of a column whose partial dependence is kept


@dataclass(frozen=True)
class Split:
    """Rows of `leaf` whose value of `column` is above `threshold` go to a new leaf."""

    leaf: int
    column: str
    threshold: float
    gain: float = 0.0  # how much less squared error there was


@dataclass(frozen=True)
class Tree:
    """Splits, the coefficient of each leaf, and how much the whole counts (ρ)."""

    splits: tuple[Split, ...]
    values: tuple[float, ...]
    factors: tuple[str, ...] = ()
    scale: float = 1.0
    weights: tuple[float, ...] = ()  # how many instances each leaf had in training
    gain: float = 0.0  # how much less squared error there was, all in all

    def __post_init__(self) -> None:
        count = len(self.values)
        if count != len(self.splits) + 1 or count > MOST_LEAVES:
            raise _wrong("values", count, "one more than splits, 256 at most")
        if self.weights and len(self.weights) != count:
            raise _wrong("weights", len(self.weights), count)
        for number, split in enumerate(self.splits):
            if not 0 <= split.leaf <= number:
                raise _wrong("leaf", split.leaf, f"0 to {number}")
        of_splits = (number for s in self.splits for number in (s.threshold, s.gain))
        for value in (*self.values, self.scale, *self.weights, self.gain, *of_splits):
            if not math.isfinite(value):
                raise _wrong("trees", value, "finite numbers")

    @property
    def columns(self) -> list[str]:
        """The columns it looks at, each once."""
        return list(dict.fromkeys([*(split.column for split in self.splits), *self.factors]))

    def leaves(self, column_of: Mapping[str, FloatArray], rows: int) -> np.ndarray[Any, Any]:
        """The leaf of each row."""
        leaf = np.zeros(rows, dtype=np.uint8)
        for number, split in enumerate(self.splits, 1):
            leaf[(leaf == split.leaf) & (column_of[split.column] > split.threshold)] = number
        return leaf

    def value(self, column_of: Mapping[str, FloatArray], rows: int) -> FloatArray:
        """h(x) of each row, without the scale."""
        found: FloatArray = np.array(self.values)[self.leaves(column_of, rows)]
        for name in self.factors:
            found = found * column_of[name]
        return found

    def conditions(self, leaf: int, digits: int = 3) -> str:
        """What rows of a leaf have in common: `count ≤ 2 and lm > -3.5`, or nothing."""
        number = f"{{:.{digits}g}}".format
        found: list[str] = []
        last = len(self.splits)
        while True:  # from the last split that it comes out of to the first
            for place in range(last - 1, leaf - 1, -1):
                split = self.splits[place]
                if split.leaf == leaf:
                    found.append(f"{split.column} ≤ {number(split.threshold)}")
            if leaf == 0:
                break
            last = leaf - 1
            split = self.splits[last]
            found.append(f"{split.column} > {number(split.threshold)}")
            leaf = split.leaf
        return " and ".join(reversed(found))

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "splits": [
                {"leaf": s.leaf, "column": s.column, "threshold": s.threshold, "gain": s.gain}
                for s in self.splits
            ],
            "values": list(self.values), "factors": list(self.factors), "scale": self.scale,
            "weights": list(self.weights), "gain": self.gain,
        }  # fmt: skip

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> Tree:
        """From what `to_dict` made."""
        return cls(
            tuple(
                Split(
                    _whole(s, "leaf"), _text(s, "column"), _number(s, "threshold"),
                    _number(s, "gain"),
                )
                for s in _items(told, "splits", dict)
            ),
            tuple(_numbers(told, "values")),
            tuple(_items(told, "factors", str)),
            _number(told, "scale"),
            tuple(_numbers(told, "weights")),
            _number(told, "gain") if "gain" in told else 0.0,
        )  # fmt: skip

    def text(self, digits: int = 3) -> str:
        """The tree in lines, each condition with what follows from it."""
        number = f"{{:.{digits}g}}".format
        factor = "".join(f" · {name}" for name in self.factors)

        def lines(leaf: int, after: int, indent: str) -> list[str]:
            """What becomes of a leaf from a split on."""
            for place in range(after, len(self.splits)):
                split = self.splits[place]
                if split.leaf == leaf:
                    at = f"{split.column} ≤ {number(split.threshold)}"
                    return [
                        f"{indent}if {at}:", *lines(leaf, place + 1, f"{indent}  "),
                        f"{indent}else:", *lines(place + 1, place + 1, f"{indent}  "),
                    ]  # fmt: skip
            return [f"{indent}{number(self.scale * self.values[leaf])}{factor}"]

        return "\n".join(lines(0, 0, ""))


@dataclass(frozen=True)
class Dependence:
    """Partial dependence: the mean score of rows if their value of `column` were each of `at`."""

    column: str
    at: tuple[float, ...]
    score: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.at) != len(self.score):
            raise _wrong("dependence", len(self.score), f"{len(self.at)} scores")
        for value in (*self.at, *self.score):
            if not math.isfinite(value):
                raise _wrong("dependence", value, "finite numbers")


@dataclass(frozen=True)
class BoostedTrees:
    """Trees over the same columns; their sum is a feature.

    `dependence` is that of the rows the trees were learnt from, for people.
    """

    columns: tuple[str, ...]
    trees: tuple[Tree, ...] = ()
    dependence: tuple[Dependence, ...] = ()

    def __post_init__(self) -> None:
        known = set(self.columns)
        if len(known) != len(self.columns):
            raise _wrong("columns", self.columns, "different names")
        for tree in self.trees:
            for name in tree.columns:
                if name not in known:
                    raise _wrong("column", name, "one of columns")

    def __len__(self) -> int:
        return len(self.trees)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.columns)}

    def _columns(self, rows: ArrayLike) -> dict[str, FloatArray]:
        table = np.asarray(rows, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != len(self.columns):
            raise _wrong("rows", table.shape, f"{len(self.columns)} columns")
        return {name: table[:, place] for name, place in self._place.items()}

    def values(self, rows: ArrayLike) -> FloatArray:
        """ρ·h(x) of each row and tree, [rows, trees]."""
        column_of = self._columns(rows)
        count = len(np.asarray(rows))
        each = [tree.scale * tree.value(column_of, count) for tree in self.trees]
        return np.stack(each, axis=1) if each else np.zeros((count, 0))

    def score(self, rows: ArrayLike) -> FloatArray:
        """Σ ρ·h(x) of each row, tree after tree."""
        total: FloatArray = np.zeros(len(np.asarray(rows)))
        column_of = self._columns(rows)
        for tree in self.trees:
            total = total + tree.scale * tree.value(column_of, len(total))
        return total

    def scaled(self, factor: float) -> BoostedTrees:
        """The same trees, whose sum is `factor` times as large."""
        trees = (replace(tree, scale=factor * tree.scale) for tree in self.trees)
        dependence = (
            replace(each, score=tuple(factor * score for score in each.score))
            for each in self.dependence
        )
        return BoostedTrees(self.columns, tuple(trees), tuple(dependence))

    def importance(self) -> dict[str, float]:
        """How much squared error each column took away, the largest first.

        Splits have their own gains; what else a tree gains is that of its factors, in equal parts.
        """
        gain: dict[str, float] = {}
        for tree in self.trees:
            shares = [(split.column, split.gain) for split in tree.splits]
            rest = max(0.0, tree.gain - sum(value for _, value in shares))
            if rest > 0.0:
                shares += [(name, rest / len(tree.factors)) for name in tree.factors]
            for name, value in shares:
                gain[name] = gain.get(name, 0.0) + value
        return dict(sorted(gain.items(), key=lambda item: -item[1]))

    def partial_dependence(
        self, rows: ArrayLike, column: str, at: Sequence[float] | FloatArray
    ) -> FloatArray:
        """The mean score of the rows if their value of `column` were each of `at`."""
        if column not in self._place:
            raise _wrong("column", column, "one of columns")
        table = np.array(rows, dtype=np.float64)
        means = []
        for value in at:
            table[:, self._place[column]] = value
            means.append(float(self.score(table).mean()))
        return np.array(means)

    @property
    def shares(self) -> dict[str, float]:
        """The share of each column in what all trees gain, the largest first."""
        gains = self.importance()
        total = sum(gains.values())
        return {name: gain / total for name, gain in gains.items()} if total > 0 else {}

    def with_dependence(self, rows: ArrayLike) -> BoostedTrees:
        """The same trees with their partial dependence on the columns that they look at."""
        table = np.asarray(rows, dtype=np.float64)
        used = dict.fromkeys([*self.importance(), *(c for t in self.trees for c in t.columns)])
        found = []
        for column in used if len(table) else ():
            values = np.sort(table[:, self._place[column]])
            places = np.linspace(0, len(values) - 1, _POINTS).round().astype(np.int64)
            at = np.unique(values[places])
            means = self.partial_dependence(table, column, at)
            found.append(Dependence(column, tuple(at.tolist()), tuple(means.tolist())))
        return replace(self, dependence=tuple(found))

    def text(self) -> str:
        """All trees as text, then the columns: their share of gains, and partial dependence."""
        parts = [f"tree {n}\n{tree.text()}" for n, tree in enumerate(self.trees, 1)]
        if self.shares:
            rows = [f"  {share:6.1%}  {name}" for name, share in self.shares.items()]
            parts.append("\n".join(["share of what trees gain, by feature", *rows]))
        if self.dependence:
            rows = [f"  {each.column}: {_few_points(each)}" for each in self.dependence]
            parts.append("\n".join(["mean score where a feature is …", *rows]))
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        trees = [tree.to_dict() for tree in self.trees]
        return {
            "format": FORMAT, "version": VERSION, "columns": list(self.columns), "trees": trees,
            "dependence": [
                {"column": each.column, "at": list(each.at), "score": list(each.score)}
                for each in self.dependence
            ],
        }  # fmt: skip

    def save(self, path: PathName) -> None:
        """Write a JSON file."""
        with whole_file(path) as out:
            text = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)
            out.write(text.encode() + b"\n")

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> BoostedTrees:
        """From what `to_dict` made."""
        trees = tuple(map(Tree.from_dict, _items(told, "trees", dict)))
        dependence = tuple(
            Dependence(
                _text(each, "column"), tuple(_numbers(each, "at")), tuple(_numbers(each, "score"))
            )
            for each in _items(told, "dependence", dict)
        )
        return cls(tuple(_items(told, "columns", str)), trees, dependence)

    @classmethod
    def load(cls, path: PathName) -> BoostedTrees:
        """Read what `save` wrote."""
        try:
            told = json.loads(Path(path).read_bytes())
            if told["format"] != FORMAT:
                raise FormatError("it has no trees", file=path, code="file.kind")
            if told["version"] != VERSION:
                reason = f"its version is {told['version']}, this release reads {VERSION}"
                raise FormatError(reason, file=path, code="file.version", value=told["version"])
            return cls.from_dict(told)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            reason = f"it is not a file of trees: {error}"
            raise FormatError(reason, file=path, code="file.damaged") from error
        except ForestError as error:
            raise FormatError(str(error), file=path, code="file.damaged") from error


_Item = TypeVar("_Item")


def _items(told: Mapping[str, Any], name: str, kind: type[_Item]) -> list[_Item]:
    """A list of values of one type."""
    found = told[name]
    if not isinstance(found, list) or not all(isinstance(each, kind) for each in found):
        raise _wrong(name, found, f"a list, each a {kind.__name__}")
    return found


def _text(told: Mapping[str, Any], name: str) -> str:
    if not isinstance(told[name], str):
        raise _wrong(name, told[name], "a string")
    return str(told[name])


def _whole(told: Mapping[str, Any], name: str) -> int:
    if type(told[name]) is not int:
        raise _wrong(name, told[name], "a whole number")
    return int(told[name])


def _number(told: Mapping[str, Any], name: str) -> float:
    if type(told[name]) not in (int, float):
        raise _wrong(name, told[name], "a number")
    return float(told[name])


def _numbers(told: Mapping[str, Any], name: str) -> list[float]:
    found = told[name]
    if not isinstance(found, list) or not all(type(each) in (int, float) for each in found):
        raise _wrong(name, found, "a list of numbers")
    return list(map(float, found))


def _few_points(each: Dependence) -> str:
    """Five of its points as text."""
    places = sorted(set(np.linspace(0, len(each.at) - 1, 5).round().astype(int).tolist()))
    return ", ".join(f"{each.at[n]:.3g} → {each.score[n]:+.3g}" for n in places)


def _wrong(argument: str, value: object, expected: object) -> ForestError:
    reason = f"{argument}: {value!r:.60}, expected {expected}"
    return ForestError(
        reason, code="argument.value", argument=argument, value=value, expected=expected
    )
