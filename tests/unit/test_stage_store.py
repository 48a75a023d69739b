"""Stages by the hash of what decides them: done once, whole or not at all, by one process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256

import pytest
from tests.processes import started
from tests.refusals import refuses

from rosewood.errors import DamagedFileError, FormatError, TrainingError
from rosewood.folders import table_checksum
from rosewood.journal import fingerprint
from rosewood.pipeline.work_store import StagePlace, StageStore, remove_parts

TEXT = "a text\n"


def write(place: StagePlace) -> dict:
    (place.folder / "file").write_text(TEXT)
    return {"lines": 1}


class Counting:
    """Work that tells how often it was done."""

    def __init__(self, facts=None) -> None:
        self.count = 0
        self.facts = facts

    def __call__(self, place: StagePlace) -> dict:
        self.count += 1
        (place.folder / "file").write_text(TEXT)
        return {} if self.facts is None else self.facts


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "model.work"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def done(folder, settings=None, work=write, name="clean"):
    with StageStore(folder) as store:
        return store.run(name, fingerprint(name, settings or {}), work)


def run(store, name, settings, work):
    return store.run(name, fingerprint(name, settings), work)


# -- keys ------------------------------------------------------------------------------------------


def test_a_stage_is_done_once(folder):
    work = Counting({"n": 1})
    first, second = done(folder, work=work), done(folder, work=work)
    assert work.count == 1
    assert (first.was_done, second.was_done) == (False, True)
    assert first.facts == second.facts == {"n": 1}
    assert (first.key, first.folder, first.seconds, first.memory, first.files) == (
        second.key, second.folder, second.seconds, second.memory, second.files,
    )  # fmt: skip
    assert first.folder.name == f"clean-{first.key[:12]}"
    assert names(folder) == [first.folder.name, "lock", "rosewood-training"]
    assert names(first.folder) == ["file", "stage.json"]
    assert first.memory > 1 << 20


def test_what_decides_a_stage(folder):
    with StageStore(folder) as store:
        one = run(store, "clean", {"a": 1, "b": None}, write)
        other = run(store, "clean", {"a": 2, "b": None}, write)
        same = run(store, "clean", {"b": None, "a": 1}, write)
        named = run(store, "tokenise", {"a": 1, "b": None}, write)
    assert same.was_done
    assert same.key == one.key
    assert len({each.key for each in (one, other, named)}) == 3
    assert [each.name for each in store.finished] == ["clean", "clean", "clean", "tokenise"]


def test_what_a_stage_has_written_decides_those_behind_it(folder):
    def files(**texts):
        def work(place):
            for name, text in texts.items():
                (place.folder / name).write_text(text)
            return {}

        return work

    with StageStore(folder) as store:
        one = run(store, "clean", {"a": 1}, files(train="x", dev="y"))
        same = run(store, "clean", {"a": 2}, files(train="x", dev="y"))
        other = run(store, "clean", {"a": 3}, files(train="x", dev="z"))
        moved = run(store, "clean", {"a": 4}, files(train="y", dev="x"))
    assert one.content() == same.content()
    assert len({each.content() for each in (one, other, moved)}) == 3
    assert one.content("train") == other.content("train") != moved.content("train")
    assert one.content("dev") != other.content("dev")
    assert one.content("train", "dev") == one.content()
    assert one.content("no such file") == moved.content("no such file")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1}, {"a": True}), ({"a": 1}, {"a": 1.0}), ({"a": 1}, {"a": "1"}),
        ({"a": None}, {}), ({"a": [1, 2]}, {"a": [2, 1]}), ({"a": "b"}, {"b": "a"}),
        ({"a": {"b": 1}}, {"a": {"b": 2}}),
    ],
)  # fmt: skip
def test_settings_that_differ_by_little(folder, one, other):
    with StageStore(folder) as store:
        keys = {run(store, "clean", each, write).key for each in (one, other)}
    assert len(keys) == 2


def test_whether_a_stage_is_there(folder):
    found = done(folder)
    with StageStore(folder) as store:
        assert store.has("clean", found.key)
        assert not store.has("align", found.key)
        assert not store.has("clean", found.key[:12] + "0" * 52)  # not by its folder alone
        assert not store.has("clean", "")
        assert not store.has("../elsewhere/clean", found.key)


def test_a_folder_of_the_same_name_and_another_key(folder):
    """Keys are told apart by all their letters; what has the name of a folder is replaced."""
    found = done(folder)
    note = json.loads((found.folder / "stage.json").read_text())
    note["key"] = found.key[:12] + "0" * (len(found.key) - 12)
    note["crc32"] = table_checksum(note)
    (found.folder / "stage.json").write_text(json.dumps(note))
    assert not done(folder).was_done
    assert done(folder).was_done


def test_facts_are_values_of_json(folder):
    facts = {"a": [1, 2.5, None, "ü"], "b": {"c": (1, 2)}}
    first = done(folder, work=Counting(facts))
    assert first.facts == done(folder).facts == {"a": [1, 2.5, None, "ü"], "b": {"c": [1, 2]}}


@pytest.mark.parametrize("facts", [{"a": float("nan")}, {"a": object()}, {"a": {1, 2}}])
def test_facts_that_are_none(folder, facts):
    with pytest.raises((ValueError, TypeError)):
        done(folder, work=Counting(facts))
    assert names(folder) == ["lock", "rosewood-training"]
    assert not done(folder).was_done


# -- work that fails or goes on --------------------------------------------------------------------


def test_work_that_fails_leaves_nothing_but_what_it_goes_on_from(folder):
    def fails(place: StagePlace) -> dict:
        (place.folder / "half").write_text("half")
        place.going.mkdir()
        (place.going / "step").write_text("1")
        raise TrainingError("no")

    with refuses(TrainingError, "training"):
        done(folder, work=fails)
    (going,) = (name for name in names(folder) if name.endswith(".going"))
    assert names(folder) == [going, "lock", "rosewood-training"]

    def goes_on(place: StagePlace) -> dict:
        assert (place.going / "step").read_text() == "1"
        assert names(place.folder) == []
        return write(place)

    found = done(folder, work=goes_on)
    assert going == f"{found.folder.name}.going"
    assert names(folder) == [found.folder.name, "lock", "rosewood-training"]


def test_what_one_stage_left_is_not_for_another(folder):
    def fails(place: StagePlace) -> dict:
        place.going.mkdir()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        done(folder, {"a": 1}, work=fails)

    def begins(place: StagePlace) -> dict:
        assert not place.going.exists()
        return write(place)

    assert not done(folder, {"a": 2}, work=begins).was_done


def test_killed_behind_the_end_of_a_stage(folder):
    """A stage took its name, but what it went on from was not deleted: nobody needs it."""
    found = done(folder)
    going = found.folder.with_name(f"{found.folder.name}.going")
    going.mkdir()
    (going / "large").write_bytes(bytes(100))
    assert done(folder).was_done
    assert not going.exists()


@pytest.fixture(scope="module")
def gone():
    """The number of a process that is no more."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_what_killed_processes_left_is_deleted(folder, gone):
    found = done(folder)
    for name in (f"clean-0123456789ab.{gone}-0a1b2c3d.part", f"tune-0123.{gone}-00000000.part"):
        (folder / name / "inner").mkdir(parents=True)
        (folder / name / "inner" / "file").write_text(TEXT)
    (folder / f"lock.{gone}-0a1b2c3d.part").write_text("")
    kept = ("notes.part", f"mine.{gone}-xyz.part", f"clean-1.{gone}-0a1b2c3d.parts")
    for name in kept:
        (folder / name).write_text("not ours")
    assert done(folder).was_done
    assert names(folder) == sorted([found.folder.name, "lock", "rosewood-training", *kept])


def test_only_what_belongs_to_a_name_is_deleted(tmp_path, gone):
    """And only if whoever began to write it is no more."""
    ending = f"{gone}-0a1b2c3d.part"
    left = [f"model.{ending}", f"models.{ending}", f"a.model.{ending}", f"model.x.{ending}",
            f"model.{os.getppid()}-0a1b2c3d.part"]  # fmt: skip
    for name in left:
        (tmp_path / name).mkdir()
    remove_parts(tmp_path, "model")
    assert names(tmp_path) == sorted(left[1:])


# -- what is damaged -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "note",
    ["", "{", "[]", "null", "1", "{}", '{"key": 1}', "ÿþ\x00",
     '{"key": "KEY"}', '{"key": "KEY", "facts": {}, "seconds": 1}', "[" * 100_000],
)  # fmt: skip
def test_a_note_that_is_damaged(folder, note):
    """It is refused with its name; without its folder, the stage is done again."""
    found = done(folder)
    path = found.folder / "stage.json"
    path.write_bytes(note.replace("KEY", found.key).encode("latin-1"))
    with refuses(DamagedFileError, "file.damaged", file=str(path)) as caught:
        done(folder)
    assert "delete its folder" in str(caught.value)
    shutil.rmtree(found.folder)
    assert not done(folder).was_done
    assert done(folder).was_done


@pytest.mark.parametrize(
    ("field", "value"),
    [("facts", None), ("facts", [1]), ("seconds", "long"), ("seconds", None), ("memory", "much"),
     ("files", None), ("files", []), ("files", {"file": 1}), ("files", {"file": {"bytes": 7}}),
     ("files", {"../../outside": {"bytes": 1, "crc32": 1}})],
)  # fmt: skip
def test_a_note_with_a_field_of_another_kind(folder, field, value):
    found = done(folder)
    note = json.loads((found.folder / "stage.json").read_text())
    note[field] = value
    (found.folder / "stage.json").write_text(json.dumps(note))
    with refuses(DamagedFileError, "file.damaged", file=str(found.folder / "stage.json")):
        done(folder)


def test_a_stage_without_its_note_is_done_again(folder):
    found = done(folder)
    (found.folder / "stage.json").unlink()
    with refuses(FormatError, "file.exists", expected="stage.json"):
        done(folder)
    (found.folder / "file").unlink()
    assert not done(folder).was_done


def test_files_of_a_stage_are_checked(folder):
    found = done(folder)
    found.check()
    assert found.files == {"file": sha256(b"a text\n").hexdigest()}
    for damage in ("b text\n", "a text", ""):
        (found.folder / "file").write_text(damage)
        with refuses(DamagedFileError, "file.damaged", file=str(found.folder / "file")):
            found.check()
    (found.folder / "file").unlink()
    with refuses(DamagedFileError, "file.damaged", file=str(found.folder / "file")):
        found.check()
    shutil.rmtree(found.folder)
    again = done(folder)
    assert not again.was_done
    again.check()


# -- whose folder it is ----------------------------------------------------------------------------


def test_a_folder_of_somebody_else(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("dear")
    with refuses(FormatError, "file.exists", file=str(tmp_path / "mine")):
        StageStore(tmp_path / "mine")
    assert names(tmp_path / "mine") == ["letter"]
    (tmp_path / "file").write_text("")
    with refuses(FormatError, "file.exists", file=str(tmp_path / "file")):
        StageStore(tmp_path / "file")
    with refuses(FormatError, "file.missing", file=str(tmp_path / "no" / "work")):
        StageStore(tmp_path / "no" / "work")
    assert not (tmp_path / "no").exists()


def test_an_empty_folder_is_nobodys(tmp_path):
    (tmp_path / "empty").mkdir()
    assert not done(tmp_path / "empty").was_done


def test_a_folder_behind_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "work").symlink_to(tmp_path / "disk")
    assert not done(tmp_path / "work").was_done
    assert done(tmp_path / "disk").was_done


def test_a_link_to_nowhere(tmp_path):
    (tmp_path / "work").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError) as caught:
        StageStore(tmp_path / "work")
    assert caught.value.filename == str(tmp_path / "work")


def test_the_folder_moves(tmp_path):
    first = done(tmp_path / "a")
    (tmp_path / "a").rename(tmp_path / "b")
    second = done(tmp_path / "b")
    assert second.was_done
    assert second.folder == tmp_path / "b" / first.folder.name
    second.check()


WAITING = """
import sys
from rosewood.pipeline.work_store import StageStore

with StageStore("model.work"):
    print("begun", flush=True)
    sys.stdin.readline()
"""


def test_two_at_once(folder):
    with started(
        [sys.executable, "-c", WAITING], cwd=folder.parent, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as first:  # fmt: skip
        assert first.stdout.readline() == "begun\n"
        with refuses(TrainingError, "lock.held"):
            StageStore(folder)
    assert not done(folder).was_done  # a process that is gone holds nothing


def test_the_second_of_two_does_not_touch_what_the_first_has_begun(folder):
    with StageStore(folder):
        part = folder / "clean-0123456789ab.4711-0a1b2c3d.part"
        part.mkdir()
        with refuses(TrainingError, "lock.held"):
            StageStore(folder)
        assert part.exists()


def test_the_lock_is_given_back_when_work_fails(folder):
    def fails(place: StagePlace) -> dict:
        raise TrainingError("no")

    for _ in range(2):
        with refuses(TrainingError, "training"):
            done(folder, work=fails)
    assert not done(folder).was_done
