"""Reading corpora: options, sentence pairs, aligned corpora, and reports of bad lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from rosewood.cli.common import bad_value, warn
from rosewood.errors import CorpusError, RosewoodError
from rosewood.settings import Settings, setting
from rosewood.shared_types import OnBadLine

if TYPE_CHECKING:
    from rosewood.corpus import Checks, Corpus, SentencePair
    from rosewood.corpus.checks import Tally

__all__ = [
    "CorpusOptions",
    "LineLimits",
    "ParallelOptions",
    "Sources",
    "checked_lines",
]

_GROUP = "Reading corpora"  # a panel of --help
Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCES",
        help="Two text files with parallel lines, or .tsv, .jsonl, .tmx, .po or .xlf files, which "
        "are joined; .gz, .xz and .zst too; - is standard input.",
    ),
]


@dataclass(frozen=True)
class LineLimits(Settings):
    """Longest lines that are not bad."""

    error = CorpusError

    line_words: int = setting(10_000, "Longest line, in words.", low=1, group=_GROUP)
    line_characters: int = setting(100_000, "Longest line, in characters.", low=1, group=_GROUP)

    def checks(self, *, allow_empty: bool = False) -> Checks:
        """The limits as readers take them."""
        from rosewood.corpus import Checks

        return Checks(self.line_words, self.line_characters, allow_empty)


@dataclass(frozen=True)
class CorpusOptions(LineLimits):
    """How the pairs of a corpus are read."""

    languages: str | None = setting(
        None, "Source and target language, for files with several languages; de matches de-AT.",
        group=_GROUP, metavar="DE:EN", short="l",
    )  # fmt: skip
    format: str | None = setting(
        None, "Format: text, tsv, jsonl, tmx, po or xliff.",
        group=_GROUP, metavar="NAME", default_text="by the file name",
    )  # fmt: skip
    on_bad_line: OnBadLine = setting(
        "stop", "At a bad line: stop, skip its pair and count it, or keep a blank pair.",
        group=_GROUP, metavar="stop|skip|blank",
    )  # fmt: skip

    @property
    def both_languages(self) -> tuple[str | None, str | None]:
        """Source and target language of `de:en`."""
        if self.languages is None:
            return None, None
        source, colon, target = self.languages.partition(":")
        if not colon or not source or not target or ":" in target:
            raise bad_value(CorpusError, "--languages", self.languages, "two, as in de:en")
        return source, target

    def read(
        self, sources: Sequence[str], *, every_line: bool = False, quiet: bool = False
    ) -> Corpus:
        """The corpus of some files.  Reading shows progress; the first pass reports bad lines.

        With `every_line`, each line has a pair: sides may be empty, and bad lines become blank.
        """
        from rosewood.corpus import Corpus
        from rosewood.progress import progress

        source_language, target_language = self.both_languages
        corpus = Corpus.read(
            *sources,
            format=self.format,
            source_language=source_language,
            target_language=target_language,
            on_bad_line="blank" if every_line and self.on_bad_line == "skip" else self.on_bad_line,
            checks=self.checks(allow_empty=every_line),
        )
        is_reported = False

        def watched(pairs: Iterator[SentencePair]) -> Iterator[SentencePair]:
            nonlocal is_reported
            with progress("reading pairs", quiet=quiet) as step:
                for pair in pairs:
                    yield pair
                    step()
            if not is_reported:
                _report(corpus.tally)
            is_reported = True

        return corpus.through(watched)


@dataclass(frozen=True)
class ParallelOptions(CorpusOptions):
    """How a corpus is read whose lines keep their numbers."""

    on_bad_line: Literal["stop", "blank"] = setting(
        "stop", "At a bad line: stop, or count it and keep a blank pair.",
        group=_GROUP, metavar="stop|blank",
    )  # fmt: skip


def checked_lines(
    file: Path,
    name: str,
    line_characters: int,
    line_words: int | None = None,
    bad_lines: dict[int, RosewoodError] | None = None,
) -> Iterator[tuple[int, str]]:
    """Lines of a text with their numbers, as they come; errors call the file `name`.

    Lines that a corpus would refuse are refused, except empty ones.  With `bad_lines` they become
    empty lines, and it gets their errors by number.
    """
    from rosewood.corpus import Checks
    from rosewood.corpus.checks import BadPair
    from rosewood.corpus.inputs import Input, strict_lines

    checks = Checks(line_words or line_characters, line_characters, allow_empty=True)
    for line in strict_lines(Input(str(file), once=True), checks.max_bytes):
        bad = line.bad
        if bad is None and (wrong := checks.problem(line.text)) is not None:
            bad = BadPair.with_fault(wrong)
        if bad is None:
            yield line.number, line.text
            continue
        error = bad.error.restated(bad.error.reason, file=name, line=line.number)
        if bad_lines is None:
            raise error
        bad_lines[line.number] = error
        yield line.number, ""


def _report(tally: Tally) -> None:
    """Pairs that were skipped, left out or changed."""
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
