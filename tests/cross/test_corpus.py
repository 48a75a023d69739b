"""The native indexer against its specification, on any bytes, cut anywhere into blocks."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from tests.reference import corpus as reference
from tests.refusals import refuses

from rosewood import _core
from rosewood.errors import CorpusError

PIECES = [b"a", b"b", b"ab", b"the", b" ", b"  ", b"\t", b"\n", b"\r\n", b"\xc3\xa9", "語".encode()]
ODD = [
    *("\U0001f600".encode(), b"\r", b"\0", b"\x7f", "\x85".encode(), b"\xff"),
    *(b"\xe8\xaa", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", "\ufeff".encode()),
    *("\u2028".encode(), "\ufffe".encode(), "\uffff".encode()),
]
TEXT = st.lists(st.sampled_from(PIECES * 6 + ODD), max_size=60).map(b"".join) | st.binary()
MAX_WORDS, MAX_BYTES = 12, 40


def native(data: bytes, cuts: list[int]) -> tuple[reference.Indexed, list[int]]:
    indexer = _core.Indexer(MAX_WORDS, MAX_BYTES)
    found, ends = fed(indexer, data, cuts)
    assert indexer.lines == len(found.lines)
    return found, ends


def fed(indexer, data: bytes, cuts: list[int]) -> tuple[reference.Indexed, list[int]]:
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    ids: list[int] = []
    ends = [0]
    bad = None
    for begin, end in itertools.pairwise(places):
        bad = bad or indexer.feed(np.frombuffer(data[begin:end], np.uint8))
        ids += indexer.take_ids().tolist()
        ends += indexer.take_ends().tolist()
    bad = bad or indexer.finish()
    ids += indexer.take_ids().tolist()
    ends += indexer.take_ends().tolist()
    text, start = indexer.word_bytes().tobytes(), indexer.word_start().tolist()
    words = [text[b:e] for b, e in itertools.pairwise(start)]
    lines = [ids[b:e] for b, e in itertools.pairwise(ends)]
    assert ends[-1] == len(ids)
    return reference.Indexed(lines, words, bad and bad[:2]), ends


@given(TEXT, st.lists(st.integers(0, 80), max_size=8))
@example(b"", [])
@example(b"\n\n", [1])
@example(b"a b a\nc", [2, 3])
@example("\ufeffa b".encode(), [1, 2])
@example(b"x" * 41 + b"\n", [])
@example(b"x" * 40 + b"\r\n", [41])
@example(b"a " * 12 + b"\xff", [])
def test_the_same_numbers(data, cuts):
    found, _ = native(data, cuts)
    wanted = reference.index(data, MAX_WORDS, MAX_BYTES)
    assert found.bad == wanted.bad
    assert found.lines == wanted.lines
    if wanted.bad is None:  # words of the bad line itself may or may not have got a number
        assert found.words == wanted.words
    else:
        assert found.words[: len(wanted.words)] == wanted.words


@given(TEXT, st.lists(st.integers(0, 120), max_size=8))
@example(b"a\n" + b"x" * 100 + b"\nb\n", [5, 60, 90])  # dropped from where it is too long on
@example(b"x" * 100, [50])
@example(b"x" * 100 + b"\n\n\xff\nb", [50, 70, 101])
@example("\ufeffa\n\ufeffb\nc".encode(), [])
def test_bad_lines_are_skipped(data, cuts):
    indexer = _core.Indexer(MAX_WORDS, MAX_BYTES, skip_bad=True)
    found, _ = fed(indexer, data, cuts)
    good, bad = reference.index_good_lines(data, MAX_WORDS, MAX_BYTES)
    assert found.bad is None
    assert [[found.words[number] for number in line] for line in found.lines] == good
    assert indexer.skipped == len(bad)
    assert indexer.examples == bad[:5]
    assert indexer.lines == len(good) + len(bad)
    indexer.next_text()
    assert indexer.feed(np.frombuffer(b"a\n\xff\n", np.uint8)) is None
    assert indexer.lines == 2
    assert indexer.skipped == len(bad) + 1


def test_forbidden_words():
    indexer = _core.Indexer(MAX_WORDS, MAX_BYTES)
    indexer.know(np.frombuffer(b"x\n<s>\n</s>", np.uint8))
    indexer.forbid(1, 2)
    assert indexer.feed(np.frombuffer(b"a x <sx> s\n", np.uint8)) is None
    line, reason, code, _ = indexer.feed(np.frombuffer("é </s> a\n".encode(), np.uint8))
    assert (line, code) == (2, "lm.sentence-mark")
    assert reason.startswith("the word </s> at byte 4 of the line")
    assert indexer.take_ids().tolist() == [3, 0, 4, 5]


def test_the_borders_of_utf8():
    """Every first byte, second bytes on both sides of each border, endings of all kinds."""
    second = (0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0)
    for bytes_ in itertools.product(range(0x80, 0x100), second, (0x80, 0xBF), (0x41, 0x80)):
        line = b"a" + bytes(bytes_)
        bad = _core.Indexer(MAX_WORDS, MAX_BYTES).feed(np.frombuffer(line + b"\n", np.uint8))
        wanted = reference.objection(line, False, MAX_WORDS, MAX_BYTES)
        assert (bad or (1, ""))[1] == wanted, line


def test_many_words_keep_their_numbers():
    """The table grows several times, words share hashes' low bits, arenas move."""
    words = [f"w{n * 7919 % 100_003}" for n in range(50_000)]
    data = "\n".join(words + words[::-1]).encode()
    indexer = _core.Indexer(MAX_WORDS, MAX_BYTES)
    assert indexer.feed(np.frombuffer(data, np.uint8)) is None
    assert indexer.finish() is None
    np.testing.assert_array_equal(indexer.take_ids(), [*range(50_000), *reversed(range(50_000))])


def test_known_words_come_first():
    indexer = _core.Indexer(MAX_WORDS, MAX_BYTES)
    indexer.know(np.frombuffer(b"x\nyy", np.uint8))
    indexer.feed(np.frombuffer(b"yy z x\n", np.uint8))
    assert indexer.take_ids().tolist() == [1, 2, 0]
    assert indexer.word_start().tolist() == [0, 1, 3, 4]
    again = _core.Indexer(MAX_WORDS, MAX_BYTES)
    with refuses(CorpusError, "argument.duplicate"):
        again.know(np.frombuffer(b"x\nx", np.uint8))
