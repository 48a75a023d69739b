"""Candidates that are arrays already: a matrix of features and the list that each row is of."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping, Sequence, Set
from os import PathLike
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosewood.arguments import check_length, check_shape, check_type
from rosewood.arrays import FloatArray, freeze
from rosewood.errors import TuningError
from rosewood.forest import ForestSet
from rosewood.rerank.candidates import CandidateList, is_sparse
from rosewood.rerank.forests import write_forest_set
from rosewood.shared_types import PathName

References = Sequence[str | Sequence[str]] | Mapping[str, str | Sequence[str]]


class CandidateColumns(TypedDict, total=False):
    """What candidates have beside features and lists: see `lists_from_arrays`."""

    names: Sequence[str] | None
    texts: Sequence[str] | None
    references: References | None
    scores: Mapping[str, ArrayLike] | ArrayLike | None


def from_arrays(
    features: ArrayLike,
    groups: ArrayLike,
    *,
    path: PathName | None = None,
    **columns: Unpack[CandidateColumns],
) -> ForestSet:
    """A forest set of candidates in arrays; without a path its file is removed with the set.

    `columns` are as in `lists_from_arrays`.

    >>> found = from_arrays([[0.5, 1], [2, 0], [1, 1]], ["a", "a", "b"], scores=[0.1, 0.9, 0.4])
    >>> [forest.num_edges for forest in found], found.features.dense
    ([2, 1], ('f0', 'f1'))
    """
    return forest_set(lists_from_arrays(features, groups, **columns), path)


def forest_set(lists: Iterable[CandidateList], path: PathName | None = None) -> ForestSet:
    """Lists as a forest set, in this file, or in a temporary one that is removed with the set."""
    if path is not None:
        check_type("path", path, str | PathLike, "the path of a file", error=TuningError)
        return write_forest_set(lists, path)
    folder = tempfile.mkdtemp(prefix="rosewood-")
    try:
        found = write_forest_set(lists, Path(folder) / "candidates.rwf")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(found, shutil.rmtree, folder, ignore_errors=True)
    return found


def lists_from_arrays(
    features: ArrayLike,
    groups: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    texts: Sequence[str] | None = None,
    references: References | None = None,
    scores: Mapping[str, ArrayLike] | ArrayLike | None = None,
) -> list[CandidateList]:
    """Lists of the rows of a matrix [n, f].

    `groups` has the id of the list for each row (strings or whole numbers); rows of one list stand
    together.  `names` are of the columns, `f0`, `f1`… without them; `texts` of the rows, empty
    without them.  `references` are strings, or lists of them, for each list in order or by id;
    `scores` are columns by name, or one column, which is called `score`.
    """
    matrix = _numbers("features", features, 2)
    rows, width = matrix.shape
    ids, starts = _lists(groups, rows)
    named = tuple(f"f{i}" for i in range(width)) if names is None else _strings("names", names)
    _check_names(named, width)
    said = ("",) * rows if texts is None else _strings("texts", texts)
    check_length("texts", said, rows, "row of features", error=TuningError)
    columns = _columns(scores, rows)
    refs = _references(references, ids)
    return [
        CandidateList(
            id=name,
            texts=said[begin:end],
            names=named,
            dense=matrix[begin:end],
            references=refs[place],
            scores={column: values[begin:end] for column, values in columns.items()},
        )
        for place, (name, begin, end) in enumerate(
            zip(ids, starts, [*starts[1:], rows], strict=True)
        )
    ]


def _array(what: str, values: ArrayLike, of: str) -> NDArray[Any]:
    parts = values if isinstance(values, list | tuple) else [values]
    if any(isinstance(part, np.ma.MaskedArray) and np.ma.is_masked(part) for part in parts):
        raise TuningError(f"{what} has masked values", code="argument.value", argument=what)
    try:
        return np.asarray(values)
    except (ValueError, TypeError) as error:
        reason = f"{what} is not an array of {of}: {error}"
        raise TuningError(reason, code="argument.type", argument=what) from error


def _numbers(what: str, values: ArrayLike, dimensions: int) -> FloatArray:
    array = _array(what, values, "numbers")
    if array.ndim != dimensions:
        reason = f"{what} has {array.ndim} dimensions, expected {dimensions}"
        raise TuningError(reason, code="argument.shape", argument=what, value=array.ndim)
    if array.dtype.kind not in "iuf":
        reason = f"{what} has values of type {array.dtype}, expected numbers"
        raise TuningError(reason, code="argument.type", argument=what, value=str(array.dtype))
    with np.errstate(over="ignore"):
        made: FloatArray = np.array(array, dtype=np.float64, order="C")
    bad = np.argwhere(~np.isfinite(made))
    if len(bad):
        place = ", ".join(map(str, bad[0].tolist()))
        reason = f"{what}[{place}] is {made[tuple(bad[0])]}, expected a finite number"
        raise TuningError(reason, code="argument.range", argument=f"{what}[{place}]")
    return freeze(made)


def _lists(groups: ArrayLike, rows: int) -> tuple[list[str], list[int]]:
    """The id of each list, and its first row."""
    array = _array("groups", groups, "ids")
    check_shape("groups", array, (rows,), error=TuningError)
    if not rows:
        reason = "there are no candidates: features has no rows"
        raise TuningError(reason, code="tuning.no-candidates", argument="features")
    if array.dtype.kind not in "iuUO":
        reason = f"groups has ids of type {array.dtype}, expected strings or whole numbers"
        raise TuningError(reason, code="argument.type", argument="groups", value=str(array.dtype))
    values = array.tolist()
    for value in values if array.dtype.kind == "O" else ():
        if isinstance(value, bool) or not isinstance(value, str | int | np.integer):
            reason = f"groups has the id {value!r}, expected strings or whole numbers"
            raise TuningError(reason, code="argument.type", argument="groups", value=value)
    ids = list(map(str, values))
    starts = [i for i in range(rows) if i == 0 or ids[i] != ids[i - 1]]
    seen: set[str] = set()
    for start in starts:
        if not ids[start]:
            reason = f"groups[{start}] is empty, expected an id"
            raise TuningError(reason, code="argument.value", argument="groups", value=start)
        if ids[start] in seen:
            name = ids[start]
            reason = f"groups: list {name!r} comes back at row {start}; sort rows by list"
            raise TuningError(reason, code="argument.duplicate", argument="groups", value=name)
        seen.add(ids[start])
    return [ids[start] for start in starts], starts


def _strings(what: str, values: Sequence[str]) -> tuple[str, ...]:
    if isinstance(values, str):
        reason = f"{what} is one string, expected a list of them"
        raise TuningError(reason, code="argument.type", argument=what, value=values)
    if not isinstance(values, Iterable) or isinstance(values, Set):
        reason = f"{what} is {values!r}, expected a list of strings"
        raise TuningError(reason, code="argument.type", argument=what, value=values)
    made = tuple(values)
    for place, value in enumerate(made):
        if not isinstance(value, str):
            raise TuningError(
                f"{what}[{place}] is {value!r}, expected a string",
                code="argument.type", argument=f"{what}[{place}]", value=value,
            )  # fmt: skip
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError as error:
                raise TuningError(
                    f"{what}[{place}] has half of a surrogate pair",
                    code="file.encoding", argument=f"{what}[{place}]",
                ) from error  # fmt: skip
    return tuple(map(str, made))


def _check_names(names: tuple[str, ...], width: int) -> None:
    check_length("names", names, width, "column of features", error=TuningError)
    seen: set[str] = set()
    for name in names:
        if not name or name in seen:
            reason = f"names: {name!r} is given twice" if name else "names: one is empty"
            raise TuningError(reason, code="argument.duplicate", argument="names", value=name)
        seen.add(name)
        if is_sparse(name):
            reason = f"names: {name!r} has a colon, which only sparse features have"
            raise TuningError(reason, code="argument.value", argument="names", value=name)


def _columns(
    scores: Mapping[str, ArrayLike] | ArrayLike | None, rows: int
) -> dict[str, FloatArray]:
    if scores is None:
        return {}
    tables = scores if isinstance(scores, Mapping) else {"score": scores}
    made = {}
    _strings("the names of scores", list(tables))
    for name, values in tables.items():
        if not name:
            reason = "scores: a column has no name"
            raise TuningError(reason, code="argument.value", argument="scores")
        column = _numbers(f"scores[{name!r}]", values, 1)
        check_length(f"scores[{name!r}]", column, rows, "row", error=TuningError)
        made[name] = column
    return made


def _references(references: References | None, ids: list[str]) -> list[tuple[str, ...]]:
    if references is None:
        return [()] * len(ids)
    if isinstance(references, str):
        reason = "references is one string, expected one for each list"
        raise TuningError(reason, code="argument.type", argument="references")
    if isinstance(references, Mapping):
        by_id = {str(key): value for key, value in references.items()}
        missing = next((name for name in ids if name not in by_id), None)
        if missing is not None:
            reason = f"references: list {missing!r} has none"
            raise TuningError(reason, code="argument.missing", argument="references", value=missing)
        told: list[Any] = [by_id[name] for name in ids]
    elif isinstance(references, Iterable) and not isinstance(references, Set):
        told = list(references)
    else:
        reason = f"references is {references!r}, expected one for each list"
        raise TuningError(reason, code="argument.type", argument="references", value=references)
    check_length("references", told, len(ids), "list", error=TuningError)
    made = [
        _strings(f"references of list {name!r}", [refs] if isinstance(refs, str) else refs)
        for name, refs in zip(ids, told, strict=True)
    ]
    for name, refs in zip(ids, made, strict=True):
        if len(refs) != len(made[0]):
            counts = f"{len(refs)} references, the first list has {len(made[0])}"
            reason = f"list {name!r} has {counts}"
            raise TuningError(reason, code="argument.shape", argument="references", value=name)
    return made
