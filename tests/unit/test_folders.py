"""Folders of arrays with a manifest: what is written, what is refused, and where."""

from __future__ import annotations

import json
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import fault, refuses

from rosewood.errors import DamagedFileError
from rosewood.folders import (
    FolderKind,
    check_offsets,
    checksum,
    cut_words,
    joined_words,
    mapped,
)

KIND = FolderKind("thing.json", "rosewood thing", 3, {"ids": "<i4", "values": "<f8", "none": "|u1"})
ARRAYS = {"ids": np.array([1, -2, 3]), "values": np.array([0.5]), "none": np.zeros(0, np.uint8)}


@pytest.fixture
def folder(tmp_path):
    KIND.write(tmp_path, ARRAYS, {"colour": "grün"})
    return tmp_path


def changed(folder, **facts) -> None:
    table = json.loads((folder / "thing.json").read_text(encoding="utf-8"))
    (folder / "thing.json").write_text(json.dumps({**table, **facts}))


def test_what_was_written_is_mapped(folder):
    table, arrays = KIND.open(folder)
    assert table["colour"] == "grün"
    assert table["files"]["ids"] == {"bytes": 12, "crc32": checksum(folder / "ids")}
    for name, array in ARRAYS.items():
        assert arrays[name].tolist() == array.tolist()
        assert arrays[name].dtype == np.dtype(KIND.files[name])
        with pytest.raises(ValueError, match="read-only"):
            arrays[name][...] = 0
    KIND.verify(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["ids", "none", "thing.json", "values"]
    assert (folder / "ids").read_bytes() == np.array([1, -2, 3], "<i4").tobytes()


def test_every_changed_byte_is_found(folder):
    for name in KIND.files:
        path, good = folder / name, (folder / name).read_bytes()
        for place in range(len(good)):
            path.write_bytes(good[:place] + bytes([good[place] ^ 0x40]) + good[place + 1 :])
            KIND.open(folder)  # sizes are as they should be
            with refuses(DamagedFileError, "file.changed", file=str(path)):
                KIND.verify(folder)
        path.write_bytes(good)
    KIND.verify(folder)


@pytest.mark.parametrize("way", [KIND.open, KIND.verify])
@pytest.mark.parametrize("name", KIND.files)
def test_files_that_do_not_fit(folder, way, name):
    path, good = folder / name, (folder / name).read_bytes()
    for data in (good + b"\0", good[:-1]) if good else (b"\0",):
        path.write_bytes(data)
        with refuses(DamagedFileError, "file.damaged", value=len(data), file=str(path)):
            way(folder)
    path.unlink()
    with refuses(DamagedFileError, "file.missing", file=str(path)):
        way(folder)


def test_numbers_that_are_not_whole(folder):
    (folder / "ids").write_bytes(b"12345")
    listed = json.loads((folder / "thing.json").read_text(encoding="utf-8"))["files"]
    changed(folder, files={**listed, "ids": {"bytes": 5, "crc32": zlib.crc32(b"12345")}})
    with refuses(DamagedFileError, "file.damaged"):
        KIND.open(folder)


def listing(entry) -> dict:
    return dict.fromkeys(KIND.files, entry)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"format": "rosewood other"}, fault("file.kind")),
        ({"version": 4}, fault("file.version", value=4)),
        ({"version": None}, fault("file.version")),
        ({"files": {}}, fault("file.damaged", argument="files")),
        ({"files": ["ids", "values", "none"]}, fault("file.damaged", argument="files")),
        ({"files": listing({"bytes": -1, "crc32": 0})}, fault("file.damaged", argument="files")),
        ({"files": listing({"bytes": True, "crc32": 0})}, fault("file.damaged", argument="files")),
        ({"files": listing({"bytes": 1})}, fault("file.damaged", argument="files")),
        ({"files": listing(12)}, fault("file.damaged", argument="files")),
        (
            {"files": {"../ids": {}, "values": {}, "none": {}}},
            fault("file.damaged", argument="files"),
        ),
    ],
)
def test_foreign_manifests(folder, facts, expected):
    changed(folder, **facts)
    with refuses(DamagedFileError, **expected, file=str(folder / "thing.json")):
        KIND.open(folder)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"12", b"null", b'"format"', b"\xff", b"[" * 100_000, b"{}"]
)
def test_manifests_that_are_none(folder, data):
    (folder / "thing.json").write_bytes(data)
    with refuses(DamagedFileError, "file.kind"):
        KIND.read_manifest(folder)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"thing\.json"):
        KIND.open(tmp_path / "nowhere")


@given(st.binary(max_size=60))
def test_any_manifest_is_read_or_refused(tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp()
    (folder / "thing.json").write_bytes(data)
    with pytest.raises(DamagedFileError):
        KIND.open(folder)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5)))
def test_words_one_after_the_other(words):
    data, start = joined_words(words)
    assert [word.decode() for word in cut_words(data, start)] == words
    assert len(start) == len(words) + 1


def test_offsets(tmp_path):
    check_offsets(tmp_path, np.array([0, 0, 2, 5]), 5)
    check_offsets(tmp_path, np.array([0]), 0)
    for start, end, argument in (
        ([], 0, "offsets"),
        ([1, 5], 5, "offsets"),
        ([0, 4], 5, "offsets"),
        ([0, 3, 2, 5], 5, "order"),
        ([0, 2**62, -(2**62), 5], 5, "order"),
    ):
        with refuses(DamagedFileError, "file.damaged", argument=argument):
            check_offsets(tmp_path, np.array(start, np.int64), end)


def test_a_file_without_numbers(tmp_path):
    (tmp_path / "empty").touch()
    assert mapped(tmp_path / "empty", "<i8", 0).tolist() == []
    assert checksum(tmp_path / "empty") == 0
