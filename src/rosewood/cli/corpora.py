"""Corpora on the command line: the argument, reading with progress, reports of bad lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rosewood.cli.common import warn

if TYPE_CHECKING:
    from rosewood.corpus import Corpus, SentencePair
    from rosewood.corpus.settings import CorpusSettings

SOURCES = (
    "Two text files with parallel lines, or .tsv, .jsonl, .tmx, .po or .xlf files, which are "
    "joined; .gz, .xz and .zst too; - is standard input."
)
Sources = Annotated[list[str], typer.Argument(metavar="SOURCES", help=SOURCES)]


def read_corpus(
    reading: CorpusSettings, sources: Sequence[str], *, every_line: bool = False, quiet: bool
) -> Corpus:
    """The corpus of some files.  Reading shows progress; the first pass reports bad lines."""
    from rosewood.progress import progress

    corpus = reading.corpus(sources, every_line=every_line)
    is_reported = False

    def watched(pairs: Iterator[SentencePair]) -> Iterator[SentencePair]:
        nonlocal is_reported
        with progress("reading pairs", quiet=quiet) as step:
            for pair in pairs:
                yield pair
                step()
        if not is_reported:
            for line in corpus.tally.report():
                warn(line)
        is_reported = True

    return corpus.through(watched)
