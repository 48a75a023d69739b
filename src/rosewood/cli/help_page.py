"""The text of `--help`: options in groups, in the width of the terminal.

Typer's own pages draw boxes with Rich, which takes longer to import than all else that `--help`
needs.
"""

from __future__ import annotations

import os
import re
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

_DEFAULT = re.compile(r"\[default: \((.*)\)(?=[;\]])")  # without the brackets around a text
_HYPHEN = "\u2011"  # at which no line is broken
WIDTH = 100  # characters of a line at most
CONTEXT = {"max_content_width": WIDTH}


def _name(text: str) -> str:
    return text if "NO_COLOR" in os.environ else typer.style(text, fg="cyan")


def _section(formatter: Any, title: str, rows: list[tuple[str, str]]) -> None:
    if rows:
        with formatter.section(
            title if "NO_COLOR" in os.environ else typer.style(title, bold=True)
        ):
            # Names with hyphens stay whole, so that they can be found and copied.
            formatter.write_dl([(_name(a), b.replace("-", _HYPHEN)) for a, b in rows])
            formatter.buffer[:] = [line.replace(_HYPHEN, "-") for line in formatter.buffer]


def _write_options(command: Any, ctx: Any, formatter: Any) -> None:
    """Arguments, options without a group, then each group."""
    groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
    for each in command.get_params(ctx):
        if (row := each.get_help_record(ctx)) is not None:
            kind = "Arguments" if each.param_type_name == "argument" else "Options"
            group = getattr(each, "rich_help_panel", None) or kind
            groups.setdefault(group, []).append((row[0], _DEFAULT.sub(r"[default: \1", row[1])))
    for title, rows in groups.items():
        _section(formatter, title, rows)


class HelpCommand(TyperCommand):
    """A command with such a page."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _write_options(self, ctx, formatter)


class HelpGroup(TyperGroup):
    """A group of commands with such a page."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _write_options(self, ctx, formatter)
        rows = []
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            text = (command.help or "").strip() if command is not None else ""
            rows.append((name, " ".join(text.split("\n\n")[0].split())))
        _section(formatter, "Commands", rows)
