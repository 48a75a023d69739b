"""Compressed forest sets: what is written is read, and damage is noticed."""

from __future__ import annotations

import pickle
import random
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lists import lattice
from tests.refusals import refuses
from tests.strategies import forests

from rosewood.corpus import Vocabulary
from rosewood.corpus.compression import compressed_bytes, decompressed_bytes
from rosewood.errors import DamagedFileError, ForestError, RosewoodError
from rosewood.forest import FeatureSpace, Forest, ForestSet, ForestSetWriter, parse_forest
from rosewood.forest import file_layout as layout
from rosewood.forest.file_records import BadRecord, check_row, pack_record, unpack_arrays

SAMPLE = [
    parse_forest("dense lm\n0 <- ||| a ||| lm=1 x=2\n1 <- 0 0 ||| [1] b [0] ||| y=1 ||| 4"),
    parse_forest("dense lm\nnode 0 span=0:1 state=3\n0 <- ||| c ||| y=2 x=3\n0 <- ||| d"),
]
INFO = {"id": "s", "refs": ["é a b c " * 30]}  # compressed, it is shorter


def written(path, made=SAMPLE, compress=True, **options):
    with ForestSetWriter(path, compress=compress, **options) as out:
        for forest in made:
            out.append(forest, INFO)
    return path


def same(one: Forest, other: Forest) -> bool:
    return one == other and one.features == other.features and one.vocabulary == other.vocabulary


@pytest.fixture
def path(tmp_path):
    return written(tmp_path / "set.rwf")


@pytest.fixture
def no_checksums(monkeypatch):
    """A file that was made to deceive has the right checksums."""
    monkeypatch.setattr("rosewood.forest.files.zlib.crc32", lambda data, start=0: 0)


def test_a_compressed_set_is_the_plain_one(path, tmp_path):
    plain = ForestSet(written(tmp_path / "plain.rwf", compress=False))
    found = ForestSet(path)
    assert (found.is_compressed, plain.is_compressed) == (True, False)
    for number, want in enumerate(plain):
        for have in (found[number], found.read(number), found[number]):
            assert same(have, want)
            assert not any(
                getattr(have, name).flags.writeable for name in ("tail_start", "dense", "tail")
            )
    assert found.info(1) == plain.info(1) == INFO
    found.verify()
    assert "_map" not in found.__dict__  # nothing is mapped
    assert same(pickle.loads(pickle.dumps(found))[1], plain[1])
    for name in ("num_nodes", "num_edges", "num_values", "num_bytes"):
        assert np.array_equal(getattr(found, name), getattr(plain, name))


def test_the_index_knows_how_large_forests_are(path):
    found = ForestSet(path)
    for number, forest in enumerate(found):
        arrays = [getattr(forest, name) for name in forest.__slots__ if name[0] != "_"]
        size = sum(each.nbytes for each in arrays if isinstance(each, np.ndarray))
        assert found.num_bytes[number] == size
        assert found.num_nodes[number] == forest.num_nodes
        assert found.num_edges[number] == forest.num_edges
        assert found.num_values[number] == forest.dense.size + forest.feat_id.size


def test_forests_without_derivations(tmp_path):
    made = [Forest.empty(features=SAMPLE[0].features, vocabulary=SAMPLE[0].vocabulary), SAMPLE[0]]
    found = ForestSet(written(tmp_path / "set.rwf", made))
    found.verify()
    assert [each.is_empty for each in found] == [True, False]


def test_it_is_smaller(tmp_path):
    space = FeatureSpace(["a", "b", "c"], [f"s:{i}" for i in range(20)])
    words = Vocabulary([f"w{i}" for i in range(12)])
    made = [lattice(number, space, words, length=20)[0] for number in range(5)]
    small = written(tmp_path / "small", made).stat().st_size
    assert small < 0.5 * written(tmp_path / "large", made, compress=False).stat().st_size


def test_same_forests_same_bytes(path, tmp_path):
    assert written(tmp_path / "again.rwf").read_bytes() == path.read_bytes()


@settings(max_examples=20, deadline=None)
@given(some=st.lists(forests(), max_size=4), compress=st.booleans())
def test_any_forests(tmp_path_factory, some, compress):
    path = written(tmp_path_factory.getbasetemp() / "compressed", some, compress)
    found = ForestSet(path)
    found.verify()
    for have, want in zip(found, some, strict=True):
        weight = np.zeros(want.num_edges)
        assert np.array_equal(have.inside(weight), want.inside(weight))
        assert have.best(weight).words == want.best(weight).words


def test_an_append_compresses_as_the_file_does(path, tmp_path):
    plain = written(tmp_path / "plain.rwf", compress=False)
    for file, compress, expected in (
        (path, None, True), (plain, None, False), (plain, True, True), (path, False, False),
    ):  # fmt: skip
        before = file.stat().st_size
        with ForestSetWriter(file, mode="append", compress=compress) as out:
            assert out.compress is expected
            out.append(SAMPLE[0], INFO)
        with ForestSetWriter(file, mode="append", compress=compress) as out:
            out.append(SAMPLE[1], INFO)
        found = ForestSet(file)
        found.verify()
        assert same(found[-1], found[1])
        assert same(found[-2], found[0])
        assert file.stat().st_size > before
    with refuses(ForestError, "argument.type", argument="compress"):
        ForestSetWriter(tmp_path / "new.rwf", compress="zstd")


# -- damage ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("compress", [False, True])
def test_every_changed_byte_is_noticed_or_does_not_matter(tmp_path, compress):
    path = written(tmp_path / "set.rwf", compress=compress)
    written(path, SAMPLE[:1], compress, mode="append")  # two footers
    data = path.read_bytes()
    want = list(ForestSet(path))
    blamed = set()
    for place in range(len(data)):
        changed = bytes([data[place] ^ (1 << place % 8)])
        path.write_bytes(data[:place] + changed + data[place + 1 :])
        found, error = verified(path)
        if error is None:
            assert all(map(same, found, want[: len(found)]))
            # A slot that is damaged, whose other one is whole, is the state before the append.
            assert len(found) == len(want) or place in range(16, 48)
        else:
            code = str(error.code)
            assert (code, error.file) in [
                (each, str(path)) for each in ("file.damaged", "file.version", "file.kind")
            ]
            blamed.add(error.value if code == "file.damaged" else None)
    assert blamed == {None, 0, 1, 2}


def verified(path):
    """The forests of a file, and what is wrong with it."""
    try:
        found = ForestSet(path)
        found.verify()
    except DamagedFileError as error:
        return [], error
    return found, None


def test_every_truncation_is_an_error(path):
    data = path.read_bytes()
    for length in range(len(data)):
        path.write_bytes(data[:length])
        code = "file.kind" if length < 128 else "file.damaged"
        with refuses(DamagedFileError, code, file=str(path)):
            ForestSet(path)


def test_right_checksums_and_wrong_content(path, no_checksums):
    written(path)
    data = path.read_bytes()
    rng = random.Random(5)
    refused = 0
    for _ in range(400):
        damaged = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            damaged[rng.randrange(128, len(data))] = rng.randrange(256)
        path.write_bytes(bytes(damaged))
        try:
            found = ForestSet(path)
            for number, forest in enumerate(found):
                forest.k_best(forest.score(np.zeros(len(forest.features))), 5).words()
                found.info(number)
        except RosewoodError:
            refused += 1
    assert refused > 100


def test_a_frame_has_the_size_that_was_noted():
    data = b"abc" * 1000
    frame = compressed_bytes(data)
    assert decompressed_bytes(frame, 3000) == decompressed_bytes(memoryview(frame), 3000) == data
    assert decompressed_bytes(compressed_bytes(b""), 0) == b""
    for bad, size in (
        (frame, 2999), (frame, 3001), (frame[:-1], 3000), (frame + b"x", 3000), (b"", 0),
        (frame + frame, 3000), (b"abc", 3),
    ):  # fmt: skip
        with pytest.raises(ValueError):
            decompressed_bytes(bad, size)


def test_sizes_that_no_frame_can_have_are_refused():
    """Before anything is allocated."""
    row, arrays, _ = pack_record(SAMPLE[0], b"{}", compress=True)
    check_row(row, 1)
    assert len(unpack_arrays(row, 1, arrays[0])["tail"]) == 2
    for place in (layout.NODES, layout.EDGES, layout.TAILS, layout.SPARSE, layout.SYMBOLS,
                  layout.INFO_SIZE):  # fmt: skip
        huge = list(row)
        huge[place] = 1 << 40
        with pytest.raises(BadRecord):
            check_row(huge, 1)
        less = list(row)
        less[place] += 1
        with pytest.raises(BadRecord):
            unpacked(less, arrays[0])


def unpacked(row, data):
    check_row(row, 1)
    return unpack_arrays(row, 1, data)


def test_hostile_sizes_in_a_file(path, no_checksums):
    written(path)
    row = ForestSet(path)._index[0]
    data = path.read_bytes()
    place = data.index(row.tobytes())
    for column in range(layout.INDEX_WIDTH[2]):
        if column in (layout.CRC, layout.INFO_CRC):
            continue
        for value in (-1, 1 << 30, 1 << 47, 1 << 62, (1 << 63) - 1):
            at = place + 8 * column
            path.write_bytes(data[:at] + struct.pack("<q", value) + data[at + 8 :])
            _, error = verified(path)
            assert error is not None
            assert error.code == "file.damaged"
