r"""ARPA files, the text form of back-off models that every toolkit reads and writes.

    table, words, facts = read_arpa("lm.arpa.gz")
    write_arpa("again.arpa", table, words)

Read        what stands before \data\ and behind \end\ is passed over, fields are cut at spaces and
            tabs, lines may end as on Windows, back-offs may be missing; -inf is -99, and a log
            probability that exceeds 0 by no more than 0.0001 is 0
Added       <unk>, <s> and </s> where a file lacks them, and prefixes and suffixes of n-grams that
            pruning took away, with the probability that backing off gives: no score changes
Refused     everything else that is not as it should be, with its line
Written     the shortest numbers that are read back as the same ones, n-grams in suffix order
Memory      the words and `max_memory`; n-grams that do not fit are sorted in files
Native      core/lm/arpa_reader.hpp, arpa_writer.hpp; specification: tests/reference/arpa.py
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from io import BufferedIOBase
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from rosewood import _core
from rosewood.corpus.compression import open_output
from rosewood.corpus.lines import check_fed
from rosewood.errors import LanguageModelError
from rosewood.lm.text import opened
from rosewood.lm.vocabulary import Words
from rosewood.resources import MAX_MEMORY, check_resources
from rosewood.shared_types import CountCallback, PathName

_BLOCK = 1 << 22  # bytes read at a time
_MAX_LINE = 1 << 24  # bytes of a line; more is no ARPA file


def read_arpa(
    source: PathName | BufferedIOBase,
    *,
    threads: int = 1,
    max_memory: int = MAX_MEMORY,
    temporary: PathName | None = None,
    step: CountCallback | None = None,
    file: str | None = None,
) -> tuple[_core.NgramTable, Words, dict[str, Any]]:
    """The n-grams of a file or stream, its words, and what there is to know about it.

    Files of n-grams that do not fit into memory lie in a folder of their own in `temporary` for as
    long as the table lives.  `step` is told of bytes that were read.
    """
    threads, max_memory = check_resources(threads, max_memory, LanguageModelError)
    name = file or (fspath(source) if isinstance(source, str | PathLike) else "<stream>")
    folder = tempfile.mkdtemp(prefix="rosewood-arpa-", dir=temporary)
    try:
        reader = _core.ArpaReader(folder, max_memory, threads, _MAX_LINE)
        with opened(source) as stream:
            while block := stream.read(_BLOCK):
                check_fed(reader.feed(np.frombuffer(block, np.uint8)), name)
                if step is not None:
                    step(len(block))
        check_fed(reader.finish(), name)
        table = reader.take_table()
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(table, shutil.rmtree, folder, ignore_errors=True)
    return table, Words(reader.word_bytes(), reader.word_start()), _facts(reader, name)


def write_arpa(
    path: PathName | BinaryIO, table: _core.NgramTable, words: Words, *, threads: int = 1
) -> None:
    """Write a model to a file, which appears whole or not at all, or to a stream."""
    if isinstance(path, str | PathLike):
        with open_output(path) as stream:
            write_arpa(stream, table, words, threads=threads)
        return
    threads, _ = check_resources(threads, MAX_MEMORY, LanguageModelError)
    writer = _core.ArpaWriter(table, words.word_bytes, words.word_start, threads)
    while block := writer.next():
        path.write(block)


def repairs(facts: Mapping[str, Any]) -> Iterator[str]:
    """What was added to an ARPA file, or changed, by the facts of `read_arpa`."""
    mended = facts.get("mended", {})
    if words := mended.get("missing_words"):
        yield f"it has no {', '.join(words)}: added, with a probability of almost 0"
    if added := sum(mended.get("added_ngrams", ())):
        yield f"{added:,} n-grams added that are parts of longer ones: no score changes"
    if count := mended.get("infinite_as_-99"):
        yield f"{count:,} numbers are -inf, read as -99"
    if count := mended.get("positive_as_0"):
        yield f"{count:,} log probabilities are slightly above 0, read as 0"


def _facts(reader: _core.ArpaReader, name: str) -> dict[str, Any]:
    """The origin of a model for its file; repairs are listed only if there were any."""
    mended = {
        "missing_words": list(reader.missing),
        "added_ngrams": list(reader.added) if any(reader.added) else [],
        "infinite_as_-99": reader.infinite,
        "positive_as_0": reader.positive,
    }
    return {
        "made_from": {"arpa": Path(name).name, "ngrams": list(reader.counts)},
        **({"mended": kept} if (kept := {n: v for n, v in mended.items() if v}) else {}),
    }
