"""Sparse features by number: interned as they are met, named only when somebody asks.

    sparse = SparseFeatures()
    sparse.add_numbers("rule", np.array([17, 4, 17]))     # array([0, 1, 0])
    sparse.add("bigram:the_house")                        # 2
    sparse[0]                                             # "rule:17"

The name of a numbered feature is its template, a colon and the number, so names and numbers are the
same thing in two forms, in files too.  Everything else is a named feature.
Layout      keys are template << 48 | number, sorted, with the id of each beside it
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rosewood.arrays import FloatArray, IdArray, LongArray
from rosewood.errors import ForestError

if TYPE_CHECKING:
    from rosewood.forest.weights import Weights

_NUMBER_BITS = 48
_LARGEST = (1 << _NUMBER_BITS) - 1
_NUMBERED = re.compile(r"([^:]+):(0|[1-9][0-9]{0,14})\Z")
_NAMED = -1  # the template of features that have only a name


def numbered_name(template: str, number: int) -> str:
    """The name of a numbered feature."""
    return f"{template}:{number}"


def split_name(name: str) -> tuple[str, int] | None:
    """Template and number of a numbered feature's name; None for other names."""
    found = _NUMBERED.match(name)
    if found is None:
        return None
    number = int(found[2])
    return (found[1], number) if number <= _LARGEST else None


class SparseFeatures:
    """Distinct sparse features, with ids from zero in order of arrival.  It only grows."""

    __slots__ = (
        "_count", "_index", "_lock", "_named", "_names", "_number", "_template",
        "_template_ids", "_templates",
    )  # fmt: skip

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._templates: list[str] = []
        self._template_ids: dict[str, int] = {}
        self._names: list[str] = []  # of named features
        self._named: dict[str, int] = {}  # their ids
        self._template: IdArray = np.empty(0, np.int32)  # of each id, with room to grow
        self._number: LongArray = np.empty(0, np.int64)  # of each id; of named ones, in _names
        # Keys and their ids: one attribute, so that readers without the lock see both change.
        self._index: tuple[LongArray, IdArray] = (np.empty(0, np.int64), np.empty(0, np.int32))
        self._count = 0
        self._lock = Lock()
        given = list(names)
        self.add_all(given)
        if len(self) != len(given):
            reason = "sparse features: a name occurs twice"
            raise ForestError(reason, code="argument.duplicate", argument="sparse")

    # -- adding ------------------------------------------------------------------------------------

    def add(self, name: str) -> int:
        """The id of a feature, which is given the next one if it is new."""
        parts = split_name(name)
        if parts is not None:
            return int(self.add_numbers(parts[0], np.array([parts[1]], np.int64))[0])
        number = self._named.get(name)
        if number is None:
            with self._lock:
                number = self._add_named(name)
        return number

    def add_all(self, names: Iterable[str]) -> list[int]:
        """The id of each name, new ones added in their order."""
        wanted = list(names)
        parts = [split_name(name) for name in wanted]
        with self._lock:
            return self._add_mixed(wanted, parts)

    def add_from(self, other: SparseFeatures, ids: IdArray) -> IdArray:
        """The ids here of features of another table, new ones added in their order."""
        kinds, numbers = other._template[ids], other._number[ids]
        found = np.empty(len(ids), np.int32)
        bounds = np.flatnonzero(np.diff(kinds, prepend=-2, append=-2))
        with self._lock:
            for begin, end in pairwise(bounds.tolist()):
                kind, run = int(kinds[begin]), numbers[begin:end]
                if kind == _NAMED:
                    found[begin:end] = [self._add_named(other._names[i]) for i in run.tolist()]
                else:
                    found[begin:end] = self._add_numbers(other._templates[kind], run)
        return found

    def _add_mixed(self, names: list[str], parts: list[tuple[str, int] | None]) -> list[int]:
        """Runs of one template are added together."""
        found: list[int] = []
        place = 0
        while place < len(names):
            part = parts[place]
            if part is None:
                found.append(self._add_named(names[place]))
                place += 1
                continue
            end = place
            numbers = []
            while end < len(parts) and (other := parts[end]) is not None and other[0] == part[0]:
                numbers.append(other[1])
                end += 1
            found += self._add_numbers(part[0], np.array(numbers, np.int64)).tolist()
            place = end
        return found

    def add_numbers(self, template: str, numbers: ArrayLike) -> IdArray:
        """The ids of numbered features; new ones are added in order of first occurrence."""
        wanted = _checked(template, numbers)
        found = self._find(template, wanted)
        if (found >= 0).all():
            return found
        with self._lock:
            return self._add_numbers(template, wanted)

    def _add_numbers(self, template: str, numbers: LongArray) -> IdArray:
        found = self._find(template, numbers)
        is_new = found < 0
        if not is_new.any():
            return found
        kind = self._template_ids.get(template)
        if kind is None:
            kind = len(self._templates)
            self._templates.append(template)
            self._template_ids[template] = kind
        fresh, first = np.unique(numbers[is_new], return_index=True)
        order = np.argsort(first, kind="stable")
        ids = np.empty(len(fresh), np.int32)
        ids[order] = np.arange(self._count, self._count + len(fresh))
        self.append_numbers(kind, fresh[order])
        keys = fresh | (kind << _NUMBER_BITS)
        known, known_ids = self._index
        place = np.searchsorted(known, keys)
        self._index = (np.insert(known, place, keys), np.insert(known_ids, place, ids))
        found[is_new] = ids[np.searchsorted(fresh, numbers[is_new])]
        return found

    def _add_named(self, name: str) -> int:
        number = self._named.get(name)
        if number is None:
            number = self._count
            self._names.append(name)
            self.append_numbers(_NAMED, np.array([len(self._names) - 1], np.int64))
            self._named[name] = number
        return number

    def append_numbers(self, kind: int, numbers: LongArray) -> None:
        """Number new features of a template; `add_numbers` is for those that may be known."""
        end = self._count + len(numbers)
        if end > len(self._number):
            room = max(end, 2 * len(self._number), 16)
            self._template = np.resize(self._template, room)
            self._number = np.resize(self._number, room)
        self._template[self._count : end] = kind
        self._number[self._count : end] = numbers
        self._count = end

    # -- finding -----------------------------------------------------------------------------------

    def find_numbers(self, template: str, numbers: ArrayLike) -> IdArray:
        """The ids of numbered features; -1 for those that were never added."""
        return self._find(template, _checked(template, numbers))

    def _find(self, template: str, numbers: LongArray) -> IdArray:
        kind = self._template_ids.get(template)
        keys, ids = self._index
        if kind is None or not len(keys):
            return np.full(len(numbers), -1, np.int32)
        wanted = numbers | (kind << _NUMBER_BITS)
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[place] == wanted, ids[place], np.int32(-1)).astype(np.int32)

    def lookup(self, weights: Weights, begin: int, end: int) -> FloatArray:
        """The weights of the features begin .. end-1; 0 for those that have none."""
        kinds, numbers = self._template[begin:end], self._number[begin:end]
        found = np.zeros(end - begin)
        for kind in np.unique(kinds).tolist():
            own = kinds == kind
            if kind == _NAMED:
                found[own] = [weights.named.get(self._names[i], 0.0) for i in numbers[own].tolist()]
            else:
                found[own] = weights.lookup(self._templates[kind], numbers[own])
        return found

    def numbered(self) -> dict[str, tuple[LongArray, IdArray]]:
        """The numbered features by template: numbers, ascending, and their ids."""
        keys, ids = self._index
        found = {}
        for kind, template in enumerate(self._templates):
            begin, end = np.searchsorted(keys, [kind << _NUMBER_BITS, (kind + 1) << _NUMBER_BITS])
            found[template] = (keys[begin:end] & _LARGEST, ids[begin:end])
        return found

    def named(self) -> dict[str, int]:
        """Features that have only a name, with their ids."""
        return dict(self._named)

    def get(self, name: str, default: int | None = None) -> int | None:
        """The id of a feature, or `default` where it is unknown."""
        parts = split_name(name)
        if parts is None:
            return self._named.get(name, default)
        found = int(self._find(parts[0], np.array([parts[1]], np.int64))[0])
        return default if found < 0 else found

    def words(self, numbers: Iterable[int]) -> list[str]:
        """The name of each id."""
        return [self[number] for number in numbers]

    def __getitem__(self, number: int) -> str:
        if not 0 <= number < self._count:
            reason = f"sparse features: no feature {number}, there are {self._count}"
            raise ForestError(reason, code="argument.range", argument="number", value=number)
        kind, value = int(self._template[number]), int(self._number[number])
        return self._names[value] if kind == _NAMED else numbered_name(self._templates[kind], value)

    def settled(self) -> int:
        """The number of features that can be found by name and number.

        `len` may be ahead of it for a moment, while another thread adds features.
        """
        with self._lock:
            return self._count

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        kinds, numbers = self._template[: self._count].tolist(), self._number.tolist()
        for kind, value in zip(kinds, numbers, strict=False):
            if kind == _NAMED:
                yield self._names[value]
            else:
                yield numbered_name(self._templates[kind], value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SparseFeatures):
            return NotImplemented
        return len(self) == len(other) and self.begins_with(other)

    def begins_with(self, other: SparseFeatures) -> bool:
        """Whether the features of another table have the same ids here."""
        size = len(other)
        if len(self) < size or self._names[: len(other._names)] != other._names:
            return False
        if not np.array_equal(self._number[:size], other._number[:size]):
            return False
        kinds = np.array(
            [other._template_ids.get(each, -2) for each in self._templates] + [_NAMED], np.int32
        )
        mine: IdArray = kinds[self._template[:size]]  # _NAMED, -1, is the last of `kinds`
        return np.array_equal(mine, other._template[:size])

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __repr__(self) -> str:
        return f"SparseFeatures({len(self)} features)"

    def copy(self) -> SparseFeatures:
        """The same features in a table of their own."""
        made = SparseFeatures()
        with self._lock:
            made._restore(self._state())
        return made

    def _state(self) -> tuple[Any, ...]:
        return (
            tuple(self._templates),
            tuple(self._names),
            self._template[: self._count].copy(),
            self._number[: self._count].copy(),
        )

    def _restore(self, state: tuple[Any, ...]) -> None:
        templates, names, self._template, self._number = state
        self._templates, self._names = list(templates), list(names)
        self._template_ids = {each: kind for kind, each in enumerate(self._templates)}
        self._count = len(self._number)
        ids = np.arange(self._count, dtype=np.int32)
        is_named = self._template == _NAMED
        self._named = dict(zip(self._names, ids[is_named].tolist(), strict=True))
        keys = self._number | (self._template.astype(np.int64) << _NUMBER_BITS)
        keys, ids = keys[~is_named], ids[~is_named]
        order = np.argsort(keys)
        self._index = (keys[order], ids[order])

    def __reduce__(self) -> tuple[object, ...]:
        return (_restored, self._state())


def _restored(*state: Any) -> SparseFeatures:
    made = SparseFeatures()
    made._restore(state)
    return made


def _checked(template: str, numbers: ArrayLike) -> LongArray:
    wanted: LongArray = np.asarray(numbers, dtype=np.int64).reshape(-1)
    if not template or ":" in template:
        reason = f"template is {template!r}, expected a text without a colon"
        raise ForestError(reason, code="argument.value", argument="template", value=template)
    if len(wanted) and not (wanted.min() >= 0 and wanted.max() <= _LARGEST):
        reason = f"a number of {template!r} features is not within 0 to {_LARGEST}"
        raise ForestError(reason, code="argument.range", argument=template, expected=_LARGEST)
    return wanted
