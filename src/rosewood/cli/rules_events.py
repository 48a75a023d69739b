"""`rosewood rules events`: how the phrase pairs of an aligned corpus follow each other, as text."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from rosewood.cli.corpora import (
    BlankBadLine,
    CorpusFormat,
    Languages,
    LineCharacters,
    LineWords,
    Quiet,
    Sources,
)
from rosewood.cli.options import Threads, check_files, cores
from rosewood.cli.verbs.extract import Alignment, read_aligned

__all__ = ["events"]

_STDOUT = Path("-")


def events(
    sources: Sources,
    alignment: Alignment,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Where to write, .gz .xz .zst too.", show_default="stdout"
        ),
    ] = _STDOUT,
    kind: Annotated[
        str,
        typer.Option(
            "--orientation",
            metavar="KIND",
            help="What a phrase pair's neighbour is: word, phrase or hierarchy.",
        ),
    ] = "hierarchy",
    direction: Annotated[
        str,
        typer.Option(
            "--direction",
            metavar="backward|forward",
            help="The neighbour is the target phrase before, or the one behind.",
        ),
    ] = "backward",
    classes: Annotated[
        str,
        typer.Option(
            "--classes",
            metavar="msd|mslr",
            help="Monotone, swap and discontinuous, or left and right instead of the last.",
        ),
    ] = "msd",
    max_phrase: Annotated[
        int, typer.Option("--max-phrase", min=1, help="Words of each side of a phrase.")
    ] = 7,
    languages: Languages = None,
    format: CorpusFormat = None,
    on_bad_line: BlankBadLine = "stop",
    line_words: LineWords = 10_000,
    line_characters: LineCharacters = 100_000,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Write the orientation of every phrase pair, with what reordering models look at.

    A line is an orientation, the source and target phrase, their linked words, and the source
    words beside them: swap ||| nicht ||| not ||| nicht&not ||| geht nach

    rosewood rules events train.de train.en --alignment train.pharaoh -o events.gz
    """
    from rosewood.progress import progress
    from rosewood.rules.events import check_event_settings, orientation_events

    check_event_settings(kind, direction, classes)
    check_files({"-o": output}, [*map(Path, sources), alignment])
    corpus, links = read_aligned(
        sources, alignment, languages, format, on_bad_line, line_words, line_characters, quiet=quiet
    )
    blocks = orientation_events(
        corpus,
        links,
        kind=kind,
        direction=direction,
        classes=classes,
        max_phrase=max_phrase,
        threads=cores(threads),
    )
    with _opened(output) as stream, progress("events", quiet=quiet) as step:
        for block in blocks:
            stream.write("".join(f"{line}\n" for line in block.lines()).encode())
            step(len(block))


@contextmanager
def _opened(output: Path) -> Iterator[BinaryIO]:
    """The file, whole or not at all, or standard output."""
    from rosewood.corpus.compression import open_output

    if str(output) == "-":
        yield sys.stdout.buffer
        return
    with open_output(output) as stream:
        yield stream
