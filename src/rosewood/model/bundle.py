"""The model bundle: one folder with everything that a translation needs, wherever it is copied.

bundle = Bundle.open("model")          # reads only the manifest: the rest is mapped when asked for
bundle.part("rules"); bundle.parts(); bundle.weights
Bundle.verify("model")                 # every byte

model/
  manifest.json     versions, parts with their types, files with sizes and checksums, settings,
                    seed, statistics of the corpus, scores; nothing that depends on time or place
  rules/            the rule table
  lm.rlm            the language model; more of them by their names
  weights/          feature weights: names as JSON, numbered features as arrays
  features.json     features written in Python: import paths and versions; absent without any
  source.json, target.json          how raw text becomes words; absent if it was words already
  guesses.json      what unknown words are guessed by; absent where they are not
  memory/           translation memory: the sentence pairs of corpora that are memories
  corpus/           the words it was trained on: where rules come from (may be left out)
  origins/          and the files and lines of them
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from os import fspath
from pathlib import Path
from stat import S_ISREG
from typing import Any, Generic, TypeVar

from rosewood import __version__
from rosewood.corpus import IndexedCorpus, TextProcessor
from rosewood.errors import DamagedFileError, FormatError
from rosewood.folders import checksums, table_checksum
from rosewood.forest import Weights
from rosewood.lm import Model
from rosewood.memory import Memory
from rosewood.model.confidence import Confidence
from rosewood.model.manifest import (
    FORMAT,
    MANIFEST,
    VERSION,
    check_manifest,
    load_table,
    read_manifest,
)
from rosewood.model.python_features import FeatureRecord, read_records, version_notes
from rosewood.model.registry import StoredPart, part_type
from rosewood.output import whole_file, whole_folder
from rosewood.rules import RuleTable
from rosewood.shared_types import PathName

T = TypeVar("T")


class OpenParts(Mapping[str, Any]):
    """The parts of a bundle by name, each opened when it is first asked for."""

    def __init__(self, bundle: Bundle) -> None:
        """Use `Bundle.parts`."""
        self._bundle = bundle

    def __getitem__(self, name: str) -> Any:
        if name not in self._bundle.part_names:
            raise KeyError(name)
        return self._bundle.part(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._bundle.part_names)

    def __len__(self) -> int:
        return len(self._bundle.part_names)


class PartOf(Generic[T]):
    """A part of a bundle as an attribute; None where an optional part is missing."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, bundle: Bundle, owner: type[Bundle] | None = None) -> T:
        part: T = bundle.part(self.name)
        return part


class Bundle:
    """A model that was opened; immutable."""

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        """Use `Bundle.open` for a folder."""
        self.folder = folder
        self.manifest = manifest
        self._opened: dict[str, Any] = {}

    @classmethod
    def open(cls, folder: PathName) -> Bundle:
        """Open the model of a folder: read its manifest and compare the sizes of its files.

        It stays the same folder, whatever becomes of the working directory or of links.
        """
        place = Path(folder)
        manifest = read_manifest(place)
        _check_sizes(place, manifest)
        return cls(place.resolve(), manifest)

    @classmethod
    def verify(cls, folder: PathName) -> None:
        """Check every byte; the first thing wrong is a DamagedFileError that names the file."""
        place = Path(folder)
        table = load_table(place)
        bundle = cls(place, check_manifest(table, place / MANIFEST))  # errors have the path given
        _check_sizes(place, bundle.manifest)
        listed = bundle.manifest["files"]
        for name, entry in checksums(place).items():
            if name == MANIFEST:
                continue
            if name not in listed:
                reason = "it does not belong to the model"
                raise DamagedFileError(reason, code="model.foreign-file", file=place / name)
            if entry != listed[name]:
                raise wrong_checksum(place / name)
        if table.get("crc32") != table_checksum(table):
            raise wrong_checksum(place / MANIFEST)
        for name in bundle.part_names:
            stored, kind = bundle._stored(name)
            _used(kind.verify, stored)

    # -- its parts ---------------------------------------------------------------------------------

    @property
    def part_names(self) -> tuple[str, ...]:
        """The parts that this release knows; unknown ones that are optional are skipped."""
        entries = self.manifest["parts"]
        return tuple(name for name, entry in entries.items() if part_type(name, entry["type"]))

    @property
    def skipped_parts(self) -> tuple[str, ...]:
        """Optional parts that this release does not know."""
        known = self.part_names
        return tuple(name for name in self.manifest["parts"] if name not in known)

    def _stored(self, name: str) -> tuple[StoredPart, Any]:
        entry = self.manifest["parts"][name]
        return StoredPart(name, self.folder, entry), part_type(name, entry["type"])

    def part(self, name: str) -> Any:
        """A part, opened when it is first asked for; None where the bundle has no such part."""
        if name not in self._opened:
            if name not in self.part_names:
                return None
            stored, kind = self._stored(name)
            self._opened[name] = _used(kind.open, stored)
        return self._opened[name]

    def parts(self) -> Mapping[str, Any]:
        """All parts by name, each opened when it is first asked for: what decoders are made of."""
        return OpenParts(self)

    rules: PartOf[RuleTable] = PartOf("rules")
    language_models: PartOf[dict[str, Model]] = PartOf("lm")  # by the names of their features
    source_text: PartOf[TextProcessor | None] = PartOf("source_text")  # None: it takes words
    target_text: PartOf[TextProcessor | None] = PartOf("target_text")
    memory: PartOf[Memory | None] = PartOf("memory")  # without its text processor
    corpus: PartOf[IndexedCorpus | None] = PartOf("corpus")  # that it was trained on
    weights: PartOf[Weights] = PartOf("weights")

    @property
    def features(self) -> tuple[Any, ...]:
        """Features written in Python: imported and constructed when they are first asked for."""
        return self.part("features") or ()

    @property
    def feature_records(self) -> tuple[FeatureRecord, ...]:
        """Import path, package and version of features written in Python; imports nothing."""
        if "features" not in self.part_names:
            return ()
        return read_records(self._stored("features")[0].path)

    def notes(self) -> list[str]:
        """What differs from the environment the model was written in."""
        types = {name: entry["type"] for name, entry in self.manifest["parts"].items()}
        skipped = (
            f"this release does not know the part {name!r} of type {types[name]!r}: not used"
            for name in self.skipped_parts
        )
        return [*skipped, *version_notes(self.feature_records)]

    def origin(self, sentence: int) -> str | None:
        """File and line of a pair of the corpus, as file:line."""
        found = self.part("origins")
        if found is None or not 0 <= sentence < len(found):
            return None
        origin: str = found[sentence]
        return origin

    # -- the rest ----------------------------------------------------------------------------------

    @property
    def confidence(self) -> Confidence:
        """What makes of scores how sure words are."""
        return Confidence.from_dict(self.manifest["confidence"])

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(entry["bytes"] for entry in self.manifest["files"].values())

    def __repr__(self) -> str:
        one, other = (each or "?" for each in self.manifest["languages"])
        return f"Bundle({fspath(self.folder)!r}, {one} to {other}, {self.size:,} bytes)"


def _used(use: Callable[[StoredPart], Any], part: StoredPart) -> Any:
    try:
        return use(part)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        reason = f"the part {part.name!r} is not of the kind expected: {error.filename}"
        raise DamagedFileError(
            reason, code="file.kind", argument=part.name, file=part.folder / MANIFEST
        ) from error


def wrong_checksum(path: Path) -> DamagedFileError:
    """The error about a file whose content is not the one that was written."""
    return DamagedFileError("checksum mismatch", code="file.changed", file=path)


def _check_sizes(folder: Path, manifest: Mapping[str, Any]) -> None:
    for name, entry in manifest["files"].items():
        path = folder / name
        try:
            found = path.stat()
        except (FileNotFoundError, NotADirectoryError) as error:
            raise DamagedFileError("the file is missing", code="file.missing", file=path) from error
        if not S_ISREG(found.st_mode):
            raise DamagedFileError("expected a file", code="file.kind", file=path)
        if found.st_size != entry["bytes"]:
            raise DamagedFileError(
                f"it has {found.st_size} bytes, expected {entry['bytes']}",
                code="file.damaged", argument="bytes", value=found.st_size,
                expected=entry["bytes"], file=path,
            )  # fmt: skip


def check_own(folder: Path) -> dict[str, Any]:
    """Refuse to replace a folder that is no model, or has other files beside one.

    Returns the keys of the stages that the model was made by, as far as they can be read.
    """
    path = folder / MANIFEST
    try:
        table = json.loads(path.read_bytes())
        is_ours = table["format"] == FORMAT and isinstance(table["files"], dict)
    except (ValueError, KeyError, TypeError, RecursionError):
        is_ours, table = False, {}
    if not is_ours:
        reason = f"refusing to overwrite it: it is not a model (no {MANIFEST} of Rosewood)"
        raise FormatError(reason, code="file.exists", file=folder)
    for each in sorted(folder.rglob("*")):
        name = each.relative_to(folder).as_posix()
        if (each.is_symlink() or not each.is_dir()) and name not in (MANIFEST, *table["files"]):
            reason = "it does not belong to the model: move it away"
            raise FormatError(reason, code="model.foreign-file", file=each)
    stages = table.get("stages")
    return stages if isinstance(stages, dict) else {}


def write_bundle(
    folder: PathName,
    parts: Mapping[str, Mapping[str, Any]],
    files: Mapping[str, Path | Callable[[Path], object]],
    facts: Mapping[str, Any],
) -> Bundle:
    """Write a model: entries of its parts, their files, and the rest of the manifest.

    `files` has, for each file or folder of the bundle, what is copied there or a function that
    writes it.  The folder appears whole or not at all.
    """
    with whole_folder(folder, marker=MANIFEST) as aside:
        for name, source in files.items():
            if not isinstance(source, Path):
                source(aside / name)
            else:
                (shutil.copytree if source.is_dir() else shutil.copyfile)(source, aside / name)
        table = {"format": FORMAT, "version": VERSION, "rosewood": __version__, **facts}
        table |= {"parts": dict(parts), "files": checksums(aside)}
        table["crc32"] = table_checksum(table)
        check_manifest(table, aside / MANIFEST)
        with whole_file(aside / MANIFEST) as stream:
            text = json.dumps(table, indent=1, ensure_ascii=False, allow_nan=False)
            stream.write(text.encode() + b"\n")
    return Bundle.open(folder)
