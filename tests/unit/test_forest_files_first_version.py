"""Forest sets of version 1 are read, and the first append makes them version 2.

tests/golden/forest-sets: v1.rwf was written in two steps by the release that wrote version 1, from
the forests of v1.forest, with words; v1-numbers.rwf has a forest whose words are numbers.
"""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from tests.compat.golden_files import GOLDEN
from tests.refusals import refuses

from rosewood.errors import DamagedFileError
from rosewood.forest import ForestSet, ForestSetWriter, read_forests
from rosewood.forest.file_layout import HEADER_SIZE, VERSION_AT

PLACE = GOLDEN / "forest-sets"


def edges_of(forest):
    """Words and features by name of each edge."""
    return [(forest.says(e), forest.edge_features(e)) for e in range(forest.num_edges)]


@pytest.fixture
def path(tmp_path):
    return shutil.copy(PLACE / "v1.rwf", tmp_path / "set.rwf")


def told(path):
    """Everything that a set has."""
    found = ForestSet(path)
    found.verify()
    return [(found[i], found.info(i)) for i in range(len(found))]


def test_it_has_what_was_written(path):
    found = ForestSet(path)
    texts = list(read_forests(PLACE / "v1.forest"))
    assert len(found) == len(texts)
    for have, want in zip(found, texts, strict=True):
        assert edges_of(have) == edges_of(want.forest)
    assert [found.info(i)["id"] for i in range(len(found))] == [each.name for each in texts]
    assert (found.state.version, found.is_compressed) == (1, False)
    assert ForestSet(PLACE / "v1-numbers.rwf").vocabulary is None
    told(PLACE / "v1-numbers.rwf")


def read(path):
    """The same, and what is wrong with a file."""
    try:
        return told(path), None
    except DamagedFileError as error:
        return [], error


@pytest.mark.parametrize("compress", [None, True])
def test_an_append_makes_it_version_2(path, compress):
    before = told(path)
    for number in range(3):
        with ForestSetWriter(path, mode="append", compress=compress) as out:
            forest = before[0][0]
            assert out.append(forest, {"id": f"more{number}"}) == len(before) + number
    found = ForestSet(path)
    assert (found.state.version, found.is_compressed) == (2, bool(compress))
    after = told(path)
    assert [info for _, info in after[: len(before)]] == [info for _, info in before]
    for (have, _), (want, _) in zip(after, [*before, *before[:1] * 3], strict=True):
        assert have == want


def test_killed_in_the_middle_of_it(path, tmp_path):
    """Written is the slot, then the number of the version; between them it is version 1 still."""
    before, first = path.read_bytes(), told(path)
    with ForestSetWriter(path, mode="append") as out:
        out.append(first[0][0])
    after = path.read_bytes()
    copy = tmp_path / "copy.rwf"
    for length in range(len(before), len(after) + 1, 5):
        copy.write_bytes(before[:HEADER_SIZE] + after[HEADER_SIZE:length])
        assert told(copy) == first
    without_version = bytearray(after)
    without_version[VERSION_AT : VERSION_AT + 4] = before[VERSION_AT : VERSION_AT + 4]
    copy.write_bytes(without_version)
    assert told(copy) == first
    with ForestSetWriter(copy, mode="append") as out:  # what was killed is done again
        out.append(first[0][0])
    assert copy.read_bytes() == after
    assert len(told(copy)) == len(first) + 1


def test_damage_is_noticed(path):
    data = path.read_bytes()
    random = np.random.default_rng(1)
    wanted = [(edges_of(each), info) for each, info in told(path)]
    for place in random.integers(0, len(data), 300).tolist():
        changed = bytes([data[place] ^ (1 << int(random.integers(8)))])
        path.write_bytes(data[:place] + changed + data[place + 1 :])
        found, error = read(path)  # all, or those that were there before the append
        assert [(edges_of(each), info) for each, info in found] == wanted[: len(found)]
        assert error is None or error.file == str(path)
    for length in range(0, len(data), 11):
        path.write_bytes(data[:length])
        with refuses(DamagedFileError, "file.kind" if length < 128 else "file.damaged"):
            ForestSet(path)
