"""At a terminal: bars are shown there, and results go where they are sent."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.processes import at_a_terminal

pytestmark = pytest.mark.slow

LINES = "".join(f"w{k % 7} w{k % 5} w{k % 3}\n" for k in range(30_000))


@pytest.fixture
def place(tmp_path):
    (tmp_path / "text").write_text(LINES)
    command = [sys.executable, "-m", "rosewood", "lm", "estimate", "text", "-o", "lm.rlm", "-q"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


def run(place, *arguments, stdout_is_terminal=False):
    """The command with standard error, and perhaps standard output, on a terminal of its own."""
    program = [sys.executable, "-m", "rosewood", *arguments]
    with (place / "out").open("wb") as out:
        where = "terminal" if stdout_is_terminal else out
        code, shown = at_a_terminal(program, cwd=place, stdout=where)
    assert code == 0
    return (place / "out").read_text(), shown


def test_results_go_to_a_file(place):
    out, shown = run(place, "lm", "query", "lm.rlm", "text", "--words")
    assert len(out.splitlines()) == 5 * 30_000
    assert "w1\t" not in shown
    out, _ = run(place, "text", "detokenise", "text")
    assert len(out.splitlines()) == 30_000


def test_results_go_to_the_terminal_whole(place):
    _, shown = run(place, "lm", "query", "lm.rlm", "text", stdout_is_terminal=True)
    rows = [line for line in shown.replace("\r", "").split("\n") if line.count("\t") == 2]
    assert len(rows) == 30_000
    assert not any("\x1b" in row for row in rows[1:])
