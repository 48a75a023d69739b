"""Corpora as numbers: from lines, pairs and files; in folders, whole, damaged and far away."""

from __future__ import annotations

import gzip
import json
import pickle
import time
import zlib
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import real
from tests.refusals import refuses

from rosewood.corpus import IndexedCorpus, Vocabulary
from rosewood.errors import CorpusError, DamagedFileError, FormatError, RosewoodError

SOURCE = ["das haus ist klein", "", "das  ist\tdas haus"]
TARGET = ["the house is small", "", "this is the house"]


def pair(source, target):
    return SimpleNamespace(source=source, target=target)


def sentences(text) -> list[list[str]]:
    return [text.words(number) for number in range(len(text))]


@pytest.fixture
def paths(tmp_path):
    source, target = tmp_path / "s.txt", tmp_path / "t.txt.gz"
    source.write_text("\n".join(SOURCE) + "\n", encoding="utf-8", newline="\n")
    target.write_bytes(gzip.compress("\n".join(TARGET).encode()))
    return source, target


@pytest.fixture
def folder(tmp_path, paths):
    IndexedCorpus.build(tmp_path / "c.idx", source=paths[0], target=paths[1])
    return tmp_path / "c.idx"


def test_from_lines():
    c = IndexedCorpus.from_lines(SOURCE, TARGET)
    assert len(c) == len(c.source) == 3
    assert c.source.ids.tolist() == [0, 1, 2, 3, 0, 2, 0, 1]
    assert c.source.start.tolist() == [0, 4, 4, 8]
    assert (c.source.ids.dtype, c.source.start.dtype) == (np.int32, np.int64)
    assert c.source.lengths.tolist() == [4, 0, 4]
    assert c.source.vocabulary == Vocabulary(["das", "haus", "ist", "klein"])
    assert c.source.num_types == 4
    assert c.target.words(2) == ["this", "is", "the", "house"]
    assert c.target.words(-2) == []
    assert "3 sentence pairs" in repr(c)
    for array in (c.source.ids, c.source.start, c.source.word_bytes, c.source.word_start):
        assert not array.flags.writeable
    with pytest.raises(IndexError):
        c.source.words(3)


def test_every_way_in_gives_the_same(paths, tmp_path):
    pairs = [pair(s, t) for s, t in zip(SOURCE, TARGET, strict=True)]
    cut = [pair(tuple(s.split()), t.split()) for s, t in zip(SOURCE, TARGET, strict=True)]
    ways = [
        IndexedCorpus.from_lines(iter(SOURCE), [line + "\n" for line in TARGET]),
        IndexedCorpus.from_pairs(pairs),
        IndexedCorpus.from_pairs(iter(cut)),
        IndexedCorpus.from_files(*paths),
        IndexedCorpus.build(tmp_path / "a", source=paths[0], target=str(paths[1])),
        IndexedCorpus.build(tmp_path / "b", pairs=iter(pairs)),
        IndexedCorpus.open(tmp_path / "b"),
    ]
    for made in ways:
        for side in ("source", "target"):
            one, other = getattr(made, side), getattr(ways[0], side)
            for name in ("ids", "start", "word_bytes", "word_start"):
                np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    names = sorted(p.name for p in (tmp_path / "a").iterdir())
    assert len(names) == 9
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_no_lines_at_all(tmp_path):
    assert len(IndexedCorpus.from_lines([], [])) == 0
    c = IndexedCorpus.build(tmp_path / "none", pairs=[])
    c.verify()
    assert (len(c), len(c.source.vocabulary)) == (0, 0)


def test_known_words_keep_their_numbers():
    c = IndexedCorpus.from_lines(["haus neu das"], ["x"], known=(["das", "haus"], ["the"]))
    assert c.source.ids.tolist() == [1, 2, 0]
    assert list(c.source.vocabulary) == ["das", "haus", "neu"]
    assert list(c.target.vocabulary) == ["the", "x"]
    with refuses(CorpusError, "argument.duplicate"):
        IndexedCorpus.from_lines([], [], known=(["a", "a"], []))
    with refuses(CorpusError, "argument.value", argument="known"):
        IndexedCorpus.from_lines([], [], known=(["a", ""], []))


WORD = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zs"]), min_size=1, max_size=4)
LINE = st.lists(WORD, max_size=5)


@given(st.lists(LINE, max_size=6))
def test_words_come_back(lines):
    lines = [[word.lstrip("\ufeff") or "x" for word in line] for line in lines]
    c = IndexedCorpus.from_lines([" ".join(line) for line in lines], [""] * len(lines))
    assert sentences(c.source) == lines
    first_seen = list(dict.fromkeys(word for line in lines for word in line))
    assert list(c.source.vocabulary) == first_seen


@pytest.mark.parametrize(
    ("data", "line", "code"),
    [
        (b"a\nb\xff\n", 2, "file.encoding"),
        (b"a\nb\0c", 2, "corpus.control-character"),
        (b"a\rb\n", 1, "corpus.carriage-return"),
        ("\ufeffa\n".encode(), 1, "corpus.byte-order-mark"),
        ("a\nb\ufeff\n".encode(), 2, "corpus.byte-order-mark"),
        ("a\uffff\n".encode(), 1, "corpus.control-character"),
        ("a\ufffe\n".encode(), 1, "corpus.control-character"),
        (b"a\nb\n\nb c " + b"d " * 9, 4, "corpus.too-long"),
        ("a\u0085b".encode(), 1, "corpus.control-character"),
    ],
)
def test_bad_files_tell_the_place(tmp_path, data, line, code):
    bad, good = tmp_path / "bad.txt", tmp_path / "good.txt"
    bad.write_bytes(data)
    good.write_text("x\n" * 4)
    with refuses(FormatError, code, file=str(bad), line=line):
        IndexedCorpus.from_files(good, bad, max_words=10)
    with refuses(FormatError, code, file=str(bad), line=line):
        IndexedCorpus.build(tmp_path / "out", source=bad, target=good, max_words=10)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.txt", "good.txt"]


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ("a\nb", "corpus.line-break"),
        ("a \ud800", "file.encoding"),
        (7, "argument.type"),
        (b"a", "argument.type"),
        (["a b"], "argument.value"),
        (["a", ""], "argument.value"),
        (["a", 3], "argument.type"),
        ("a\x01", "corpus.control-character"),
    ],
)
def test_bad_lines_tell_the_place(bad, code):
    with refuses(FormatError, code, file="target", line=2):
        IndexedCorpus.from_pairs([pair("a", "b"), pair("a", bad)])


def test_arguments_are_checked(tmp_path, paths):
    with refuses(CorpusError, "argument.shape", argument="target", value=2, expected=3):
        IndexedCorpus.from_lines(SOURCE, TARGET[:2])
    with refuses(CorpusError, "argument.type", argument="source", value="abc"):
        IndexedCorpus.from_lines("abc", "abc")
    with refuses(CorpusError, "argument.conflict", argument="pairs"):
        IndexedCorpus.build(tmp_path / "x", source=paths[0])
    with refuses(CorpusError, "argument.conflict", argument="pairs"):
        IndexedCorpus.build(tmp_path / "x", source=paths[0], target=paths[1], pairs=[])
    with refuses(CorpusError, "argument.range", argument="max_words", value=0):
        IndexedCorpus.from_lines([], [], max_words=0)
    with refuses(CorpusError, "corpus.in-memory"):
        IndexedCorpus.from_lines([], []).verify()


def test_unequal_files_tell_both_counts(tmp_path, paths):
    longer = tmp_path / "longer.txt"
    longer.write_text("a\nb\nc\nd\n")
    with refuses(FormatError, "file.mismatch", file=str(paths[1]), line=4) as told:
        IndexedCorpus.from_files(paths[1], longer)
    assert "longer.txt has 4" in str(told.value)


def test_a_million_words_in_a_line(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text("a " * 1_000_000)
    with refuses(FormatError, "corpus.too-long", file=str(path), line=1):
        IndexedCorpus.from_files(path, path)
    assert IndexedCorpus.from_files(path, path, max_words=10**6).source.lengths.tolist() == [10**6]


def test_folders_are_replaced_only_if_they_are_corpora(tmp_path, folder):
    made = IndexedCorpus.build(folder, pairs=[pair("a", "b")])
    assert (len(made), len(IndexedCorpus.open(folder))) == (1, 1)
    mine = tmp_path / "mine"
    mine.mkdir()
    IndexedCorpus.build(mine, pairs=[])
    for path in mine.iterdir():
        path.unlink()
    (mine / "diary.txt").write_text("dear diary")
    with refuses(FormatError, "file.exists", expected="corpus.json", file=str(mine)):
        IndexedCorpus.build(mine, pairs=[])
    assert (mine / "diary.txt").read_text() == "dear diary"


def test_steps_are_told(tmp_path):
    told: list[int] = []
    pairs = [pair("a", "b")] * 10_000
    IndexedCorpus.build(tmp_path / "c", pairs=pairs, step=told.append)
    assert sum(told) == 10_000
    assert len(told) > 1


def test_pickling(folder):
    mapped = IndexedCorpus.open(folder)
    held = IndexedCorpus.from_lines(SOURCE, TARGET)
    for c in (mapped, held):
        again = pickle.loads(pickle.dumps(c))
        assert again.folder == c.folder
        assert sentences(again.target) == [line.split() for line in TARGET]
    assert len(pickle.dumps(mapped)) < 500


def test_damage_is_found(folder):
    """Every file cut short, made longer, or with a byte changed: an error, never a crash."""
    for path in sorted(folder.iterdir()):
        good = path.read_bytes()
        for data in (good[:-2], good + b"\0", b""):
            path.write_bytes(data)
            code = "file.kind" if path.name == "corpus.json" else "file.damaged"
            with refuses(DamagedFileError, code, file=str(path)):
                IndexedCorpus.open(folder)
        for place in range(len(good)):
            path.write_bytes(good[:place] + bytes([good[place] ^ 0x15]) + good[place + 1 :])
            with pytest.raises(DamagedFileError) as told:
                IndexedCorpus.open(folder).verify()
            if path.name != "corpus.json":
                assert told.value.code in ("file.changed", "file.damaged")  # wrong, or impossible
                assert told.value.file == str(path)
        path.write_bytes(good)
    IndexedCorpus.open(folder).verify()
    (folder / "target.ids").unlink()
    with refuses(DamagedFileError, "file.missing", file=str(folder / "target.ids")):
        IndexedCorpus.open(folder)


def test_damage_with_a_matching_checksum_is_found(folder):
    """Whoever writes the file may be wrong, too: ranges are checked whatever the sums say."""
    manifest = json.loads((folder / "corpus.json").read_text())
    for name, (argument, data) in {
        "source.ids": (None, np.array([0, 1, 2, 3, 0, 2, 0, 4], "<i4")),
        "target.ids": (None, np.array([0, 1, 2, 3, 4, 2, 0, -1], "<i4")),
        "source.start": ("order", np.array([0, 5, 4, 8], "<i8")),
        "target.word_start": ("offsets", np.array([0, 3, 8, 10, 15, 20], "<i8")),
    }.items():
        good = (folder / name).read_bytes()
        (folder / name).write_bytes(data.tobytes())
        entry = {"bytes": data.nbytes, "crc32": zlib.crc32(data.tobytes())}
        (folder / "corpus.json").write_text(
            json.dumps({**manifest, "files": {**manifest["files"], name: entry}})
        )
        file = str(folder / name)
        with refuses(DamagedFileError, "file.damaged", argument=argument, file=file):
            IndexedCorpus.open(folder)
        (folder / name).write_bytes(good)
    for change, code in (
        ({"version": 2}, "file.version"),
        ({"format": "other"}, "file.kind"),
        ({"files": []}, "file.damaged"),
        ({"files": {}}, "file.damaged"),
    ):
        (folder / "corpus.json").write_text(json.dumps({**manifest, **change}))
        with refuses(DamagedFileError, code, file=str(folder / "corpus.json")):
            IndexedCorpus.open(folder)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_bytes(data)
    try:
        c = IndexedCorpus.from_files(path, path)
    except RosewoodError:
        return
    text = data.decode()
    assert len(c) == text.count("\n") + (not text.endswith("\n") and text != "")


def test_real_text_is_quick():
    german = real.lines("multi30k-de-en/train.de.gz")
    english = real.lines("multi30k-de-en/train.en.gz")
    begin = time.process_time()
    c = IndexedCorpus.from_lines(german, english)
    seconds = time.process_time() - begin
    assert len(c) == 29_000
    assert " ".join(c.target.words(28_999)) == english[-1]
    assert seconds < 1.5  # it takes a tenth of that
