"""Every option of every verb: its names, its default and whether it repeats.

A lost option, another name or another default shows as a difference from the golden file.  If it
is wanted, write the file anew: `python -m tests.system.test_options`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer

from rosewood.cli import VERBS, verb

GOLDEN = Path(__file__).parents[1] / "golden" / "options.json"


def commands(command: Any, name: str) -> dict[str, Any]:
    """The command, or those of its group, by what is typed."""
    if not hasattr(command, "list_commands"):
        return {name: command}
    context = typer.Context(command)
    return {
        typed: one
        for each in command.list_commands(context)
        for typed, one in commands(command.get_command(context, each), f"{name} {each}").items()
    }


def option(param: Any) -> dict[str, Any]:
    """What people depend on."""
    names = [*param.opts, *param.secondary_opts]
    shown = param.show_default if isinstance(param.show_default, str) else param.default
    facts: dict[str, Any] = {"names": names if param.param_type_name == "option" else []}
    if shown is not None and shown is not False:
        facts["default"] = str(shown)
    if param.required:
        facts["required"] = True
    if param.nargs != 1 or getattr(param, "multiple", False):
        facts["values"] = "repeated" if getattr(param, "multiple", False) else param.nargs
    return facts


def known() -> dict[str, dict[str, Any]]:
    """All options by verb and name; values without names are arguments."""
    return {
        typed: {each.name: option(each) for each in command.params}
        for name in VERBS.own_names()
        for typed, command in commands(verb(name), name).items()
    }


def written(options: dict[str, Any]) -> str:
    """One option a line."""
    rows = [
        f"{json.dumps(typed)}: {{\n"
        + ",\n".join(f"  {json.dumps(n)}: {json.dumps(facts)}" for n, facts in each.items())
        + "\n}"
        for typed, each in options.items()
    ]
    return "{\n" + ",\n".join(rows) + "\n}\n"


GIVEN = json.loads(GOLDEN.read_bytes()) if GOLDEN.exists() else {}


def test_no_verb_is_lost():
    """New ones may wait until the file is written anew."""
    assert set(GIVEN) <= set(known())


@pytest.mark.parametrize("typed", GIVEN)
def test_options_are_what_they_were(typed):
    assert known()[typed] == GIVEN[typed]


def test_the_golden_file_is_as_it_is_written():
    assert GOLDEN.read_text(encoding="utf-8") == written(GIVEN)


if __name__ == "__main__":
    GOLDEN.write_text(written(known()), encoding="utf-8")
