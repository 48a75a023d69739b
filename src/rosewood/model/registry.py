"""Types of bundle parts: each is declared once, in a file of its own, and found by its name.

    PLUGIN = PartType("classes", "word-classes", "Word classes.", open=..., verify=...)

A file of `rosewood/model/parts/`, or an entry point of the group `rosewood.parts`, has one of them
or a tuple.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rosewood.registry import Registry


@dataclass(frozen=True)
class StoredPart:
    """A part of a bundle on disk: its entry in the manifest, and the folder of the bundle."""

    name: str
    folder: Path
    entry: Mapping[str, Any]

    @property
    def path(self) -> Path:
        """Its file or folder, where there is one."""
        return self.folder / str(self.entry["path"])

    @property
    def paths(self) -> dict[str, Path]:
        """Its files or folders by name, where there are several."""
        return {name: self.folder / path for name, path in self.entry["paths"].items()}


@dataclass(frozen=True)
class PartType:
    """How parts of one name and type are opened and verified.

    `where` is the key of the entry that locates the content: `path` for one file or folder, `paths`
    for several by name, `values` for a table in the manifest itself.
    """

    name: str
    type: str
    help: str
    open: Callable[[StoredPart], Any]  # maps or reads it
    verify: Callable[[StoredPart], object]  # every byte; raises DamagedFileError
    where: Literal["path", "paths", "values"] = "path"
    required: bool = False  # every bundle has one
    optional: bool = False  # translations do not depend on it: readers may skip it


PARTS: Registry[PartType | tuple[PartType, ...]] = Registry(
    "rosewood.model.parts",
    "rosewood.parts",
    "bundle part",
    instance_of="rosewood.model.registry:PartType",
)


def part_types() -> list[PartType]:
    """All types of parts."""
    return [
        each
        for _, declared in PARTS.working()
        for each in (declared if isinstance(declared, tuple) else (declared,))
    ]


def part_type(name: str, kind: str) -> PartType | None:
    """The declaration of a part by its name and type; None where this release has none."""
    return next((each for each in part_types() if (each.name, each.type) == (name, kind)), None)


def new_entry(name: str, **where: Any) -> dict[str, Any]:
    """The manifest's entry of a part to be written: `new_entry("rules", path="rules")`.

    The type is the first one declared for that name and this kind of place.
    """
    for kind in part_types():
        if kind.name == name and {kind.where} == set(where):
            return {"type": kind.type, **where, **({"optional": True} if kind.optional else {})}
    raise ValueError(f"no type of part is called {name!r} and has {', '.join(where)}")
