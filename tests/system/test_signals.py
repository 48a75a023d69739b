"""Ctrl-C at the command: it stops, unless whoever started it has SIGINT ignored."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from tests.decoders import write_models
from tests.processes import IGNORING, LONGEST, started

DECODE = ["decode", "--rules", "rules", "--lm", "lm.rlm", "-q"]
PIPES = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


@pytest.fixture
def decoding(tmp_path):
    """The command, started in some way, that waits for the next line of a pipe."""
    write_models(tmp_path)

    def start(*before):
        program = [*before, sys.executable, "-m", "rosewood", *DECODE]
        return started(program, cwd=tmp_path, text=True, **PIPES)

    return start


def ask(process, line):
    process.stdin.write(line + "\n")
    process.stdin.flush()
    return process.stdout.readline()


def test_ctrl_c_stops_a_command(decoding):
    with decoding() as process:
        assert ask(process, "das haus") == "the house\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LONGEST)
    assert (process.returncode, out) == (130, "")
    assert err.endswith("\nrosewood: stopped\n")
    assert "Traceback" not in err


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix starts the command")
def test_ctrl_c_is_ignored_in_the_background(decoding):
    """As every program of Unix: `rosewood train … &` is not stopped by Ctrl-C at something else."""
    with decoding(*IGNORING) as process:
        assert ask(process, "das haus") == "the house\n"
        process.send_signal(signal.SIGINT)
        assert ask(process, "hallo !") == "hello !\n"
        out, err = process.communicate(timeout=LONGEST)
    assert (process.returncode, out) == (0, "")
    assert "stopped" not in err


def test_tests_set_the_signals_they_need():
    """Whether they run in the foreground or in the background; processes inherit it."""
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
