"""A sentence and its translation, with tags, and where they were read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from rosewood.corpus.lines import split
from rosewood.errors import told_path


class Origin(NamedTuple):
    """Where a pair was read: the file, the line, and the name of its unit where it has one."""

    file: str
    line: int | None = None
    unit: str | None = None

    def __str__(self) -> str:
        file = told_path(self.file)
        if self.line is not None:
            return f"{file}:{self.line}"
        return file if self.unit is None else f"{file}#{self.unit}"


@dataclass(frozen=True, slots=True)
class SentencePair:
    """Two texts that say the same.  Each is one line.

    Tags are names and values that came with the pair (a domain, a state, a context).  Pairs are
    equal when they say the same, wherever they were read.
    """

    source: str
    target: str
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)
    origin: Origin | None = field(default=None, compare=False)


def count_words(text: str) -> int:
    """Words between spaces and tabs, as everything that trains on a corpus splits it."""
    inner = text.strip(" ")
    if "  " in inner or "\t" in inner:
        return len(split(inner))
    return inner.count(" ") + 1 if inner else 0
