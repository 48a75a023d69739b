"""Copies of models of both format versions, to be damaged, and manifests written anew."""

from __future__ import annotations

import json
import os
import shutil
import zlib
from pathlib import Path

import pytest

from rosewood.folders import table_checksum
from rosewood.pipeline import Translator
from tests.trained import SENTENCE, book, model  # noqa: F401

# ruff: noqa: F811  # fixtures are imported
GOLDEN = Path(__file__).parent / "golden" / "bundle-v1" / "model"


@pytest.fixture(params=[1, 2], ids=["version1", "version2"])
def copy(request, model, tmp_path):
    """A model of each format version that may be damaged."""
    return Path(shutil.copytree(GOLDEN if request.param == 1 else model, tmp_path / "copy"))


def version_of(folder: Path) -> int:
    return json.loads((folder / "manifest.json").read_bytes())["version"]


def manifest(folder: Path) -> str:
    return os.fspath(folder / "manifest.json")


def lm_paths(table) -> dict[str, str]:
    """The table of language models in a manifest, to be changed."""
    is_old = table["version"] == 1
    return table["parts"]["language_models"] if is_old else table["parts"]["lm"]["paths"]


def rewritten(folder: Path, change, *, with_checksum: bool = True) -> None:
    """The manifest after a change, as somebody would write it who knows how."""
    path = folder / "manifest.json"
    table = json.loads(path.read_bytes())
    change(table)
    if with_checksum:
        table["crc32"] = table_checksum(table)
    path.write_text(json.dumps(table))


def listed(folder: Path, name: str) -> None:
    """The manifest with size and checksum of a file that was changed."""
    data = (folder / name).read_bytes()
    entry = {"bytes": len(data), "crc32": zlib.crc32(data)}
    rewritten(folder, lambda table: table["files"].update({name: entry}))


def used(folder: Path) -> None:
    translator = Translator.load(folder)
    translator.reply(SENTENCE, nbest=2)
    translator.inspect(SENTENCE)
