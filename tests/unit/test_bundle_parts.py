"""Parts of bundles: declared once, opened when asked for, refused where nobody knows them."""

from __future__ import annotations

import json
import shutil
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.bundles import small_bundle
from tests.refusals import refuses

from rosewood.decode import DECODERS, FEATURES, SearchSettings
from rosewood.errors import DamagedFileError, DecodingError
from rosewood.folders import checksums, table_checksum
from rosewood.model import Bundle
from rosewood.model.registry import PARTS, PartType, new_entry, part_types
from rosewood.pipeline import Translator
from rosewood.reorder import REORDERING


@pytest.fixture
def folder(tmp_path):
    return small_bundle(tmp_path / "model", raw=True).folder


def add_part(folder: Path, name: str, entry: dict[str, object]) -> None:
    """A part that some other release wrote."""
    path = folder / "manifest.json"
    table = json.loads(path.read_bytes())
    table["parts"][name] = entry
    table["rosewood"] = "7.8.9"
    table["files"] = {k: v for k, v in checksums(folder).items() if k != "manifest.json"}
    table["crc32"] = table_checksum(table)
    path.write_text(json.dumps(table))


def test_every_type_is_declared_once():
    declared = {(each.name, each.type): each for each in part_types()}
    assert len(declared) == len(part_types())
    assert {name for name, kind in declared if declared[name, kind].required} == {
        "rules", "lm", "weights",
    }  # fmt: skip
    assert all(each.help.endswith(".") for each in part_types())


def test_parts_are_opened_when_they_are_asked_for(folder):
    opened = []

    def watched(kind: PartType) -> PartType:
        return replace(kind, open=lambda part: opened.append(part.name) or kind.open(part))

    everything = tuple(map(watched, part_types()))
    with ExitStack() as stack:
        for name in PARTS.names():
            stack.enter_context(PARTS.adding(name, ()))
        stack.enter_context(PARTS.adding("watched", everything))
        check_opening(folder, opened)


def check_opening(folder: Path, opened: list[str]) -> None:
    bundle = Bundle.open(folder)
    parts = bundle.parts()
    assert list(parts) == [
        "rules", "lm", "weights", "source_text", "target_text", "corpus", "origins",
    ]  # fmt: skip
    assert (len(parts), "guesses" in parts, parts.get("guesses")) == (7, False, None)
    assert opened == []
    assert parts["rules"] is bundle.rules is bundle.part("rules")
    assert opened == ["rules"]
    Translator(bundle).translate("das haus")
    assert sorted(opened) == ["lm", "rules", "source_text", "target_text", "weights"]
    assert bundle.part("guesses") is None
    assert bundle.part("nothing") is None
    with pytest.raises(KeyError, match="nothing"):
        parts["nothing"]


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("trees", {"type": "parse-trees", "path": "trees"}),
        ("rules", {"type": "suffix-arrays", "path": "trees"}),
        ("trees", {"type": "parse-trees", "path": "trees", "optional": False}),
    ],
)
def test_a_part_that_this_release_does_not_know(folder, name, entry):
    """The error names the part, its type, who wrote it and what to do."""
    (folder / "trees").write_text("trees")
    add_part(folder, name, entry)
    for use in (Bundle.open, Bundle.verify, Translator.load):
        with refuses(
            DamagedFileError, "model.part-unknown",
            argument=name, value=entry["type"], file=str(folder / "manifest.json"),
        ) as refused:  # fmt: skip
            use(folder)
        assert "Rosewood 7.8.9" in str(refused.value)


def test_an_optional_part_is_skipped(folder):
    (folder / "trees").write_text("trees")
    add_part(folder, "trees", {"type": "parse-trees", "path": "trees", "optional": True})
    bundle = Bundle.open(folder)
    assert bundle.skipped_parts == ("trees",)
    assert "trees" not in bundle.parts()
    assert bundle.part("trees") is None
    [note] = bundle.notes()
    assert "'trees'" in note
    assert Translator(bundle).translate("Das Haus.")
    Bundle.verify(folder)
    (folder / "trees").write_text("threw")
    with refuses(DamagedFileError, "file.changed", file=str(folder / "trees")):
        Bundle.verify(folder)


@pytest.mark.parametrize(
    ("entry", "code", "argument", "value"),
    [
        ("trees", "file.damaged", "trees.type", None),
        (None, "file.damaged", "trees.type", None),
        ({}, "file.damaged", "trees.type", None),
        ({"type": 3, "path": "trees"}, "file.damaged", "trees.type", None),
        ({"type": "x", "path": 3, "optional": True}, "model.path", "trees", 3),
        ({"type": "x", "path": "../trees", "optional": True}, "model.path", "trees", "../trees"),
        ({"path": "trees"}, "file.damaged", "trees.type", None),
        ({"type": "x", "path": "trees", "optional": "yes"}, "file.damaged", "trees.optional", None),
        ({"type": "x", "path": "trees", "optional": 1}, "file.damaged", "trees.optional", None),
        ({"type": "x", "path": "nowhere", "optional": True}, "file.missing", "trees", "nowhere"),
        ({"type": "x", "paths": {"a": "/etc/passwd"}, "optional": True},
         "model.path", "trees", "/etc/passwd"),
        ({"type": "x", "paths": [], "optional": True}, "file.damaged", "trees.paths", None),
        ({"type": "x", "paths": {}, "optional": True}, "file.damaged", "trees.paths", None),
    ],
)  # fmt: skip
def test_an_entry_that_is_damaged(folder, entry, code, argument, value):
    (folder / "trees").write_text("trees")
    add_part(folder, "trees", entry)
    file = str(folder / "manifest.json")
    with refuses(DamagedFileError, code, argument=argument, value=value, file=file):
        Bundle.open(folder)


@pytest.mark.parametrize("name", ["rules", "lm", "weights"])
def test_an_entry_without_its_path(folder, name):
    table = json.loads((folder / "manifest.json").read_bytes())
    where = "paths" if name == "lm" else "path"
    entry = {key: value for key, value in table["parts"][name].items() if key != where}
    add_part(folder, name, entry)
    with refuses(DamagedFileError, "file.damaged", argument=f"{name}.{where}"):
        Bundle.open(folder)


def test_a_new_type_of_part_is_one_declaration(folder):
    """What a later release, or another package, adds in a module of its own."""
    verified = []
    classes = PartType(
        "classes", "word-classes", "Word classes.",
        open=lambda part: part.path.read_text().split(), verify=verified.append,
    )  # fmt: skip
    with PARTS.adding("classes", classes):
        (folder / "classes.txt").write_text("noun verb")
        add_part(folder, "classes", new_entry("classes", path="classes.txt"))
        bundle = Bundle.open(folder)
        assert bundle.part("classes") == ["noun", "verb"]
        assert bundle.parts()["classes"] is bundle.part("classes")
        Bundle.verify(folder)
        [part] = verified
        assert (part.name, part.entry["type"]) == ("classes", "word-classes")
        assert Translator(bundle).translate("Das Haus.")


@pytest.mark.parametrize(
    ("registry", "ours", "group"),
    [
        (DECODERS, {"phrase"}, "rosewood.decoders"),
        (FEATURES, {"rule-ids", "target-words"}, "rosewood.features"),
        (REORDERING, {"lexicalized"}, "rosewood.reordering"),
        (PARTS, {"rules", "lm", "weights", "text", "reorder"}, "rosewood.parts"),
    ],
)
def test_registries_have_our_files_and_a_group_of_entry_points(registry, ours, group):
    assert ours <= set(registry.names())
    assert registry.group == group
    assert all(registry.helps().values())


def test_reordering_models_are_named_in_a_part(folder):
    class Marks:
        """Nothing known of any order."""

        name, kind, classes, directions = "marks", "word", "msd", ("forward",)

        @classmethod
        def of(cls, table):
            return cls()

        def columns(self, table):
            return None

        def log_probabilities(self, options):
            return np.zeros((len(options), 3))

    plain = Bundle.open(folder).parts()
    assert "reorder" not in plain
    entry = new_entry("reorder", values=["lexicalized", "marks"])
    with REORDERING.adding("marks", Marks):
        add_part(folder, "reorder", entry)
        parts = Bundle.open(folder).parts()
        decoder = DECODERS["phrase"].make(parts, settings=SearchSettings())
    assert [each.name for each in decoder.reorder] == ["marks"]  # the table has no orientations
    assert "marks_forward_swap" in decoder.features.dense
    with refuses(DecodingError, "argument.unknown", argument="reordering model", value="marks"):
        DECODERS["phrase"].make(parts, settings=SearchSettings())
    add_part(folder, "reorder", {**entry, "values": "marks"})
    with refuses(DamagedFileError, "file.damaged", argument="reorder", value="marks"):
        Bundle.verify(folder)


def test_there_is_no_such_part():
    with pytest.raises(ValueError, match="nothing"):
        new_entry("nothing", path="nothing")
    with pytest.raises(ValueError, match="lm"):
        new_entry("lm", path="lm.rlm")


def test_a_required_part_is_missing(folder):
    path = folder / "manifest.json"
    whole = path.read_bytes()
    for name in ("rules", "lm", "weights"):
        table = json.loads(whole)
        table["parts"].pop(name)
        path.write_text(json.dumps(table))
        with refuses(DamagedFileError, "model.part-missing", argument=name):
            Bundle.open(folder)


def test_only_the_parts_are_read_that_translating_needs(folder, tmp_path):
    """A model without its corpus on disk still translates if it was opened before."""
    translator = Translator.load(folder)
    shutil.rmtree(folder / "corpus")
    assert translator.translate("Das Haus.")
