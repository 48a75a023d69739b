"""Alignments in files: what is read, what is written, and what is refused where."""

from __future__ import annotations

import io
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refuses

from rosewood.align import (
    Links,
    format_pharaoh,
    read_gold,
    read_naacl,
    read_pharaoh,
    write_gold,
    write_pharaoh,
)
from rosewood.errors import AlignmentError, FormatError

LINKS = st.sets(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=12)


@pytest.mark.parametrize("ending", ["", ".gz", ".xz", ".zst"])
def test_round_trip_through_files(tmp_path, ending):
    links = Links.of([{(0, 0), (12, 3)}, set(), {(2147483646, 0)}])
    path = tmp_path / f"out.pharaoh{ending}"
    write_pharaoh(links, path)
    assert read_pharaoh(path) == links
    if not ending:
        assert path.read_bytes() == b"0-0 12-3\n\n2147483646-0\n"


@pytest.mark.slow
@given(st.lists(st.tuples(LINKS, LINKS), max_size=6))
def test_round_trips(sentences):
    links = Links.of(own for own, _ in sentences)
    assert read_pharaoh(format_pharaoh(links).split("\n")[:-1]) == links
    lines = [
        " ".join(f"{i}{'-' if (i, j) in sure else 'p'}{j}" for i, j in sorted(sure | possible))
        for sure, possible in sentences
    ]
    gold = read_gold(lines)
    assert [a.links for a in gold.sure] == [sure for sure, _ in sentences]
    assert [a.links for a in gold.links] == [s | p for s, p in sentences]
    out = io.BytesIO()
    write_gold(gold, out)
    assert out.getvalue().decode() == "".join(line + "\n" for line in lines)


def test_many_lines():
    """More lines than are taken at a time; the place of an error behind them."""
    lines = [f"{n % 7}-{n % 5}" for n in range(10_000)]
    links = read_pharaoh(lines)
    assert format_pharaoh(links).split("\n")[:-1] == lines
    with refuses(FormatError, "line.value", line=10_001):
        read_pharaoh([*lines, "0-0 0-"])


def test_order_and_gaps_do_not_matter():
    links = read_pharaoh(io.BytesIO(b"\t2-1  0-0 \r\n\n 0-3\t0-1"))
    assert [str(a) for a in links] == ["0-0 2-1", "", "0-1 0-3"]


def test_words_counted_from_one():
    assert format_pharaoh(read_pharaoh(["1-1 2-3"], base=1)) == "0-0 1-2\n"
    with refuses(FormatError, "line.value", line=1) as refused:
        read_pharaoh(["0-1"], base=1)
    assert "two numbers from 1 to" in refused.value.reason
    with refuses(FormatError, "line.duplicate", line=1):
        read_pharaoh(["3-3 3-3"], base=1)
    with refuses(AlignmentError, "argument.range", argument="base", value=2):
        read_pharaoh([], base=2)


@pytest.mark.parametrize(
    "line",
    ["0", "0-", "-1-0", "0--1", "+0-1", "0-1-2", "0-1.5", "0p1", "0-2147483647",
     "99999999999999999999-0", "٣-0", "0-0\x0b1-1", "a" * 100],
)  # fmt: skip
def test_bad_links_tell_the_place(tmp_path, line):
    path = tmp_path / "bad.pharaoh"
    path.write_text(f"0-0\n\n{line}\n", encoding="utf-8")
    with refuses(FormatError, "line.value", file=str(path), line=3):
        read_pharaoh(path)
    path.write_text("0-0\n0-0 0-0\n", encoding="utf-8")
    with refuses(FormatError, "line.duplicate", file=str(path), line=2):
        read_pharaoh(path)


def test_gold_is_sure_where_it_is_both():
    gold = read_gold(["0p0 0-0 1p1"])
    assert gold[0].sure == {(0, 0)}
    assert gold[0].possible == {(0, 0), (1, 1)}
    with refuses(FormatError, "line.duplicate", line=1):
        read_gold(["1p1 1p1"])
    with refuses(FormatError, "line.value", line=1):
        read_gold(["1?1"])


def test_lengths_are_held_against():
    read_pharaoh(["0-1", ""], lengths=([1, 0], [2, 0]))
    with refuses(FormatError, "alignment.beyond", file="a.txt", line=2):
        read_pharaoh(["", "0-1"], lengths=([1, 1], [1, 1]), file="a.txt")
    with refuses(FormatError, "file.mismatch", value=1, expected=2):
        read_gold(["0-0"], lengths=([1, 1], [1, 1]))


def test_lines_of_a_program():
    with refuses(FormatError, "corpus.line-break", line=1):
        read_pharaoh(["0-0\n1-1"])
    with refuses(FormatError, "argument.type", line=1):
        read_pharaoh([3])  # type: ignore[list-item]


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data):
    for read in (read_pharaoh, read_gold, read_naacl):
        with suppress(FormatError):
            read(io.BytesIO(data))


def test_shared_task_gold():
    lines = ["0001 1 1 S", "1 2 3 P 0.5", "3 1 2", "3 0 1 S", "3 2 2 0.25", "1 1 1 P", ""]
    gold = read_naacl(lines)
    assert [str(a) for a in gold.links] == ["0-0 1-2", "", "0-1 1-1"]
    assert gold.is_sure.tolist() == [True, False, True, True]
    assert len(read_naacl(lines, sentences=5)) == 5
    for line, code, value in (
        ("1 1", "line.fields", 2),
        ("0 1 1", "line.number", "0"),
        ("1 x 1", "line.number", "x"),
        ("1 1 1 Q", "line.value", "Q"),
        ("1 1 1 S 0.5 9", "line.fields", 6),
        ("1 1 1 0.5 S", "line.value", "0.5"),
        ("99999999 1 1", "line.number", "99999999"),
        ("0001 1 1 S", "line.duplicate", (0, 0)),
    ):
        with refuses(FormatError, code, value=value, line=2):
            read_naacl(["0001 1 1 S", line])
