"""Alignments in text files: a line a sentence, links `i-j`, source–target from zero.

    links = read_pharaoh("out.pharaoh.gz"); write_pharaoh(links, "copy.pharaoh.zst")
    gold = read_gold("gold.align.gz")       # `i-j` sure, `ipj` possible

Links may stand in any order, between spaces or tabs.  A link that stands twice is refused: whoever
wrote it lost count.  In gold files a link may be marked both sure and possible, since the sure ones
are possible, too; it is sure.  An empty line is a sentence without links.

Native      core/align/links.hpp
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from os import PathLike
from typing import BinaryIO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosewood import _core
from rosewood.align.alignment import Links
from rosewood.align.evaluate import Gold
from rosewood.arrays import as_count
from rosewood.corpus.compression import open_output
from rosewood.corpus.lines import Source, check_fed, file_name, read_lines
from rosewood.disk_arrays import Growing
from rosewood.errors import AlignmentError, FormatError
from rosewood.shared_types import PathName

_LINES = 4096  # lines read or written at a time
_NO_MARKS = np.zeros(0, dtype=np.uint8)

Lengths = tuple[ArrayLike, ArrayLike]  # source and target words of each sentence


def read_pharaoh(
    source: Source,
    *,
    lengths: Lengths | None = None,
    base: int = 0,
    file: PathName | None = None,
    bad_lines: dict[int, str] | None = None,
) -> Links:
    """The links of a file (compressed or not), of an open one, or of lines.

    With `lengths`, links to words that are not there are refused, and files of other sizes.  Words
    are counted from `base` in the file, from zero in what is returned.  A line that has anything
    but links is refused, or has none, and `bad_lines` gets its number and what is wrong with it.
    """
    name = file_name(source, file)
    links, _ = _parsed(source, name, base, may_be_possible=False, bad_lines=bad_lines)
    _check(links, lengths, name)
    return links


def read_gold(
    source: Source,
    *,
    lengths: Lengths | None = None,
    base: int = 0,
    file: PathName | None = None,
) -> Gold:
    """Sure and possible links; a line without links is a sentence without gold alignment."""
    name = file_name(source, file)
    links, possible = _parsed(source, name, base, may_be_possible=True)
    _check(links, lengths, name)
    return Gold(links, possible == 0)


def format_pharaoh(links: Links) -> str:
    """All sentences, each a line."""
    return b"".join(_lines(links, _NO_MARKS)).decode()


def write_pharaoh(links: Links, output: PathName | BinaryIO) -> None:
    """Write to a file, which appears whole or not at all, compressed by its ending."""
    _write(output, _lines(links, _NO_MARKS))


def write_gold(gold: Gold, output: PathName | BinaryIO) -> None:
    """Write sure links as `i-j` and the others as `ipj`."""
    _write(output, _lines(gold.links, (~gold.is_sure).astype(np.uint8)))


def _write(output: PathName | BinaryIO, blocks: Iterator[bytes]) -> None:
    if isinstance(output, str | PathLike):
        with open_output(output) as stream:
            _write(stream, blocks)
        return
    for block in blocks:
        output.write(block)


def _lines(links: Links, possible: NDArray[np.uint8]) -> Iterator[bytes]:
    for first in range(0, len(links), _LINES):
        end = min(first + _LINES, len(links))
        yield _core.format_links(links.view, possible, first, end)


def _parsed(
    source: Source,
    name: str | None,
    base: int,
    *,
    may_be_possible: bool,
    bad_lines: dict[int, str] | None = None,
) -> tuple[Links, NDArray[np.uint8]]:
    base = as_count("base", base, 0, 1, error=AlignmentError)
    start, sources, targets = Growing(np.int64), Growing(np.int32), Growing(np.int32)
    marks = Growing(np.uint8)
    start.append(np.zeros(1, np.int64))
    lines = (text for _, text in read_lines(source, name))
    first, before = 1, 0
    while some := list(islice(lines, _LINES)):
        while True:
            data = ("\n".join(some) + "\n").encode()
            if data.count(b"\n") != len(some):
                reason = "there is a line feed within a line"
                raise FormatError(reason, code="corpus.line-break", file=name, line=first)
            block = np.frombuffer(data, np.uint8)
            arrays, possible, bad = _core.parse_links(block, first, base, may_be_possible)
            if bad is None or bad_lines is None:
                check_fed(bad, name)
                break
            bad_lines[bad[0]] = bad[1]
            some[bad[0] - first] = ""
        start.append(arrays[0][1:] + before)
        sources.append(arrays[1])
        targets.append(arrays[2])
        marks.append(possible)
        before += len(arrays[1])
        first += len(some)
    return Links(start.array(), sources.array(), targets.array()), marks.array()


def _check(links: Links, lengths: Lengths | None, name: str | None) -> None:
    if lengths is None:
        return
    count = len(np.asarray(lengths[0]))
    if count != len(links):
        reason = f"it has {len(links)} lines, the corpus has {count}"
        raise FormatError(reason, code="file.mismatch", value=len(links), expected=count, file=name)
    bad = links.beyond(*lengths)
    if bad is not None:
        raise FormatError(bad[1], code="alignment.beyond", file=name, line=bad[0] + 1)
