"""Candidates that are arrays already: a matrix of features and the list that each row is of."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping, Sequence, Set
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosewood.arrays import FloatArray, freeze
from rosewood.errors import TuningError
from rosewood.forest import ForestSet
from rosewood.rerank.candidates import CandidateList, is_sparse
from rosewood.rerank.forests import write_forest_set

__all__ = ["forest_set", "from_arrays", "lists_from_arrays"]

References = Sequence[str | Sequence[str]] | Mapping[str, str | Sequence[str]]


def from_arrays(
    features: ArrayLike,
    groups: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    texts: Sequence[str] | None = None,
    references: References | None = None,
    scores: Mapping[str, ArrayLike] | ArrayLike | None = None,
    path: str | PathLike[str] | None = None,
) -> ForestSet:
    """A forest set of candidates in arrays; without a path it goes when nobody holds it any more.

    >>> found = from_arrays([[0.5, 1], [2, 0], [1, 1]], ["a", "a", "b"], scores=[0.1, 0.9, 0.4])
    >>> [forest.num_edges for forest in found], found.features.dense
    ([2, 1], ('f0', 'f1'))
    """
    lists = lists_from_arrays(
        features, groups, names=names, texts=texts, references=references, scores=scores
    )
    return forest_set(lists, path)


def forest_set(
    lists: Iterable[CandidateList], path: str | PathLike[str] | None = None
) -> ForestSet:
    """Lists as a forest set: in this file, or in one that goes when nobody holds the set."""
    if path is not None:
        if not isinstance(path, str | PathLike):
            raise TuningError(f"path is {path!r}, want the path of a file")
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
    if len(said) != rows:
        raise TuningError(f"there are {len(said)} texts for {rows} rows of features")
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
        raise TuningError(f"{what} has masked values")
    try:
        return np.asarray(values)
    except (ValueError, TypeError) as error:
        raise TuningError(f"{what} is not an array of {of}: {error}") from error


def _numbers(what: str, values: ArrayLike, dimensions: int) -> FloatArray:
    array = _array(what, values, "numbers")
    if array.ndim != dimensions:
        raise TuningError(f"{what} has {array.ndim} dimensions, want {dimensions}")
    if array.dtype.kind not in "iuf":
        raise TuningError(f"{what} has values of type {array.dtype}, want numbers")
    with np.errstate(over="ignore"):
        made: FloatArray = np.array(array, dtype=np.float64, order="C")
    bad = np.argwhere(~np.isfinite(made))
    if len(bad):
        place = ", ".join(map(str, bad[0].tolist()))
        raise TuningError(f"{what}[{place}] is {made[tuple(bad[0])]}, want a finite number")
    return freeze(made)


def _lists(groups: ArrayLike, rows: int) -> tuple[list[str], list[int]]:
    """The id of each list, and its first row."""
    array = _array("groups", groups, "ids")
    if array.shape != (rows,):
        raise TuningError(f"groups has shape {array.shape}, want ({rows},): a list for each row")
    if not rows:
        raise TuningError("there are no candidates: features has no rows")
    if array.dtype.kind not in "iuUO":
        raise TuningError(f"groups has ids of type {array.dtype}, want strings or whole numbers")
    values = array.tolist()
    for value in values if array.dtype.kind == "O" else ():
        if isinstance(value, bool) or not isinstance(value, str | int | np.integer):
            raise TuningError(f"groups has the id {value!r}, want strings or whole numbers")
    ids = list(map(str, values))
    starts = [i for i in range(rows) if i == 0 or ids[i] != ids[i - 1]]
    seen: set[str] = set()
    for start in starts:
        if not ids[start]:
            raise TuningError(f"groups[{start}] is empty, want an id")
        if ids[start] in seen:
            told = f"list {ids[start]!r} comes back at row {start}"
            raise TuningError(f"groups: {told}; rows of a list stand together")
        seen.add(ids[start])
    return [ids[start] for start in starts], starts


def _strings(what: str, values: Sequence[str]) -> tuple[str, ...]:
    if isinstance(values, str):
        raise TuningError(f"{what} is one string, want a list of them")
    if not isinstance(values, Iterable) or isinstance(values, Set):
        raise TuningError(f"{what} is {values!r}, want a list of strings")
    made = tuple(values)
    for place, value in enumerate(made):
        if not isinstance(value, str):
            raise TuningError(f"{what}[{place}] is {value!r}, want a string")
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError as error:
                raise TuningError(f"{what}[{place}] has half of a surrogate pair") from error
    return tuple(map(str, made))


def _check_names(names: tuple[str, ...], width: int) -> None:
    if len(names) != width:
        raise TuningError(f"there are {len(names)} names for {width} columns of features")
    seen: set[str] = set()
    for name in names:
        if not name or name in seen:
            raise TuningError(f"names: {name!r} stands twice" if name else "names: one is empty")
        seen.add(name)
        if is_sparse(name):
            raise TuningError(f"names: {name!r} has a colon, which only sparse features have")


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
            raise TuningError("scores: a column has no name")
        column = _numbers(f"scores[{name!r}]", values, 1)
        if len(column) != rows:
            raise TuningError(f"scores[{name!r}] has {len(column)} numbers for {rows} rows")
        made[name] = column
    return made


def _references(references: References | None, ids: list[str]) -> list[tuple[str, ...]]:
    if references is None:
        return [()] * len(ids)
    if isinstance(references, str):
        raise TuningError("references is one string, want one for each list")
    if isinstance(references, Mapping):
        by_id = {str(key): value for key, value in references.items()}
        missing = next((name for name in ids if name not in by_id), None)
        if missing is not None:
            raise TuningError(f"references has none for list {missing!r}")
        told: list[Any] = [by_id[name] for name in ids]
    elif isinstance(references, Iterable) and not isinstance(references, Set):
        told = list(references)
    else:
        raise TuningError(f"references is {references!r}, want one for each list")
    if len(told) != len(ids):
        raise TuningError(f"there are references for {len(told)} lists, but {len(ids)} lists")
    made = [
        _strings(f"references of list {name!r}", [refs] if isinstance(refs, str) else refs)
        for name, refs in zip(ids, told, strict=True)
    ]
    for name, refs in zip(ids, made, strict=True):
        if len(refs) != len(made[0]):
            counts = f"{len(refs)} references, the first list has {len(made[0])}"
            raise TuningError(f"list {name!r} has {counts}")
    return made
