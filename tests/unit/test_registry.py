"""Registries: files of a package and entry points of others, by name."""

from __future__ import annotations

import sys

import pytest
from tests.refusals import refuses

from rosewood.errors import RosewoodError, TuningError
from rosewood.registry import Registry


def install(place, name, points, code="", metadata=True):
    """A package of one module, as an installer leaves it in a folder."""
    (place / f"{name}.py").write_text(code)
    info = place / f"{name}-1.0.dist-info"
    info.mkdir()
    if metadata:
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 1.0\n"
        )
    (info / "entry_points.txt").write_text(f"[sample.things]\n{points}\n")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder on the path, with a package of two files: things of ours."""
    folder = tmp_path / "sample_things"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "_shared.py").write_text("raise AssertionError('not a thing')")
    (folder / "one.py").write_text('"""The first.\n\nMore."""\nPLUGIN = 1\n')
    (folder / "the_second.py").write_text('"""The second."""\nPLUGIN = 2\n')
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [each for each in sys.modules if each.startswith("sample_")]:
        del sys.modules[name]


def things(**more):
    return Registry("sample_things", "sample.things", "thing", TuningError, **more)


@pytest.fixture
def registry(place):
    """Two files, and a package with two entry points of which one is broken."""
    install(
        place,
        "sample_other",
        "third = sample_other:Third\nbroken = sample_nowhere:X",
        'class Third:\n    """The third."""\n',
    )
    return things()


def test_names_and_helps_import_none_of_ours(registry):
    assert registry.names() == ("one", "the-second", "broken", "third")
    assert registry.help("one") == "The first."
    assert registry.help("the-second") == "The second."
    assert not any(name.startswith("sample_things.") for name in sys.modules)


def test_things(registry):
    assert registry["one"] == 1
    assert registry["the-second"] == 2
    assert registry["third"].__name__ == "Third"
    assert registry.help("third") == "The third."
    assert "one" in registry
    assert "four" not in registry


def test_unknown_names(registry):
    with refuses(TuningError, "argument.unknown", argument="thing", value="four"):
        registry["four"]


def test_a_broken_package_is_named(registry):
    with refuses(RosewoodError, "plugin.broken", argument="broken") as refused:
        registry["broken"]
    assert "sample-other" in str(refused.value)
    assert "sample_nowhere" in registry.helps()["broken"]


def test_things_are_added_for_a_while(registry):
    with registry.adding("four", 4), registry.adding("one", "another"):
        assert registry.names() == ("one", "the-second", "broken", "third", "four")
        assert (registry["four"], registry["one"]) == (4, "another")
        assert "four" in registry
    assert registry["one"] == 1
    assert "four" not in registry


def test_broken_files_are_named_and_do_not_hide_others(registry, place, capsys):
    folder = place / "sample_things"
    (folder / "hy-phen.py").write_text('"""Wrongly named."""\nPLUGIN = 1\n')
    (folder / "2x.py").write_text('"""Wrongly named."""\nPLUGIN = 1\n')
    (folder / "empty.py").write_text('"""Nothing in it."""\n')
    (folder / "raises.py").write_text('"""Raises."""\nraise ValueError\n')
    (folder / "exits.py").write_text('"""Exits."""\nraise SystemExit(3)\n')
    strict = things(has=("__name__",))
    names = ("2x", "empty", "exits", "hy-phen", "one", "raises")
    for name in names:
        file = str(folder / f"{name}.py")
        with refuses(RosewoodError, "plugin.broken", argument=name, file=file):
            strict[name]
    assert [name for name, _ in strict.working()] == ["third"]
    told = capsys.readouterr().err
    assert all(f"thing {name!r}" in told for name in (*names, "broken"))
    assert [name for name, _ in strict.working()] == ["third"]
    assert capsys.readouterr().err == ""  # once


LEARNERS = """
from dataclasses import dataclass
from rosewood.learn.learner import Learner
from rosewood.settings import setting

class Duck:
    def fit(self): ...
    @classmethod
    def from_values(cls, values): ...

@dataclass(frozen=True)
class NoFit(Learner):
    tries: int = setting(1, "Tries.")

class Bare(Learner):
    tries: int = setting(1, "Tries.")
    def fit(self, tuning, start, *, seed=0, report=None): ...

@dataclass(frozen=True)
class Good(Learner):
    "A good one."
    def fit(self, tuning, start, *, seed=0, report=None): ...

@dataclass(frozen=True)
class Typed(Good):
    some: set = setting((), "A type that settings do not have.")

made = Good()
"""


@pytest.mark.parametrize("name", ["Duck", "NoFit", "Bare", "Typed", "made"])
def test_classes_of_other_packages_are_checked(place, name):
    points = f"bad = sample_learner:{name}\ngood = sample_learner:Good"
    install(place, "sample_learner", points, LEARNERS)
    learners = things(subclass_of="rosewood.learn.learner:Learner")
    with refuses(RosewoodError, "plugin.broken", argument="bad") as refused:
        learners["bad"]
    assert "sample-learner" in str(refused.value)
    assert learners.help("good") == "A good one."


FORMATS = """'A format.'
from rosewood.corpus.formats import CorpusFormat

class Duck:
    parse = print

GOOD = CorpusFormat(print)
"""


def test_objects_of_other_packages_are_checked(place):
    install(place, "sample_format", "bad=sample_format:Duck\ngood=sample_format:GOOD", FORMATS)
    formats = things(instance_of="rosewood.corpus.formats:CorpusFormat")
    with refuses(RosewoodError, "plugin.broken", argument="bad"):
        formats["bad"]
    assert formats.help("good") == "A format."  # that of its module


def test_packages_that_exit_or_are_damaged_do_no_harm(place, capsys):
    install(place, "sample_exit", "exits = sample_exit", "raise SystemExit")
    install(place, "sample_damaged", "no equals sign")
    install(place, "sample_nameless", "x = y z", metadata=False)
    install(place, "sample_other", "third = sample_other:__name__")
    found = things()
    assert found.names() == ("one", "the-second", "exits", "third", "x")
    assert "sample-damaged" in capsys.readouterr().err
    assert found["third"] == "sample_other"
    for name in ("exits", "x"):
        with refuses(RosewoodError, "plugin.broken", argument=name):
            found[name]
    assert "sample-exit" in found.helps()["exits"]


def test_names_that_are_taken(place, capsys):
    for name in ("sample_a", "sample_b"):
        install(place, name, f"one = {name}\nboth = {name}\nsame = os:sep")
    found = things()
    assert found["one"] == 1  # ours
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 2
    for line in told:
        assert "packages sample-a and sample-b" in line
        assert line.endswith("[plugin.duplicate]")
    with refuses(RosewoodError, "plugin.duplicate", argument="both") as refused:
        found["both"]
    assert "packages sample-a and sample-b" in str(refused.value)
    assert "same" in dict(found.working())  # the same object
    assert "both" not in dict(found.working())


def test_packages_can_be_left_out(registry, monkeypatch):
    monkeypatch.setattr(Registry, "finds_packages", False)
    assert registry.names() == registry.own_names() == ("one", "the-second")


def test_comments_before_the_docstring_are_not_the_help(place):
    folder = place / "sample_things"
    (folder / "late.py").write_text('#!/usr/bin/env python\n# Comment.\n\n"""\nHelp."""\n')
    (folder / "raw.py").write_text('r"""Raw help."""\n')
    assert things().help("late") == "Help."
    assert things().help("raw") == "Raw help."
