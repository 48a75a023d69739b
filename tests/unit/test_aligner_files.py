"""Saved aligners that were damaged: an error that names the file, never a crash."""

from __future__ import annotations

import json
import random
import shutil
import zlib
from math import inf, nan

import numpy as np
import pytest
from tests.refusals import refuses

from rosewood.align import MODELS, Aligner, Hmm
from rosewood.errors import DamagedFileError, FormatError, RosewoodError

PAIRS = [("das haus", "the house"), ("das buch", "the book"), ("ein Buch", "a Book"), ("", "x")]
NEW = [("das neue haus", "the new house"), ("buch", "book")]
WORD_KINDS = {
    "words": "|u1", "word_start": "<i8", "frequency": "<i8", "partners": "<i8", "total": "<i8",
    "null": "<i8", "spelling": "<f8", "jump": "<f8",
}  # fmt: skip
KINDS = {
    "pairs.start": "<i8", "pairs.word": "<i4", "pairs.count": "<i8",
    **{f"{side}.{part}": WORD_KINDS[part] for side in ("source", "target") for part in WORD_KINDS},
}  # fmt: skip


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A folder of each model."""
    place = tmp_path_factory.mktemp("aligners")
    for name in MODELS:
        Aligner.fit(PAIRS, name).save(place / name)
    return place


@pytest.fixture
def folder(saved, tmp_path):
    """A copy of `best` to be damaged."""
    return shutil.copytree(saved / "best", tmp_path / "best")


def put(folder, name: str, array) -> None:
    """Another array in a file, with the size and checksum that the manifest says it has."""
    data = np.asarray(array).astype(KINDS[name]).tobytes()
    (folder / name).write_bytes(data)
    table = json.loads((folder / "aligner.json").read_text(encoding="utf-8"))
    table["files"][name] = {"bytes": len(data), "crc32": zlib.crc32(data)}
    (folder / "aligner.json").write_text(json.dumps(table))


def refused(folder, name: str, code: str = "file.damaged", **fields) -> None:
    for way in (Aligner.load, Aligner.verify):
        with refuses(DamagedFileError, code, file=str(folder / name), **fields):
            way(folder)


def test_the_files(saved):
    for name in MODELS:
        found = {path.name for path in (saved / name).iterdir()}
        assert found == {"aligner.json", *KINDS}
        table = json.loads((saved / name / "aligner.json").read_text(encoding="utf-8"))
        assert (table["format"], table["version"], table["model"]) == ("rosewood aligner", 1, name)
        assert table["settings"]["null"] == MODELS[name]().null


@pytest.mark.parametrize("name", KINDS)
def test_files_cut_changed_and_gone(folder, name):
    path, good = folder / name, (folder / name).read_bytes()
    for data in (good[:-1], good[: len(good) // 2], b"", good + b"\0"):
        if data != good:
            path.write_bytes(data)
            refused(folder, name)
    for place in {0, len(good) // 2, len(good) - 1}:
        for bit in (0x01, 0x80):
            path.write_bytes(good[:place] + bytes([good[place] ^ bit]) + good[place + 1 :])
            with refuses(DamagedFileError, "file.changed", file=str(path)):
                Aligner.verify(folder)
    path.unlink()
    refused(folder, name, "file.missing")
    path.write_bytes(good)
    Aligner.verify(folder)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_changed_bytes_never_crash(saved, tmp_path, name):
    """Loaded without looking at checksums, an aligner may be wrong; it still refuses or answers."""
    folder = shutil.copytree(saved / name, tmp_path / name)
    chance = random.Random(name)
    for file in [*KINDS, "aligner.json"]:
        path, good = folder / file, (folder / file).read_bytes()
        for _ in range(12):
            place = chance.randrange(len(good))
            changed = bytes([good[place] ^ chance.randrange(1, 256)])
            path.write_bytes(good[:place] + changed + good[place + 1 :])
            try:
                aligner = Aligner.load(folder)
                aligner.align(NEW)
                list(aligner.posteriors(NEW))
                list(aligner.lexicon())
            except RosewoodError:
                continue
        path.write_bytes(good)


@pytest.mark.parametrize(
    ("name", "change", "code", "fields"),
    [
        ("pairs.start", lambda a: a[::-1], "file.damaged", {"argument": "offsets"}),
        (
            "pairs.start",
            lambda a: [0, *a[1:-1] + 1000, a[-1]],
            "file.damaged",
            {"argument": "order"},
        ),
        ("pairs.start", lambda a: [*a, a[-1]], "file.damaged", {"value": 7, "expected": 6}),
        ("pairs.start", lambda a: [], "file.damaged", {}),
        ("pairs.word", lambda a: a + 100, "file.damaged", {}),
        ("pairs.word", lambda a: a - 1, "file.damaged", {}),
        ("pairs.count", lambda a: a[:-1], "file.damaged", {"value": 4, "expected": 5}),
        ("pairs.count", lambda a: -a, "file.damaged", {"value": None}),
        ("pairs.count", lambda a: a * 0 + (1 << 60), "file.damaged", {"value": None}),
        ("source.words", lambda a: a | 0x80, "file.encoding", {}),
        ("source.words", lambda a: a * 0 + 65, "file.damaged", {}),
        ("source.word_start", lambda a: a + 1, "file.damaged", {"argument": "offsets"}),
        (
            "target.word_start",
            lambda a: [0, *a[2:0:-1], *a[3:]],
            "file.damaged",
            {"argument": "order"},
        ),
        ("target.frequency", lambda a: a[1:], "file.damaged", {"value": 5, "expected": 6}),
        ("target.frequency", lambda a: -a, "file.damaged", {"value": None}),
        ("target.total", lambda a: a - (1 << 40), "file.damaged", {}),
        ("source.null", lambda a: a + (1 << 61), "file.damaged", {}),
        ("target.total", lambda a: a * 0 + (1 << 60), "file.damaged", {}),  # sums run over
        ("source.spelling", lambda a: a * nan, "file.damaged", {}),
        ("source.spelling", lambda a: a + inf, "file.damaged", {}),
        ("source.spelling", lambda a: a - 1, "file.damaged", {}),
        ("target.jump", lambda a: a * 0, "file.damaged", {}),
        ("target.jump", lambda a: a * nan, "file.damaged", {}),
        ("source.jump", lambda a: a[1:], "file.damaged", {}),
        ("source.jump", lambda a: a + 1, "file.damaged", {}),
        ("source.jump", lambda a: [], "file.damaged", {}),
    ],
)
def test_numbers_with_good_checksums(folder, name, change, code, fields):
    """Whoever wrote the file may be wrong, too."""
    good = np.fromfile(folder / name, KINDS[name])
    with np.errstate(all="ignore"):
        put(folder, name, change(good))
    refused(folder, name, code, **fields)


@pytest.mark.parametrize(
    ("facts", "code", "fields"),
    [
        ({"format": "rosewood indexed corpus"}, "file.kind", {}),
        ({"version": 2}, "file.version", {"value": 2}),
        ({"files": {}}, "file.damaged", {"argument": "files"}),
        ({"model": "better"}, "argument.unknown", {"argument": "model", "value": "better"}),
        ({"model": ["best"]}, "argument.unknown", {"argument": "model", "value": ["best"]}),
        ({"model": None}, "argument.unknown", {"argument": "model", "value": None}),
        ({"settings": {"null": 5}}, "argument.range", {"argument": "null", "value": 5}),
        ({"settings": {"nil": 5}}, "argument.unknown", {"value": "nil"}),
        ({"settings": {"null": "NaN"}}, "argument.range", {"argument": "null"}),
        ({"settings": 5}, "file.damaged", {}),
        ({"settings": [1, 2]}, "file.damaged", {}),
        ({"tension": []}, "file.damaged", {}),
        ({"tension": 4}, "file.damaged", {}),
        ({"tension": [nan, 1.0]}, "file.damaged", {}),
        ({"tension": [1.0, -1.0]}, "file.damaged", {}),
        ({"tension": [inf, 1.0]}, "file.damaged", {}),
        ({"tension": [10**400, 1.0]}, "file.damaged", {}),
        ({"history": 3}, "file.damaged", {}),
        ({"history": [3]}, "file.damaged", {}),
    ],
)
def test_foreign_manifests(folder, facts, code, fields):
    table = json.loads((folder / "aligner.json").read_text(encoding="utf-8"))
    (folder / "aligner.json").write_text(json.dumps({**table, **facts}))
    refused(folder, "aligner.json", code, **fields)
    for missing in facts:
        without = {key: value for key, value in table.items() if key != missing}
        (folder / "aligner.json").write_text(json.dumps(without))
        is_head = missing in ("format", "version", "files")
        refused(folder, "aligner.json", "file.kind" if is_head else "file.damaged")


def test_a_corpus_is_no_aligner(folder, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"aligner\.json"):
        Aligner.load(tmp_path / "nowhere")
    (folder / "aligner.json").write_bytes(b"\x93NUMPY")
    refused(folder, "aligner.json", "file.kind")


def test_other_peoples_folders_stay(tmp_path):
    aligner = Aligner.fit(PAIRS, Hmm(iterations=1))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary").write_text("dear diary")
    with refuses(FormatError, "file.exists", expected="aligner.json"):
        aligner.save(tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["diary"]
    aligner.save(tmp_path / "a")
    Aligner.fit(PAIRS, "model1").save(tmp_path / "a")  # one aligner may replace another
    assert Aligner.load(tmp_path / "a").model.name == "model1"


def test_a_setting_that_was_changed_is_found(folder):
    """It may be a good one: only the manifest's own checksum tells."""
    path = folder / "aligner.json"
    text = path.read_text()
    changed = text.replace('"null_prior": 0.001', '"null_prior": 0.002')
    assert changed != text
    path.write_text(changed)
    Aligner.load(folder)
    with refuses(DamagedFileError, "file.changed", file=str(path)):
        Aligner.verify(folder)
