"""`rosewood train` into folders in use, twice at once, and stopped: nobody's work is lost."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.processes import started
from tests.refusals import shows
from tests.system.commands import command  # noqa: F401
from tests.system.troubles import (  # noqa: F401
    AT,
    MADE,
    TRAIN,
    WAIT,
    before_stage,
    names,
    place,
    texts,
    wanted,
)
from tests.training import contents, flags, stage_notes

from rosewood.learn import loop
from rosewood.model import Bundle

# ruff: noqa: F811  # fixtures are imported


# -- folders that are in use -----------------------------------------------------------------------


@pytest.mark.slow
def test_the_same_again(command, place, wanted):
    assert command(*TRAIN, "-o", "model").code == 0
    before = stage_notes(place / "model.work")
    (place / "model.html").unlink()
    done = command(*TRAIN, "-o", "model")
    assert done.code == 0
    assert contents(place / "model") == wanted
    assert stage_notes(place / "model.work") == before
    assert names(place) == MADE


@pytest.mark.slow
def test_other_settings_into_the_same_folder(command, place, wanted):
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert command(*TRAIN, "-o", "model", "--max-phrase", "2", "-q").code == 0
    assert contents(place / "model") != wanted
    Bundle.verify(place / "model")
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert contents(place / "model") == wanted
    assert names(place) == MADE


@pytest.mark.slow
def test_a_model_that_was_made_elsewhere(command, place, wanted):
    assert command(*TRAIN, "-o", "model", "--max-phrase", "2", "-q").code == 0
    theirs = contents(place / "model")
    shows(command(*TRAIN, "-o", "model", "--work", "mine"), "file.exists", "model: ", "--overwrite")
    assert contents(place / "model") == theirs
    done = command(*TRAIN, "-o", "model", "--work", "mine", "--overwrite", "-q")
    assert done.code == 0
    assert contents(place / "model") == wanted
    shows(command(*TRAIN, "-o", "model", "--max-phrase", "2"), "file.exists", "--overwrite")
    assert names(place) == {*MADE, "mine"}


def test_a_model_whose_work_folder_is_gone(command, place, wanted):
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    shutil.rmtree(place / "model.work")
    shows(command(*TRAIN, "-o", "model"), "file.exists", "model: ", "--overwrite")
    assert contents(place / "model") == wanted


def test_a_model_that_is_damaged(command, place, wanted):
    """It is not known whose it is, so it is left alone; deleted, it is made anew."""
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    for damage in (b"{", b"", b'{"manifest_version": 3}'):
        (place / "model" / "manifest.json").write_bytes(damage)
        for more in ([], ["--overwrite"]):
            shows(command(*TRAIN, "-o", "model", *more), "file.exists", "model: ")
        assert (place / "model" / "manifest.json").read_bytes() == damage
        shutil.rmtree(place / "model")
        assert command(*TRAIN, "-o", "model", "-q").code == 0
        assert contents(place / "model") == wanted


def test_files_of_others_in_a_model(command, place, wanted):
    """They are never lost, whatever is to become of the model."""
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    (place / "model" / "letter").write_text("dear")
    for more in ([], ["--overwrite"], ["--max-phrase", "2"]):
        shows(command(*TRAIN, "-o", "model", *more), "model.foreign-file", "model/letter: ")
    assert (place / "model" / "letter").read_text() == "dear"
    (place / "model" / "letter").unlink()
    assert contents(place / "model") == wanted


@pytest.mark.parametrize("damage", ["cut", "changed", "gone"])
def test_a_damaged_model_is_not_taken_for_whole(command, place, wanted, damage):
    """The same command makes it whole again, or tells that it is not."""
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    path = place / "model" / "lm.rlm"
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(data if damage == "changed" else data[:-1])
    done = command(*TRAIN, "-o", "model", "--overwrite", "-q")
    assert done.code == 0
    assert contents(place / "model") == wanted


def test_a_folder_that_is_no_model(command, place):
    (place / "model").mkdir()
    (place / "model" / "letter").write_text("dear")
    for more in ([], ["--overwrite"]):
        shows(command(*TRAIN, "-o", "model", *more), "file.exists", "model: ")
    assert names(place) == {"model"}
    (place / "model" / "letter").unlink()
    assert command(*TRAIN, "-o", "model", "-q").code == 0  # an empty folder is nobody's


def test_somebody_elses_page_is_replaced_like_any_output(command, place):
    (place / "model.html").write_text("old")
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert (place / "model.html").read_text().rstrip().endswith("</html>")


# -- two at once -----------------------------------------------------------------------------------


@contextmanager
def waiting(place: Path, code: str, *more: str) -> Iterator[subprocess.Popen[str]]:
    """A run that prints "begun" somewhere and waits there until it gets a line."""
    with started(
        [sys.executable, "-c", code, *TRAIN, "-o", "model", "-q", *more], cwd=place, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "begun\n", process.stderr.read()
        yield process


AT_THE_FOURTH_STAGE = AT.format(moment=4, what=WAIT)


@pytest.mark.slow
def test_two_at_once_in_one_work_folder(command, place, wanted):
    with waiting(place, AT_THE_FOURTH_STAGE) as first:
        shows(command(*TRAIN, "-o", "model"), "lock.held", "model.work: ")
        # another model, the same work folder
        done = command(*TRAIN, "-o", "other", "--work", "model.work")
        shows(done, "lock.held", "model.work: ")
        first.communicate("\n")
    assert first.returncode == 0
    assert contents(place / "model") == wanted
    assert names(place) == MADE


@pytest.mark.slow
def test_two_at_once_in_two_work_folders(command, place, wanted):
    """Whoever is first has made the model; the other does not replace it without being told to."""
    with waiting(place, AT_THE_FOURTH_STAGE, "--max-phrase", "2") as first:
        assert command(*TRAIN, "-o", "model", "--work", "second", "-q").code == 0
        _, told = first.communicate("\n")
    assert first.returncode == 1
    assert "--overwrite" in told
    assert "Traceback" not in told
    assert contents(place / "model") == wanted
    assert names(place) == {*MADE, "second"}


PUTTING_TOGETHER = """
import sys
from rosewood.cli import main
from rosewood.model import bundle

def checksums(folder, then=bundle.checksums):
    print("begun", flush=True)
    sys.stdin.readline()
    return then(folder)

bundle.checksums = checksums
main()
"""


@pytest.mark.slow
def test_another_run_begins_while_a_model_is_put_together(command, place, wanted):
    """What a living process writes is not taken for what a killed one left."""
    with waiting(place, PUTTING_TOGETHER) as first:
        assert command(*TRAIN, "-o", "model", "--work", "second", "-q").code == 0
        assert contents(place / "model") == wanted
        _, told = first.communicate("\n")
    assert first.returncode == 0, told
    assert ".part" not in told
    assert contents(place / "model") == wanted
    Bundle.verify(place / "model")
    assert not list(place.glob("*.part"))


# -- stopped ---------------------------------------------------------------------------------------


def stop() -> None:
    signal.raise_signal(signal.SIGINT)  # one thread: it is handled before the next line


@pytest.mark.parametrize("number", [1, 4, 8])
def test_stopped_from_the_keyboard(command, place, wanted, before_stage, number):
    before_stage(number, stop)
    done = command(*TRAIN, "-o", "model")
    assert done.code == 130, done.err
    assert "Traceback" not in done.err
    assert "stopped" in done.err
    assert names(place) == {"model.work"}
    assert not list(place.rglob("*.part"))
    before = stage_notes(place / "model.work")
    assert len(before) == number - 1
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert contents(place / "model") == wanted
    assert before.items() <= stage_notes(place / "model.work").items()


@pytest.mark.slow
def test_stopped_in_the_midst_of_tuning(command, place, monkeypatch):
    """Rounds that were finished are not tuned again."""
    tuning = [*TRAIN, "-o", "model", *flags({"tune": "mert", "rounds": 3, "set": {"restarts": 2}})]
    (place / "dev.en").write_bytes((place / "train.en").read_bytes())
    (place / "dev.de").write_bytes((place / "train.de").read_bytes())
    text = "".join((place / "train.de").read_text().splitlines(keepends=True)[::-1])
    (place / "train.de").write_text(text)  # so that no pair is in both
    rounds = []

    def save(*arguments, then=loop.save_loop):
        then(*arguments)
        rounds.append(len(rounds))
        if len(rounds) == 2:
            stop()

    monkeypatch.setattr(loop, "save_loop", save)
    assert command(*tuning).code == 130
    (going,) = (place / "model.work").glob("tune-*.going")
    assert any(going.rglob("state.json"))
    assert command(*tuning, "-q").code == 0
    assert len(rounds) == 3
    again = contents(place / "model")
    assert command(*tuning, "-q", "--work", "another", "--overwrite").code == 0
    assert contents(place / "model") == again
