"""The command `rosewood` within this process: quick, and an error that nobody caught is seen."""

from __future__ import annotations

import io
import sys
from functools import cache
from typing import NamedTuple

import pytest
from typer.main import get_command

from rosewood import cli


class Done(NamedTuple):
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str


@cache
def built():
    """All verbs, whose options take longer to make than most tests."""
    return get_command(cli.app)


@pytest.fixture
def command(monkeypatch, capsys):
    """Runs the command with some arguments and standard input."""

    monkeypatch.setattr(cli, "app", built())

    def run(*arguments, text: str = "") -> Done:
        monkeypatch.setattr(sys, "argv", ["rosewood", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        capsys.readouterr()
        try:
            cli.main()
            code = 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        said = capsys.readouterr()
        return Done(code, said.out, said.err)

    return run


@pytest.fixture
def run(command):
    """What the command prints; it must end with this exit code."""

    def runs(*arguments, code: int = 0, text: str = "") -> str:
        done = command(*arguments, text=text)
        assert done.code == code, done.err
        return done.out if code == 0 else done.err

    return runs
