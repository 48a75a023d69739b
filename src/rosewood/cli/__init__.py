"""The command `rosewood`: one program, one file per verb in `cli/verbs/`.

A verb's file has a docstring, whose first line is its help, and `PLUGIN`: a function with typed
parameters, or a `typer.Typer` of several.  It is imported when the verb is called.  Other packages
add verbs as entry points of the group `rosewood.verbs`.  Results go to standard output, everything
else to standard error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from rosewood import __version__
from rosewood.cli.help_page import CONTEXT, HelpCommand, HelpGroup
from rosewood.errors import RosewoodError
from rosewood.registry import Registry

__all__ = ["VERBS", "app", "error_line", "main", "verb"]

VERBS: Registry[Any] = Registry("rosewood.cli.verbs", "rosewood.verbs", "verb", has=("__call__",))
_SYSTEM = {  # codes of the system's errors
    FileNotFoundError: "file.missing", FileExistsError: "file.exists",
    IsADirectoryError: "file.kind", NotADirectoryError: "file.kind",
    PermissionError: "file.permission",
}  # fmt: skip
_FIRST = ("train", "translate", "inspect", "model", "align", "extract", "decode", "tune")


_UsageError: Any = typer.BadParameter.__bases__[0]  # of the Click that Typer uses
_USAGE = {  # codes of its errors
    "NoSuchOption": "argument.unknown", "UsageError": "argument.unknown",
    "MissingParameter": "argument.missing", "BadOptionUsage": "argument.missing",
}  # fmt: skip
_BAD_VALUES = ("argument.type", "argument.range", "argument.choice", "argument.unknown",
               "argument.value")  # fmt: skip


@contextmanager
def _stoppable() -> Iterator[None]:
    """Ctrl-C is not an error of the program; errors of usage show their codes."""
    try:
        yield
    except _UsageError as error:
        code = getattr(error, "code", _USAGE.get(type(error).__name__, "argument.value"))
        message = error.format_message()
        error.format_message = lambda: f"{message} [{code}]"
        raise
    except KeyboardInterrupt:
        print("rosewood: stopped", file=sys.stderr)
        raise typer.Exit(130) from None


@cache
def verb(name: str) -> Any:
    """The command of a verb, which is imported now."""
    from rosewood.cli.options_from_settings import with_settings

    plugin = VERBS[name]
    try:
        if isinstance(plugin, typer.Typer):
            command: Any = typer.main.get_group(plugin)
        else:
            single = typer.Typer(
                add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
            )
            single.command(name, cls=HelpCommand, context_settings=CONTEXT)(with_settings(plugin))
            command = typer.main.get_command(single)
    except Exception as error:  # a type that cannot be an option
        raise VERBS.broken(name, error) from error
    command.name = name
    return command


class _Program(HelpGroup):
    """All verbs; lists of them are made without importing any."""

    def list_commands(self, ctx: Any) -> list[str]:
        names = VERBS.names()
        return [*(name for name in _FIRST if name in names), *(n for n in names if n not in _FIRST)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in VERBS:
            return None
        try:
            return HelpCommand(cmd_name, help=VERBS.help(cmd_name))
        except RosewoodError as error:  # a broken package must not hide the others
            return HelpCommand(cmd_name, help=str(error))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command if name is None else verb(name), rest

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
    rich_markup_mode=None,
    context_settings=CONTEXT,
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


def main() -> None:
    """Run the command; errors raised on purpose are one line with their code, findings several.

    The exit code is 2 for options that do not exist and values that an option cannot have, typed or
    in a file of options, and 1 for everything else.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # UTF-8 whatever the locale says
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        app()
    except MemoryError:
        print("rosewood: not enough memory [system.memory]", file=sys.stderr)
        raise SystemExit(1) from None
    except (RosewoodError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            # Whoever read our output has seen enough.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(1) from None
        print(f"rosewood: {error_line(error)}", file=sys.stderr)
        raise SystemExit(_exit_code(error)) from None


def _exit_code(error: RosewoodError | OSError) -> int:
    if isinstance(error, RosewoodError) and error.code in _BAD_VALUES:
        is_typed = error.file is None or str(error.argument).startswith("-")
        return 2 if is_typed else getattr(error, "exit_code", 1)
    return getattr(error, "exit_code", 1)


def error_line(error: RosewoodError | OSError) -> str:
    """What is shown of an error: where, what, and its code."""
    if isinstance(error, RosewoodError):
        first, *others = str(error).split("\n", 1)  # several findings are shown with their codes
        return "\n".join([f"{first} [{error.code}]", *others])
    code = next((code for kind, code in _SYSTEM.items() if isinstance(error, kind)), "system.error")
    place = "" if error.filename is None else f"{error.filename}: "
    return f"{place}{error.strerror or error} [{code}]"
