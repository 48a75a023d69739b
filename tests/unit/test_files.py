"""ForestSet: what is written is read, and damage is noticed."""

from __future__ import annotations

import os
import pickle
import random
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refuses
from tests.strategies import forests

from rosewood.errors import DamagedFileError, ForestError, RosewoodError
from rosewood.forest import Forest, ForestBuilder, ForestSet, ForestSetWriter, parse_forest
from rosewood.forest.file_layout import SLOT_AT

SAMPLE = [
    parse_forest("dense lm\n0 <- ||| a ||| lm=1 x=2\n1 <- 0 0 ||| [1] b [0] ||| y=1 ||| 4"),
    parse_forest("dense lm\nnode 0 span=0:1 state=3\n0 <- ||| c ||| y=2 x=3\n0 <- ||| d"),
    Forest.empty(features=parse_forest("dense lm\nnode 0").features, vocabulary=None),
]


def written(path, forests=SAMPLE[:2]):
    with ForestSetWriter(path) as out:
        for number, forest in enumerate(forests):
            assert out.append(forest, {"id": f"s{number}", "refs": ["é", None]}) == number
    return path


def stop_while_writing(path, **options):
    """An error in the middle of writing, which must come through."""

    def write():
        with ForestSetWriter(path, **options) as out:
            out.append(SAMPLE[0])
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        write()


@pytest.fixture
def path(tmp_path):
    return written(tmp_path / "set.rwf")


def test_round_trip(path):
    found = ForestSet(path)
    assert len(found) == 2
    for have, want in zip(found, SAMPLE, strict=False):
        assert [have.says(e) for e in range(have.num_edges)] == [
            want.says(e) for e in range(want.num_edges)
        ]
        for edge in range(want.num_edges):
            assert have.edge_features(edge) == want.edge_features(edge)
        assert np.array_equal(have.tail, want.tail)
    assert found.features.names == ["lm", "x", "y"]
    assert found[0].rule.tolist() == [-1, 4]
    assert found[1].span.tolist() == [[0, 1]]
    assert found[1].state.tolist() == [3]
    assert found.info(1) == {"id": "s1", "refs": ["é", None]}
    assert found[-1] == found[1]
    assert [len(part) for part in found.slices(1)] == [1, 1]
    assert found[0:2] == [found[0], found[1]]
    with pytest.raises(IndexError):
        found[2]
    with refuses(ForestError, "argument.range", argument="size", value=0):
        next(found.slices(0))
    found.verify()
    assert "2 forests" in repr(found)
    assert [p.name for p in path.parent.iterdir()] == ["set.rwf"]


def test_arrays_are_mapped_not_copied(path):
    forest = ForestSet(path)[0]
    assert not forest.tail.flags.owndata
    assert not forest.tail.flags.writeable
    assert forest.best(forest.score(np.zeros(3))).text == "a b a"


def test_pickled_by_path(path):
    again = pickle.loads(pickle.dumps(ForestSet(path)))
    assert again[0] == ForestSet(path)[0]
    assert pickle.loads(pickle.dumps(again[0])) == again[0]


def test_append(path):
    for number in range(5):
        with ForestSetWriter(path, mode="append") as out:
            b = ForestBuilder(out.features)
            node = b.node()
            b.edge(node, says=["new", f"w{number}"], features={f"f{number}": 1.0})
            assert out.append(b.build(node)) == 2 + number
        found = ForestSet(path)
        assert len(found) == 3 + number
        found.verify()
        assert found[-1].best([0.0]).text == f"new w{number}"
    assert found[0].best(np.zeros(2)).text == "a b a"
    assert found.info(2) == {}


def test_an_append_that_fails_changes_nothing(path):
    before = path.read_bytes()
    stop_while_writing(path, mode="append")
    assert path.read_bytes()[: len(before)] == before
    assert len(ForestSet(path)) == 2
    ForestSet(path).verify()


def test_killed_while_appending(path, tmp_path):
    """At every length that a killed writer can leave, the file is what it was, or complete."""
    before = path.read_bytes()
    with ForestSetWriter(path, mode="append") as out:
        out.append(SAMPLE[0])
    after = path.read_bytes()
    copy = tmp_path / "copy"
    for length in range(len(before), len(after) + 1, 7):
        # The slot is written last: until then the header is the old one.
        copy.write_bytes(before[:128] + after[128:length])
        found = ForestSet(copy)
        assert len(found) == 2
        found.verify()
    copy.write_bytes(before[:128] + after[128:-5])
    with ForestSetWriter(copy, mode="append") as out:
        out.append(SAMPLE[1])
    assert len(ForestSet(copy)) == 3
    ForestSet(copy).verify()


def test_a_failed_write_leaves_nothing(tmp_path):
    stop_while_writing(tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_what_a_set_refuses(path, tmp_path):
    with ForestSetWriter(path, mode="append") as out:
        with refuses(ForestError, "file.mismatch", argument="features"):
            out.append(Forest.from_nbest(["a"]))
        with refuses(ForestError, "file.mismatch", argument="vocabulary"):
            out.append(SAMPLE[2])
        with refuses(ForestError, "argument.value", argument="info"):
            out.append(SAMPLE[0], {"score": float("nan")})
        if os.name == "posix":
            with refuses(ForestError, "lock.held"):
                ForestSetWriter(path, mode="append")
    assert len(ForestSet(path)) == 2
    with refuses(ForestError, "argument.conflict", argument="features"):
        ForestSetWriter(path, features=SAMPLE[0].features, mode="append")
    with refuses(ForestError, "argument.choice", argument="mode", value="w"):
        ForestSetWriter(tmp_path / "y", mode="w")
    with pytest.raises(FileNotFoundError):
        ForestSet(tmp_path / "missing")
    empty = tmp_path / "none"
    with ForestSetWriter(empty):
        pass
    assert len(ForestSet(empty)) == 0


def test_every_truncation_is_an_error(path):
    data = path.read_bytes()
    for length in range(len(data)):
        path.write_bytes(data[:length])
        code = "file.kind" if length < 128 else "file.damaged"
        with refuses(DamagedFileError, code, file=str(path)):
            ForestSet(path)


def test_every_changed_byte_is_noticed(path):
    """Padding and the older slot may change; everything else is noticed by the time of verify."""
    data = path.read_bytes()
    noticed = 0
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x40]) + data[place + 1 :])
        try:
            found = ForestSet(path)
            found.verify()
            assert found[0].best(np.zeros(2)).text == "a b a"
        except DamagedFileError:
            noticed += 1
    assert noticed > len(data) * 0.6


def test_other_versions_and_other_files(path):
    data = path.read_bytes()
    path.write_bytes(data[:8] + struct.pack("<I", 99) + data[12:])
    with refuses(DamagedFileError, "file.version", value=99):
        ForestSet(path)
    path.write_bytes(b"forest\n0 <- ||| a\n" * 20)
    with refuses(DamagedFileError, "file.kind"):
        ForestSet(path)


def test_a_file_with_right_checksums_and_wrong_forests(path, monkeypatch):
    """Checksums protect against accidents; the forest's own checks protect against the rest."""
    monkeypatch.setattr("rosewood.forest.files.zlib.crc32", lambda data, start=0: 0)
    written(path)
    data = path.read_bytes()
    rng = random.Random(3)
    refused = 0
    for _ in range(400):
        damaged = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            damaged[rng.randrange(128, len(data))] = rng.randrange(256)
        path.write_bytes(bytes(damaged))
        try:
            found = ForestSet(path)
            for forest in found:
                weight = forest.score(np.zeros(len(forest.features)))
                forest.k_best(weight, 5, distinct=True).words()
                forest.inside_outside(weight)
        except RosewoodError:
            refused += 1
    assert refused > 100


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=400))
def test_random_bytes_never_crash(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "random"
    for content in (data, b"RWFOREST\1\0\0\0" + data):
        path.write_bytes(content)
        with refuses(DamagedFileError, "file.kind", file=str(path)):
            ForestSet(path)


@settings(max_examples=20, deadline=None)
@given(some=st.lists(forests(), max_size=4))
def test_any_forests(tmp_path_factory, some):
    path = tmp_path_factory.getbasetemp() / "some"
    written(path, some)
    found = ForestSet(path)
    found.verify()
    for have, want in zip(found, some, strict=True):
        weight = np.zeros(want.num_edges)
        assert np.array_equal(have.inside(weight), want.inside(weight))
        assert have.best(weight).words == want.best(weight).words


def test_checksums_notice_what_is_still_a_forest(path):
    """A changed feature value is a valid number: only the checksum tells."""
    data = path.read_bytes()
    place = data.index(struct.pack("<d", 2.0), 128)  # x=2 of the first forest
    path.write_bytes(data[:place] + struct.pack("<d", 3.0) + data[place + 8 :])
    with refuses(DamagedFileError, "file.damaged"):
        ForestSet(path)[0]


def test_a_damaged_slot_is_noticed(path):
    """Slots take turns: without the one that was written last, something would be missing."""
    for count in (3, 4, 5):
        with ForestSetWriter(path, mode="append") as out:
            out.append(SAMPLE[0])
        data = path.read_bytes()
        newest = max(SLOT_AT[2], key=lambda place: struct.unpack_from("<Q", data, place)[0])
        broken = bytearray(data)
        broken[newest] ^= 0xFF
        copy = path.with_name("copy.rwf")
        copy.write_bytes(bytes(broken))
        for work in (ForestSet, lambda file: ForestSetWriter(file, mode="append")):
            with refuses(DamagedFileError, "file.damaged", file=str(copy)):
                work(copy)
        assert copy.read_bytes() == bytes(broken)
        assert len(ForestSet(path)) == count


def test_a_set_has_tables_of_its_own(tmp_path):
    first, second = (parse_forest(f"0 <- ||| {w} ||| {w}=1") for w in "ab")
    with ForestSetWriter(tmp_path / "x.rwf") as out:
        out.append(first)
        out.append(second)
    assert first.features.names == ["a"]
    assert first.score([2.0]).tolist() == [2.0]
    assert ForestSet(tmp_path / "x.rwf").features.names == ["a", "b"]


def test_offsets_that_wrap_around():
    wrapping = [0, 2**63 - 1, -2, 5]
    for arguments in ((wrapping, [0] * 6, []), ([0, 0, 3], wrapping, [0] * 5)):
        with refuses(ForestError, "argument.value"):
            Forest(*arguments)
