"""Translation memories: exact, near-exact and fuzzy matches, folders, damage."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.memories import memory as random_pairs
from tests.refusals import refuses

from rosewood.corpus import Corpus, SentencePair, TextProcessor
from rosewood.corpus.pairs import Origin
from rosewood.errors import CorpusError, DamagedFileError
from rosewood.memory import Memory
from rosewood.memory.slots import exact_form

PROCESSOR = TextProcessor(symbols=True)


def built(*pairs):
    return Memory.build((SentencePair(*pair) for pair in pairs), PROCESSOR)


def test_every_sentence_is_found():
    pairs = random_pairs(400, 3)
    memory = Memory.build((SentencePair(*pair) for pair in pairs), PROCESSOR)
    own = {}
    for source, target in pairs:
        own.setdefault(exact_form(source), []).append(target)
    assert len(memory) == len(own)
    for source, _ in pairs:
        match = memory.best(source)
        assert (match.kind, match.score) == ("exact", 1.0)
        assert match.translation in own[exact_form(source)]


@given(st.text("ab ä\u00a0\t", max_size=8).filter(str.strip))
def test_white_space_and_unicode_form_do_not_matter(text):
    import unicodedata

    memory = built((text, "x"))
    for form in ("NFC", "NFD"):
        other = unicodedata.normalize(form, f"  {text.replace(' ', '   ')}\t")
        assert memory.exact(other).translation == "x"


@pytest.mark.parametrize("other", ["Hallo {b}", "hallo {a}", "Hallo {a}!", "<b>Hallo {a}</b>"])
def test_other_placeholders_tags_and_letters_are_not_exact(other):
    assert built(("Hallo {a}", "Hello {a}")).exact(other) is None


def test_the_most_frequent_translation_then_the_latest():
    memory = built(("a", "x"), ("a", "y"), ("a", "y"), ("b", "1"), ("b", "2"), ("c", "z"))
    assert [(memory.exact(each).translation, memory.exact(each).others) for each in "abc"] == [
        ("y", 1), ("2", 1), ("z", 0)
    ]  # fmt: skip


def test_places():
    pairs = [SentencePair("a", "x", origin=Origin("m.tmx", 7)), SentencePair("b", "y"),
             SentencePair("c", "z", origin=Origin("n.po"))]  # fmt: skip
    memory = Memory.build(pairs)
    assert [memory.exact(each).place for each in "abc"] == ["m.tmx:7", None, "n.po"]


@pytest.mark.parametrize(
    ("source", "target", "text", "translation"),
    [
        ("Hallo {a}!", "Hello {a}!", "Hallo %s!", "Hello %s!"),
        ("{a} in {b}", "in {b} {a}", "{x} in {y}", "in {y} {x}"),
        ("Das <b>Haus</b>", "The <b>house</b>", "Das <i>Haus</i>", "The <i>house</i>"),
        ("%s %s", "%s, %s", "{a} {a}", "{a}, {a}"),
        ("{a} {b}", "{a} and {b}", "%s %d", "%s and %d"),
    ],
)
def test_values_of_the_text_take_the_places_of_others(source, target, text, translation):
    match = built((source, target)).best(text)
    assert (match.kind, match.score, match.translation) == ("near-exact", 1.0, translation)
    assert match.source == source


@pytest.mark.parametrize(
    ("source", "target", "text"),
    [
        ("%s %s", "%s, %s", "{a} {b}"),  # which is which?
        ("{a} {b}", "{b} {a}", "%s %d"),  # their order says what they stand for
        ("%1$s %2$s", "%2$s %1$s", "{} {}"),
        ("Hallo {a}", "Hello", "Hallo {b}"),  # not in the translation
        ("Hallo {a}", "Hello {a} {a}", "Hallo {b}"),
        ("Hallo {a}", "Hello 5{a}", "Hallo %d"),  # no longer a placeholder
        ("Hallo {a}", "Hello {a}", "Hallo <b>"),  # another kind
    ],
)
def test_values_are_not_replaced_where_it_is_not_sure(source, target, text):
    match = built((source, target)).best(text)
    assert match is None or match.kind == "fuzzy"


def test_a_fuzzy_match_with_the_same_words_is_not_exact():
    match = built(("Das <b>Haus</b> da", "The <b>house</b>")).best("Das Haus <b>da</b>")
    assert (match.kind, match.score) == ("fuzzy", 0.99)


def test_fuzzy_matches():
    memory = built(("das Haus ist klein .", "1"), ("das Boot ist klein .", "2"), ("ja .", "3"))
    found = memory.fuzzy("das Auto ist klein .", 0.5, 5)
    assert [(each.kind, each.score, each.translation) for each in found] == [
        ("fuzzy", 0.8, "1"), ("fuzzy", 0.8, "2")
    ]  # fmt: skip
    assert memory.best("das Auto ist klein .", 0.9) is None
    for name, value in (("threshold", 0.0), ("threshold", 1.5), ("most", 0)):
        with refuses(CorpusError, "argument.range", argument=name, value=value):
            memory.fuzzy("x", **{name: value})


def test_pairs_without_text_are_left_out():
    memory = built(("", "x"), ("a", ""), (" ", "y"), ("b", " "))
    assert len(memory) == 0
    assert memory.best("a") is None


def test_from_a_corpus_of_any_format(tmp_path):
    file = tmp_path / "m.po"
    file.write_text('msgid ""\nmsgstr ""\n\nmsgid "Open %s"\nmsgstr "%s öffnen"\n', "utf-8")
    memory = Memory.build(Corpus.read(file), PROCESSOR)
    assert memory.best("Open  %s").place == f"{file}:4"
    assert memory.best("Open %d").translation == "%d öffnen"


# -- folders ---------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    pairs = random_pairs(60, 5)
    Memory.build((SentencePair(*pair) for pair in pairs), PROCESSOR).save(tmp_path / "m")
    return tmp_path / "m"


def test_a_folder_is_the_same_memory_and_the_same_bytes(folder, tmp_path):
    pairs = random_pairs(60, 5)
    memory = Memory.build((SentencePair(*pair) for pair in pairs), PROCESSOR)
    memory.save(tmp_path / "again")
    files = sorted(path.name for path in folder.iterdir())
    assert [(folder / name).read_bytes() for name in files] == [
        (tmp_path / "again" / name).read_bytes() for name in files
    ]
    Memory.verify(folder)
    opened = Memory.open(folder, PROCESSOR)
    assert list(opened) == list(memory)
    for source, _ in pairs:
        assert opened.best(source) == memory.best(source)
        assert opened.fuzzy(source, 0.3, 4) == memory.fuzzy(source, 0.3, 4)


@pytest.mark.parametrize("name", ["source", "key", "postings", "memory.json"])
def test_a_changed_byte_is_noticed(folder, name):
    path = folder / name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(DamagedFileError):
        Memory.verify(folder)


@pytest.mark.parametrize("name", ["target_start", "key_row", "posting_start", "line", "others"])
def test_arrays_that_do_not_fit_together_are_refused(folder, name):
    table = json.loads((folder / "memory.json").read_bytes())
    path = folder / name
    path.write_bytes(path.read_bytes() + bytes(8))
    table["files"][name]["bytes"] += 8
    (folder / "memory.json").write_text(json.dumps(table))
    with refuses(DamagedFileError, "file.damaged", file=str(path)):
        Memory.open(folder)


@pytest.mark.parametrize("value", [-1, 7, 2**31 - 1])
def test_damaged_places_are_refused_where_they_are_used(folder, value):
    texts = [pair.source for pair in Memory.open(folder)]
    for name, kind in {"postings": "<i4", "posting_start": "<i8", "id_start": "<i8",
                       "word_start": "<i8", "ids": "<i4", "key_row": "<i4"}.items():  # fmt: skip
        copy = folder.with_name(f"{name}-{value}")
        shutil.copytree(folder, copy)
        data = np.frombuffer((folder / name).read_bytes(), kind).copy()
        data[1::3] = value
        (copy / name).write_bytes(data.tobytes())
        damaged = Memory.open(copy, PROCESSOR)
        for text in texts:
            with suppress(DamagedFileError):  # and nothing else
                damaged.best(f"{text} ja", 0.3)
                damaged.exact(text)
