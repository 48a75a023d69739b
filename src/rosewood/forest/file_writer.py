"""Writes forest sets, new ones and behind what is there; `files.py` describes the file."""

from __future__ import annotations

import json
import os
import zlib
from array import array
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Literal, Self

import numpy as np

from rosewood.arguments import check_choice, check_flag
from rosewood.corpus import Vocabulary
from rosewood.errors import ForestError
from rosewood.forest.features import FeatureSpace
from rosewood.forest.file_footers import Contents, Counts, pack_footer
from rosewood.forest.file_layout import (
    ALIGN,
    CRC,
    HEAD,
    HEADER_SIZE,
    INDEX_WIDTH,
    INFO_CRC,
    MAGIC,
    OFFSET,
    VERSION,
    FooterState,
)
from rosewood.forest.file_records import pack_record
from rosewood.forest.files import ForestSet
from rosewood.forest.forest import Forest
from rosewood.forest.rename import renamed
from rosewood.locking import FileLock
from rosewood.output import blamed_on, whole_file
from rosewood.shared_types import PathName


class _Abandoned(Exception):
    """Tells `whole_file` that the file is not to take its place."""


class ForestSetWriter:
    """Writes a `ForestSet`; leaving the `with` block without an error makes it complete.

    All forests of a set share feature names and words; a forest that has others is renamed, feature
    by feature and word by word.
    """

    def __init__(
        self,
        path: PathName,
        *,
        features: FeatureSpace | None = None,
        vocabulary: Vocabulary | None = None,
        mode: Literal["create", "append"] = "create",
        compress: bool | None = None,
    ) -> None:
        """With `compress` each forest is compressed by itself; None means: in `append` mode if the
        file has compressed forests."""
        self.path = Path(path)
        self.features = features
        self.vocabulary = vocabulary
        self.compress = check_flag("compress", compress or False, error=ForestError)
        self._rows = array("q")  # of the index, those that are new
        self._previous: FooterState | None = None
        self._before = Counts()  # what earlier footers have
        self._end = 0  # of what counts in an existing file
        self._opened = ExitStack()
        self._file: BinaryIO
        if mode == "append":
            self._open_existing(compress)
        elif mode == "create":
            self._file = self._opened.enter_context(whole_file(self.path))
            if not self._file.seekable():
                self.discard()
                reason = f"{self.path}: a forest set is written to an ordinary file"
                raise ForestError(reason, code="file.kind", file=self.path)
            self._file.write(b"\0" * HEADER_SIZE)
        else:
            check_choice("mode", mode, ("create", "append"), error=ForestError)

    def _open_existing(self, compress: bool | None) -> None:
        if self.features is not None or self.vocabulary is not None:
            reason = "appending takes the features and words of the file"
            raise ForestError(reason, code="argument.conflict", argument="features")
        raw = os.open(self.path, os.O_RDWR | getattr(os, "O_BINARY", 0))
        try:  # what follows is undone in the opposite order: the lock goes last but for `raw`
            self._opened.callback(os.close, raw)
            _lock(self._opened, self.path)
            existing = ForestSet(self.path)
            self.features, self.vocabulary = existing.features, existing.vocabulary
            self._previous, self._before = existing.state, existing.counts
            self._end = existing.state.end
            self.compress = existing.is_compressed if compress is None else compress
            existing.close()  # some systems do not shorten a file that is mapped
            os.ftruncate(raw, self._end)  # what an interrupted append may have left
            self._opened.callback(self._shorten, raw)
            self._file = self._opened.enter_context(os.fdopen(raw, "r+b", closefd=False))
            self._file.seek(self._end)
        except BaseException:
            self._opened.close()
            raise

    def _shorten(self, raw: int) -> None:
        """Remove what does not count: an append that failed gives its space back."""
        with suppress(OSError):
            os.ftruncate(raw, self._end)

    def __len__(self) -> int:
        """Forests of the file, those that it had before among them."""
        return self._before.forests + len(self._rows) // INDEX_WIDTH[VERSION]

    def append(self, forest: Forest, info: Mapping[str, Any] | None = None) -> int:
        """Add a forest and facts about it (JSON values); return its number."""
        if self.features is None:  # the first forest decides
            # Tables of its own: those of the forest are not to grow with the set.
            self.features = FeatureSpace(forest.features.dense, forest.features.sparse.copy())
            words = forest.vocabulary
            self.vocabulary = None if words is None else Vocabulary(words)
        forest = renamed(forest, self.features, self.vocabulary)
        try:
            text = json.dumps(dict(info or {}), ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            reason = f"the info of a forest must be JSON: {error}"
            raise ForestError(reason, code="argument.value", argument="info") from error
        row, arrays, packed = pack_record(forest, text, compress=self.compress)
        with blamed_on(self.path):
            row[OFFSET] = self._pad()
            for data in arrays:
                self._file.write(data)
                row[CRC] = zlib.crc32(data, row[CRC])
            self._file.write(packed)
        row[INFO_CRC] = zlib.crc32(packed)
        self._rows.extend(row)
        return len(self) - 1

    def _pad(self) -> int:
        place = self._file.tell()
        self._file.write(b"\0" * (-place % ALIGN))
        return place + -place % ALIGN

    def close(self) -> None:
        """Write the footer, then the slot that makes it count."""
        if self._file.closed:
            return
        with blamed_on(self.path):
            self._finish()
        self._opened.close()

    def _finish(self) -> None:
        space = FeatureSpace() if self.features is None else self.features
        rows = np.array(self._rows, dtype=np.int64).reshape(-1, INDEX_WIDTH[VERSION])
        contents, old = Contents(rows, space, self.vocabulary), self._previous
        now = contents.counts
        now = now._replace(forests=self._before.forests + now.forests)
        if old is not None and now == self._before:
            return  # nothing is new
        footer = pack_footer(old, self._before, now, contents)
        generation = 1 if old is None or old.version != VERSION else old.generation + 1
        state = FooterState(generation, self._pad(), len(footer), zlib.crc32(footer))
        self._file.write(footer)
        self._flush()
        self._end = state.end
        self._file.seek(state.slot)
        self._file.write(state.pack())
        if old is None or old.version != VERSION:
            self._flush()  # from the moment it has the new version, a file must have its slot
            self._file.seek(0)
            self._file.write(HEAD.pack(MAGIC, VERSION, 0))
        self._flush()

    def _flush(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())

    def discard(self) -> None:
        """Give up: nothing of this writer stays."""
        with suppress(_Abandoned, OSError):  # a full disk stays full while the file is closed
            self._opened.__exit__(_Abandoned, _Abandoned(), None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            try:
                self.close()
            except BaseException:
                self.discard()
                raise
        else:
            self.discard()


def _lock(opened: ExitStack, path: Path) -> None:
    """One appender at a time; the lock is released when `opened` closes or the process ends."""
    real = path.resolve()
    lock = FileLock(
        real.with_name(f"{real.name}.lock"), ForestError,
        f"{path}: another writer is appending to it", "wait until it ends", is_temporary=True,
    )  # fmt: skip
    opened.callback(lock.release)
