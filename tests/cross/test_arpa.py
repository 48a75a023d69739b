"""The native reader and writer of ARPA files against tests/reference/arpa.py."""

from __future__ import annotations

import io
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.reference import arpa as reference
from tests.refusals import refuses

from rosewood import _core
from rosewood.errors import FormatError, LanguageModelError
from rosewood.lm import Model, read_arpa, write_arpa, write_model

EXAMPLES = settings(max_examples=60, deadline=None)
MAX_BYTES = 60
WORDS = ["<unk>", "<s>", "</s>", "a", "b", "é", "12", "語彙"]
NUMBERS = ["-1", "0", "-0", "-0.25", "-1e-3", "-99", "-inf", "-1.1754944e-38", "-2.5e-7", "1e-6"]
BACKOFFS = [*NUMBERS, "+0.5", "0.125", ""]
BAD_NUMBERS = ["nan", "inf", "x", "1", "-1e99", "--1", "0x1", "1e-3", "-", "1_0", "-1e-99"]


@st.composite
def models(draw, numbers=NUMBERS, backoffs=BACKOFFS, max_order=4):
    """The lines of an ARPA file, which may lack prefixes, suffixes and special words."""
    order = draw(st.integers(1, max_order))
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, unique=True))
    sections = []
    for n in range(1, order + 1):
        grams = [(word,) for word in words]
        if n > 1:
            gram = st.tuples(*[st.sampled_from(words)] * n)
            grams = draw(st.lists(gram, max_size=6, unique=True))
        gap = draw(st.sampled_from([" ", "\t"]))
        lines = [
            f"{draw(st.sampled_from(numbers))}\t{gap.join(gram)}"
            + (f"\t{draw(st.sampled_from(backoffs))}" if n < order else "")
            for gram in grams
        ]
        sections.append(lines)
    return sections


def text_of(sections: list[list[str]], line_end: str = "\n") -> bytes:
    lines = ["\\data\\", *(f"ngram {n}={len(s)}" for n, s in enumerate(sections, start=1))]
    for n, section in enumerate(sections, start=1):
        lines += ["", f"\\{n}-grams:", *section]
    return (line_end.join([*lines, "", "\\end\\"]) + line_end).encode()


def native(data: bytes, cuts: list[int], threads: int, memory: int, folder: Path):
    """Line and reason, or the reader that has read it all."""
    reader = _core.ArpaReader(str(folder), memory, threads, MAX_BYTES)
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for begin, end in itertools.pairwise(places):
        bad = reader.feed(np.frombuffer(data[begin:end], np.uint8))
        if bad is not None:
            return bad
    return reader.finish() or reader


def columns(table) -> list[tuple[list, list, list, list]]:
    return [tuple(c.tolist() for c in table.columns(n)) for n in range(1, table.order + 1)]


def same(found, wanted) -> bool:
    """Signs of zeros included."""
    if len(found) != len(wanted) or [f[:2] for f in found] != [w[:2] for w in wanted]:
        return False
    return all(
        list(map(repr, f[k])) == list(map(repr, w[k]))
        for f, w in zip(found, wanted, strict=True)
        for k in (2, 3)
    )


def words_of(reader) -> list[str]:
    text, start = reader.word_bytes().tobytes(), reader.word_start().tolist()
    return [text[b:e].decode() for b, e in itertools.pairwise(start)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("arpa")


CUTS = st.lists(st.integers(0, 300), max_size=4)


@EXAMPLES
@given(models(), CUTS, st.integers(1, 3), st.sampled_from([1, 1 << 30]), st.sampled_from("\n\r"))
def test_good_files(folder, sections, cuts, threads, memory, end):
    data = text_of(sections, "\n" if end == "\n" else "\r\n")
    model = reference.read(data)
    reader = native(data, cuts, threads, memory, folder)
    assert not isinstance(reader, tuple), reader
    whole, added = reference.close(model.orders)
    table = reader.take_table()
    assert words_of(reader) == model.words
    assert same(columns(table), reference.columns(whole))
    assert reader.added == added
    assert (reader.missing, reader.infinite, reader.positive) == (
        model.missing, model.infinite, model.positive,
    )  # fmt: skip
    assert reader.counts == list(map(len, sections))


@pytest.mark.slow
@EXAMPLES
@given(models(), st.integers(1, 3))
def test_what_is_written_is_read_back(folder, sections, threads):
    table, words, _ = read_arpa(io.BytesIO(text_of(sections)), threads=threads)
    out = io.BytesIO()
    write_arpa(out, table, words, threads=threads)
    model = reference.read(text_of(sections))
    assert out.getvalue().decode() == reference.write(model.words, reference.close(model.orders)[0])
    again, same_words, facts = read_arpa(io.BytesIO(out.getvalue()))
    assert same(columns(again), columns(table))
    assert same_words.word_bytes.tobytes() == words.word_bytes.tobytes()
    assert "mended" not in facts


@EXAMPLES
@given(models(), st.lists(st.integers(0, 7), max_size=6), st.sampled_from(["fast", "small"]))
def test_completed_models_score_as_the_file_says(folder, sections, numbers, layout):
    """Prefixes and suffixes that are added change no probability, in our own files either."""
    model = reference.read(text_of(sections))
    if any(b > 0 for order in model.orders for _, b in order.values()):
        return  # what backing off gives is then cut off at 0
    sentence = tuple(number if number < len(model.words) else 0 for number in numbers)
    sentence = tuple(0 if number in (1, 2) else number for number in sentence)
    wanted = reference.defined(model).sentence(sentence)
    table, words, _ = read_arpa(io.BytesIO(text_of(sections)))
    write_model(folder / "model.rlm", table, words, layout=layout)
    found = Model.open(folder / "model.rlm").words([model.words[number] for number in sentence])
    assert [word.score for word in found] == pytest.approx(
        [score for score, _ in wanted], rel=1e-5, abs=1e-5
    )


@st.composite
def damaged(draw):
    """A good file with some bytes gone, doubled or replaced, mostly whole lines."""
    data = text_of(draw(models(NUMBERS + BAD_NUMBERS, BACKOFFS + BAD_NUMBERS)))
    for _ in range(draw(st.integers(0, 2))):
        lines = data.split(b"\n")
        at = draw(st.integers(0, len(lines) - 1))
        what = draw(st.sampled_from(["drop", "double", "insert", "swap", "byte"]))
        if what == "drop":
            del lines[at]
        elif what == "double":
            lines.insert(at, lines[at])
        elif what == "insert":
            odd = [b"", b"\\end\\", b"\\2-grams:", b"-1\ta", b"-1 z", b"x" * 61, b"ngram 2=1",
                   b"\\data\\", b"-1\t\xff", b" \t ", b"-1 <UNK> 0", b"\\9-grams:"]  # fmt: skip
            lines.insert(at, draw(st.sampled_from(odd)))
        elif what == "swap":
            other = draw(st.integers(0, len(lines) - 1))
            lines[at], lines[other] = lines[other], lines[at]
        data = b"\n".join(lines)
        if what == "byte" and data:
            place = draw(st.integers(0, len(data) - 1))
            data = data[:place] + draw(st.binary(max_size=1)) + data[place + 1 :]
    return data


TWICE = text_of([["-1 a", "-1 b"], ["-1 a b", "-1 b a", "-1 a b", "nan a b"]])


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(damaged() | st.binary(max_size=40), CUTS, st.integers(1, 2))
@example(b"", [], 1)
@example(b"\\data\\", [3], 1)
@example(b"\xef\xbb\xbf\\data\\\nngram 1=1\n\\1-grams:\n-1 a\n\\end\\", [2], 1)
@example(TWICE, [], 1)
@example(b"\\data\\\n\\1-grams:\n\\end\\\n", [], 1)
def test_bad_files_are_bad_in_the_same_line(folder, data, cuts, threads):
    found = native(data, cuts, threads, 1 << 20, folder)
    try:
        wanted = reference.read(data, MAX_BYTES)
    except reference.Bad as bad:
        line, reason = bad.args
    else:
        assert not isinstance(found, tuple), found
        assert words_of(found) == wanted.words
        return
    assert isinstance(found, tuple), reason
    assert found[0] == line, (found, reason)


@pytest.mark.slow
def test_many_ngrams_in_several_threads_and_runs(tmp_path):
    """Blocks that threads share, sorters that spill, words of more than 16 bits."""
    chance = np.random.default_rng(3)
    words = [f"w{n}" for n in range(70_000)]
    pairs = sorted({(int(a), int(b)) for a, b in chance.integers(0, 70_000, (40_000, 2))})
    triples = sorted({(*pairs[i], int(c)) for i, c in chance.integers(0, len(pairs), (30_000, 2))
                      if c < 70_000})  # fmt: skip
    chance.shuffle(pairs)
    chance.shuffle(triples)
    sections = [
        [f"{-chance.random():.6f}\t{' '.join(words[w] for w in gram)}" for gram in grams]
        for grams in ([(w,) for w in range(70_000)], pairs, triples)
    ]
    path = tmp_path / "large.arpa"
    path.write_bytes(text_of(sections))
    texts = set()
    for threads, memory in ((1, 1 << 30), (3, 1 << 30), (2, 1 << 18)):
        table, found, facts = read_arpa(path, threads=threads, max_memory=memory)
        assert facts["mended"]["added_ngrams"][1] > 1000
        out = io.BytesIO()
        write_arpa(out, table, found, threads=threads)
        texts.add(out.getvalue())
    assert len(texts) == 1
    order = [line.split("\t")[1] for line in texts.pop().decode().splitlines() if "\tw" in line]
    numbers = {word: n for n, word in enumerate(words)}
    for n in (2, 3):
        keys = [[numbers[w] for w in reversed(gram.split())] for gram in order
                if gram.count(" ") == n - 1]  # fmt: skip
        assert keys == sorted(keys)
        assert len(keys) == table.size(n)


def test_numbers_are_read_back_exactly():
    """Floats of all sizes, written and read."""
    chance = np.random.default_rng(5)
    bits = chance.integers(0, 0x7F000000, 20_000, dtype=np.uint32)
    values = -bits.view(np.float32)
    table = _core.NgramTable()
    words = np.arange(len(values), dtype=np.uint32)
    table.add_order(words, np.zeros(0, np.uint32), values, np.zeros(0, np.float32))
    names = [*WORDS[:3], *(f"w{n}" for n in range(3, len(values)))]
    start = np.cumsum([0, *map(len, names)], dtype=np.int64)
    writer = _core.ArpaWriter(table, np.frombuffer("".join(names).encode(), np.uint8), start, 2)
    text = b"".join(iter(writer.next, b""))
    again, _, _ = read_arpa(io.BytesIO(text))
    assert again.columns(1)[2].tobytes() == values.tobytes()


def test_a_table_that_is_none_is_refused():
    table = _core.NgramTable()
    none, floats = np.zeros(0, np.uint32), np.zeros(0, np.float32)
    table.add_order(np.arange(3, dtype=np.uint32), np.array([1, 1, 0], np.uint32),
                    np.zeros(3, np.float32), np.zeros(3, np.float32))  # fmt: skip
    table.add_order(np.array([1], np.uint32), none, np.zeros(2, np.float32), floats)
    names = np.frombuffer(b"<unk><s></s>", np.uint8)
    start = np.array([0, 5, 8, 12], np.int64)
    writer = _core.ArpaWriter(table, names, start, 1)
    with refuses(LanguageModelError, "lm.ngrams"):
        b"".join(iter(writer.next, b""))
    writer = _core.ArpaWriter(table, names, start[:2], 1)
    with refuses(LanguageModelError, "lm.ngrams"):
        b"".join(iter(writer.next, b""))


def test_errors_name_the_file(tmp_path):
    path = tmp_path / "bad.arpa"
    path.write_text("\\data\\\nngram 1=1\n\n\\1-grams:\nx\ta\n\\end\\\n")
    with refuses(FormatError, "line.number", file=str(path), line=5):
        read_arpa(path)


def test_kenlm_reads_what_is_written(tmp_path):
    kenlm = pytest.importorskip("kenlm", reason="kenlm cannot be imported", exc_type=ImportError)
    golden = Path(__file__).parents[1] / "golden" / "lm" / "phrasebook-pruned.arpa.gz"
    table, words, _ = read_arpa(golden)
    write_arpa(tmp_path / "lm.arpa", table, words, threads=2)
    write_model(tmp_path / "lm.rlm", table, words)
    peer, model = kenlm.Model(str(tmp_path / "lm.arpa")), Model.open(tmp_path / "lm.rlm")
    text = golden.with_name("phrasebook.en").read_text(encoding="utf-8").splitlines()[:50]
    for line in [*text, "who knows this ?", ""]:
        wanted = [(score, length, not oov) for score, length, oov in peer.full_scores(line)]
        found = model.words(line)
        assert [(word.length, word.is_known) for word in found] == [w[1:] for w in wanted]
        assert [word.score for word in found] == pytest.approx([w[0] for w in wanted], abs=1e-5)
