"""Groups of features as people look at them: how many, how large, which weights and members."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from rosewood.arrays import FloatArray, LongArray
from rosewood.forest import Weights
from rosewood.forest.sparse import numbered_name


class GroupOfFeatures(NamedTuple):
    """A group: its number (from 1), the weight that its features share, how many they are, and
    the names of some."""

    number: int
    weight: float
    size: int
    examples: tuple[str, ...]


def largest_groups(
    groups: Weights,
    weights: Weights,
    *,
    most: int | None = None,
    examples: int = 5,
    describe: Callable[[str], str] = str,
) -> list[GroupOfFeatures]:
    """Groups from the largest to the smallest; of equal size, by their numbers.

    `groups` has the number of the group of each feature, `weights` the weights; `describe` says
    what the name of a feature stands for.
    """
    names: dict[int, list[str]] = {}
    sizes: dict[int, int] = {}
    weight: dict[int, float] = {}
    for number, values, found in _members(groups, weights):
        order = np.argsort(number, kind="stable")
        starts = np.flatnonzero(np.diff(number[order], prepend=-1))
        for first, last in zip(starts, [*starts[1:], len(order)], strict=True):
            group = int(number[order[first]])
            sizes[group] = sizes.get(group, 0) + int(last - first)
            weight.setdefault(group, float(values[order[first]]))
            some = names.setdefault(group, [])
            some += [found(int(i)) for i in order[first:last][: max(0, examples - len(some))]]
    chosen = sorted(sizes, key=lambda group: (-sizes[group], group))[:most]
    return [
        GroupOfFeatures(group, weight[group], sizes[group], tuple(map(describe, names[group])))
        for group in chosen
    ]


def _members(groups: Weights, weights: Weights) -> Iterator[tuple[LongArray, FloatArray, Any]]:
    """Groups, weights and names of features, template by template."""
    if groups.named:
        keys = list(groups.named)
        values = np.array([weights.get(name, 0.0) for name in keys])
        yield np.array([int(groups.named[name]) for name in keys]), values, keys.__getitem__
    for template, (numbers, group) in groups.numbered.items():
        name = _namer(template, numbers)
        yield group.astype(np.int64), weights.lookup(template, numbers), name


def _namer(template: str, numbers: LongArray) -> Any:
    return lambda place: numbered_name(template, int(numbers[place]))


def group_facts(
    groups: Weights, weights: Weights, *, most: int = 20, describe: Callable[[str], str] = str
) -> dict[str, Any]:
    """How many groups and features in groups there are, and the largest groups."""
    every = largest_groups(groups, weights, examples=0)
    shown = largest_groups(groups, weights, most=most, describe=describe)
    sizes = [each.size for each in every]
    return {
        "groups": len(every),
        "active": int(np.sum(sizes, dtype=np.int64)),
        "weighted": sum(each.weight != 0.0 for each in every),
        "sizes": sizes[:1000],
        "largest": [each._asdict() for each in shown],
    }
