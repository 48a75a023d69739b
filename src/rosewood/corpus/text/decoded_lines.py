"""Lines of words as raw text, with the tags and alignments of other files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from rosewood.corpus.json_lines import parse_json
from rosewood.corpus.lines import at, split
from rosewood.corpus.text.encoded import Encoded
from rosewood.corpus.text.processor import TextProcessor
from rosewood.corpus.text.tag_placement import Alignment
from rosewood.errors import FormatError


def decoded_lines(
    processor: TextProcessor,
    words: Iterable[str],
    tags: Iterable[str] | None = None,
    links: Iterable[Alignment] | None = None,
    *,
    files: Sequence[str] = ("words", "tags", "links"),
) -> Iterator[tuple[str, bool]]:
    """The raw text of each line, and whether it lacks placeholders of its source.

    `tags` are lines of JSON (`Encoded.to_dict`), `links` alignments of the source's words with
    these; both are as long as `words`.  `files` are what errors call the three.
    """
    given: list[Any] = [words, tags, links]
    streams = [each for each in given if each is not None]
    names = [name for name, each in zip(files, given, strict=True) if each is not None]
    for number, row in enumerate(zip_longest(*streams), 1):
        ended = [name for name, cell in zip(names, row, strict=True) if cell is None]
        if ended:
            other = next(name for name in names if name not in ended)
            reason = f"it ends after {number - 1} lines, but {other} has more"
            raise FormatError(reason, code="file.mismatch", file=ended[0], value=number - 1)
        rest = iter(row[1:])
        encoded = None
        if tags is not None:
            with at(files[1], number):
                encoded = Encoded.from_dict(parse_json(next(rest), "text", "encoded texts"))
        line = split(row[0])
        with at(files[0] if links is None else files[2], number):
            text = processor.decode(line, encoded, next(rest, None))
        yield text, encoded is not None and bool(encoded.lost(line))
