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


@pytest.mark.slow
@pytest.mark.parametrize("attempt", range(3))
def test_ctrl_c_stops_a_command(decoding, attempt):
    """Its thread that reads lines waits for another one, which never comes."""
    with decoding() as process:
        assert ask(process, "das haus") == "the house\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LONGEST)
    assert (process.returncode, out) == (130, "")
    assert err.endswith("\nrosewood: stopped\n")
    assert "Traceback" not in err


STOPPED = """
import signal, sys
from unittest import mock
from rosewood.__main__ import main

def stop(*_, **__):
    signal.raise_signal(signal.SIGINT)
    raise AssertionError("Ctrl-C has no effect")

if "{name}" == "import":
    sys.meta_path.insert(0, mock.Mock(find_spec=stop))
else:
    mock.patch("{name}", stop).start()
sys.argv = ["rosewood", "lm", "--help"]
main()
"""


@pytest.mark.parametrize(
    "name",
    [
        "import", "typer.main.get_command", "typer.core.TyperGroup.make_context",
        "typer.core.TyperGroup.invoke",
    ],
)  # fmt: skip
def test_ctrl_c_before_a_command_works(name):
    """While modules are imported, options are made and read, and the command begins."""
    done = subprocess.run(
        [sys.executable, "-c", STOPPED.format(name=name)], text=True, capture_output=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "rosewood: stopped\n")


@pytest.mark.slow
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
