"""`rosewood extract` that is killed, has no room, or is not alone: the same table in the end."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from tests import forked
from tests.processes import started
from tests.refusals import shows, warns
from tests.system.commands import Done
from tests.system.test_extract_cli import EXTRACT, contents, write_large

pytestmark = pytest.mark.slow

ARGUMENTS = [*EXTRACT, "--threads", "2", "--max-memory", "1M"]
KILLED_AT = """
import os
from rosewood import rules
from rosewood.cli import main

left, extract = {moment}, rules.extract

def tell(*progress):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), 9)

rules.extract = lambda *given, told, **more: extract(*given, told=tell, **more)
main()
"""
KILLED_AFTER = """
import os
import threading
from rosewood import rules
from rosewood.cli import main

extract = rules.extract

def begin(*given, **more):
    clock = threading.Timer({seconds}, os.kill, (os.getpid(), 9))
    clock.daemon = True
    clock.start()
    return extract(*given, **more)

rules.extract = begin
main()
"""
KILLED_BEFORE_REMOVING = """
import os, sys
from rosewood.cli import main

def hook(event, told):
    if event == "os.remove" and str(told[0]).endswith("{name}"):
        os.kill(os.getpid(), 9)

sys.addaudithook(hook)
main()
"""
WITH_ROOM = """
import resource, signal
from rosewood.cli import main

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))
main()
"""
WAITING = """
import sys
from rosewood import rules
from rosewood.cli import main

extract = rules.extract

def tell(*progress):
    print("begun", flush=True)
    sys.stdin.readline()

rules.extract = lambda *given, told, **more: extract(*given, told=tell, **more)
main()
"""


@pytest.fixture
def place(tmp_path):
    write_large(tmp_path, 800)
    return tmp_path


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    """The bytes of tables by the kind of their rules, made without a disturbance."""
    folder = tmp_path_factory.mktemp("wanted")
    write_large(folder, 800)
    made = {}
    for kind, more in KINDS.items():
        assert run(folder, None, *more).returncode == 0
        made[kind] = contents(folder / "rules")
    return made


KINDS = {
    "phrases": ["--significance", "a-e", "--smoothing", "kneser-ney"],
    "plain": [],
    "hierarchical": ["--hierarchical", "--max-span", "5"],
}


def run(place, code, *more, **settings):
    """The command in a process of its own, as it is or changed by some code."""
    changed = None if code is None else code.format(**settings)
    return forked.run([*ARGUMENTS, *more], place=place, code=changed)


def names(place):
    """What there is beside the files that are read; tables that never became one apart."""
    read = {"a.de", "a.en", "links"}
    return sorted({path.name for path in place.iterdir() if path.suffix != ".part"} - read)


@pytest.mark.parametrize(
    ("kind", "moment", "goes_on"),
    [
        ("plain", 1, False),  # of what is told on the way
        ("phrases", 4, True),
        ("plain", 7, True),
        ("hierarchical", 9, True),
        ("phrases", 11, True),
    ],
)
def test_a_command_that_was_killed_goes_on(place, wanted, kind, moment, goes_on):
    killed = run(place, KILLED_AT, *KINDS[kind], moment=moment)
    assert killed.returncode == -9
    assert names(place) == ["rules.work"]
    done = run(place, None, *KINDS[kind])
    assert done.returncode == 0
    assert ("rosewood: rules.work: " in done.stderr) == goes_on
    assert contents(place / "rules") == wanted[kind]
    assert names(place) == ["rules"]


@pytest.mark.parametrize("kind", ["phrases", "hierarchical"])
def test_killed_again_and_again(place, wanted, kind):
    for _ in range(3):
        seconds = random.uniform(0.001, 0.3)
        done = run(place, KILLED_AFTER, *KINDS[kind], seconds=seconds)
        assert done.returncode in (0, -9), (seconds, done.stderr)
        if done.returncode == 0:
            break
        assert set(names(place)) <= {"rules.work", "rules"}
        assert "rules" not in names(place) or contents(place / "rules") == wanted[kind]
    done = run(place, None, *KINDS[kind])
    assert done.returncode == 0, done.stderr
    assert contents(place / "rules") == wanted[kind]
    assert names(place) == ["rules"]


@pytest.mark.parametrize("kind", ["plain", "hierarchical"])
def test_killed_while_a_step_is_done_again(place, wanted, kind):
    """Its file was removed when it was no longer needed; an incomplete one is not taken for it."""
    code = KILLED_BEFORE_REMOVING
    assert run(place, code, *KINDS[kind], name="marginals").returncode == -9
    assert run(place, KILLED_AT, *KINDS[kind], moment=6).returncode == -9  # while it sorts
    done = run(place, None, *KINDS[kind])
    assert done.returncode == 0, done.stderr
    assert contents(place / "rules") == wanted[kind]
    assert names(place) == ["rules"]


def test_other_work_begins_anew(place, wanted):
    assert run(place, KILLED_AT, *KINDS["hierarchical"], moment=9).returncode == -9
    done = run(place, None)
    assert done.returncode == 0
    assert "rules.work" not in done.stderr
    assert contents(place / "rules") == wanted["plain"]
    assert run(place, KILLED_AT, moment=9).returncode == -9
    (place / "a.en").write_text((place / "a.en").read_text().replace("vw5", "vw55"))
    assert contents(place / "rules") == wanted["plain"]  # the old one stays until there is another
    done = run(place, None)
    assert (done.returncode, "rules.work" in done.stderr) == (0, False)
    assert contents(place / "rules") != wanted["plain"]
    assert names(place) == ["rules"]


def test_two_at_once(place, wanted):
    with started(
        [sys.executable, "-c", WAITING, *ARGUMENTS],
        cwd=place, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as first:  # fmt: skip
        assert first.stdout.readline() == "begun\n"
        second = run(place, None)
        elsewhere = run(place, None, "--work", "elsewhere")
        first.communicate("\n" * 100)
    shows(Done(second.returncode, second.stdout, second.stderr), "lock.held", "rules.work: ")
    assert (elsewhere.returncode, first.returncode) == (0, 0)
    assert contents(place / "rules") == wanted["plain"]
    assert names(place) == ["rules"]


@pytest.mark.parametrize("kind", ["phrases", "hierarchical"])
def test_a_full_disk(place, wanted, kind):
    """One line tells where there is no room; when there is, the same command ends well."""
    pytest.importorskip("resource")
    refused = 0
    for room in (4_000, 40_000, 100_000, 200_000):
        done = run(place, WITH_ROOM, *KINDS[kind], "-q", room=room)
        if done.returncode == 0:
            break
        refused += 1
        assert done.returncode == 1
        assert done.stderr.startswith("rosewood: rules")
        assert len(done.stderr.strip().splitlines()) == 1
        assert "large" in done.stderr or "space" in done.stderr
        assert set(names(place)) <= {"rules.work"}
        assert not list(place.glob("*.part"))
    assert refused >= 3
    assert run(place, None, *KINDS[kind]).returncode == 0
    assert contents(place / "rules") == wanted[kind]
    assert names(place) == ["rules"]


def test_it_is_stopped_from_the_keyboard(place, wanted):
    code = KILLED_AT.replace("os.getpid(), 9", "os.getpid(), 2")
    stopped = run(place, code, moment=9)
    assert stopped.returncode == 130
    warns(stopped.stderr, "rules.work")
    warns(stopped.stderr, "stopped")
    done = run(place, None)
    warns(done.stderr, "rules.work")
    assert contents(place / "rules") == wanted["plain"]
    assert names(place) == ["rules"]
