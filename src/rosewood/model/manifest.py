"""The manifest of a model bundle: read, checked, and converted from format version 1."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from rosewood.errors import DamagedFileError, DecodingError, FormatError
from rosewood.model.confidence import Confidence
from rosewood.model.registry import part_type, part_types
from rosewood.model.version1 import converted

MANIFEST = "manifest.json"
FORMAT, VERSION = "rosewood-model", 2
_NEEDED = {
    "rosewood": str, "decoder": str, "languages": list, "parts": dict, "files": dict,
    "features": list, "search": dict, "unknown": str, "confidence": dict, "settings": dict,
    "seed": int, "stages": dict, "corpus": dict, "scores": list, "fallbacks": list,
}  # fmt: skip
_SCORE: dict[str, Any] = {"on": str, "name": str, "value": (int, float), "signature": str}


def _is_score(score: object) -> bool:
    return isinstance(score, dict) and all(
        isinstance(score.get(name), kind) for name, kind in _SCORE.items()
    )


_DETAILS: dict[str, Callable[[Any], bool]] = {
    "languages": lambda them: len(them) == 2 and all(x is None or type(x) is str for x in them),
    "features": lambda names: all(type(name) is str for name in names),
    "unknown": lambda how: how in ("guess", "copy", "drop"),
    "seed": lambda seed: type(seed) is int,
    "scores": lambda scores: all(map(_is_score, scores)),
    "fallbacks": lambda notes: all(type(note) is str for note in notes),
}


def load_table(folder: Path) -> dict[str, Any]:
    """The manifest as it is in the file, of any version that this release reads."""
    path = folder / MANIFEST
    if not folder.is_dir():
        is_there = folder.exists()
        reason = (
            f"{'not a folder' if is_there else 'no such folder'}: expected a model that rosewood "
            "train wrote"
        )
        raise FormatError(reason, code="file.kind" if is_there else "file.missing", file=folder)
    if not path.exists():
        reason = f"not a model: it has no {MANIFEST}"
        raise FormatError(reason, code="file.kind", argument=MANIFEST, file=folder)
    try:
        table = json.loads(path.read_bytes())
        version = table["version"] if table["format"] == FORMAT else None
        is_ours = table["format"] == FORMAT
    except (ValueError, KeyError, TypeError, RecursionError):
        is_ours, version, table = False, None, {}
    if not is_ours:
        raise DamagedFileError("not the manifest of a model", code="file.format", file=path)
    if type(version) is not int or not 1 <= version <= VERSION:
        reason = (
            f"format version {version!r}{_writer(table)}, this release reads 1 to {VERSION}: "
            "upgrade Rosewood to read it"
        )
        raise DamagedFileError(
            reason, code="file.version", value=version, expected=VERSION, file=path
        )
    return dict(table)


def _damaged(reason: str, field: str, path: Path, code: str = "file.damaged") -> DamagedFileError:
    return DamagedFileError(reason, code=code, argument=field, file=path)


def _writer(table: Mapping[str, Any]) -> str:
    release = table.get("rosewood")
    return f" (written by Rosewood {release})" if isinstance(release, str) else ""


def read_manifest(folder: Path) -> dict[str, Any]:
    """The checked manifest in the form of version 2, whichever version the file has."""
    return check_manifest(load_table(folder), folder / MANIFEST)


def check_manifest(table: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The manifest in the form of version 2; refused where anything is missing or damaged."""
    for name, kind in _NEEDED.items():
        if not isinstance(table.get(name), kind):
            raise _damaged(f"{name!r} is missing or not of type {kind.__name__}", name, path)
    if table["version"] == 1:
        table = converted(table, path)
    for name, is_good in _DETAILS.items():
        if not is_good(table[name]):
            raise _damaged(f"{name!r} is damaged", name, path)
    try:
        Confidence.from_dict(table["confidence"])
    except DecodingError as error:
        raise error.restated(
            f"its confidence is damaged: {error}", DamagedFileError,
            code="file.damaged", argument=f"confidence.{error.argument}", file=path,
        ) from error  # fmt: skip
    for name, entry in table["files"].items():
        _check_path("files", name, path)
        if not isinstance(entry, dict) or {type(entry.get(k)) for k in ("bytes", "crc32")} != {int}:
            raise _damaged(f"size or checksum of {name!r} is missing", name, path)
    _check_parts(table, path)
    return dict(table)


def _check_parts(table: Mapping[str, Any], path: Path) -> None:
    parts = table["parts"]
    for name, entry in parts.items():
        _check_entry(name, entry, table, path)
    for name in sorted({kind.name for kind in part_types() if kind.required} - set(parts)):
        raise _damaged(f"the part {name!r} is missing", name, path, code="model.part-missing")
    for side, other in (("source_text", "target_text"), ("target_text", "source_text")):
        if side not in parts and other in parts:
            raise _damaged(
                "only one of its sides has raw text", side, path, code="model.part-missing"
            )
    if ("guesses" in parts) != (table["unknown"] == "guess"):
        raise _damaged("it guesses unknown words, or has guesses, but not both", "unknown", path)


def _check_entry(name: str, entry: Any, table: Mapping[str, Any], path: Path) -> None:
    """Refuse a part that is damaged, or that this release does not know."""
    if not isinstance(entry, dict) or not isinstance(entry.get("type"), str):
        raise _damaged(f"the part {name!r} has no type", f"{name}.type", path)
    if not isinstance(entry.get("optional", False), bool):
        raise _damaged(
            f"'optional' of the part {name!r} is not a Boolean", f"{name}.optional", path
        )
    kind = part_type(name, entry["type"])
    if kind is None and not entry.get("optional", False):
        reason = (
            f"this release does not know the part {name!r} of type {entry['type']!r}"
            f"{_writer(table)}: upgrade Rosewood, or install the package that adds such parts"
        )
        raise DamagedFileError(
            reason, code="model.part-unknown", argument=name, value=entry["type"], file=path
        )
    if kind is not None and kind.where not in entry:
        raise _damaged(f"the part {name!r} has no {kind.where!r}", f"{name}.{kind.where}", path)
    for place in _places(name, entry, path):
        _check_path(name, place, path)
        if not any(file == place or file.startswith(f"{place}/") for file in table["files"]):
            raise DamagedFileError(
                f"the part {name!r} has no files at {place!r}",
                code="file.missing", argument=name, value=place, file=path,
            )  # fmt: skip


def _places(name: str, entry: Mapping[str, Any], path: Path) -> Iterator[Any]:
    """All paths of an entry."""
    if "path" in entry:
        yield entry["path"]
    if "paths" in entry:
        if not isinstance(entry["paths"], dict) or not entry["paths"]:
            raise _damaged(f"the paths of the part {name!r} are damaged", f"{name}.paths", path)
        yield from entry["paths"].values()


def _check_path(part: str, name: Any, path: Path) -> None:
    """Refuse paths that lead out of the bundle."""
    is_inside = isinstance(name, str) and name not in ("", ".") and "\\" not in name
    if is_inside:
        place = PurePosixPath(name)
        is_inside = place.as_posix() == name and not place.is_absolute() and ".." not in place.parts
    if not is_inside:
        raise DamagedFileError(
            f"{name!r} is not a path within the model",
            code="model.path", argument=part, value=name, file=path,
        )  # fmt: skip
