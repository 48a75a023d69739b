"""What verbs that read corpora share: their options, reading, telling what was skipped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from rosewood.cli.common import warn
from rosewood.errors import CorpusError, FormatError

if TYPE_CHECKING:
    from rosewood.corpus import Checks, Corpus, SentencePair
    from rosewood.corpus.checks import Tally
    from rosewood.corpus.readers import OnBadLine as WhenBad

__all__ = [
    "BlankBadLine",
    "CorpusFormat",
    "Languages",
    "LineCharacters",
    "LineWords",
    "OnBadLine",
    "Quiet",
    "Sources",
    "checked_lines",
    "checks_of",
    "read_corpus",
    "read_every_line",
    "split_languages",
]

_PANEL = "Reading corpora"  # of --help
Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCES",
        help="Two text files, line by line translations of each other, or a .tsv, .jsonl, .tmx, "
        ".po or .xlf file; .gz, .xz and .zst too; - is standard input. Several become one corpus.",
    ),
]
Languages = Annotated[
    str | None,
    typer.Option(
        "--languages",
        "-l",
        metavar="DE:EN",
        rich_help_panel=_PANEL,
        help="Source and target language, for files that hold several or name them: de matches "
        "de-AT.",
    ),
]
CorpusFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        rich_help_panel=_PANEL,
        help="text, tsv, jsonl, tmx, po or xliff; without it the endings tell.",
    ),
]
OnBadLine = Annotated[
    str,
    typer.Option(
        "--on-bad-line",
        metavar="stop|skip",
        rich_help_panel=_PANEL,
        help="Stop at a bad line, or drop its pair and count.",
    ),
]
BlankBadLine = Annotated[
    str,
    typer.Option(
        "--on-bad-line",
        metavar="stop|skip",
        rich_help_panel=_PANEL,
        help="Stop at a bad line, or count it and have a pair without words in its place: lines "
        "are never shifted.",
    ),
]
LineWords = Annotated[
    int,
    typer.Option(
        "--line-words", min=1, rich_help_panel=_PANEL, help="A line of more words is bad."
    ),
]
LineCharacters = Annotated[
    int,
    typer.Option(
        "--line-characters",
        min=1,
        rich_help_panel=_PANEL,
        help="A line of more characters is bad.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]


def checks_of(line_words: int, line_characters: int) -> Checks:
    """The limits that the options set."""
    from rosewood.corpus import Checks

    return Checks(max_words=line_words, max_characters=line_characters)


def split_languages(languages: str | None) -> tuple[str | None, str | None]:
    """The two languages of `de:en`."""
    if languages is None:
        return None, None
    source, colon, target = languages.partition(":")
    if not colon or not source or not target or ":" in target:
        raise CorpusError(f"--languages {languages}: want two of them, as in de:en")
    return source, target


def read_corpus(
    sources: Sequence[str],
    languages: str | None = None,
    format: str | None = None,
    on_bad_line: str = "stop",
    *,
    checks: Checks | None = None,
    quiet: bool = False,
) -> Corpus:
    """The corpus that the options tell of.

    Its walks show how far they have come; behind the first, what was skipped is told.
    """
    from rosewood.corpus import Corpus
    from rosewood.progress import progress

    source_language, target_language = split_languages(languages)
    corpus = Corpus.read(
        *sources,
        format=format,
        source_language=source_language,
        target_language=target_language,
        on_bad_line=cast("WhenBad", on_bad_line),
        checks=checks,
    )
    is_told = False

    def watched(pairs: Iterator[SentencePair]) -> Iterator[SentencePair]:
        nonlocal is_told
        with progress("reading pairs", quiet=quiet) as step:
            for pair in pairs:
                yield pair
                step()
        if not is_told:
            _tell(corpus.tally)
        is_told = True

    return corpus.through(watched)


def read_every_line(
    sources: Sequence[str],
    languages: str | None,
    format: str | None,
    on_bad_line: str,
    *,
    checks: Checks,
    quiet: bool,
) -> Corpus:
    """A corpus in which every line has its place: sides may be empty, bad lines are blank pairs."""
    if on_bad_line not in ("stop", "skip"):
        raise CorpusError(f"--on-bad-line {on_bad_line}: want stop or skip")
    kept = "blank" if on_bad_line == "skip" else "stop"
    checks = replace(checks, allow_empty=True)
    return read_corpus(sources, languages, format, kept, checks=checks, quiet=quiet)


def checked_lines(
    file: Path,
    name: str,
    line_characters: int,
    line_words: int | None = None,
    bad_lines: dict[int, str] | None = None,
) -> Iterator[tuple[int, str]]:
    """Lines of a text with their numbers, as they come; errors call the file `name`.

    What corpora refuse is refused here, too, but for empty lines: those have their place.  Or it is
    an empty line, and `bad_lines` gets its number and what is wrong with it.
    """
    from rosewood.corpus import Checks
    from rosewood.corpus.inputs import Input, strict_lines

    checks = Checks(line_words or line_characters, line_characters, allow_empty=True)
    for line in strict_lines(Input(str(file), once=True), checks.max_bytes):
        reason: str | None = None
        if line.bad is not None:
            reason = line.bad.error.reason
        elif (wrong := checks.problem(line.text)) is not None:
            reason = wrong[1]
        if reason is None:
            yield line.number, line.text
        elif bad_lines is None:
            raise FormatError(reason, file=name, line=line.number)
        else:
            bad_lines[line.number] = reason
            yield line.number, ""


def _tell(tally: Tally) -> None:
    """What is not in the corpus as it stands in its files."""
    if tally.skipped:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in tally.skipped.most_common())
        warn(f"{sum(tally.skipped.values()):,} bad pairs were skipped: {kinds}")
        for example in tally.examples:
            warn(f"  {example}")
        if sum(tally.skipped.values()) > len(tally.examples):
            warn("  …")
    if tally.left_out:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in tally.left_out.most_common())
        warn(f"{sum(tally.left_out.values()):,} were left out: {kinds}")
    if tally.joined:
        warn(f"tabs and line breaks became spaces in this many pairs: {tally.joined:,}")
