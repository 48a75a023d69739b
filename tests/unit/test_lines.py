"""Lines of text with their numbers, compressed files, strict numbers."""

from __future__ import annotations

import gzip
import io
import lzma
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import check, refuses

from rosewood.corpus.compression import open_input, open_output, plain_name
from rosewood.corpus.lines import at, each_line, number, numbers, read_lines
from rosewood.errors import DamagedFileError, ForestError, FormatError, RosewoodError

if sys.version_info >= (3, 14):
    from compression.zstd import compress as zstd_compress
else:
    from zstandard import compress as zstd_compress

TEXT = "".join(f"line {i} é\n" for i in range(5000))
SQUEEZE = {".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstd_compress}


@pytest.mark.parametrize("ending", SQUEEZE)
def test_compressed_files_are_read(tmp_path, ending):
    path = tmp_path / f"a.txt{ending}"
    whole = SQUEEZE[ending](TEXT.encode())
    path.write_bytes(whole)
    assert "".join(f"{line}\n" for _, line in read_lines(path, None)) == TEXT
    path.write_bytes(whole + SQUEEZE[ending](b"more\n"))  # one file behind the other
    assert [*read_lines(path, None)][-1] == (5001, "more")
    spoilt = whole[:40] + b"???" + whole[43:]
    behind = whole + b"???" + whole[3:]  # a second frame that nobody would miss
    for bad in (b"", whole[:-3], whole[: len(whole) // 2], spoilt, behind, b"?"):
        path.write_bytes(bad)
        with refuses(DamagedFileError, "file.damaged" if bad else "file.empty", file="a") as caught:
            list(read_lines(path, "a"))
        assert caught.value.line is not None
    assert plain_name(path).name == "a.txt"


@pytest.mark.slow
@pytest.mark.parametrize(("ending", "size"), [(".xz", 1 << 26), (".zst", 1 << 28)])
def test_a_small_file_does_not_fill_the_memory(tmp_path, ending, size):
    path = tmp_path / f"a.txt{ending}"
    path.write_bytes(SQUEEZE[ending](bytes(size)))
    with open_input(path) as stream:
        stream.read(1)
        held = stream.raw._output.nbytes
    assert held < size // 2


def test_zeros_between_xz_streams_are_padding(tmp_path):
    path = tmp_path / "a.txt.xz"
    path.write_bytes(lzma.compress(b"a\n") + bytes(8) + lzma.compress(b"b\n") + bytes(5000))
    assert [line for _, line in read_lines(path, None)] == ["a", "b"]


@pytest.mark.parametrize("ending", ["", *SQUEEZE])
def test_compressed_files_are_written_whole(tmp_path, ending):
    path = tmp_path / f"a.txt{ending}"
    for _ in range(2):
        with open_output(path) as out:
            out.write(TEXT.encode())
    assert [line for _, line in read_lines(path, None)] == TEXT.splitlines()
    again = tmp_path / f"b.txt{ending}"
    with open_output(again) as out:
        out.write(TEXT.encode())
    assert again.read_bytes() == path.read_bytes()
    before = path.read_bytes()
    with pytest.raises(ZeroDivisionError), open_output(path) as out:
        out.write(b"%d" % (1 // 0))
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == [path.name, again.name]


def test_other_endings_are_refused(tmp_path):
    with refuses(FormatError, "file.kind", value=".bz2"):
        list(read_lines(tmp_path / "a.bz2", None))
    with refuses(FormatError, "file.kind", value=".Z"):
        open_output(tmp_path / "a.Z").__enter__()


def test_lines_behind_a_bad_one():
    stream = io.BytesIO(b"\xef\xbb\xbfone\r\nt\xffo\nthree")
    found = list(each_line(stream, "in"))
    assert [(line.number, line.text) for line in found] == [
        (1, "one"),
        (2, "t\ufffdo"),
        (3, "three"),
    ]
    assert str(found[1].error) == "in:2: it is not UTF-8: invalid start byte at byte 2 of the line"
    assert found[0].error is found[2].error is None
    assert found[1].error.code == "file.encoding"
    error = next(each_line(["\ud800"], None)).error
    check(error, FormatError, "file.encoding", line=1)


def test_the_place_of_an_error():
    with refuses(FormatError, "forest.cycle", file="f", line=3) as refused, at("f", 3):
        raise ForestError("why", code="forest.cycle")
    assert str(refused.value) == "f:3: why"
    with refuses(FormatError, "file.format", file="g", line=4), at("f", 3):
        raise FormatError("why", file="g", line=4)


@given(
    st.lists(
        st.floats().map(repr)
        | st.text("0123456789.eE+-_ infa١\x0c", max_size=6)
        | st.sampled_from(["1e999", "-.5", "5.", "1_0", "nan", "", "0x1", "1e", "٣"])
    )
)
def test_many_numbers_are_as_strict_as_one(texts):
    assert told(lambda: numbers("x", texts)) == told(lambda: [number("x", t) for t in texts])


def told(what):
    try:
        return what()
    except RosewoodError as error:
        return str(error), error.code, error.argument, error.value
