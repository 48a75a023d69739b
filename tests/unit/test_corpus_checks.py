"""What is refused in a corpus, where, and why; skipping never shifts lines; memory is bounded."""

from __future__ import annotations

import contextlib
import re
import tempfile
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.refusals import refuses

from rosewood import _core
from rosewood.corpus import Checks, Corpus
from rosewood.corpus.checks import CODES
from rosewood.corpus.inputs import Input, strict_lines
from rosewood.corpus.pairs import count_words
from rosewood.errors import CorpusError, FormatError, RosewoodError

GOLDEN = Path(__file__).parents[1] / "golden" / "corpora"
LOTS = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))

BAD_LINES = [  # the line, the kind, what is found and expected
    (b"", "empty side", "", None),
    (b" \xe3\x80\x80", "empty side", " \u3000", None),
    (b"a\xffb", "not UTF-8", None, None),
    (b"a\xed\xa0\x80", "not UTF-8", None, None),
    (b"a\x00b", "control character", "\0", None),
    (b"a\x0bb", "control character", "\x0b", None),
    (b"a\xc2\x85b", "control character", "\x85", None),
    (b"\xef\xbf\xbf", "control character", "\uffff", None),
    (b"\xef\xbb\xbfa", "byte order mark", None, None),
    (b"a\xef\xbb\xbf", "byte order mark", "\ufeff", None),
    (b"a\rb", "carriage return", "\r", None),
    (b"a\r\r", "carriage return", "\r", None),
    (b"a " * 20_000, "too long", 20_000, 10_000),
    (b"a" * 200_000, "too long", 200_000, 100_000),
    (b"a " * 5_000_000, "too long", None, 3_265_536),
]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(("line", "kind", "value", "expected"), BAD_LINES)
def test_bad_lines(tmp_path, side, line, kind, value, expected):
    files = tmp_path / "a.de", tmp_path / "a.en"
    rows = [[b"one", b"two", b"three"], [b"eins", b"zwei", b"drei"]]
    rows[side][1] = line
    for file, lines in zip(files, rows, strict=True):
        file.write_bytes(b"\n".join(lines) + b"\r\n")
    found = {"value": value, "expected": expected, "file": str(files[side]), "line": 2}
    with refuses(FormatError, CODES[kind], **found) as caught:
        list(Corpus.read(files))
    corpus = Corpus.read(files, on_bad_line="skip")
    assert [(p.source, p.target) for p in corpus] == [("one", "eins"), ("three", "drei")]
    assert corpus.skipped == {kind: 1}
    assert str(corpus.tally.examples[0]) == str(caught.value)


def test_the_indexer_refuses_the_same_characters():
    """Whoever reads a text, in Python or natively."""
    checks = Checks()
    for code in [*range(0xD800), *range(0xE000, 0x10100), 0x1FFFE, 0x10FFFF]:
        text = f"a{chr(code)}b"
        if text[1] in "\n\t":
            continue
        bad = _core.Indexer(10, 100).feed(np.frombuffer(f"{text}\n".encode(), np.uint8))
        assert (bad is None) == (checks.problem(text) is None), f"U+{code:04X}"


def test_utf16_is_recognised(tmp_path):
    (tmp_path / "a.tsv").write_bytes("a\tb\n".encode("utf-16"))
    with refuses(FormatError, "file.encoding", line=1) as refused:
        list(Corpus.read(tmp_path / "a.tsv"))
    assert "UTF-8" in str(refused.value)


@pytest.mark.parametrize(("short", "long"), [(2, 5), (0, 1), (3, 4)])
@pytest.mark.parametrize("on_bad_line", ["stop", "skip"])
def test_different_numbers_of_lines(tmp_path, short, long, on_bad_line):
    (tmp_path / "a").write_bytes(b"x\n" * short)
    (tmp_path / "b").write_bytes(b"y\n" * long)
    for files in (("a", "b"), ("b", "a")):
        corpus = Corpus.read(*(tmp_path / name for name in files), on_bad_line=on_bad_line)
        counts = {"value": short, "expected": long}
        with refuses(FormatError, "file.mismatch", file=str(tmp_path / "a"), **counts):
            list(corpus)


def test_files_without_pairs(tmp_path):
    (tmp_path / "a.tsv").write_bytes(b"")
    with refuses(FormatError, "file.empty", file=str(tmp_path / "a.tsv")):
        list(Corpus.read(tmp_path / "a.tsv"))
    (tmp_path / "a.tsv").write_bytes(b"x\n\n")
    with refuses(FormatError, "file.empty") as refused:
        list(Corpus.read(tmp_path / "a.tsv", on_bad_line="skip"))
    assert re.search(r"\b2\b", str(refused.value))


def test_limits_are_settable(tmp_path):
    (tmp_path / "a.tsv").write_text("a b c\td e\n" + "word " * 20_000 + "\tx\n")
    assert len([*Corpus.read(tmp_path / "a.tsv", checks=Checks(max_words=20_000))]) == 2
    with refuses(FormatError, "corpus.too-long", value=3, expected=2):
        list(Corpus.read(tmp_path / "a.tsv", checks=Checks(max_words=2)))
    with refuses(FormatError, "corpus.too-long", value=5, expected=4):
        list(Corpus.read(tmp_path / "a.tsv", checks=Checks(max_characters=4)))
    (tmp_path / "b.tsv").write_text("a\t\n")
    (pair,) = Corpus.read(tmp_path / "b.tsv", checks=Checks(allow_empty=True))
    assert pair.target == ""
    for name, value, fault in (
        ("max_words", 0, "range"), ("max_characters", True, "type"), ("max_words", 1.5, "type")
    ):  # fmt: skip
        with refuses(CorpusError, f"argument.{fault}", argument=name, value=value):
            Checks(**{name: value})


def test_a_line_without_an_end_is_never_held(tmp_path):
    path = tmp_path / "a.tsv"
    with path.open("wb") as file:
        for _ in range(64):
            file.write(b"a" * 2**20)
        file.write(b"\nx\ty\n")
    tracemalloc.start()
    try:
        corpus = Corpus.read(path, on_bad_line="skip", checks=Checks(max_characters=10_000))
        assert [pair.origin.line for pair in corpus] == [2]
        assert tracemalloc.get_traced_memory()[1] < 4 * 2**20
    finally:
        tracemalloc.stop()


@given(st.text("a \t", max_size=12))
def test_words_are_counted_as_they_are_split(text):
    assert count_words(text) == len([x for x in text.replace("\t", " ").split(" ") if x])


@given(st.lists(st.binary(max_size=6), max_size=6), st.integers(1, 9))
@LOTS
def test_lines_are_cut_at_line_feeds_alone(lines, limit):
    data = b"\n".join(line.replace(b"\n", b"") for line in lines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        path.write_bytes(data)
        found = list(strict_lines(Input(str(path)), limit))
    want = data.split(b"\n")
    if want[-1] == b"":
        want.pop()
    assert [line.number for line in found] == list(range(1, len(want) + 1))
    for line, raw in zip(found, want, strict=True):
        if line.bad is None:
            assert raw.removesuffix(b"\r") == line.text.encode()
        elif line.bad.kind == "byte order mark":
            assert raw.startswith(b"\xef\xbb\xbf")
        elif line.bad.kind == "too long":
            assert len(raw) >= limit
        else:
            with pytest.raises(UnicodeDecodeError):
                raw.decode()


# Whatever the readers are given, they read pairs or say what is wrong.

NAMES = ["memory.tmx", "catalogue.po", "job.xlf", "job2.xlf", "table.tsv", "lines.jsonl"]
PIECES = st.sampled_from(
    [b"", b" ", b"\n", b"\r", b"\t", b"\0", b"\xff", b"\xef\xbb\xbf", b'"', b"\\", b"<", b">", b"&",
     b"&lt;", b"&x;", b"</", b"/>", b"<!--", b"<![CDATA[", b"<!ENTITY", b"]]>", b"<?", b"{", b"}",
     b"[", b"msgid", b"msgstr[9]", b"#~", b"#, fuzzy", b"<ph/>", b'xml:lang="x"', b"\xe2\x80\xa8",
     b'encoding="utf-16"', b'encoding="x"', b"\\u0000", b"xmlns:a='b'", b"a:"]
)  # fmt: skip


def walk(data: bytes, name: str, ending: str = "") -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}{ending}"
        path.write_bytes(data)
        for on_bad_line in ("stop", "skip"):
            with contextlib.suppress(RosewoodError):
                for pair in Corpus.read(
                    path, source_language="en", target_language="de", on_bad_line=on_bad_line
                ):
                    assert "\n" not in pair.source + pair.target
                    assert pair.source.strip()
                    assert pair.target.strip()


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@LOTS
def test_mutations(name, data):
    content = (GOLDEN / name).read_bytes()
    for _ in range(data.draw(st.integers(1, 4))):
        begin = data.draw(st.integers(0, len(content)))
        behind = begin + data.draw(st.integers(0, 12))
        content = content[:begin] + data.draw(PIECES) + content[behind:]
    walk(content, name)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.binary(max_size=100), share=st.floats(0, 1))
@LOTS
def test_truncation_and_noise(name, data, share):
    content = (GOLDEN / name).read_bytes()
    walk(content[: int(share * len(content))] + data, name)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.binary(max_size=200), ending=st.sampled_from(["", ".gz", ".xz", ".zst"]))
@LOTS
def test_random_bytes(name, data, ending):
    walk(data, name, ending)
