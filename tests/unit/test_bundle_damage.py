"""Files of models that are damaged, missing or foreign: refused by name, and never a crash."""

from __future__ import annotations

import os
import shutil

import pytest
from tests.damaged_bundles import copy, used  # noqa: F401
from tests.refusals import refuses
from tests.trained import SENTENCE, book, files_of, model  # noqa: F401

from rosewood.errors import DamagedFileError, FormatError, RosewoodError
from rosewood.model import Bundle
from rosewood.pipeline import Translator

# ruff: noqa: F811  # fixtures are imported


@pytest.mark.slow
def test_every_file_cut_short_or_missing(copy):
    """Refused when the model is opened, by the name of the file."""
    for name in files_of(copy):
        path = copy / name
        data = path.read_bytes()
        for damaged in (data[:-1], b"", data + b"\0", None):
            if damaged == data:
                continue
            path.unlink() if damaged is None else path.write_bytes(damaged)
            for use in (Bundle.open, Bundle.verify, Translator.load):
                if name == "manifest.json" and damaged in (data[:-1], data + b"\0"):
                    continue  # a line feed at the end more or less
                kind, file, argument = DamagedFileError, path, None
                if name == "manifest.json":
                    code = "file.format"
                    if damaged is None:
                        kind, code, file, argument = FormatError, "file.kind", copy, name
                elif damaged is None:
                    code = "file.missing"
                else:
                    code, argument = "file.damaged", "bytes"
                with refuses(kind, code, argument=argument, file=os.fspath(file)):
                    use(copy)
        path.write_bytes(data)
    Bundle.verify(copy)


@pytest.mark.slow
def test_every_file_with_another_byte(copy):
    """Found by `verify`, by the name of the file; those who do not ask get no crash."""
    for name in files_of(copy):
        path = copy / name
        data = path.read_bytes()
        for place in {0, len(data) // 2, len(data) - 1} if data else ():
            damaged = bytearray(data)
            damaged[place] ^= 0x41
            path.write_bytes(damaged)
            with pytest.raises(DamagedFileError) as caught:
                Bundle.verify(copy)
            assert caught.value.file == os.fspath(path)
            assert caught.value.code == "file.changed" or name == "manifest.json"
        path.write_bytes(data)
    Bundle.verify(copy)


@pytest.mark.slow
def test_damaged_files_in_use_are_refused_or_give_some_answer(copy):
    for name in files_of(copy):
        path = copy / name
        data = path.read_bytes()
        if not data:
            continue
        damaged = bytearray(data)
        for place in range(0, len(data), max(1, len(data) // 3)):
            damaged[place] ^= 0xFF
        path.write_bytes(damaged)
        try:
            used(copy)
        except RosewoodError as error:
            assert str(error)  # noqa: PT017
        path.write_bytes(data)


@pytest.mark.parametrize(
    "name",
    [
        "notes.txt",
        "rules/more",
        "corpus/.hidden",
        "new/file",
        "model.rlm",
        "manifest.json.1-0.part",
    ],
)
def test_a_file_that_does_not_belong_there(copy, name):
    (copy / name).parent.mkdir(exist_ok=True)
    (copy / name).write_text("foreign")
    used(copy)  # it does not harm
    with refuses(DamagedFileError, "model.foreign-file", file=os.fspath(copy / name)):
        Bundle.verify(copy)


def test_links_instead_of_files(copy, tmp_path):
    """A link is a file like any other if it leads to the same bytes."""
    (copy / "lm.rlm").rename(tmp_path / "lm.rlm")
    (copy / "lm.rlm").symlink_to(tmp_path / "lm.rlm")
    Bundle.verify(copy)
    (copy / "lm.rlm").unlink()
    (copy / "lm.rlm").symlink_to(tmp_path / "nowhere")
    for use in (Bundle.open, Bundle.verify):
        with refuses(DamagedFileError, "file.missing", file=os.fspath(copy / "lm.rlm")):
            use(copy)
    (copy / "lm.rlm").unlink()
    (copy / "lm.rlm").symlink_to(copy / "lm.rlm")
    for use in (Bundle.open, Bundle.verify):
        with pytest.raises(OSError) as caught:  # too many levels of links
            use(copy)
        assert caught.value.filename == os.fspath(copy / "lm.rlm")


def test_a_foreign_link(copy, tmp_path):
    (copy / "more").symlink_to(tmp_path / "nowhere")
    with refuses(DamagedFileError, "file.kind", file=os.fspath(copy / "more")):
        Bundle.verify(copy)


def test_a_foreign_link_to_a_folder(copy, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("foreign")
    (copy / "more").symlink_to(tmp_path / "folder")
    with refuses(DamagedFileError, "file.kind", file=os.fspath(copy / "more")):
        Bundle.verify(copy)


def test_a_folder_instead_of_a_file(copy):
    (copy / "lm.rlm").unlink()
    (copy / "lm.rlm").mkdir()
    for use in (Bundle.open, Bundle.verify):
        with refuses(DamagedFileError, "file.kind", file=os.fspath(copy / "lm.rlm")):
            use(copy)


def test_a_file_instead_of_a_folder(copy):
    shutil.rmtree(copy / "rules")
    (copy / "rules").write_text("")
    for use in (Bundle.open, Bundle.verify):
        with refuses(DamagedFileError, "file.missing") as refused:
            use(copy)
        assert "rules" in refused.value.file
