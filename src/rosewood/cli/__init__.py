"""The command `rosewood`: one program, a thin module for each verb.

Results go to standard output, everything else to standard error.  Modules here import nothing heavy
at their top: `rosewood --help` must stay quick.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from rosewood import __version__
from rosewood.cli import (
    align,
    corpus,
    decode,
    demo,
    evaluate,
    extract,
    forest,
    inspect,
    links,
    lm,
    model,
    nbest,
    phrasebook,
    rerank,
    rules,
    sweep,
    text,
    train,
    translate,
    tune,
)
from rosewood.cli.common import warn
from rosewood.errors import RosewoodError

__all__ = ["app", "main"]


@contextmanager
def _stoppable() -> Iterator[None]:
    """Ctrl-C is not an error of the program."""
    try:
        yield
    except KeyboardInterrupt:
        warn("stopped")
        raise typer.Exit(130) from None


class _Program(TyperGroup):
    """All verbs."""

    def make_context(self, *arguments: Any, **more: Any) -> Any:
        with _stoppable():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: Any) -> Any:
        with _stoppable():
            return super().invoke(ctx)


app = typer.Typer(
    name="rosewood",
    cls=_Program,
    help="Train, tune, search and explain log-linear translation models over packed forests.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rosewood {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Options of the program itself."""


app.command("train")(train.train)
app.command("translate")(translate.translate)
app.command("inspect")(inspect.inspect)
app.add_typer(model.app, name="model")
app.command("align")(align.align)
app.command("extract")(extract.extract)
app.command("decode")(decode.decode)
app.command("tune")(tune.tune)
app.command("rerank")(rerank.rerank)
app.command("evaluate")(evaluate.evaluate)
app.command("sweep")(sweep.sweep)
app.add_typer(forest.app, name="forest")
app.add_typer(links.app, name="links")
app.add_typer(lm.app, name="lm")
app.add_typer(rules.app, name="rules")
app.add_typer(nbest.app, name="nbest")
app.add_typer(corpus.app, name="corpus")
app.add_typer(text.app, name="text")
app.command("phrasebook")(phrasebook.phrasebook)
app.command("demo")(demo.demo)


def main() -> None:
    """Run the command; errors raised on purpose are one line and exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # UTF-8 whatever the locale says
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        app()
    except MemoryError:
        print("rosewood: there is not enough memory for this", file=sys.stderr)
        raise SystemExit(1) from None
    except (RosewoodError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            # Whoever read our output has seen enough.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(1) from None
        print(f"rosewood: {_told(error)}", file=sys.stderr)
        raise SystemExit(1) from None


def _told(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)
