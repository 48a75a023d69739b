"""Weights: a number for each feature; half a million sparse ones are two arrays.

    weights = Weights({"lm": 0.5}, {"rule": (numbers, values)})
    weights["rule:17"]; weights.lookup("rule", numbers); dict(weights)
    space.vector(weights); space.weights(theta)

An immutable Mapping by name, whichever form a weight has.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any

import numpy as np

from rosewood.arrays import FloatArray, LongArray
from rosewood.errors import ForestError, FormatError
from rosewood.forest.sparse import numbered_name, split_name
from rosewood.output import whole_file
from rosewood.shared_types import PathName

_NAMED = "named"
_NUMBERS, _VALUES = "numbers", "values"

Numbered = Mapping[str, tuple[LongArray, FloatArray]]


class Weights(Mapping[str, float]):
    """Named weights in a table, weights of numbered features in arrays by template."""

    __slots__ = ("named", "numbered")

    def __init__(
        self, named: Mapping[str, float] | None = None, numbered: Numbered | None = None
    ) -> None:
        """Numbers of a template ascend, each once; names are not those of numbered features."""
        self.named: dict[str, float] = {n: _number(n, v) for n, v in (named or {}).items()}
        self.numbered: dict[str, tuple[LongArray, FloatArray]] = {}
        for template, (given, weights) in (numbered or {}).items():
            numbers: LongArray = np.asarray(given, np.int64)
            values: FloatArray = np.asarray(weights, np.float64)
            if numbers.ndim != 1 or numbers.shape != values.shape:
                reason = f"weights of {template!r}: numbers and values differ in length"
                raise ForestError(reason, code="argument.shape", argument=template)
            if len(numbers) and (numbers[0] < 0 or (np.diff(numbers) <= 0).any()):
                reason = f"weights of {template!r}: numbers must ascend from 0 on"
                raise ForestError(reason, code="argument.value", argument=template)
            self.numbered[template] = (numbers, values)

    @classmethod
    def of(cls, weights: Mapping[str, float]) -> Weights:
        """Any mapping from names to numbers; names of numbered features become arrays."""
        if isinstance(weights, Weights):
            return weights
        named: dict[str, float] = {}
        rows: dict[str, dict[int, float]] = {}
        for name, value in weights.items():
            parts = split_name(name)
            if parts is None:
                named[name] = value
            else:
                rows.setdefault(parts[0], {})[parts[1]] = _number(name, value)
        arrays = {}
        for template, row in rows.items():
            order = sorted(row)
            values = np.array([row[number] for number in order], np.float64)
            arrays[template] = (np.array(order, np.int64), values)
        return cls(named, arrays)

    def lookup(self, template: str, numbers: LongArray) -> FloatArray:
        """The weights of numbered features; 0 for those that have none."""
        own, values = self.numbered.get(template, (None, None))
        if own is None or values is None or not len(own):
            return np.zeros(len(numbers))
        place = np.minimum(np.searchsorted(own, numbers), len(own) - 1)
        found: FloatArray = np.where(own[place] == numbers, values[place], 0.0)
        return found

    def __getitem__(self, name: str) -> float:
        if name in self.named:
            return self.named[name]
        parts = split_name(name)
        own, values = self.numbered.get(parts[0], (None, None)) if parts else (None, None)
        if parts is not None and own is not None and values is not None:
            place = int(np.searchsorted(own, parts[1]))
            if place < len(own) and own[place] == parts[1]:
                return float(values[place])
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        yield from self.named
        for template, (numbers, _) in self.numbered.items():
            for number in numbers.tolist():
                yield numbered_name(template, number)

    def __len__(self) -> int:
        return len(self.named) + sum(len(numbers) for numbers, _ in self.numbered.values())

    def __or__(self, other: Mapping[str, float]) -> Weights:
        """These weights, and those of the other, which win."""
        theirs = Weights.of(other)
        numbered = dict(self.numbered)
        for template, (numbers, values) in theirs.numbered.items():
            if template in numbered:
                own, before = numbered[template]
                keep = ~np.isin(own, numbers)
                order = np.argsort(np.concatenate([own[keep], numbers]), kind="stable")
                numbers = np.concatenate([own[keep], numbers])[order]
                values = np.concatenate([before[keep], values])[order]
            numbered[template] = (numbers, values)
        return Weights({**self.named, **theirs.named}, numbered)

    def __ror__(self, other: Mapping[str, float]) -> Weights:
        return Weights.of(other) | self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Weights):
            return isinstance(other, Mapping) and dict(self) == dict(other)
        return (
            self.named == other.named
            and self.numbered.keys() == other.numbered.keys()
            and all(
                np.array_equal(mine, theirs)
                for template, pair in self.numbered.items()
                for mine, theirs in zip(pair, other.numbered[template], strict=True)
            )
        )

    __hash__ = None  # type: ignore[assignment]  # arrays are compared by value

    def __repr__(self) -> str:
        return f"Weights({len(self.named)} named, {len(self) - len(self.named)} numbered)"

    def __reduce__(self) -> tuple[object, ...]:
        return (Weights, (self.named, self.numbered))

    # -- files -------------------------------------------------------------------------------------

    def save(self, path: PathName) -> None:
        """Write one file of arrays (NumPy's npz), which appears whole or not at all."""
        names = np.frombuffer(json.dumps(self.named, ensure_ascii=False).encode(), np.uint8)
        arrays: dict[str, Any] = {_NAMED: names}
        for template, (numbers, values) in self.numbered.items():
            arrays[f"{template}:{_NUMBERS}"] = numbers
            arrays[f"{template}:{_VALUES}"] = values
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        with whole_file(path) as stream:
            stream.write(buffer.getvalue())

    @classmethod
    def load(cls, path: PathName) -> Weights:
        """Read what `save` wrote; anything else is refused."""
        try:
            with np.load(path, allow_pickle=False) as found:
                named = json.loads(found[_NAMED].tobytes())
                suffix = f":{_NUMBERS}"
                templates = [key.removesuffix(suffix) for key in found if key.endswith(suffix)]
                arrays = {
                    each: (found[f"{each}:{_NUMBERS}"], found[f"{each}:{_VALUES}"])
                    for each in templates
                }
            return cls(named, arrays)
        except FileNotFoundError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, EOFError, OSError, ForestError,
                RecursionError) as error:  # fmt: skip
            reason = f"it is not a file of weights: {error}"
            raise FormatError(reason, file=path, code="file.format") from error


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        reason = f"the weight of {name!r} is {value!r}, expected a number"
        raise ForestError(reason, code="argument.type", argument=name, value=value)
    return float(value)
