"""Compressed files, by their ending: .gz, .xz and .zst, read and written as streams.

Zstandard is in the standard library from Python 3.14 on; before that the package `zstandard` is
asked.  Its streams end without a word where a file is cut off, and those of `lzma` where the next
frame is damaged: `_Frames` looks.
"""

from __future__ import annotations

import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from rosewood.errors import DamagedFileError, FormatError
from rosewood.output import whole_file
from rosewood.shared_types import PathName

_ENDINGS = (".gz", ".xz", ".zst")
_FOREIGN = (".bz2", ".Z")
_CHUNK = 1 << 17
_PIECE = 1 << 12  # of a compressed file at a time: what it grows to must fit into memory


def plain_name(path: PathName) -> Path:
    """The path without the ending of a compressed file."""
    named = Path(path)
    return named.with_suffix("") if named.suffix in _ENDINGS else named


@contextmanager
def open_input(path: PathName, file: str | None = None) -> Iterator[BinaryIO]:
    """The bytes of a file, decompressed as its ending says; errors call it `file`.

    Reading a file that is damaged or cut off ends the block with DamagedFileError.
    """
    named = Path(path)
    name = str(path) if file is None else file
    if named.suffix in _FOREIGN:
        reason = f"{named.suffix} files are not read here: decompress it first"
        raise FormatError(reason, code="file.kind", value=named.suffix, file=name)
    with named.open("rb") as raw:
        if named.suffix not in _ENDINGS:
            yield raw
            return
        if not raw.peek(1):
            reason = "the compressed file is damaged: it is empty"
            raise DamagedFileError(reason, code="file.empty", file=name)
        try:
            with _decompressed(raw, named.suffix) as stream:
                yield cast(BinaryIO, io.BufferedReader(stream, _CHUNK))
        except (gzip.BadGzipFile, EOFError, zlib.error, _BadFrame) as error:
            reason = f"the compressed file is damaged: {error}"
            raise DamagedFileError(reason, code="file.damaged", file=name) from error


@contextmanager
def open_output(path: PathName) -> Iterator[BinaryIO]:
    """A file that appears whole or not at all, compressed as its ending says.

    The same content gives the same bytes: no names or times go into the file.
    """
    named = Path(path)
    if named.suffix in _FOREIGN:
        reason = f"{named.suffix} files are not written here: use .gz, .xz or .zst"
        raise FormatError(reason, code="file.kind", value=named.suffix, file=named)
    with whole_file(named) as raw:
        if named.suffix not in _ENDINGS:
            yield raw
            return
        with _compressing(raw, named.suffix) as stream:
            yield stream


def _decompressed(raw: BinaryIO, suffix: str) -> io.RawIOBase:
    if suffix == ".gz":
        return cast(io.RawIOBase, gzip.GzipFile(fileobj=raw, mode="rb"))
    if suffix == ".xz":
        return _Frames(raw, lambda: (lzma.LZMADecompressor(), lzma.LZMAError), padding=b"\0")
    return _Frames(raw, _zstandard_frame)


def _compressing(raw: BinaryIO, suffix: str) -> BinaryIO:
    if suffix == ".gz":
        return cast(BinaryIO, gzip.GzipFile("", "wb", 6, raw, mtime=0))
    if suffix == ".xz":
        return cast(BinaryIO, lzma.LZMAFile(raw, "wb"))
    if sys.version_info >= (3, 14):
        from compression import zstd

        checked = {zstd.CompressionParameter.checksum_flag: 1}
        return cast(BinaryIO, zstd.ZstdFile(raw, "wb", options=checked))
    import zstandard

    compressor = zstandard.ZstdCompressor(write_checksum=True)
    return cast(BinaryIO, compressor.stream_writer(raw, closefd=False))


def compressed_bytes(data: bytes) -> bytes:
    """Bytes as one frame of Zstandard that knows its size."""
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.compress(data)
    import zstandard

    return zstandard.ZstdCompressor().compress(data)


def decompressed_bytes(data: bytes | memoryview, size: int) -> bytes:
    """The content of a frame, which must have exactly `size` bytes; otherwise a ValueError.

    Not more than that is allocated, whatever is in the frame.
    """
    if sys.version_info >= (3, 14):
        from compression import zstd

        try:
            frame = zstd.ZstdDecompressor()
            if zstd.get_frame_info(data).decompressed_size == size:
                content = frame.decompress(data, max_length=size + 1)
                if frame.eof and not frame.unused_data and len(content) == size:
                    return content
        except zstd.ZstdError as error:
            raise ValueError(str(error)) from error
    else:
        import zstandard

        try:
            if zstandard.frame_content_size(data) == size:
                whole = zstandard.ZstdDecompressor()
                return whole.decompress(data, allow_extra_data=False)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from error
    raise ValueError("its size is not the one that was noted")


class _BadFrame(Exception):
    """What the library at hand found wrong."""


_Frame = tuple[Any, type[Exception]]  # a decompressor of one frame, and the error it raises


class _Frames(io.RawIOBase):
    """The content of a file of frames, one after the other, with padding between them."""

    def __init__(
        self, raw: BinaryIO, new_frame: Callable[[], _Frame], padding: bytes = b""
    ) -> None:
        self._raw = raw
        self._new_frame = new_frame
        self._padding = padding
        self._input = b""
        self._output = memoryview(b"")
        self._frame, self._error = new_frame()
        self._inside = False  # a frame has begun and has not ended

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._output:
            self._input = self._input or self._raw.read(_PIECE)
            if not self._input:
                if self._inside:
                    raise EOFError("it ends within a frame")
                return 0
            if not self._inside:
                self._input = self._input.lstrip(self._padding)
                if not self._input:
                    continue
            try:
                self._output = memoryview(self._frame.decompress(self._input))
            except self._error as error:
                raise _BadFrame(str(error)) from error
            self._inside, self._input = not self._frame.eof, b""
            if self._frame.eof:
                self._input = self._frame.unused_data
                self._frame, self._error = self._new_frame()
        size = min(len(buffer), len(self._output))
        buffer[:size] = self._output[:size]
        self._output = self._output[size:]
        return size


def _zstandard_frame() -> _Frame:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.ZstdDecompressor(), zstd.ZstdError
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj(), zstandard.ZstdError
