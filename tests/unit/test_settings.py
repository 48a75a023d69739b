"""Settings: checked by type, bounds and choices, read from texts, told in tables."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import pytest
from tests.refusals import refuses

from rosewood.errors import TuningError
from rosewood.settings import Settings, setting, setting_of, settings_of, settings_table
from rosewood.shared_types import PathName


@dataclass(frozen=True)
class Sample(Settings):
    error = TuningError

    rounds: int = setting(6, "Rounds.", low=1, high=99)
    rate: float = setting(0.5, "Step size.", low=0)
    name: str = setting("a", "A choice.", choices=lambda: ("a", "b"))
    is_fast: bool = setting(False, "A flag.")
    limit: int | None = setting(100, "Limit.", low=1)
    jump: int | Literal["auto"] | None = setting("auto", "Jump.", low=0)
    files: tuple[str, ...] = setting((), "Files.")
    more: dict[str, Any] = setting({}, "Others.")
    ages: tuple[int, ...] = setting((), "Numbers.", low=0)
    shares: tuple[float, float] | None = setting((0.5, 1), "Two numbers.", high=1)
    inner: int = 3  # no setting: it has no help


def test_defaults_are_as_they_are_written():
    sample = Sample()
    assert sample.to_dict() == {
        "rounds": 6, "rate": 0.5, "name": "a", "is_fast": False, "limit": 100, "jump": "auto",
        "files": [], "more": {}, "ages": [], "shares": [0.5, 1.0],
    }  # fmt: skip
    assert sample.more is not Sample().more


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("rounds", 0, "argument.range"), ("rounds", 100, "argument.range"),
        ("rounds", 1.0, "argument.type"), ("rounds", True, "argument.type"),
        ("rounds", None, "argument.type"), ("rate", -1, "argument.range"),
        ("rate", float("inf"), "argument.range"), ("rate", "x", "argument.type"),
        ("name", "c", "argument.choice"), ("name", 1, "argument.choice"),
        ("is_fast", 1, "argument.type"), ("limit", 0, "argument.range"),
        ("jump", "never", "argument.type"), ("files", "a", "argument.type"),
        ("files", [1], "argument.type"), ("more", [], "argument.type"),
        ("more", {1: 2}, "argument.type"), ("ages", 1, "argument.type"),
        ("ages", "1", "argument.type"), ("shares", (1,), "argument.type"),
        ("shares", (0, 0, 0), "argument.type"),
    ],
)  # fmt: skip
def test_bad_values(name, value, code):
    with refuses(TuningError, code, argument=name, value=value):
        Sample(**{name: value})


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("ages", -1, "argument.range"), ("ages", 1.0, "argument.type"),
        ("ages", True, "argument.type"), ("ages", None, "argument.type"),
        ("shares", 1.5, "argument.range"), ("shares", "0", "argument.type"),
    ],
)  # fmt: skip
def test_bad_numbers_of_a_list(name, value, code):
    with refuses(TuningError, code, argument=name, value=value):
        Sample(**{name: (0, value)})


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("rounds", "7", 7), ("rate", "1e-3", 0.001), ("name", "b", "b"), ("is_fast", "True", True),
        ("limit", "none", None), ("jump", "auto", "auto"), ("jump", "3", 3), ("jump", "none", None),
        ("ages", "0,3", (0, 3)), ("ages", "0, 3", (0, 3)), ("ages", "7", (7,)), ("ages", "", ()),
        ("shares", "0.5,1", (0.5, 1.0)), ("shares", "none", None),
    ],
)  # fmt: skip
def test_texts(name, text, value):
    assert getattr(Sample.from_values({name: text}), name) == value


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("rounds", "0", "argument.range"), ("rounds", "none", "argument.type"),
        ("rounds", "1.5", "argument.type"), ("is_fast", "maybe", "argument.type"),
        ("name", "c", "argument.choice"), ("jump", "far", "argument.type"),
        ("rate", "nan", "argument.range"), ("rate", "", "argument.type"),
        ("rounds", "1_0", "argument.type"), ("rounds", "١", "argument.type"),
        ("rate", "1_0.5", "argument.type"), ("rate", "١.٥", "argument.type"),
        ("ages", "0,x", "argument.type"), ("ages", "0,-1", "argument.range"),
        ("ages", "1_0", "argument.type"), ("shares", "", "argument.type"),
        ("shares", "1,2", "argument.range"), ("shares", "0,nan", "argument.range"),
    ],
)  # fmt: skip
def test_bad_texts(name, text, code):
    with refuses(TuningError, code, argument=name):
        Sample.from_values({name: text})


def test_names_that_do_not_exist():
    with refuses(TuningError, "argument.unknown", argument="setting", value="round"):
        Sample.from_values({"round": 3})


def test_a_list_becomes_a_tuple():
    assert Sample(files=["a", "b"]).files == ("a", "b")


def test_settings_have_help_and_an_option():
    found = {each.name: each for each in settings_of(Sample)}
    assert "inner" not in found
    assert found["is_fast"].option == "is-fast"
    assert found["jump"].expected == "a whole number from 0, auto, none"
    assert found["name"].choices == ("a", "b")
    assert found["ages"].expected == "a list of whole numbers from 0"
    assert found["shares"].expected == "2 numbers to 1, none"


def test_a_table():
    table = settings_table(Sample).splitlines()
    assert "| `rounds` | 6 | a whole number from 1 to 99 | Rounds. |" in table
    assert "| `limit` | 100 | a whole number from 1, none | Limit. |" in table
    assert "| `shares` | 0.5,1 | 2 numbers to 1, none | Two numbers. |" in table
    assert len(table) == 2 + len(settings_of(Sample))


@dataclass(frozen=True)
class Files(Settings):
    error = TuningError

    one: PathName | None = setting(None, "A file.")
    two: tuple[PathName, PathName] | None = setting(None, "A source and a target.")
    many: tuple[PathName, ...] = setting((), "Files.")


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("one", Path("a/b"), "a/b"), ("one", "./a", "./a"), ("one", None, None),
        ("two", ["a", Path("b")], ("a", "b")), ("two", None, None), ("many", "a", ("a",)),
        ("many", Path("a"), ("a",)), ("many", [Path("a"), "b"], ("a", "b")), ("many", (), ()),
    ],
)  # fmt: skip
def test_paths_become_texts(name, value, wanted):
    assert getattr(Files(**{name: value}), name) == wanted


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("one", 1), ("one", ("a",)), ("two", "a"), ("two", ("a",)), ("two", ("a", "b", "c")),
        ("two", ("a", 1)), ("many", 1), ("many", [1]), ("many", None),
    ],
)  # fmt: skip
def test_bad_paths(name, value):
    with refuses(TuningError, "argument.type", argument=name, value=value):
        Files(**{name: value})


def test_a_file_may_be_called_none():
    assert Files.from_values({"one": "none", "many": "none"}) == Files("none", many=["none"])


def test_how_paths_are_described():
    found = {each.name: (each.kind, each.items, each.length) for each in settings_of(Files)}
    assert found == {
        "one": (PathLike, str, None), "two": (tuple, PathLike, 2), "many": (tuple, PathLike, None),
    }  # fmt: skip
    assert [each.expected for each in settings_of(Files)] == [
        "a path, none", "2 paths, none", "a list of paths",
    ]  # fmt: skip


@dataclass(frozen=True)
class Narrower(Settings):
    error = TuningError

    rounds: int = setting_of(Sample, "rounds")
    jump: int | Literal["auto"] | None = setting_of(Sample, "jump", 2, "Told more.", group="New")


def test_a_setting_of_other_settings():
    assert Narrower() == Narrower(6, 2)
    rounds, jump = settings_of(Narrower)
    assert (rounds.help, rounds.expected) == ("Rounds.", "a whole number from 1 to 99")
    assert (jump.help, jump.facts["group"], jump.facts["low"]) == ("Jump. Told more.", "New", 0)
    with refuses(TuningError, "argument.range", argument="jump", value=-1):
        Narrower(jump=-1)


@dataclass(frozen=True)
class Grouped(Sample):
    group = "Inner"

    one: int = setting(1, "One.")
    two: int = setting(2, "Two.", group="Other")


@dataclass(frozen=True)
class GroupedAgain(Grouped):
    group = "Outer"

    three: int = setting(3, "Three.")


def test_a_field_has_the_group_of_the_class_that_declares_it():
    found = {each.name: each.facts["group"] for each in settings_of(GroupedAgain)}
    names = ("rounds", "one", "two", "three")
    assert [found[name] for name in names] == [None, "Inner", "Other", "Outer"]
