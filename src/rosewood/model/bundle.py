"""The model bundle: one folder with everything that a translation needs, wherever it is copied.

bundle = Bundle.open("model")          # nothing is read but the manifest: the rest is mapped
bundle.rules; bundle.language_models; bundle.weights
Bundle.verify("model")                 # every byte

model/
  manifest.json     versions, files with sizes and checksums, features, weights, settings, seed,
                    statistics of the corpus, scores; nothing that depends on time or place
  rules/            the rule table
  lm.rlm            the language model; more of them by their names
  source.json, target.json          how raw text becomes words; absent if it was words already
  guesses.json      what unknown words are guessed by; absent where they are not
  corpus/           the words it was trained on: where rules come from (may be left out)
  origins/          and in which files they stood
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from rosewood import __version__
from rosewood.corpus import IndexedCorpus, TextProcessor
from rosewood.corpus.indexed_files import verify as verify_corpus
from rosewood.errors import DamagedFileError, DecodingError, FormatError
from rosewood.folders import FolderKind, checksums, cut_words, joined_words, table_checksum
from rosewood.lm import Model
from rosewood.lm.files import verify_model
from rosewood.model.confidence import Confidence
from rosewood.output import whole_file, whole_folder
from rosewood.rules import RuleTable

__all__ = ["MANIFEST", "Bundle", "check_own", "read_origins", "write_bundle", "write_origins"]

MANIFEST = "manifest.json"
_FORMAT, _VERSION = "rosewood-model", 1
_ORIGINS = FolderKind(
    "origins.json",
    "rosewood origins",
    1,
    {"file": "<i4", "line": "<i8", "names": "|u1", "name_start": "<i8"},
)
_NEEDED = {
    "rosewood": str, "decoder": str, "languages": list, "parts": dict, "files": dict,
    "features": list, "weights": dict, "search": dict, "unknown": str, "confidence": dict,
    "settings": dict, "seed": int, "stages": dict, "corpus": dict, "scores": list,
    "fallbacks": list,
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
_PARTS = {"rules", "language_models", "source_text", "target_text", "guesses", "corpus", "origins"}


class Bundle:
    """A model that was opened; immutable."""

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        """Those who have a folder want `Bundle.open`."""
        self.folder = folder
        self.manifest = manifest

    @classmethod
    def open(cls, folder: str | PathLike[str]) -> Bundle:
        """The model of a folder: its manifest is read, and its files have the sizes they should.

        It stays the same folder, whatever becomes of the working directory or of links.
        """
        place = Path(folder)
        return cls(place.resolve(), _checked_manifest(place))

    @classmethod
    def verify(cls, folder: str | PathLike[str]) -> None:
        """Every byte of it; the first thing wrong is a DamagedFileError that names the file."""
        place = Path(folder)
        bundle = cls(place, _checked_manifest(place))  # errors have the path as it was given
        listed = bundle.manifest["files"]
        for name, entry in checksums(bundle.folder).items():
            if name == MANIFEST:
                continue
            if name not in listed:
                raise DamagedFileError("it does not belong to the model", file=bundle.folder / name)
            if entry != listed[name]:
                raise DamagedFileError("it does not match its checksum", file=bundle.folder / name)
        if bundle.manifest.get("crc32") != table_checksum(bundle.manifest):
            raise DamagedFileError("it does not match its checksum", file=bundle.folder / MANIFEST)
        bundle.rules.verify()
        for name in bundle.manifest["parts"]["language_models"].values():
            verify_model(bundle.folder / name)
        if bundle.corpus is not None:
            verify_corpus(bundle.folder / bundle.manifest["parts"]["corpus"])
        if bundle._origins is not None:
            _ORIGINS.verify(bundle.folder / bundle.manifest["parts"]["origins"])
        _ = bundle.source_text, bundle.target_text

    # -- its parts ---------------------------------------------------------------------------------

    @cached_property
    def rules(self) -> RuleTable:
        """The rule table."""
        return RuleTable.open(self.folder / self.manifest["parts"]["rules"])

    @cached_property
    def language_models(self) -> dict[str, Model]:
        """Language models by the names of their features."""
        named = self.manifest["parts"]["language_models"]
        return {name: Model.open(self.folder / file) for name, file in named.items()}

    @cached_property
    def source_text(self) -> TextProcessor | None:
        """How raw text becomes words; nothing if the model takes words."""
        return self._processor("source_text")

    @cached_property
    def target_text(self) -> TextProcessor | None:
        """How words become raw text."""
        return self._processor("target_text")

    def _processor(self, part: str) -> TextProcessor | None:
        name = self.manifest["parts"][part]
        return None if name is None else TextProcessor.load(self.folder / name)

    @cached_property
    def corpus(self) -> IndexedCorpus | None:
        """The words it was trained on, unless they were left out."""
        name = self.manifest["parts"]["corpus"]
        return None if name is None else IndexedCorpus.open(self.folder / name)

    def origin(self, sentence: int) -> str | None:
        """Where a pair of the corpus stood, as file:line."""
        found = self._origins
        if found is None or not 0 <= sentence < len(found["file"]):
            return None
        names, start = found["names"], found["name_start"]
        file, line = int(found["file"][sentence]), int(found["line"][sentence])
        if not 0 <= file < len(start) - 1:
            place = self.folder / self.manifest["parts"]["origins"] / "file"
            raise DamagedFileError(f"sentence {sentence} is from a file that is none", file=place)
        name = names[start[file] : start[file + 1]].tobytes().decode(errors="replace")
        return name if line < 0 else f"{name}:{line}"

    @cached_property
    def _origins(self) -> Mapping[str, Any] | None:
        name = self.manifest["parts"]["origins"]
        return None if name is None else _ORIGINS.open(self.folder / name)[1]

    @property
    def weights(self) -> dict[str, float]:
        """Weights by feature."""
        return dict(self.manifest["weights"])

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


def check_own(folder: Path) -> dict[str, Any]:
    """Refuses a folder that is no model, or has files beside one: they are not to be lost.

    Gives the keys of the stages that it was made by; of a damaged model, what can be read of them.
    """
    path = folder / MANIFEST
    try:
        table = json.loads(path.read_bytes())
        is_ours = table["format"] == _FORMAT and isinstance(table["files"], dict)
    except (ValueError, KeyError, TypeError, RecursionError):
        is_ours, table = False, {}
    if not is_ours:
        raise FormatError("it is there already, and is no model: is it yours?", file=folder)
    for each in sorted(folder.rglob("*")):
        name = each.relative_to(folder).as_posix()
        if (each.is_symlink() or not each.is_dir()) and name not in (MANIFEST, *table["files"]):
            raise FormatError("it does not belong to the model: move it away", file=each)
    stages = table.get("stages")
    return stages if isinstance(stages, dict) else {}


def write_bundle(
    folder: str | PathLike[str],
    files: Mapping[str, Path],
    facts: Mapping[str, Any],
    parts: Mapping[str, Any],
) -> Bundle:
    """Write a model: files and folders by the names they get, all that the manifest says.

    They are copied, so that nothing done to one of them reaches the other.  The folder appears
    whole or not at all.
    """
    with whole_folder(folder, marker=MANIFEST) as aside:
        for name, source in files.items():
            (shutil.copytree if source.is_dir() else shutil.copyfile)(source, aside / name)
        table = {"format": _FORMAT, "version": _VERSION, "rosewood": __version__, **facts}
        table |= {"parts": dict(parts), "files": checksums(aside)}
        table["crc32"] = table_checksum(table)
        _check_manifest(table, aside / MANIFEST)
        with whole_file(aside / MANIFEST) as stream:
            text = json.dumps(table, indent=1, ensure_ascii=False, allow_nan=False)
            stream.write(text.encode() + b"\n")
    return Bundle.open(folder)


def read_origins(folder: Path) -> tuple[list[str], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """What `write_origins` wrote: names of files; of each pair the number of its file, its line."""
    _, found = _ORIGINS.open(folder)
    names = [name.decode() for name in cut_words(found["names"], found["name_start"])]
    return names, found["file"], found["line"]


def write_origins(
    folder: Path, names: list[str], file: np.ndarray[Any, Any], line: np.ndarray[Any, Any]
) -> None:
    """Where each pair stood: the number of its file, and its line or -1."""
    word_bytes, start = joined_words(names)
    folder.mkdir()
    arrays = {"file": file, "line": line, "names": word_bytes, "name_start": start}
    _ORIGINS.write(folder, arrays, {})


def _checked_manifest(folder: Path) -> dict[str, Any]:
    manifest = _read_manifest(folder)
    for name, entry in manifest["files"].items():
        _check_size(folder / name, entry["bytes"])
    return manifest


def _check_size(path: Path, size: int) -> None:
    try:
        found = path.stat().st_size
    except FileNotFoundError as error:
        raise DamagedFileError("the file is missing", file=path) from error
    if found != size:
        raise DamagedFileError(f"it has {found} bytes, want {size}", file=path)


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    if not folder.is_dir():
        told = "it is no folder" if folder.exists() else "there is no such folder"
        raise FormatError(f"{told}: want a model that rosewood train has made", file=folder)
    if not path.exists():
        raise FormatError(f"it is not a model: it has no {MANIFEST}", file=folder)
    try:
        table = json.loads(path.read_bytes())
        is_ours = table["format"] == _FORMAT
        version = table["version"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedFileError("it is not the manifest of a model", file=path) from error
    if not is_ours:
        raise DamagedFileError("it is not the manifest of a model", file=path)
    if type(version) is not int or version != _VERSION:
        told = f"it is of version {version!r}, this release reads {_VERSION}"
        raise DamagedFileError(told, file=path)
    _check_manifest(table, path)
    return dict(table)


def _check_manifest(table: Mapping[str, Any], path: Path) -> None:
    """Everything is there, and paths lead nowhere else."""
    for name, kind in _NEEDED.items():
        if not isinstance(table.get(name), kind):
            raise DamagedFileError(f"{name!r} is missing, or is no {kind.__name__}", file=path)
    for name, is_good in _DETAILS.items():
        if not is_good(table[name]):
            raise DamagedFileError(f"{name!r} is damaged", file=path)
    if table["decoder"] != "phrase":
        raise DamagedFileError(f"there is no decoder {table['decoder']!r}", file=path)
    try:
        Confidence.from_dict(table["confidence"])
    except DecodingError as error:
        raise DamagedFileError(f"its confidence is damaged: {error}", file=path) from error
    _check_parts(table, path)
    is_number = {type(value) in (int, float) for value in table["weights"].values()}
    if is_number - {True} or list(table["weights"]) == []:
        raise DamagedFileError("its weights are no numbers", file=path)


def _check_parts(table: Mapping[str, Any], path: Path) -> None:
    parts = table["parts"]
    is_whole = set(parts) == _PARTS and isinstance(parts["language_models"], dict)
    if not is_whole or not parts["rules"] or not parts["language_models"]:
        raise DamagedFileError("its list of parts is damaged", file=path)
    if (parts["source_text"] is None) != (parts["target_text"] is None):
        raise DamagedFileError("only one of its sides has raw text", file=path)
    if (parts["guesses"] is not None) != (table["unknown"] == "guess"):
        raise DamagedFileError("it guesses unknown words, or has guesses, but not both", file=path)
    named = [*parts["language_models"].values()]
    named += [parts[n] for n in parts if n != "language_models" and parts[n] is not None]
    for name in [*table["files"], *named]:
        if not isinstance(name, str) or not name or not _is_inside(name):
            raise DamagedFileError(f"{name!r} is no path within the model", file=path)
    for name, entry in table["files"].items():
        if not isinstance(entry, dict) or {type(entry.get(k)) for k in ("bytes", "crc32")} != {int}:
            raise DamagedFileError(f"size or checksum of {name!r} are missing", file=path)
    for name in named:
        if not any(file == name or file.startswith(f"{name}/") for file in table["files"]):
            raise DamagedFileError(f"the part {name!r} has no files", file=path)


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    is_plain = path.as_posix() == name and name != "." and "\\" not in name
    return is_plain and not path.is_absolute() and ".." not in path.parts
