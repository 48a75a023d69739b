"""Registries: files of a package and entry points of others, by name."""

from __future__ import annotations

import sys

import pytest
from tests.refusals import refuses

from rosewood.errors import RosewoodError, TuningError
from rosewood.registry import Registry


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """Two files, and a package with three entry points of which one is broken."""
    folder = tmp_path / "sample_things"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "_shared.py").write_text("raise AssertionError('not a thing')")
    (folder / "one.py").write_text('"""The first.\n\nMore."""\nPLUGIN = 1\n')
    (folder / "the_second.py").write_text('"""The second."""\nPLUGIN = 2\n')
    (tmp_path / "sample_other.py").write_text('class Third:\n    """The third."""\n')
    info = tmp_path / "sample_other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sample-other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[sample.things]\nthird = sample_other:Third\nbroken = sample_nowhere:X\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield Registry("sample_things", "sample.things", "thing", TuningError)
    for name in [each for each in sys.modules if each.startswith("sample_")]:
        del sys.modules[name]


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
    assert "cannot be imported" in registry.helps()["broken"]


def test_things_are_added_for_a_while(registry):
    with registry.adding("four", 4), registry.adding("one", "another"):
        assert registry.names() == ("one", "the-second", "broken", "third", "four")
        assert (registry["four"], registry["one"]) == (4, "another")
        assert "four" in registry
    assert registry["one"] == 1
    assert "four" not in registry


def test_broken_things_are_named_and_do_not_hide_others(registry, tmp_path):
    (tmp_path / "sample_things" / "hy-phen.py").write_text('"""Wrongly named."""\nPLUGIN = 1\n')
    (tmp_path / "sample_things" / "empty.py").write_text('"""Nothing in it."""\n')
    strict = Registry("sample_things", "sample.things", "thing", TuningError, has=("__name__",))
    for name in ("hy-phen", "empty", "one"):
        with refuses(RosewoodError, "plugin.broken", argument=name):
            strict[name]
    assert [name for name, _ in strict.working()] == ["third"]
