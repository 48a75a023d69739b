"""Language models in files: written from a table of n-grams, mapped, verified.

Layout (little-endian)
    head      64 bytes: magic, version, where the contents are, checksums of them and of the head
    parts     at multiples of 64: words, their hashes, and the n-grams of each order
    contents  JSON, the end of the file: layout, order, counts, place and checksum of each part, and
              whatever is to be known of how the model was made
The parts of the two layouts are described in core/lm/fast.hpp and core/lm/small.hpp.  Opening a
model reads the head and the contents; nothing else of the file is touched before it is needed.
"""

from __future__ import annotations

import json
import mmap
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any, BinaryIO, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.arguments import check_choice
from rosewood.arrays import as_count
from rosewood.errors import DamagedFileError, LanguageModelError
from rosewood.lm.vocabulary import Words
from rosewood.output import whole_file
from rosewood.resources import MAX_MEMORY, check_resources
from rosewood.shared_types import PathName

Layout = Literal["fast", "small"]

_MAGIC = b"RWLMODEL"
_VERSION = 1
HEAD = struct.Struct("<8sIIQQ")  # magic, version, crc of the contents, their place and length
_HEAD_SIZE = 64
_ALIGN = 64
_CHUNK = 1 << 24
_SEEDS = 100  # equal hashes of two n-grams come once in ages: this many times in a row, never


class ModelFile(NamedTuple):
    """A file that was opened: what its contents say, and the native side of it."""

    path: Path
    size: int
    contents: dict[str, Any]
    words: Words
    native: _core.LanguageModel


def write_model(
    path: PathName,
    table: _core.NgramTable,
    words: Words,
    *,
    layout: Layout = "fast",
    quantise: int | None = None,
    facts: Mapping[str, Any] | None = None,
    threads: int = 1,
    max_memory: int = MAX_MEMORY,
    temporary: PathName | None = None,
    make_writer: Callable[..., _core.ModelWriter] = _core.ModelWriter,
) -> None:
    """Write a model, whole or not at all; the same bytes at any number of threads.

    `small` models are tries of packed bits, from which the n-grams can be read again; `quantise`
    keeps that many bits of each probability and back-off of them, where the exact number is one of
    the 2 to the power of this many that serve best.  What does not fit into `max_memory` is sorted
    in the folder `temporary`.  `facts` is anything JSON can hold.
    """
    check_choice("layout", layout, ("fast", "small"), error=LanguageModelError)
    if quantise is not None and layout != "small":
        raise LanguageModelError(
            "only models of the small layout can be quantised",
            code="argument.conflict", argument="quantise", value=quantise,
        )  # fmt: skip
    bits = (
        0 if quantise is None else as_count("quantise", quantise, 1, 16, error=LanguageModelError)
    )
    threads, max_memory = check_resources(threads, max_memory, LanguageModelError)
    contents: dict[str, Any] = {
        "layout": layout,
        "quantised": quantise,
        "counts": [table.size(n) for n in range(1, table.order + 1)],
        "facts": dict(facts or {}),
    }
    try:
        json.dumps(contents, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise LanguageModelError(
            f"the facts of a model must be JSON: {error}",
            code="argument.value", argument="facts", value=facts,
        ) from error  # fmt: skip
    if Path(path).exists() and not Path(path).is_file():
        reason = f"{path}: a model is written to an ordinary file"
        raise LanguageModelError(reason, code="file.kind", file=path)
    with (
        tempfile.TemporaryDirectory(dir=temporary, prefix="rosewood-lm-") as folder,
        whole_file(path) as stream,
    ):
        for seed in range(_SEEDS):
            writer = make_writer(
                table,
                np.ascontiguousarray(words.word_bytes, dtype=np.uint8),
                np.ascontiguousarray(words.word_start, dtype=np.int64),
                layout == "small",
                bits,
                seed,
                folder,
                max_memory,
                threads,
            )
            parts = _write_parts(stream, writer, threads)
            if parts is not None:
                _finish(stream, contents | {"seed": seed, "parts": parts})
                return
    raise LanguageModelError("n-grams have equal hashes, whatever is done", code="lm.hashes")


def _write_parts(
    stream: BinaryIO, writer: _core.ModelWriter, threads: int
) -> dict[str, dict[str, int]] | None:
    """Places and checksums of the parts; None if hashes are equal and another seed is needed."""
    stream.seek(0)
    stream.truncate()
    stream.write(b"\0" * _HEAD_SIZE)
    parts = {}
    for name in writer.parts:
        _pad(stream)
        place, crc = stream.tell(), 0

        def take(piece: bytes) -> None:
            nonlocal crc
            crc = zlib.crc32(piece, crc)
            stream.write(piece)

        with _behind(take) if threads > 1 else nullcontext(take) as taking:
            is_good = writer.write(name, taking)
        if not is_good:
            return None
        parts[name] = {"place": place, "bytes": stream.tell() - place, "crc32": crc}
    return parts


@contextmanager
def _behind(take: Callable[[bytes], None]) -> Iterator[Callable[[bytes], None]]:
    """Hands pieces over to a thread that takes them in their order, a few at most waiting."""
    waiting: Queue[bytes | None] = Queue(4)
    failed: list[BaseException] = []

    def work() -> None:
        while (piece := waiting.get()) is not None:
            try:
                if not failed:
                    take(piece)
            except BaseException as error:
                failed.append(error)

    def hand_over(piece: bytes) -> None:
        if failed:
            raise failed[0]
        waiting.put(piece)

    thread = Thread(target=work)
    thread.start()
    try:
        yield hand_over
    finally:
        waiting.put(None)
        thread.join()
    if failed:
        raise failed[0]


def _finish(stream: BinaryIO, contents: Mapping[str, Any]) -> None:
    """The contents, and the head that leads to them."""
    _pad(stream)
    place = stream.tell()
    text = json.dumps(contents, ensure_ascii=False).encode()
    stream.write(text)
    stream.seek(0)
    stream.write(head_of(zlib.crc32(text), place, len(text)))


def _pad(stream: BinaryIO) -> None:
    stream.write(b"\0" * (-stream.tell() % _ALIGN))


def head_of(crc: int, place: int, length: int) -> bytes:
    """The first bytes of a file whose contents have this checksum, place and length."""
    body = HEAD.pack(_MAGIC, _VERSION, crc, place, length)
    return (body + struct.pack("<I", zlib.crc32(body))).ljust(_HEAD_SIZE, b"\0")


def open_file(path: PathName) -> ModelFile:
    """Map a model; its head and contents are checked, and that its parts have the right sizes."""
    path = Path(path)
    with path.open("rb") as stream:
        if stream.seek(0, 2) == 0:
            raise DamagedFileError("it is empty", code="file.empty", file=path)
        data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    return file_of(path, np.frombuffer(data, np.uint8))


def file_of(path: Path, file: NDArray[np.uint8]) -> ModelFile:
    """A model from its bytes, in memory or mapped; the path is for errors."""
    head = file[:_HEAD_SIZE].tobytes()
    if len(head) < _HEAD_SIZE or not head.startswith(_MAGIC):
        reason = "it is not a language model of Rosewood"
        raise DamagedFileError(reason, code="file.kind", file=path)
    _, version, crc, place, length = HEAD.unpack_from(head)
    if version != _VERSION:
        raise DamagedFileError(
            f"it is of version {version}, this release reads {_VERSION}",
            code="file.version", value=version, expected=_VERSION, file=path,
        )  # fmt: skip
    if head != head_of(crc, place, length):
        raise _damaged("its head is damaged", path, "head")
    if len(file) != place + length:
        raise _damaged(f"it has {len(file)} bytes, expected {place + length}", path, "bytes")
    text = file[place:].tobytes()
    if zlib.crc32(text) != crc:
        raise _changed("contents", path)
    try:
        contents = cast(dict[str, Any], json.loads(text))
        parts = contents["parts"]
        native = _core.LanguageModel(
            file,
            {name: (part["place"], part["bytes"]) for name, part in parts.items()},
            contents["layout"] == "small",
            contents["quantised"] or 0,
            contents["seed"],
            contents["counts"],
        )
        if contents["layout"] not in ("fast", "small") or not isinstance(contents["facts"], dict):
            raise ValueError("its layout or its facts")
        words = Words(_part(file, parts["words"]), _part(file, parts["word_start"]).view("<i8"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _damaged("its contents cannot be read", path, "contents") from error
    except LanguageModelError as error:
        raise error.restated(
            str(error), DamagedFileError, code="file.damaged", file=path
        ) from error
    return ModelFile(path, len(file), contents, words, native)


def _damaged(reason: str, file: Path, argument: str) -> DamagedFileError:
    return DamagedFileError(reason, code="file.damaged", argument=argument, file=file)


def _changed(part: str, file: Path) -> DamagedFileError:
    reason = f"checksum mismatch in its part {part}"
    return DamagedFileError(reason, code="file.changed", argument=part, file=file)


def _part(file: NDArray[np.uint8], part: Mapping[str, int]) -> NDArray[Any]:
    return file[part["place"] : part["place"] + part["bytes"]]


def verify_model(path: PathName) -> None:
    """Read all of a model: every checksum, then everything that its parts must be."""
    model = open_file(path)
    stop = _HEAD_SIZE
    with model.path.open("rb") as stream:
        for name, part in model.contents["parts"].items():
            _check_gap(stream, stop, part["place"], model.path)
            stop = part["place"] + part["bytes"]
            crc = 0
            for at in range(part["place"], stop, _CHUNK):
                crc = zlib.crc32(stream.read(min(_CHUNK, stop - at)), crc)
            if crc != part["crc32"]:
                raise _changed(name, model.path)
        place = HEAD.unpack_from(_read(stream, 0, _HEAD_SIZE))[3]
        _check_gap(stream, stop, place, model.path)
    try:
        model.native.check()
        model.words.list()
    except LanguageModelError as error:
        raise error.restated(
            str(error), DamagedFileError, code="file.damaged", file=model.path
        ) from error
    except UnicodeDecodeError as error:
        raise DamagedFileError(str(error), code="file.encoding", file=model.path) from error


def _check_gap(stream: BinaryIO, begin: int, end: int, path: Path) -> None:
    """Between parts there are zeros, and fewer than would make room for something."""
    if not 0 <= end - begin < _ALIGN or any(_read(stream, begin, end - begin)):
        raise _damaged(f"there is something between its parts, at byte {begin}", path, "gap")


def _read(stream: BinaryIO, place: int, size: int) -> bytes:
    stream.seek(place)
    return stream.read(size)


def read_table(path: PathName) -> tuple[_core.NgramTable, Words, dict[str, Any]]:
    """The n-grams of a model of the small layout, its words, and how it was made."""
    model = open_file(path)
    if model.contents["layout"] != "small":
        raise LanguageModelError(
            f"{path}: a model of the fast layout keeps only hashes of its n-grams; write it with "
            "the small layout, or keep the ARPA file",
            code="lm.fast-layout", value="fast", expected="small", file=path,
        )  # fmt: skip
    return model.native.table(), model.words, model.contents["facts"]
