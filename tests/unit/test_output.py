"""Folders that appear whole: what is there meanwhile, and what is left when it is interrupted."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest
from tests.refusals import refuses

from rosewood import output
from rosewood.errors import FormatError
from rosewood.output import whole_folder

MARKER = "mark"


def write(folder: Path, text: str) -> None:
    with whole_folder(folder, marker=MARKER) as aside:
        (aside / MARKER).write_text(text)


@pytest.fixture(params=["in one step", "in two steps"])
def way(request, monkeypatch):
    """Both ways in which folders change places; not every system has the first."""
    if request.param == "in two steps":
        monkeypatch.setattr(output, "exchange_folders", lambda one, other: False)
    return request.param


@pytest.mark.usefixtures("way")
def test_a_folder_is_replaced(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()  # an empty one is nobody's
    for text in ("one", "two", "three"):
        write(folder, text)
        assert (folder / MARKER).read_text() == text
        assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.usefixtures("way")
def test_an_error_leaves_what_was_there(tmp_path):
    write(tmp_path / "folder", "one")
    with pytest.raises(ZeroDivisionError), whole_folder(tmp_path / "folder", marker=MARKER):
        raise ZeroDivisionError
    assert (tmp_path / "folder" / MARKER).read_text() == "one"
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="folders are exchanged in one step on Linux")
def test_there_is_always_one_of_them(tmp_path):
    folder = tmp_path / "folder"
    write(folder, "0")
    if not output.exchange_folders(folder, folder):
        pytest.skip("this file system cannot exchange folders")
    is_over = threading.Event()
    missing = 0

    def look() -> None:
        nonlocal missing
        while not is_over.is_set():
            missing += not (folder / MARKER).exists()

    thread = threading.Thread(target=look)
    thread.start()
    for number in range(300):
        write(folder, str(number))
    is_over.set()
    thread.join()
    assert missing == 0


def test_killed_between_two_steps_the_old_folder_is_kept(tmp_path):
    """Under a name that nobody deletes as a part of something that was never whole."""
    write(tmp_path / "folder", "old")
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from rosewood import output\n"
        "output.exchange_folders = lambda one, other: False\n"
        "rename, seen = Path.rename, []\n"
        "def once(self, to):\n"
        "    if seen: os._exit(9)\n"
        "    seen.append(rename(self, to))\n"
        "Path.rename = once\n"
        "with output.whole_folder(sys.argv[1], marker='mark') as aside:\n"
        "    (aside / 'mark').write_text('new')\n"
    )
    assert os.spawnv(os.P_WAIT, sys.executable,
                     [sys.executable, "-c", code, str(tmp_path / "folder")]) == 9  # fmt: skip
    found = {path.suffix: path for path in tmp_path.iterdir()}
    assert set(found) == {".old", ".part"}
    assert (found[".old"] / MARKER).read_text() == "old"


def test_a_folder_with_a_name_that_is_no_text(tmp_path):
    with refuses(FormatError, "file.encoding"):
        write(tmp_path / "a\udcff", "")
