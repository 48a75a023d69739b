"""Packed forests of a file, a set or a list, one at a time, and scores of their edges.

    forests = PackedForests("dev.rwf")
    first = FirstStage("weights.json")
    for item in forests.read():
        score = first.score(item, first.theta(item))

Weights must fit: every dense feature needs one, and every weight whose name has no colon a feature.
Of a set all features are known before anything is read, in other files they are met one by one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from rosewood.arguments import check_choice, check_type
from rosewood.arrays import FloatArray
from rosewood.errors import ForestError, FormatError, TuningError
from rosewood.forest import FeatureSpace, Forest, ForestSet, NamedForest, Weights
from rosewood.forest.formats import FORMATS, read_any
from rosewood.forest.formats.any import set_item
from rosewood.forest.second_stage import SECOND_STAGE
from rosewood.model import read_weights
from rosewood.rerank.candidates import is_sparse
from rosewood.rerank.formats.beside import Lockstep
from rosewood.rerank.reranking import as_numbers, check_dense, no_such_feature
from rosewood.shared_types import PathName

Forests = PathName | ForestSet | Iterable[NamedForest | Forest]
References = list[tuple[str, ...]]  # those of each forest


class PackedForests:
    """Forests, read one after the other; again and again, unless they are an iterator."""

    def __init__(
        self, forests: Forests, *, format: str | None = None, what: str = "forests"
    ) -> None:
        """`what` is the argument in errors; of a file, `format` is one of those of `read_any`."""
        if format is not None:
            check_choice("format", format, FORMATS, error=TuningError)
        self.what, self.format = what, format
        self.file: Path | None = None
        if isinstance(forests, str | PathLike):
            self.file = Path(forests)
            if "set" in (format, _by_ending(self.file)):
                forests = ForestSet(forests)
        elif isinstance(forests, ForestSet):
            self.file = forests.path
        expected = "a file, a set or a list of forests"
        kinds = (str, PathLike, Iterable)
        self._forests = check_type(what, forests, kinds, expected, error=TuningError)
        # How many there are, where that is known before they are read.
        self.count = len(forests) if _is_list(forests) else None

    @property
    def features(self) -> FeatureSpace | None:
        """All features, where they are known before the forests are read."""
        return self._forests.features if isinstance(self._forests, ForestSet) else None

    def read(self, begin: int = 0) -> Iterator[NamedForest]:
        """The forests from number `begin` on, by number where they have no name; memory has one at
        a time."""
        for number, item in enumerate(self._items(begin), begin):
            yield item if item.name else item._replace(name=str(number))

    def _items(self, begin: int) -> Iterator[NamedForest]:
        forests = self._forests
        if isinstance(forests, ForestSet):
            for number in range(begin, len(forests)):
                yield set_item(forests, number)
        elif isinstance(forests, str | PathLike):
            yield from islice(read_any(forests, format=self.format), begin, None)
        else:
            for each in islice(forests, begin, None):
                named = NamedForest("", each) if isinstance(each, Forest) else each
                yield check_type(self.what, named, NamedForest, "forests", error=TuningError)

    def references(self, files: Sequence[PathName], option: str) -> References:
        """Those of each forest: from files of one line for each, else from the forests' `refs`."""
        if files:
            return self._from_files(files)
        found = []
        for number, (name, info) in enumerate(self._infos()):
            given = info.get("refs")
            if not given:
                reason = f"{self.what}: forest {name!r} has no references: give {option}"
                raise TuningError(reason, code="argument.missing", argument=option, value=name)
            found.append(references_of(f"{self.what}: forest {number}", info))
        return found

    def _infos(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Names and facts of all forests; those of a set without its forests."""
        if isinstance(self._forests, ForestSet):
            infos = map(self._forests.info, range(len(self._forests)))
            return ((str(info.get("id", n)), info) for n, info in enumerate(infos))
        return ((each.name, each.info) for each in self.read())

    def _from_files(self, files: Sequence[PathName]) -> References:
        names = [str(file) for file in files]
        found = []
        for row in Lockstep([(name, name) for name in names]):
            for line in row:
                if line.error is not None:
                    raise line.error
            found.append(tuple(line.text for line in row))
        return found

    def check_count(self, forests: int, lines: int, files: Sequence[PathName]) -> None:
        """Refuse files of references that have another number of lines."""
        if files and forests != lines:
            name = self.what if self.file is None else str(self.file)
            reason = f"it has {lines} lines, but {name} has {forests} forests: one for each"
            raise FormatError(
                reason, code="file.mismatch", value=lines, expected=forests, file=files[0]
            )

    def identity(self) -> str | None:
        """A hash of the file; None of forests that are in no file."""
        if self.file is None:
            return None
        with self.file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def empty(self) -> TuningError:
        """The error where there are no forests at all."""
        name = self.what if self.file is None else str(self.file)
        reason = f"{name}: there are no forests in it"
        return TuningError(reason, code="file.empty", argument=self.what, file=self.file)


def _is_list(forests: object) -> TypeGuard[Sequence[object]]:
    return isinstance(forests, Sequence | ForestSet) and not isinstance(forests, str)


def _by_ending(file: Path) -> str | None:
    return "set" if file.suffix in FORMATS["set"] else None


def references_of(who: str, info: Mapping[str, Any]) -> tuple[str, ...]:
    """The references among the facts of a forest; it need not have any."""
    given = info.get("refs", ())
    if not isinstance(given, list | tuple) or not all(isinstance(each, str) for each in given):
        reason = f"{who}: its references are {given!r:.40}, expected a list of texts"
        raise TuningError(reason, code="argument.type", argument="refs", value=given)
    return tuple(given)


class FirstStage:
    """θ of forests of any feature space by named weights, checked, and scores of their edges."""

    def __init__(
        self,
        weights: Mapping[str, float] | PathName,
        *,
        hints: Mapping[str, str],
        adds_second: bool,
    ) -> None:
        """`hints` are about weights of features that forests do not have.  With `adds_second`,
        forests must not have the score of a second stage already."""
        named = read_weights(weights) if isinstance(weights, str | PathLike) else weights
        self.weights = as_numbers(named)
        self._hints, self._adds_second = hints, adds_second
        self._unmet = [name for name in self.weights if not is_sparse(name)]
        self._space: FeatureSpace | None = None
        self._theta: FloatArray = np.empty(0)

    def pop(self, name: str, default: float) -> float:
        """Take a weight out: it is not one of a feature of the forests."""
        self._unmet = [each for each in self._unmet if each != name]
        return self.weights.pop(name, default)

    def check(self, *several: PackedForests) -> None:
        """Refuse weights that do not fit, before any forest is read if that can be known."""
        for each in several:
            if each.features is not None:
                self._meet(each.what, each.features)
        if all(each.features is not None and each.count for each in several):
            self.finish(several[0])

    def finish(self, forests: PackedForests) -> None:
        """Refuse a weight of a feature that none of the forests had."""
        if self._unmet:
            name = self._unmet[0]
            raise no_such_feature(forests.what, name, self._hints.get(name, ""))

    def theta(self, item: NamedForest) -> FloatArray:
        """θ of a forest; to be called in the order of forests, by one thread."""
        space = item.forest.features
        if space is not self._space or len(space) != len(self._theta):
            self._meet(f"forest {item.name!r}", space)
            self._theta = space.vector(Weights.of(self.weights), only_known=True)
            self._space = space
        return self._theta

    def score(self, item: NamedForest, theta: FloatArray) -> FloatArray:
        """θ·φ of each edge."""
        with np.errstate(over="ignore", invalid="ignore"):
            score = item.forest.score(theta)
        if not np.isfinite(score).all():
            raise overflow(item)
        return score

    def _meet(self, who: str, space: FeatureSpace) -> None:
        if self._adds_second and _has(space, SECOND_STAGE):
            reason = (
                f"{who}: there is a feature {SECOND_STAGE!r} already: a second stage has scored "
                "these forests, and another one cannot be added"
            )
            raise TuningError(reason, code="argument.conflict", argument=SECOND_STAGE)
        check_dense(who, space.dense, self.weights)
        self._unmet = [name for name in self._unmet if not _has(space, name)]


def _has(space: FeatureSpace, name: str) -> bool:
    return space.dense_index(name) is not None or name in space.sparse


def overflow(item: NamedForest) -> TuningError:
    """The error of scores that are too large."""
    reason = f"forest {item.name!r}: a score does not fit a double"
    return TuningError(reason, code="tuning.overflow", value=item.name)


def about(item: NamedForest, error: ForestError) -> TuningError:
    """An error of a computation on a forest, with its name."""
    restated = error.restated(f"forest {item.name!r}: {error}", TuningError, value=item.name)
    assert isinstance(restated, TuningError)
    return restated
