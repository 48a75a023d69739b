"""`rosewood train` in trouble: one line that tells what is wrong, and nothing half-written."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.system.commands import Done, command  # noqa: F401
from tests.training import QUICK, contents, flags, in_a_process, stage_notes, write_book

from rosewood.model import Bundle
from rosewood.pipeline import training

FILES = ["--source", "train.en", "--target", "train.de", "--dev", "dev.en", "dev.de"]
TRAIN = ["train", *FILES, *flags({**QUICK, "tune": "none", "set": {}}), "--threads", "1"]
READ = {f"{part}.{ending}" for part in ("train", "dev") for ending in ("en", "de")}
MADE = {"model", "model.html", "model.work"}

# Something happens before the so many-th stage.
AT = """
import os, signal, sys
from rosewood.cli import main
from rosewood.pipeline import training

left = {moment}

def of_stage(name, told, then=training.of_stage):
    global left
    left -= 1
    if left == 0:
        {what}
    return then(name, told)

training.of_stage = of_stage
main()
"""
WAIT = 'print("begun", flush=True); sys.stdin.readline()'


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    return write_book(tmp_path_factory.mktemp("texts"), train=100, dev=20)


@pytest.fixture(scope="module")
def wanted(texts, tmp_path_factory):
    """The model of a run without trouble."""
    place = Path(shutil.copytree(texts, tmp_path_factory.mktemp("wanted") / "place"))
    assert in_a_process(place, *TRAIN, "-o", "model", "-q").returncode == 0
    return contents(place / "model")


@pytest.fixture
def place(texts, tmp_path, monkeypatch):
    for path in texts.iterdir():
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(place: Path) -> set[str]:
    """What there is beside the files that are read."""
    return {path.name for path in place.iterdir()} - READ


def assert_refused(done, *told: str) -> None:
    """One line, which tells all of this."""
    assert done.code == 1, done.err
    assert len(done.err.strip().splitlines()) == 1, done.err
    assert done.err.startswith("rosewood: ")
    for text in told:
        assert text in done.err


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


def test_a_full_disk(command, place, wanted, room):  # noqa: F811
    """Whichever file is the one too many: it is named, and when there is room the run goes on."""
    refused = set()
    for size in (100, 1_000, 3_000, 5_000, 9_000, 20_000, 30_000):
        with room(size):
            done = command(*TRAIN, "-o", "model", "-q")
        if done.code == 0:
            break
        assert_refused(done, "model")
        assert "large" in done.err or "space" in done.err
        refused.add(done.err)
        assert names(place) <= {"model.work"}
        assert not list(place.rglob("*.part"))
    assert len(refused) >= 3
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert contents(place / "model") == wanted
    assert names(place) == MADE


def test_a_full_disk_at_the_end(command, place, wanted, room):  # noqa: F811
    """All stages fit, and the model or its report does not."""
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    page = (place / "model.html").stat().st_size
    largest = max(len(data) for data in wanted.values())
    (place / "model.html").unlink()
    with room(page // 2):
        assert_refused(command(*TRAIN, "-o", "model", "-q"), "model.html")
    assert names(place) == {"model", "model.work"}
    shutil.rmtree(place / "model")
    with room(largest // 2):
        assert_refused(command(*TRAIN, "-o", "model", "-q"), "model")
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


def test_folders_that_cannot_be_written(command, place, read_only):  # noqa: F811
    for name in ("closed", "open"):
        (place / name).mkdir()
    read_only(place / "closed")
    before = contents(place)
    assert_refused(command(*TRAIN, "-o", "closed/model"), "closed/model", "cannot be written")
    assert_refused(
        command(*TRAIN, "-o", "model", "--report", "closed/page.html"), "closed/page.html"
    )
    if os.geteuid():  # root is not kept out
        assert_refused(command(*TRAIN, "-o", "model", "--work", "closed/work"), "closed/work")
    assert contents(place) == before
    assert names(place) == {"closed", "open"}


def test_a_work_folder_that_is_a_file(command, place):  # noqa: F811
    (place / "model.work").write_text("")
    assert_refused(command(*TRAIN, "-o", "model"), "model.work", "is it yours?")
    assert names(place) == {"model.work"}


# -- paths -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["-o", "no/model"], ["no/model", "there is no folder"]),
        (["-o", "mine"], ["mine", "is it yours?"]),
        (["-o", "train.en"], ["train.en"]),
        (["-o", "."], ["."]),
        (["-o", ".."], [".."]),
        (["-o", "-"], ["a model is a folder"]),
        (["-o", ""], ["."]),
        (["-o", "model", "--work", "mine"], ["mine", "is it yours?"]),
        (["-o", "model", "--work", "no/work"], ["no/work", "there is no folder"]),
        (["-o", "model", "--work", "model"], ["model"]),
        (["-o", "model", "--work", "model/work"], ["model"]),
        (["-o", "work/model", "--work", "work"], ["work"]),
        (["-o", "model", "--work", "."], ["."]),
        (["-o", "model", "--report", "no/page.html"], ["no/page.html", "report"]),
        (["-o", "model", "--report", "mine"], ["mine", "folder"]),
        (["-o", "model", "--report", "train.en"], ["train.en", "written over"]),
        (["-o", "model", "--report", "model/page.html"], ["model"]),
        (["-o", "model", "--report", "model.work/page.html"], ["model.work"]),
        (["-o", "model", "--report", "model"], ["model"]),
        (["-o", "model", "--report", "model.work"], ["model.work"]),
        (["-o", "model", "--report", "-"], ["page"]),
        (["-o", "model", "--dev-corpus", "dev.en"], ["dev"]),
        (["-o", "model", "--source", "train.en"], ["2 files of sources, but 1 of targets"]),
        (["-o", "model", "--dev-size", "10"], ["dev_size"]),
    ],
)
def test_paths_that_are_refused(command, place, arguments, told):  # noqa: F811
    """Before any work: nothing is there that was not there before."""
    (place / "mine").mkdir()
    (place / "mine" / "letter").write_text("dear")
    (place / "work").mkdir()
    before = contents(place)
    assert_refused(command(*TRAIN, *arguments), *told)
    assert contents(place) == before
    assert names(place) == {"mine", "work"}


# -- files that are read ---------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["train.en", "dev.de"])
def test_files_that_cannot_be_read(command, place, file):  # noqa: F811
    (place / file).unlink()
    assert_refused(command(*TRAIN, "-o", "model"), file, "No such file")
    assert names(place) == set()
    (place / file).mkdir()
    assert_refused(command(*TRAIN, "-o", "model"), file)
    assert names(place) == set()


def test_a_pipe_is_read_once(place):
    """Training walks again and again: what can be read once is refused, and nobody waits."""
    (place / "train.en").unlink()
    os.mkfifo(place / "train.en")
    done = subprocess.run(
        [sys.executable, "-m", "rosewood", *TRAIN, "-o", "model"], cwd=place, text=True,
        capture_output=True, check=False, timeout=20,
    )  # fmt: skip
    assert_refused(Done(done.returncode, done.stdout, done.stderr), "train.en")
    assert names(place) == set()


def test_a_file_that_vanished_between_two_runs(command, place, wanted):  # noqa: F811
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    (place / "train.de").rename(place / "gone")
    assert_refused(command(*TRAIN, "-o", "model"), "train.de", "No such file")
    assert contents(place / "model") == wanted
    (place / "gone").rename(place / "train.de")
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert contents(place / "model") == wanted


def test_a_file_that_changed_between_two_runs(command, place, wanted):  # noqa: F811
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


@pytest.fixture
def before_stage(monkeypatch):
    """Something happens before the so many-th stage of the next run."""

    def plan(number: int, what: Callable[[], object], then=training.of_stage) -> None:
        def of_stage(name: str, told):
            nonlocal number
            number -= 1
            if number == 0:
                what()
            return then(name, told)

        monkeypatch.setattr(training, "of_stage", of_stage)

    return plan


@pytest.mark.parametrize("file", ["train.de", "dev.en"])
def test_a_file_that_vanishes_while_it_runs(command, place, wanted, before_stage, file):  # noqa: F811
    data = (place / file).read_bytes()
    before_stage(1, (place / file).unlink)
    assert_refused(command(*TRAIN, "-o", "model", "-q"), file)
    assert names(place) <= {"model.work"}
    (place / file).write_bytes(data)
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert contents(place / "model") == wanted


def test_a_file_that_changes_while_it_runs(command, place, wanted, before_stage):  # noqa: F811
    """Behind the stage that reads it, it does not matter any more: stages read what is kept."""
    before_stage(3, lambda: (place / "train.de").write_text("anders\n" * 100))
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert contents(place / "model") == wanted


def test_a_file_that_changes_between_its_hash_and_its_reading(
    command, place, wanted, before_stage  # noqa: F811
):  # fmt: skip
    """What was read is not what the key is of: the run is refused, and the next one is right."""
    text = (place / "train.de").read_text()
    before_stage(1, lambda: (place / "train.de").write_text(text.replace("die", "dye")))
    assert_refused(command(*TRAIN, "-o", "model", "-q"), "train.de")
    (place / "train.de").write_text(text)
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert contents(place / "model") == wanted


# -- folders that are in use -----------------------------------------------------------------------


def test_the_same_again(command, place, wanted):  # noqa: F811
    assert command(*TRAIN, "-o", "model").code == 0
    before = stage_notes(place / "model.work")
    (place / "model.html").unlink()
    done = command(*TRAIN, "-o", "model")
    assert done.code == 0
    assert contents(place / "model") == wanted
    assert stage_notes(place / "model.work") == before
    assert names(place) == MADE


def test_other_settings_into_the_same_folder(command, place, wanted):  # noqa: F811
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert command(*TRAIN, "-o", "model", "--max-phrase", "2", "-q").code == 0
    assert contents(place / "model") != wanted
    Bundle.verify(place / "model")
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert contents(place / "model") == wanted
    assert names(place) == MADE


def test_a_model_that_was_made_elsewhere(command, place, wanted):  # noqa: F811
    assert command(*TRAIN, "-o", "model", "--max-phrase", "2", "-q").code == 0
    theirs = contents(place / "model")
    assert_refused(command(*TRAIN, "-o", "model", "--work", "mine"), "model", "--overwrite")
    assert contents(place / "model") == theirs
    done = command(*TRAIN, "-o", "model", "--work", "mine", "--overwrite", "-q")
    assert done.code == 0
    assert contents(place / "model") == wanted
    assert_refused(command(*TRAIN, "-o", "model", "--max-phrase", "2"), "--overwrite")
    assert names(place) == {*MADE, "mine"}


def test_a_model_whose_work_folder_is_gone(command, place, wanted):  # noqa: F811
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    shutil.rmtree(place / "model.work")
    assert_refused(command(*TRAIN, "-o", "model"), "model", "--overwrite")
    assert contents(place / "model") == wanted


def test_a_model_that_is_damaged(command, place, wanted):  # noqa: F811
    """It is not known whose it is, so it is left alone; deleted, it is made anew."""
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    for damage in (b"{", b"", b'{"manifest_version": 3}'):
        (place / "model" / "manifest.json").write_bytes(damage)
        for more in ([], ["--overwrite"]):
            assert_refused(command(*TRAIN, "-o", "model", *more), "model", "is it yours?")
        assert (place / "model" / "manifest.json").read_bytes() == damage
        shutil.rmtree(place / "model")
        assert command(*TRAIN, "-o", "model", "-q").code == 0
        assert contents(place / "model") == wanted


def test_files_of_others_in_a_model(command, place, wanted):  # noqa: F811
    """They are never lost, whatever is to become of the model."""
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    (place / "model" / "letter").write_text("dear")
    for more in ([], ["--overwrite"], ["--max-phrase", "2"]):
        assert_refused(command(*TRAIN, "-o", "model", *more), "letter", "move it away")
    assert (place / "model" / "letter").read_text() == "dear"
    (place / "model" / "letter").unlink()
    assert contents(place / "model") == wanted


@pytest.mark.parametrize("damage", ["cut", "changed", "gone"])
def test_a_damaged_model_is_not_taken_for_whole(command, place, wanted, damage):  # noqa: F811
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


def test_a_folder_that_is_no_model(command, place):  # noqa: F811
    (place / "model").mkdir()
    (place / "model" / "letter").write_text("dear")
    for more in ([], ["--overwrite"]):
        assert_refused(command(*TRAIN, "-o", "model", *more), "model", "is it yours?")
    assert names(place) == {"model"}
    (place / "model" / "letter").unlink()
    assert command(*TRAIN, "-o", "model", "-q").code == 0  # an empty folder is nobody's


def test_somebody_elses_page_is_replaced_like_any_output(command, place):  # noqa: F811
    (place / "model.html").write_text("old")
    assert command(*TRAIN, "-o", "model", "-q").code == 0
    assert (place / "model.html").read_text().rstrip().endswith("</html>")


# -- two at once -----------------------------------------------------------------------------------


def waiting(place: Path, moment: int, *more: str) -> subprocess.Popen[str]:
    """A run that waits at the beginning of a stage until it gets a line."""
    process = subprocess.Popen(
        [sys.executable, "-c", AT.format(moment=moment, what=WAIT), *TRAIN, "-o", "model", "-q",
         *more],
        cwd=place, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout.readline() == "begun\n"
    return process


def test_two_at_once_in_one_work_folder(command, place, wanted):  # noqa: F811
    with waiting(place, 4) as first:
        assert_refused(command(*TRAIN, "-o", "model"), "model.work", "another process is at work")
        # another model, the same work folder
        done = command(*TRAIN, "-o", "other", "--work", "model.work")
        assert_refused(done, "model.work", "another process")
        first.communicate("\n")
    assert first.returncode == 0
    assert contents(place / "model") == wanted
    assert names(place) == MADE


def test_two_at_once_in_two_work_folders(command, place, wanted):  # noqa: F811
    """Whoever is first has made the model; the other does not replace it without being told to."""
    with waiting(place, 4, "--max-phrase", "2") as first:
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


def test_another_run_begins_while_a_model_is_put_together(command, place, wanted):  # noqa: F811
    """What a living process writes is not taken for what a killed one left."""
    with subprocess.Popen(
        [sys.executable, "-c", PUTTING_TOGETHER, *TRAIN, "-o", "model", "-q"], cwd=place, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as first:  # fmt: skip
        assert first.stdout.readline() == "begun\n"
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
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(1)  # until it has come


@pytest.mark.parametrize("number", [1, 4, 8])
def test_stopped_from_the_keyboard(command, place, wanted, before_stage, number):  # noqa: F811
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


def test_stopped_in_the_midst_of_tuning(command, place):  # noqa: F811
    """Rounds that were finished are not tuned again."""
    tuning = [*TRAIN, "-o", "model", *flags({"tune": "mert", "rounds": 3})]
    (place / "dev.en").write_bytes((place / "train.en").read_bytes())
    (place / "dev.de").write_bytes((place / "train.de").read_bytes())
    text = "".join((place / "train.de").read_text().splitlines(keepends=True)[::-1])
    (place / "train.de").write_text(text)  # so that no pair is in both
    with subprocess.Popen(
        [sys.executable, "-m", "rosewood", *tuning], cwd=place, text=True, stderr=subprocess.PIPE
    ) as process:
        for line in process.stderr:
            if "round 2" in line or "round 3" in line:
                process.send_signal(signal.SIGINT)
                break
        process.communicate()
    assert process.returncode in (0, 130)
    if process.returncode == 130:
        assert any(path.suffix == ".going" for path in (place / "model.work").iterdir())
    assert command(*tuning, "-q").code == 0
    again = contents(place / "model")
    assert command(*tuning, "-q", "--work", "another", "--overwrite").code == 0
    assert contents(place / "model") == again
