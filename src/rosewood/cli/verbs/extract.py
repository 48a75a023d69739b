"""Extract and score translation rules from a word-aligned corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.aligning import read_text
from rosewood.cli.common import print_row, print_table, warn
from rosewood.cli.corpora import (
    BlankBadLine,
    CorpusFormat,
    Languages,
    LineCharacters,
    LineWords,
    Quiet,
    Sources,
    checks_of,
)
from rosewood.cli.lm_reading import name_of
from rosewood.cli.options import FILES, Config, Threads, check_files, check_folder, cores
from rosewood.cli.options_from_settings import Typed
from rosewood.cli.verbs.links import read_links_file
from rosewood.cli.working import MaxMemory, Work
from rosewood.errors import FormatError, RuleError
from rosewood.rules.settings import GAP_SETTINGS, PHRASE_SETTINGS, ExtractionSettings

if TYPE_CHECKING:
    from rosewood.align import Links
    from rosewood.corpus import IndexedCorpus
    from rosewood.rules import Extracted

__all__ = ["Alignment", "extract", "read_aligned"]

Alignment = Annotated[
    Path,
    typer.Option(
        "--alignment",
        "-a",
        metavar="FILE",
        rich_help_panel=FILES,
        help="Links, a line for each pair: i-j, source word and target word, counted from 0; "
        ".gz, .xz and .zst too; - is standard input. What rosewood align writes.",
    ),
]


def extract(
    sources: Sources,
    alignment: Alignment,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FOLDER", rich_help_panel=FILES, help="The rule table."
        ),
    ],
    settings: Annotated[dict[str, Any], Typed(ExtractionSettings)],
    languages: Languages = None,
    format: CorpusFormat = None,
    on_bad_line: BlankBadLine = "stop",
    line_words: LineWords = 10_000,
    line_characters: LineCharacters = 100_000,
    max_memory: MaxMemory = 2 << 30,
    work: Work = None,
    threads: Threads = None,
    quiet: Quiet = False,
    json: Annotated[
        bool, typer.Option("--json", help="Tell what was done as JSON, on standard output.")
    ] = False,
    config: Config = None,
) -> None:
    """Extract translation rules from an aligned corpus, score them, and write them as a table.

    rosewood extract train.de train.en --alignment train.pharaoh -o rules

    rosewood extract train.de train.en -a train.pharaoh -o grammar --hierarchical
    """
    from rosewood.output import check_apart
    from rosewood.progress import progress_of_parts
    from rosewood.rules import extract as extract_rules
    from rosewood.rules.table_files import MANIFEST

    hierarchical = settings.get("hierarchical", False)
    for name in PHRASE_SETTINGS if hierarchical else GAP_SETTINGS:
        if name in settings:
            option = f"--{name.replace('_', '-')}"
            other = "without" if hierarchical else "with"
            raise RuleError(
                f"{option} works only {other} --hierarchical",
                code="argument.conflict",
                argument=option,
            )
    ExtractionSettings(**settings)  # what is wrong with them is told before anything is read
    inputs = [*map(Path, sources), alignment, config]
    check_files({}, inputs)
    check_folder("-o", output, MANIFEST, [*inputs, work])
    if work is None:
        work = output.with_name(f"{output.name}.work")
    check_apart(work, [path for path in (*inputs, output) if path and str(path) != "-"])
    corpus, links = read_aligned(
        sources, alignment, languages, format, on_bad_line, line_words, line_characters, quiet=quiet
    )
    try:
        with progress_of_parts(quiet=quiet) as told:
            found = extract_rules(
                corpus,
                links,
                output,
                max_memory=max_memory,
                work=work,
                threads=cores(threads),
                told=told,
                **settings,
            )
    except KeyboardInterrupt:
        if work.exists():
            warn(f"{work}: the same command goes on from there")
        raise
    if found.went_on and not quiet:
        warn(f"{work}: went on from what had been done there")
    _tell(found, json, quiet)


def read_aligned(
    sources: list[str],
    alignment: Path,
    languages: str | None,
    format: str | None,
    on_bad_line: str,
    line_words: int,
    line_characters: int,
    *,
    quiet: bool,
) -> tuple[IndexedCorpus, Links]:
    """The corpus and its links; pairs that are bad, if they may be, without words."""
    from rosewood.align import Preparation
    from rosewood.corpus.readers import format_of
    from rosewood.rules.extraction import bad_pairs, without_pairs

    no_links: dict[int, str] = {}
    links = read_links_file(alignment, bad_lines=no_links if on_bad_line == "skip" else None)
    checks = checks_of(line_words, line_characters)
    text = read_text(
        sources, languages, format, on_bad_line, Preparation(), None, checks=checks, quiet=quiet
    )
    name = name_of(alignment)
    if len(links) != len(text.corpus):
        raise FormatError(
            f"it has {len(links):,} lines, the corpus has {len(text.corpus):,}",
            file=name,
            code="file.mismatch",
        )
    bad = bad_pairs(text.corpus, links)
    bad |= {number - 1: ("links", reason) for number, reason in no_links.items()}
    if not bad:
        return text.corpus, links
    first, (where, reason) = min(bad.items())
    if on_bad_line != "skip":
        files = {"links": name}
        if len(sources) == 2 and not any(map(format_of, sources)):
            files |= {"source": sources[0], "target": sources[1]}
        if where in files:
            raise FormatError(reason, file=files[where], line=first + 1)
        raise FormatError(f"sentence pair {first + 1}: {reason}", file=" ".join(sources))
    warn(f"pairs that were left out: {len(bad):,}; the first, line {first + 1}: {reason}")
    return without_pairs(text.corpus, links, bad)


def _tell(found: Extracted, as_json: bool, quiet: bool) -> None:
    """What was found."""
    facts = found.facts
    if facts["fallback"] and not quiet:
        warn(f"discounts are fixed ones: {facts['fallback']}")
    if facts["rules"] == 0:
        warn("no rule is left: the table is empty")
    rows: dict[str, Any] = {
        "sentence pairs": facts["sentences"],
        "seen": facts["instances"],
        "distinct": facts["extracted"],
        "rules": facts["rules"],
        "bytes": found.table.size,
    }
    left_out = {"rare": "rare", "insignificant": "insignificant", "over_limit": "over the limit"}
    rows |= {name: facts[key] for key, name in left_out.items() if facts[key]}
    if as_json:
        print_row(facts | {"bytes": found.table.size}, as_json=True)
    elif not quiet:
        print_table([[name, f"{value:,}"] for name, value in rows.items()], right=[1])


PLUGIN = extract
