"""`rosewood train` in trouble: one line that tells what is wrong, and nothing half-written."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.processes import LONGEST
from tests.refusals import shows
from tests.system.commands import Done, command  # noqa: F401
from tests.system.troubles import (  # noqa: F401
    AT,
    MADE,
    TRAIN,
    before_stage,
    names,
    place,
    texts,
    wanted,
)
from tests.training import contents, in_a_process, stage_notes

# ruff: noqa: F811  # fixtures are imported


# -- disks -----------------------------------------------------------------------------------------


@pytest.fixture
def room():
    """How many bytes a file of this process may have."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    @contextmanager
    def limited(size: int) -> Iterator[None]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    yield limited
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.slow
def test_a_full_disk(command, place, wanted, room):
    """Whichever file is the one too many: it is named, and when there is room the run goes on."""
    refused = set()
    for size in (100, 1_000, 3_000, 5_000, 9_000, 20_000, 30_000):
        with room(size):
            done = command(*TRAIN, "-o", "model", "-q")
        if done.code == 0:
            break
        shows(done, "system.error", "model")
        assert "large" in done.err or "space" in done.err
        refused.add(done.err)
        assert names(place) <= {"model.work"}
        assert not list(place.rglob("*.part"))
    assert len(refused) >= 3
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert contents(place / "model") == wanted
    assert names(place) == MADE


@pytest.mark.slow
def test_a_full_disk_at_the_end(command, place, wanted, room):
    """All stages fit, and the model or its report does not."""
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    page = (place / "model.html").stat().st_size
    largest = max(len(data) for data in wanted.values())
    (place / "model.html").unlink()
    with room(page // 2):
        shows(command(*TRAIN, "-o", "model", "-q"), "system.error", "model.html")
    assert names(place) == {"model", "model.work"}
    shutil.rmtree(place / "model")
    with room(largest // 2):
        shows(command(*TRAIN, "-o", "model", "-q"), "system.error", "model")
    assert names(place) == {"model.work"}
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert contents(place / "model") == wanted


@pytest.fixture
def read_only(monkeypatch):
    """Folders that cannot be written into: root may write anywhere, so that it is only told."""
    closed: list[Path] = []
    access = os.access

    def told(path, mode, **more) -> bool:
        if mode & os.W_OK and Path(path).resolve() in closed:
            return False
        return access(path, mode, **more)

    monkeypatch.setattr(os, "access", told)

    def close(folder: Path) -> None:
        folder.chmod(0o555)
        closed.append(folder.resolve())

    yield close
    for folder in closed:
        folder.chmod(0o755)


def test_folders_that_cannot_be_written(command, place, read_only):
    for name in ("closed", "open"):
        (place / name).mkdir()
    read_only(place / "closed")
    before = contents(place)
    for typed in (["-o", "closed/model"], ["-o", "model", "--report", "closed/page.html"]):
        shows(command(*TRAIN, *typed), "file.permission", f"{typed[-1]}: ")
    if os.geteuid():  # root is not kept out
        done = command(*TRAIN, "-o", "model", "--work", "closed/work")
        shows(done, "file.permission", "closed/work")
    assert contents(place) == before
    assert names(place) == {"closed", "open"}


def test_a_work_folder_that_is_a_file(command, place):
    (place / "model.work").write_text("")
    shows(command(*TRAIN, "-o", "model"), "file.exists", "model.work: ")
    assert names(place) == {"model.work"}


# -- paths -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "shown"),
    [
        (["-o", "no/model"], "file.missing", ["no/model: "]),
        (["-o", "mine"], "file.exists", ["mine: "]),
        (["-o", "train.en"], "file.exists", ["train.en: "]),
        (["-o", "."], "file.exists", [".: "]),
        (["-o", ".."], "file.exists", ["..: "]),
        (["-o", "-"], "argument.value", ["--output -"]),
        (["-o", ""], "file.exists", [".: "]),
        (["-o", "model", "--work", "mine"], "file.exists", ["mine: "]),
        (["-o", "model", "--work", "no/work"], "file.missing", ["no/work: ", "'no'"]),
        (["-o", "model", "--work", "model"], "argument.conflict", ["model: model "]),
        (["-o", "model", "--work", "model/work"], "argument.conflict", ["model: model/work "]),
        (["-o", "work/model", "--work", "work"], "argument.conflict", ["work: work/model "]),
        (["-o", "model", "--work", "."], "argument.conflict", [".: model "]),
        (["-o", "model", "--report", "no/page.html"], "file.missing", ["no/page.html: ", "report"]),
        (["-o", "model", "--report", "mine"], "file.kind", ["mine: ", "report"]),
        (["-o", "model", "--report", "train.en"], "file.exists", ["train.en: ", "report"]),
        (["-o", "model", "--report", "model/page.html"], "argument.conflict",
         ["model: model/page.html "]),
        (["-o", "model", "--report", "model.work/page.html"], "argument.conflict",
         ["model.work: model.work/page.html "]),
        (["-o", "model", "--report", "model"], "argument.conflict", ["model: model "]),
        (["-o", "model", "--report", "model.work"], "argument.conflict",
         ["model.work: model.work "]),
        (["-o", "model", "--report", "-"], "argument.value", ["--report -"]),
        (["-o", "model", "--dev-corpus", "dev.en"], "argument.conflict", ["dev and dev_corpus"]),
        (["-o", "model", "--source", "train.en"], "argument.shape", ["source", "2", "target", "1"]),
        (["-o", "model", "--dev-size", "10"], "argument.conflict", ["dev_size"]),
    ],
)  # fmt: skip
def test_paths_that_are_refused(command, place, arguments, code, shown):
    """Before any work: nothing is there that was not there before."""
    (place / "mine").mkdir()
    (place / "mine" / "letter").write_text("dear")
    (place / "work").mkdir()
    before = contents(place)
    shows(command(*TRAIN, *arguments), code, *shown)
    assert contents(place) == before
    assert names(place) == {"mine", "work"}


# -- files that are read ---------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["train.en", "dev.de"])
def test_files_that_cannot_be_read(command, place, file):
    (place / file).unlink()
    shows(command(*TRAIN, "-o", "model"), "file.missing", f"{file}: ")
    assert names(place) == set()
    (place / file).mkdir()
    shows(command(*TRAIN, "-o", "model"), "file.kind", f"{file}: ")
    assert names(place) == set()


@pytest.mark.slow
def test_a_pipe_is_read_once(place):
    """Training walks again and again: what can be read once is refused, and nobody waits."""
    (place / "train.en").unlink()
    os.mkfifo(place / "train.en")
    done = subprocess.run(
        [sys.executable, "-m", "rosewood", *TRAIN, "-o", "model"], cwd=place, text=True,
        capture_output=True, check=False, timeout=LONGEST,
    )  # fmt: skip
    shows(Done(done.returncode, done.stdout, done.stderr), "file.kind", "train.en: ")
    assert names(place) == set()


@pytest.mark.slow
def test_a_file_that_vanished_between_two_runs(command, place, wanted):
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    (place / "train.de").rename(place / "gone")
    shows(command(*TRAIN, "-o", "model"), "file.missing", "train.de: ")
    assert contents(place / "model") == wanted
    (place / "gone").rename(place / "train.de")
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert contents(place / "model") == wanted


@pytest.mark.slow
def test_a_file_that_changed_between_two_runs(command, place, wanted):
    killed = AT.format(moment=5, what="os.kill(os.getpid(), signal.SIGKILL)")
    assert in_a_process(place, *TRAIN, "-o", "model", code=killed).returncode == -9
    before = stage_notes(place / "model.work")
    text = (place / "train.de").read_text()
    (place / "train.de").write_text(text.replace("die", "dye"))
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert contents(place / "model") != wanted
    assert before.items() <= stage_notes(place / "model.work").items()
    (place / "train.de").write_text(text)
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert contents(place / "model") == wanted


@pytest.mark.parametrize("file", ["train.de", "dev.en"])
def test_a_file_that_vanishes_while_it_runs(command, place, wanted, before_stage, file):
    data = (place / file).read_bytes()
    before_stage(1, (place / file).unlink)
    shows(command(*TRAIN, "-o", "model", "-q"), "file.missing", f"{file}: ")
    assert names(place) <= {"model.work"}
    (place / file).write_bytes(data)
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert contents(place / "model") == wanted


def test_a_file_that_changes_while_it_runs(command, place, wanted, before_stage):
    """Behind the stage that reads it, it does not matter any more: stages read what is kept."""
    before_stage(3, lambda: (place / "train.de").write_text("anders\n" * 100))
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert contents(place / "model") == wanted


def test_a_file_that_changes_between_its_hash_and_its_reading(
    command, place, wanted, before_stage
):  # fmt: skip
    """What was read is not what the key is of: the run is refused, and the next one is right."""
    text = (place / "train.de").read_text()
    before_stage(1, lambda: (place / "train.de").write_text(text.replace("die", "dye")))
    shows(command(*TRAIN, "-o", "model", "-q"), "file.changed", "train.de: ")
    (place / "train.de").write_text(text)
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert contents(place / "model") == wanted
