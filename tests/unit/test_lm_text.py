"""Text on its way into a model: what is refused, what is skipped, which words are kept."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pytest
from tests.refusals import refuses

from rosewood.errors import DamagedFileError, FormatError, LanguageModelError
from rosewood.lm import estimate, estimate_files


def unigrams(found):
    return found.words.list()


def test_files_are_read_one_behind_the_other(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other.gz"
    one.write_text("a b\n\na")  # without a line feed at its end
    other.write_bytes(gzip.compress(b"c a\n"))
    found = estimate_files([one, other], 2)
    assert found.facts["sentences"] == 4
    assert found.facts["tokens"] == 5
    same = estimate(["a b", "", ["a"], "c a\n"], 2)
    assert same.facts == found.facts
    assert all(
        np.array_equal(x, y)
        for n in (1, 2)
        for x, y in zip(found.table.columns(n), same.table.columns(n), strict=True)
    )


def test_a_stream_is_read():
    found = estimate_files([io.BytesIO(b"a b\nb\n")], 2)
    assert unigrams(found) == ["<unk>", "<s>", "</s>", "b", "a"]


def test_words_are_numbered_by_frequency_then_by_arrival():
    found = estimate(["z y x y", "w z z"], 1)
    assert unigrams(found)[3:] == ["z", "y", "x", "w"]


@pytest.mark.parametrize(
    ("data", "line", "code"),
    [
        (b"a\n\xff\n", 2, "file.encoding"),
        (b"a\nb <s> c\n", 2, "lm.sentence-mark"),
        (b"a </s>\n", 1, "lm.sentence-mark"),
        (b"a\n\x00\n", 2, "corpus.control-character"),
        (b"\xef\xbb\xbfa\n", 1, "corpus.byte-order-mark"),
    ],
)
def test_bad_lines_are_refused_with_their_place(tmp_path, data, line, code):
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"good\nlines\n")
    second.write_bytes(data)
    with refuses(FormatError, code, file=str(second), line=line):
        estimate_files([first, second], 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "second"]


def test_bad_lines_are_skipped_and_counted_where_that_is_asked_for(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"a\n\xff\nb\n")
    second.write_bytes(b"<s>\na b\n" + b"\x01\n" * 9)
    found = estimate_files([first, second], 2, skip_bad=True)
    assert found.skipped.count == 11
    assert len(found.skipped.examples) == 5
    assert found.skipped.examples[0].startswith(f"{first}:2: it is not UTF-8")
    assert found.skipped.examples[1].startswith(f"{second}:1: the word <s>")
    assert found.facts["sentences"] == 3
    assert found.facts["skipped_lines"] == 11
    assert found.facts["tokens"] == 4


def test_unknown_words_of_a_text_are_counted_as_such():
    found = estimate(["a <unk> a", "<unk> b"], 2)
    assert unigrams(found) == ["<unk>", "<s>", "</s>", "a", "b"]
    assert found.facts["unknown_tokens"] == 2
    assert found.table.columns(1)[2][0] > found.table.columns(1)[2][4]  # <unk> and b


def test_vocabulary_can_be_limited():
    text = ["a a a b b c", "a b d"]
    for options in ({"max_vocabulary": 2}, {"cutoffs": (1,)}, {"vocabulary": ["b", "a"]}):
        found = estimate(text, 2, **options)
        assert unigrams(found) == ["<unk>", "<s>", "</s>", "a", "b"]
        assert found.facts["unknown_tokens"] == 2
        same = estimate(["a a a b b <unk>", "a b <unk>"], 2, cutoffs=options.get("cutoffs", ()))
        for n in (1, 2):
            for x, y in zip(found.table.columns(n), same.table.columns(n), strict=True):
                assert np.array_equal(x, y)


def test_listed_words_that_do_not_occur_are_known_all_the_same():
    found = estimate(["a b"], 2, vocabulary=["z", "a", "<unk>"])
    assert unigrams(found) == ["<unk>", "<s>", "</s>", "a", "z"]
    p = 10.0 ** found.table.columns(1)[2]
    assert np.isclose(p.sum() - 1, 1.0)  # <s> has 1 by convention
    assert 0 < p[4] < p[3]


def test_small_texts_fall_back_and_say_so():
    found = estimate(["a"], 3)
    assert [each.order for each in found.fallbacks] == [1, 2, 3]
    assert "none has the count" in str(found.fallbacks[0])
    assert found.facts["discounts"] == [[0.5, 1.0, 1.5]] * 3
    other = estimate(["a"], 3, fallback=(0.9, 1, 1))
    assert other.facts["discounts"][0] == [0.9, 1, 1]


@pytest.mark.parametrize("text", [[], iter(())])
def test_no_text_is_refused(text):
    with refuses(LanguageModelError, "lm.no-sentences"):
        estimate(text, 2)


def test_an_empty_file_is_refused(tmp_path):
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    with refuses(LanguageModelError, "lm.no-sentences") as refused:
        estimate_files([empty], 2, work=tmp_path / "work")
    assert str(empty) in str(refused.value)
    assert not (tmp_path / "work").exists()


def test_lines_without_words_are_sentences():
    found = estimate(["", ""], 3)
    assert found.table.size(2) == 1  # <s> </s>


def test_a_line_of_a_million_words(tmp_path):
    text = tmp_path / "long"
    text.write_text(" ".join(f"w{k % 1000}" for k in range(10**6)) + "\n")
    found = estimate_files([text], 3, max_memory=8 << 20, threads=2)
    assert found.facts["tokens"] == 10**6
    assert found.table.size(3) == 1002


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("order", 0, "range"), ("order", True, "type"), ("cutoffs", (1, 0), "value"),
        ("cutoffs", (-1,), "range"), ("cutoffs", (0,) * 9, "shape"), ("max_vocabulary", 0, "range"),
        ("fallback", (0, 1, 1), "range"), ("fallback", (0.5, 2.5, 1), "range"),
        ("fallback", (0.5, 1), "type"), ("vocabulary", [], "value"),
        ("threads", 0, "range"), ("max_memory", 0, "range"),
    ],
)  # fmt: skip
def test_settings_are_checked(name, value, fault):
    with refuses(LanguageModelError, f"argument.{fault}", argument=name):
        estimate(["a b c"], **{name: value})


@pytest.mark.parametrize("word", ["a b", ""])
def test_words_of_a_vocabulary_are_checked(word):
    with refuses(LanguageModelError, "lm.word", value=word):
        estimate(["a b c"], vocabulary=[word])


@pytest.mark.parametrize(
    ("text", "kind", "code", "line"),
    [
        ("one string", LanguageModelError, "argument.type", None),
        (["a", ["a b"]], FormatError, "lm.word", 2),
        (["a", ["a", ""]], FormatError, "lm.word", 2),
        (["a\nb"], FormatError, "corpus.line-break", 1),
        (["\ud800"], FormatError, "file.encoding", 1),
    ],
)
def test_sentences_are_checked(text, kind, code, line):
    with refuses(kind, code, line=line):
        estimate(text, 2)


def test_files_are_checked(tmp_path):
    with refuses(LanguageModelError, "argument.type", argument="files", value="one path"):
        estimate_files("one path")
    with pytest.raises(FileNotFoundError):
        estimate_files([tmp_path / "missing"])
    damaged = tmp_path / "damaged.gz"
    damaged.write_bytes(gzip.compress(b"a b c\n" * 1000)[:-20])
    with refuses(DamagedFileError, "file.damaged", file=str(damaged)):
        estimate_files([damaged])
