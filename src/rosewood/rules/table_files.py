"""The folder of a rule table: its files, its manifest, and writing one.

    with new_table(folder, labels, features, groups) as writer:
        writer.native.add(...)      # or native code that has the writer
        writer.finish(source_words, target_words, facts)

The files are described in core/rules/table_layout.hpp.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.errors import DamagedFileError, RuleError
from rosewood.folders import FolderKind, checksum
from rosewood.output import blamed_on, whole_folder
from rosewood.shared_types import PathName

MANIFEST = "rules.json"
_SIDES = ("source", "target")
_FILES = ["layout", "nodes", "last", "records", "shapes", "blocks", "codes", "ids", "links"]
_FILES += ["text", "text.start", "pool"]
_COUNTS = ("children", "places", "links.counts")
_FILES += [f"{name}{part}" for name in _COUNTS for part in ("", ".kept", ".blocks")]
_FILES += [f"{side}.{part}" for side in _SIDES for part in ("words", "word_start", "order")]
KIND = FolderKind(MANIFEST, "rosewood rule table", 1, dict.fromkeys(_FILES, "|u1"))

WordArrays = tuple[NDArray[np.uint8], NDArray[np.int64]]  # bytes, and where each word begins


class TableWriter:
    """A table that is being written: `native` takes rules, `finish` makes the table of them."""

    def __init__(self, folder: Path, native: _core.RuleTableWriter, shape: dict[str, Any]) -> None:
        self.native = native
        self._folder = folder
        self._shape = shape
        self.is_finished = False

    def finish(
        self, source_words: WordArrays, target_words: WordArrays, facts: Mapping[str, Any]
    ) -> None:
        """All rules have come; `facts` is whatever is to be known of how the table was made."""
        self.native.finish(*source_words, *target_words)
        self.seal(facts)

    def seal(self, facts: Mapping[str, Any]) -> None:
        """The same, where native code has finished the files already."""
        files = {}
        for name in KIND.files:
            path = self._folder / name
            files[name] = {"bytes": path.stat().st_size, "crc32": checksum(path)}
        KIND.write_manifest(self._folder, files, {**self._shape, "facts": dict(facts)})
        self.is_finished = True


@contextmanager
def new_table(
    folder: PathName,
    labels: Sequence[str],
    features: Sequence[str],
    groups: Sequence[Sequence[str]] = (),
) -> Iterator[TableWriter]:
    """A table that appears whole, when the block ends, or not at all.

    Columns of a group, features or `count`, `source_count` and `target_count`, are often the same
    together: the table keeps each of their combinations once.
    """
    with whole_folder(folder, marker=MANIFEST) as aside, blamed_on(folder):
        shape: dict[str, Any] = {
            "labels": list(labels),
            "features": list(features),
            "groups": [list(group) for group in groups],
        }
        native = _core.RuleTableWriter(str(aside), *shape.values())
        writer = TableWriter(aside, native, shape)
        yield writer
        if not writer.is_finished:
            raise RuleError("a table was begun and not finished", code="rules.unfinished")


def open_table(folder: PathName) -> tuple[dict[str, Any], _core.RuleTable]:
    """The manifest and the mapped table; sizes are checked, contents are not."""
    place = Path(folder)
    manifest, files = KIND.open(place)
    path = place / MANIFEST
    for key, kind in {"labels": list, "features": list, "groups": list, "facts": dict}.items():
        if not isinstance(manifest.get(key), kind):
            reason = f"its {key} are damaged"
            raise DamagedFileError(reason, file=path, code="file.damaged", argument=key)
    names = manifest["labels"] + manifest["features"]
    try:
        native = _core.RuleTable(files)
    except RuleError as error:
        raise error.restated(
            str(error), DamagedFileError, code="file.damaged", file=place / "layout"
        ) from error
    wanted = len(manifest["labels"]), len(manifest["features"])
    if native.shape != wanted or not all(isinstance(name, str) for name in names):
        reason = "its labels or features are not those of its layout"
        raise DamagedFileError(reason, file=path, code="file.damaged", argument="layout")
    return manifest, native


def verify(folder: PathName) -> None:
    """Read all of a table: every checksum, then everything that its parts must be."""
    place = Path(folder)
    KIND.verify(place)
    _, native = open_table(place)
    try:
        native.check()
        for is_target in (False, True):
            for number in range(native.num_words(is_target)):
                native.word(is_target, number).decode()
    except RuleError as error:
        raise error.restated(
            str(error), DamagedFileError, code="file.damaged", file=place
        ) from error
    except UnicodeDecodeError as error:
        raise DamagedFileError(str(error), file=place, code="file.encoding") from error
    KIND.verify_manifest(place)
