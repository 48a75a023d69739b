"""Examples of classifiers: arrays, folders, and what may be wrong with them."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp
from tests.refusals import refuses

from rosewood.errors import DamagedFileError, FormatError, ReorderingError
from rosewood.reorder import Examples


@pytest.fixture
def X():
    random = np.random.default_rng(5)
    return random.integers(0, 3, (20, 7)).astype(float)


def dense(examples):
    found = np.zeros((len(examples), examples.num_features))
    row = np.repeat(np.arange(len(examples)), np.diff(examples.start))
    found[row, examples.feature] = 1 if examples.count is None else examples.count
    return found


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csc_array, sp.coo_matrix])
def test_examples_of_a_matrix(X, kind):
    examples = Examples.of(kind(X), np.arange(20) % 3)
    assert dense(examples).tolist() == X.tolist()
    assert examples.count.dtype == np.uint8
    assert (examples.num_features, examples.num_classes, len(examples)) == (7, 3, 20)


def test_counts_are_kept_as_small_as_they_fit(X):
    assert Examples.of(X > 0).count is None
    assert Examples.of(X / 2).count.dtype == np.float32
    assert Examples.of(-X).count.dtype == np.float32
    twice = sp.csr_matrix(([1.0, 1.0, 2.0], [3, 0, 3], [0, 3]), shape=(1, 7))
    assert dense(Examples.of(twice)).tolist() == [[1, 0, 0, 3, 0, 0, 0]]


@pytest.mark.parametrize("scale", [1, 0.5])
def test_a_folder_has_the_same_examples(X, tmp_path, scale):
    y = np.arange(20) % 3
    examples = Examples.of(X * scale, y)
    examples.save(tmp_path / "x")
    again = Examples.open(tmp_path / "x", threads=2)
    assert dense(again).tolist() == dense(examples).tolist()
    assert again.label().tolist() == y.tolist()
    assert again.num_classes == 3
    part = again.part(5, 9)
    assert dense(part).tolist() == (X * scale)[5:9].tolist()
    assert part.label().tolist() == y[5:9].tolist()
    some = again.take(np.array([3, 1, 19]))
    assert dense(some).tolist() == (X * scale)[[3, 1, 19]].tolist()
    assert some.label().tolist() == y[[3, 1, 19]].tolist()


def test_blocks_are_written_one_after_the_other(X, tmp_path):
    """In any order of features, with repeats instead of counts."""
    with Examples.writer(
        tmp_path / "x", num_classes=3, directions=("backward", "forward")
    ) as writer:
        for begin, end in ((0, 0), (0, 8), (8, 20)):
            rows = [np.repeat(np.arange(7), row.astype(int))[::-1] for row in X[begin:end]]
            start = np.cumsum([0, *map(len, rows)])
            feature = np.concatenate([np.zeros(0, int), *rows])
            label = np.arange(begin, end)
            writer.append(start, feature, {"forward": label % 3, "backward": label % 2})
    examples = Examples.open(tmp_path / "x")
    assert dense(examples).tolist() == X.tolist()
    assert examples.label("forward").tolist() == (np.arange(20) % 3).tolist()
    assert examples.label("backward").tolist() == (np.arange(20) % 2).tolist()
    assert examples.num_features == 7
    with refuses(ReorderingError, "argument.value", argument="y"):
        examples.label()
    with refuses(ReorderingError, "argument.unknown", argument="direction", value="up"):
        examples.label("up")


def test_ones_before_the_first_other_count_are_kept(tmp_path):
    with Examples.writer(tmp_path / "x", num_classes=2, num_features=4) as writer:
        writer.append([0, 2, 3], [0, 1, 2], [0, 1])
        writer.append([0, 1], [3], [1], [200])
        writer.append([0, 1], [1], [1])
    assert dense(Examples.open(tmp_path / "x")).tolist() == [
        [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 200], [0, 1, 0, 0],
    ]  # fmt: skip


def test_what_cannot_be_written_is_refused(tmp_path):
    def write(start, feature, label, count=None, **more):
        with Examples.writer(tmp_path / "x", num_classes=2, **more) as writer:
            writer.append(start, feature, label, count)

    with refuses(ReorderingError, "argument.range", argument="feature"):
        write([0, 1], [4], [0], num_features=4)
    with refuses(ReorderingError, "argument.range", argument="labels"):
        write([0, 1], [3], [2])
    with refuses(ReorderingError, "argument.shape", argument="labels"):
        write([0, 1], [3], [1, 1])
    with refuses(ReorderingError, "argument.shape", argument="start"):
        write([0, 2], [3], [1])
    with refuses(ReorderingError, "argument.range", argument="count"):
        write([0, 1], [3], [1], [0.5])
    with refuses(ReorderingError, "argument.value", argument="count"):
        write([0, 1], [3], [1], [np.inf], has_values=True)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "y").mkdir()
    (tmp_path / "y" / "diary").write_text("mine")
    with refuses(FormatError, "file.exists"), Examples.writer(tmp_path / "y", num_classes=2):
        pass


def damage(path, kind, number, value):
    array = np.fromfile(path, kind)
    array[number] = value
    array.tofile(path)


@pytest.mark.parametrize(
    ("file", "kind", "number", "value"),
    [
        ("start", "<i8", 0, 1), ("start", "<i8", 3, 10**9), ("start", "<i8", -1, 5),
        ("feature", "<i4", 2, -1), ("feature", "<i4", 2, 7), ("feature", "<i4", 1, 0),
        ("value", "<f4", 4, np.nan), ("value", "<f4", 4, np.inf), ("label", "|u1", 9, 3),
    ],
)  # fmt: skip
def test_damaged_files_are_refused(X, tmp_path, file, kind, number, value):
    Examples.of(X / 2 + 0.5, np.arange(20) % 3).save(tmp_path / "x")
    damage(tmp_path / "x" / file, kind, number, value)
    with refuses(DamagedFileError, "file.damaged", argument=file, file=str(tmp_path / "x" / file)):
        Examples.open(tmp_path / "x")


def test_files_that_do_not_fit_are_refused(X, tmp_path):
    place = tmp_path / "x"
    Examples.of(X, np.arange(20) % 3).save(place)
    manifest = place / "examples.json"
    table = json.loads(manifest.read_text())
    for name, value, code in (
        ("examples", 19, "file.mismatch"), ("examples", -1, "file.damaged"),
        ("classes", 1, "file.damaged"), ("features", None, "file.damaged"),
        ("features", 5, "file.damaged"), ("directions", 3, "file.damaged"),
        ("version", 9, "file.version"), ("format", "diary", "file.kind"),
    ):  # fmt: skip
        manifest.write_text(json.dumps({**table, name: value}))
        with refuses(DamagedFileError, code):
            Examples.open(place)
    manifest.write_text(json.dumps(table))
    (place / "feature").write_bytes((place / "feature").read_bytes()[:-4])
    with refuses(DamagedFileError, "file.damaged", file=str(place / "feature")):
        Examples.open(place)
    (place / "feature").unlink()
    with refuses(DamagedFileError, "file.missing", file=str(place / "feature")):
        Examples.open(place)


def test_bad_arrays_are_refused(X):
    start, feature = np.array([0, 2]), np.array([0, 1], np.int32)
    with refuses(ReorderingError, "file.damaged", argument="feature", value=0):
        Examples(start, feature, num_features=1)
    with refuses(ReorderingError, "argument.range", argument="num_classes", value=256):
        Examples(start, feature, num_features=2, num_classes=256)
    with refuses(ReorderingError, "argument.shape", argument="label"):
        Examples(start, feature, {"label": np.zeros(2, np.uint8)}, num_features=2)
    with refuses(ReorderingError, "argument.type", argument="feature"):
        Examples(start, feature / 2, num_features=2)
    with refuses(ReorderingError, "argument.range", argument="feature"):
        Examples(start, feature.astype(int) + 2**40, num_features=2)
    with refuses(ReorderingError, "argument.type", argument="count"):
        Examples(start, feature, num_features=2, count=np.array(["a", "b"]))
    with refuses(ReorderingError, "file.damaged", argument="label", value=0):
        Examples(start, feature, {"label": [2]}, num_features=2)
    with refuses(ReorderingError, "argument.shape", argument="mask"):
        Examples.of(X).with_features(np.ones(3, bool))
    with refuses(ReorderingError, "argument.type", argument="mask"):
        Examples.of(X).with_features(np.ones(7))
    with refuses(ReorderingError, "argument.range", argument="index"):
        Examples.of(X).take(np.array([20]))
    with refuses(ReorderingError, "argument.type", argument="X"):
        Examples.of(np.array([["a"]]))
    with refuses(ReorderingError, "argument.shape", argument="X"):
        Examples.of(np.zeros(3))
    with refuses(ReorderingError, "argument.type", argument="y"):
        Examples.of(X, np.full(20, 0.5))
    with refuses(ReorderingError, "argument.range", argument="y"):
        Examples.of(X, np.full(20, 255))


def test_features_of_a_mask(X):
    mask = np.arange(7) % 2 == 0
    examples = Examples.of(X, np.arange(20) % 3)
    assert dense(examples.with_features(mask)).tolist() == X[:, mask].tolist()
    assert len(examples.with_features(np.zeros(7, bool))) == 20
