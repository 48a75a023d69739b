"""What verbs share: standard streams, messages, printing rows and tables."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from rosewood.corpus.standard_streams import lines_to as lines_to
from rosewood.corpus.standard_streams import name_of as name_of
from rosewood.corpus.standard_streams import source_of as source_of
from rosewood.corpus.standard_streams import target_of as target_of
from rosewood.errors import RosewoodError

ModelFolder = Annotated[
    Path, typer.Argument(metavar="MODEL", help="Model folder made by rosewood train.")
]
Output = Annotated[Path, typer.Option("--output", "-o", help="Output file.")]
Kind = type[RosewoodError]


def warn(message: str) -> None:
    """One line for the user, beside the results."""
    print(f"rosewood: {message}", file=sys.stderr)


def conflict(kind: Kind, option: str, other: str, hint: str = "") -> RosewoodError:
    """Two options that exclude each other."""
    message = f"{option} and {other} exclude each other{hint and ': '}{hint}"
    return kind(message, code="argument.conflict", argument=option)


def needs(kind: Kind, what: str, option: str) -> RosewoodError:
    """An option that must be given for something."""
    return kind(f"{what} needs {option}", code="argument.missing", argument=option.split()[0])


def bad_value(kind: Kind, option: str, value: object, expected: str) -> RosewoodError:
    """A value that an option cannot have."""
    message = f"{option} {value}: expected {expected}"
    return kind(message, code="argument.value", argument=option, value=value, expected=expected)


def bad_option(message: str, code: str) -> typer.BadParameter:
    """A value of an option that cannot be read, or that it cannot have."""
    error = typer.BadParameter(message)
    error.code = code  # type: ignore[attr-defined]
    return error


def verify_each(files: Iterable[Path], verify: Callable[[Path], object]) -> None:
    """Checks every file; damaged ones are reported, and make the exit code 1."""
    from rosewood.cli import error_line

    is_good = True
    for file in files:
        try:
            verify(file)
        except (RosewoodError, OSError) as error:
            is_good = False
            warn(error_line(error))
        else:
            print(f"{file}: good")
    if not is_good:
        raise typer.Exit(1)


def print_row(values: dict[str, Any], as_json: bool) -> None:
    """A row of results: JSON, or fields separated by tabs."""
    if as_json:
        print(json.dumps(values, ensure_ascii=False, allow_nan=False))
    else:
        print("\t".join(_cell(v) for v in values.values()))


def print_table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> None:
    """Aligned columns; those with the numbers in `right` are right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def print_settings(what: str, kinds: Iterable[tuple[str, str, type]], as_json: bool) -> None:
    """The settings of classes with their names and help: defaults, values and help of each."""
    from rosewood.settings import settings_of, shown_default

    for number, (name, help, kind) in enumerate(kinds):
        settings = settings_of(kind)
        if as_json:
            rows = [
                {"name": each.name, "default": each.default, "help": each.help,
                 "low": each.facts.get("low"), "high": each.facts.get("high"),
                 "choices": list(each.choices)}
                for each in settings
            ]  # fmt: skip
            print_row({what: name, "settings": rows}, as_json=True)
            continue
        print(f"{chr(10) if number else ''}{name}: {help}")
        print_table(
            [[f"  {each.name}", shown_default(each.default), f"{each.help} ({each.expected})"]
             for each in settings]
        )  # fmt: skip


def named_rows(values: dict[str, Any], prefix: str = "") -> Iterator[list[str]]:
    """Names and values as text; nested names are joined by dots, items of lists by spaces."""
    for name, value in values.items():
        if isinstance(value, dict):
            yield from named_rows(value, f"{prefix}{name}.")
        elif isinstance(value, list | tuple):
            yield [prefix + name, "  ".join(map(_shown, value)) or "none"]
        else:
            yield [prefix + name, _shown(value)]


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return _text(value)


def _cell(value: Any) -> str:
    return _text(value).replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
