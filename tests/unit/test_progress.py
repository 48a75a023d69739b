"""Progress: lines and bars, and how long the rest will take."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace

import pytest
from tests.processes import at_a_terminal

from rosewood import progress as progress_module
from rosewood.progress import progress, progress_of_parts
from rosewood.svg_text import duration


class Clock:
    """A time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    """Lines at every step, at times that the test decides."""
    made = Clock()
    monkeypatch.setattr(progress_module, "time", SimpleNamespace(monotonic=made.monotonic))
    monkeypatch.setattr(progress_module, "LINE_EVERY", 0.0)
    return made


def told(capsys):
    return [line.removeprefix("rosewood: ") for line in capsys.readouterr().err.splitlines()]


def test_plain_lines_now_and_then(monkeypatch, capsys):
    monkeypatch.setattr(progress_module, "LINE_EVERY", 0.0)
    with progress("reading", total=2000) as step:
        step(1500)
    assert capsys.readouterr().err == "rosewood: reading: 1,500 of 2,000 after 0 s\n"
    with progress("reading", quiet=True) as step:
        step(1500)
    monkeypatch.setattr(progress_module, "LINE_EVERY", 10.0)
    with progress("reading") as step:
        step()
    assert capsys.readouterr() == ("", "")


def test_parts(capsys, clock):
    with progress_of_parts() as tell:
        tell("a", 1, 2)
        tell("a", 2, 2)
        tell("b", 0, 1)
        tell("b", 1, 1)
    assert told(capsys) == ["a: 1 of 2 after 0 s", "a: 2 of 2 after 0 s", "b: 0 of 1 after 0 s",
                            "b: 1 of 1 after 0 s"]  # fmt: skip
    with progress_of_parts(quiet=True) as tell:
        tell("a", 1, 2)
    assert capsys.readouterr().err == ""


def test_the_rest_is_estimated_from_the_pace(capsys, clock):
    with progress("reading", 9000) as step:
        clock.now += 12
        step(1200)
        clock.now += 12
        step(1200)
        clock.now += 66
        step(6600)
    assert told(capsys) == [
        "reading: 1,200 of 9,000 after 12 s, about 78 s left",
        "reading: 2,400 of 9,000 after 24 s, about 66 s left",
        "reading: 9,000 of 9,000 after 90 s",
    ]


def test_nothing_is_estimated_too_early_or_without_a_total(capsys, clock):
    with progress("a", 100) as step:
        clock.now += 2
        step(50)  # two seconds say little
    with progress("b", 100_000) as step:
        clock.now += 50
        step(500)  # so does half a percent
    with progress("c") as step:
        clock.now += 50
        step(50)
    with progress("d", 0) as step:
        clock.now += 50
        step(0)
    with progress("e", 10) as step:
        clock.now += 50
        step(11)
    assert not any("left" in line for line in told(capsys))


def test_what_was_done_before_has_no_pace(capsys, clock):
    with progress_of_parts() as tell:
        tell("rounds", 80, 100)  # at once: these are from the run that was stopped
        clock.now += 60
        tell("rounds", 90, 100)
    assert told(capsys)[-1] == "rounds: 90 of 100 after 60 s, about 60 s left"


def test_the_rest_grows_less_while_nothing_is_told(clock):
    """A bar is drawn again between two steps, however far apart they are."""
    pace = progress_module._Pace(100)
    clock.now += 20
    pace.reached(20, clock.now)
    left = []
    for seconds in (0, 5, 25, 50, 100):
        clock.now += seconds
        left.append(pace.left())
    assert left == [80.0, 75.0, 50.0, 0.0, 0.0]
    pace.reached(80, clock.now)
    assert pace.left() == 50.0


@pytest.mark.parametrize(
    ("pace", "said"),
    [(0.4, "36 s"), (9.0, "14 min"), (2.0, "3 min"), (77.0, "1 h 56 min"), (9000.0, "9 d 9 h")],
)
def test_long_rests_are_rounded(capsys, clock, pace, said):
    with progress("x", 100) as step:
        clock.now += 10 * pace
        step(10)
    expected = told(capsys)[0].partition("about ")[2]
    assert expected == f"{said} left"


def test_durations():
    seconds = [0, 0.4, 99.4, 100, 119.9, 125, 5999, 6000, 7260, 359_999, 360_000, 10**6]
    assert list(map(duration, seconds)) == [
        "0 s", "0 s", "99 s", "1 min 40 s", "2 min", "2 min 5 s", "99 min 59 s", "1 h 40 min",
        "2 h 1 min", "99 h 59 min", "4 d 4 h", "11 d 13 h",
    ]  # fmt: skip


def test_a_bar_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with progress("reading", total=3) as step:
        step(3)
    shown = capsys.readouterr()
    assert "reading" in shown.err
    assert shown.out == ""


@pytest.mark.slow
@pytest.mark.parametrize("wide", [60, 80, 200])
def test_a_bar_fits_its_terminal(wide):
    program = (
        "import time; from rosewood import progress; progress.SOONEST = 0.2; "
        "progress.EARLY = 0\n"
        "with progress.progress_of_parts() as tell:\n"
        "    for i in range(8):\n"
        "        time.sleep(0.1); tell('extracting from pairs', 1_000_000 * i, 9_000_000)\n"
    )
    code, shown = at_a_terminal([sys.executable, "-c", program], columns=wide)
    assert code == 0
    lines = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", shown).replace("\r", "\n").split("\n")
    assert all(len(line) <= min(wide, 100) for line in lines)
    assert any(re.search(r"extracting from pairs .*\d/9000000 \d:\d\d:\d\d \d+ s left", line)
               for line in lines)  # fmt: skip
