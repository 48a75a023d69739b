"""At a terminal: bars are shown there, and results go where they are sent."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pty = pytest.importorskip("pty")

LINES = "".join(f"w{k % 7} w{k % 5} w{k % 3}\n" for k in range(30_000))


@pytest.fixture
def place(tmp_path):
    (tmp_path / "text").write_text(LINES)
    command = [sys.executable, "-m", "rosewood", "lm", "estimate", "text", "-o", "lm.rlm", "-q"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


def run(place, *arguments, stdout_is_terminal=False):
    """The command with standard error, and perhaps standard output, on a terminal of its own."""
    ours, theirs = pty.openpty()
    with (place / "out").open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "rosewood", *arguments],
            cwd=place, stderr=theirs, stdout=theirs if stdout_is_terminal else out,
            env={**os.environ, "TERM": "xterm"},
        )  # fmt: skip
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 1 << 16)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            shown += piece
    os.close(ours)
    assert process.wait() == 0
    return (place / "out").read_text(), shown.decode()


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
