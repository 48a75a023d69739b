"""What broke aligners once: settings at their ends, full disks, folders that were tampered with."""

from __future__ import annotations

import errno
import json
import time

import numpy as np
import pytest
from tests.refusals import refuses

from rosewood import _core, disk_arrays
from rosewood.align import ORDERS, Aligner, Diagonal, Hmm, Links, symmetrize
from rosewood.align.lexicon import Lexicon, bitext_of
from rosewood.align.word_similarity import Stems, likeness_of, spelling
from rosewood.corpus import IndexedCorpus
from rosewood.errors import AlignmentError, DamagedFileError
from rosewood.output import whole_file

PAIRS = [("a b c d e f g h i j", "x"), ("a b", "x y"), ("b", "y")]


@pytest.mark.parametrize("tension", [0.0, 4.0, 100.0, 1000.0])
def test_a_steep_diagonal_leaves_places_to_choose_from(tension):
    """One place for ten words: for all but the last it is far off, and still the nearest."""
    aligner = Aligner.fit(PAIRS, Diagonal(tension=tension, learn_tension=False))
    for (source, _), both in zip(PAIRS, aligner.posteriors(PAIRS), strict=True):
        assert np.isfinite(both.forward).all()
        assert np.isfinite(both.backward).all()
        assert (both.backward.sum(axis=1) > 0).all(), source


def test_agreement_needs_rounds_of_the_model_itself():
    """Those of Model 1 count both directions apart: what was saved could not be loaded."""
    with refuses(AlignmentError, "argument.conflict", argument="iterations"):
        Hmm(iterations=0, agreement=True)
    assert Aligner.fit(PAIRS, Hmm(iterations=0)).model.iterations == 0


def test_a_model_is_a_name_or_a_model():
    with refuses(AlignmentError, "argument.type", argument="model", value=3):
        Aligner.fit(PAIRS, 3)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        (("settings",), "x"),
        (("settings",), 7),
        (("tension",), [float("nan"), 4.0]),
        (("tension",), [4.0, -1.0]),
        (("tension",), [4.0]),
        (("history",), []),
        (("history", -1), {}),
        (("history", -1, "round"), float("inf")),
        (("history", -1, "forward"), None),
    ],
)
def test_a_damaged_manifest_is_told_of_when_it_is_loaded(tmp_path, part, value):
    Aligner.fit(PAIRS, "diag").save(tmp_path / "aligner")
    manifest = tmp_path / "aligner" / "aligner.json"
    table = json.loads(manifest.read_text())
    inside = table
    for key in part[:-1]:
        inside = inside[key]
    inside[part[-1]] = value
    manifest.write_text(json.dumps(table))
    with refuses(DamagedFileError, "file.damaged", file=str(manifest)):
        Aligner.load(tmp_path / "aligner")


def test_pairs_out_of_order_are_refused(tmp_path):
    """They are searched by halves: those out of order would not be found, and nobody would know."""
    Aligner.fit([("a", "x y z"), ("b", "y x"), ("c", "x")], "model1").save(tmp_path / "aligner")
    place = tmp_path / "aligner" / "pairs.word"
    words = np.fromfile(place, "<i4")
    assert words.tolist() == [0, 1, 2, 0, 1, 0]
    assert len(Aligner.load(tmp_path / "aligner").lexicon()) == 6
    words[3:5] = 1, 0
    words.tofile(place)
    with refuses(DamagedFileError, "file.damaged", file=str(place)):
        Aligner.load(tmp_path / "aligner")


@pytest.mark.parametrize("value", [-1, 0, 7])
def test_large_arrays_have_their_room_on_disk(monkeypatch, value):
    """Room that is only promised is missed when it is written to, by a signal that kills."""
    monkeypatch.setattr(disk_arrays, "SMALL", 64)
    made = disk_arrays.filled(1001, value, np.int32)
    assert made.tolist() == [value] * 1001
    made[1000] = 5
    assert made[1000] == 5


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


class FullFile:
    write = full

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def test_a_full_disk_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(disk_arrays, "SMALL", 64)
    monkeypatch.setattr("tempfile.TemporaryFile", FullFile)
    monkeypatch.setattr("tempfile.gettempdir", lambda: "/scratch")
    with pytest.raises(OSError, match="/scratch"):
        disk_arrays.filled(1001, 0, np.int32)
    growing = disk_arrays.Growing(np.int32)
    with pytest.raises(OSError, match="/scratch"):
        growing.append(np.zeros(1001, np.int32))
    with pytest.raises(OSError, match=r"out\.pharaoh"), whole_file(tmp_path / "out.pharaoh"):
        full()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_word_with_thousands_of_links_grows_in_reasonable_time():
    """It grows by one link a sweep, and looking for a neighbour once went through all of them."""
    many = 3000
    forward = Links.of([[(0, j) for j in range(many)]])
    backward = Links.of([[(0, many - 1)]])
    begin = time.process_time()
    for order in ORDERS:
        assert symmetrize(forward, backward, "grow-diag", order=order) == forward
    assert time.process_time() - begin < 4  # it was 7 seconds, and is a small part of one


def test_plain_words_are_spelled_and_cut_as_all_others_are():
    """The short way for words without accents is a shortcut, no other rule."""
    words = ["Hause", "HAUSES", "a", "3", "it's", "Éléphant", "élan", "İ"]
    for word in words:
        if word.isascii():
            assert spelling(word) == word.casefold()
    made = Stems.of(words, np.ones(len(words), np.int64), 4)
    assert made.stem[0] == made.stem[1]
    assert made.size == len(words) - 1
    assert Stems.of(words, np.ones(len(words), np.int64), 0).size == len(words)


@pytest.mark.parametrize(
    ("source", "target", "like"),
    [
        ("und", "and", 0.0),  # short words are alike by chance
        ("a", "a", 1.0),
        ("Été", "ete", 1.0),  # neither case nor accents
        ("chat", "chats", 0.5),  # four of five: half way from three fifths to all
        ("haus", "maus", 0.375),
        ("abcde", "abcxy", 0.0),  # three of five
    ],
)
def test_likeness(source, target, like):
    corpus = IndexedCorpus.from_lines([source], [target])
    lexicon = Lexicon.of(bitext_of(corpus))
    found = likeness_of(lexicon, [source], [target])
    assert found.like.max() == pytest.approx(like)
    assert found.source_total[0] == pytest.approx(like)
    assert found.target_total[0] == pytest.approx(like)


def test_earlier_words_are_kept_among_equals():
    """Three words that are the same: all links are as strong, and two are kept."""
    corpus = IndexedCorpus.from_lines(["a a a"], ["b"])
    bitext = bitext_of(corpus)
    lexicon = Lexicon.of(bitext)
    ones = np.ones(1, np.float32)
    model = _core.AlignmentModel(
        lexicon.view, "uniform", (0.1, 0.1), (0.0, 0.0), np.ones(1), np.ones(1), ones, ones, True
    )
    count = np.zeros(len(lexicon), np.int64)
    none = np.zeros(0, np.int64)
    keep = np.full(4, -1, np.int32), np.zeros(1, np.int32), np.zeros(3, np.int32)
    nulls = np.zeros(1, np.int64), np.zeros(1, np.int64)
    _core.align_expect(bitext.view, model, count, *nulls, *keep, none, none, none, none)
    assert keep[0][[0, 2]].tolist() == [0, 1]
    assert keep[0][1] == keep[0][3] > 0
