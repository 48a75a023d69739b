"""Folders of arrays with a manifest: what is written, what is refused, and where."""

from __future__ import annotations

import json
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosewood.errors import DamagedFileError, RosewoodError
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
            with pytest.raises(DamagedFileError, match="checksum") as told:
                KIND.verify(folder)
            assert told.value.file == str(path)
        path.write_bytes(good)
    KIND.verify(folder)


@pytest.mark.parametrize("way", [KIND.open, KIND.verify])
@pytest.mark.parametrize("name", KIND.files)
def test_files_that_do_not_fit(folder, way, name):
    path, good = folder / name, (folder / name).read_bytes()
    wrong = [(good + b"\0", f"it has {len(good) + 1} bytes, want {len(good)}")]
    if good:
        wrong.append((good[:-1], f"it has {len(good) - 1} bytes, want {len(good)}"))
    for data, reason in wrong:
        path.write_bytes(data)
        with pytest.raises(DamagedFileError, match=reason) as told:
            way(folder)
        assert told.value.file == str(path)
    path.unlink()
    with pytest.raises(DamagedFileError, match="the file is missing") as told:
        way(folder)
    assert told.value.file == str(path)


def test_numbers_that_are_not_whole(folder):
    (folder / "ids").write_bytes(b"12345")
    listed = json.loads((folder / "thing.json").read_text(encoding="utf-8"))["files"]
    changed(folder, files={**listed, "ids": {"bytes": 5, "crc32": zlib.crc32(b"12345")}})
    with pytest.raises(DamagedFileError, match="its 5 bytes are not whole numbers"):
        KIND.open(folder)


def listing(entry) -> dict:
    return dict.fromkeys(KIND.files, entry)


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"format": "rosewood other"}, "it is not the manifest of a rosewood thing"),
        ({"version": 4}, "it is of version 4, this release reads 3"),
        ({"version": None}, "it is of version None"),
        ({"files": {}}, "its list of files is damaged"),
        ({"files": ["ids", "values", "none"]}, "its list of files is damaged"),
        ({"files": listing({"bytes": -1, "crc32": 0})}, "list of files"),
        ({"files": listing({"bytes": True, "crc32": 0})}, "list of files"),
        ({"files": listing({"bytes": 1})}, "list of files"),
        ({"files": listing(12)}, "list of files"),
        ({"files": {"../ids": {}, "values": {}, "none": {}}}, "list of files"),
    ],
)
def test_foreign_manifests(folder, facts, reason):
    changed(folder, **facts)
    with pytest.raises(DamagedFileError, match=reason) as told:
        KIND.open(folder)
    assert told.value.file == str(folder / "thing.json")


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"12", b"null", b'"format"', b"\xff", b"[" * 100_000, b"{}"]
)
def test_manifests_that_are_none(folder, data):
    (folder / "thing.json").write_bytes(data)
    with pytest.raises(DamagedFileError, match="it is not the manifest of a rosewood thing"):
        KIND.read_manifest(folder)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"thing\.json"):
        KIND.open(tmp_path / "nowhere")


@given(st.binary(max_size=60))
def test_any_manifest_is_read_or_refused(tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp()
    (folder / "thing.json").write_bytes(data)
    with pytest.raises(RosewoodError):
        KIND.open(folder)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5)))
def test_words_one_after_the_other(words):
    data, start = joined_words(words)
    assert [word.decode() for word in cut_words(data, start)] == words
    assert len(start) == len(words) + 1


def test_offsets(tmp_path):
    check_offsets(tmp_path, np.array([0, 0, 2, 5]), 5)
    check_offsets(tmp_path, np.array([0]), 0)
    for start, end, reason in (
        ([], 0, "do not go from 0 to 0"),
        ([1, 5], 5, "do not go from 0 to 5"),
        ([0, 4], 5, "do not go from 0 to 5"),
        ([0, 3, 2, 5], 5, "do not ascend"),
        ([0, 2**62, -(2**62), 5], 5, "do not ascend"),
    ):
        with pytest.raises(DamagedFileError, match=reason):
            check_offsets(tmp_path, np.array(start, np.int64), end)


def test_a_file_without_numbers(tmp_path):
    (tmp_path / "empty").touch()
    assert mapped(tmp_path / "empty", "<i8", 0).tolist() == []
    assert checksum(tmp_path / "empty") == 0
