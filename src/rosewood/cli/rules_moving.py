"""`rosewood rules import`, `export` and `filter`: tables made of files, and files of tables."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from rosewood.cli.common import warn
from rosewood.cli.corpora import Quiet
from rosewood.cli.lm_reading import name_of, source_of
from rosewood.cli.options import Config, Threads, check_files, check_folder, cores
from rosewood.errors import RuleError

if TYPE_CHECKING:
    from rosewood.rules.formats.grammar import GrammarFormat
    from rosewood.rules.formats.reading import OnBadLine

__all__ = ["TableFolder", "export_rules", "filter_rules", "import_rules"]

TableFolder = Annotated[
    Path, typer.Argument(metavar="TABLE", help="The folder of a table of rules.")
]
NewTable = Annotated[Path, typer.Option("--output", "-o", help="The folder of the new table.")]
Format = Annotated[
    str | None,
    typer.Option("--format", metavar="moses|cdec|joshua", help="How the grammar is written."),
]
Scores = Annotated[
    str | None,
    typer.Option(
        "--scores",
        metavar="NAME,NAME,…",
        help="Features that are the columns of scores, in this order.",
    ),
]


def import_rules(
    output: NewTable,
    moses: Annotated[
        Path | None,
        typer.Option("--moses", metavar="FILE", help="A phrase table of Moses."),
    ] = None,
    reordering: Annotated[
        Path | None,
        typer.Option(
            "--reordering", metavar="FILE", help="Its lexicalized reordering table, besides."
        ),
    ] = None,
    orientations: Annotated[
        str | None,
        typer.Option(
            "--orientations",
            metavar="NAME",
            show_default="as its name says",
            help="What the numbers of the reordering table are: msd or mslr, and backward, forward "
            "or bidirectional, such as msd-bidirectional.",
        ),
    ] = None,
    grammar: Annotated[
        Path | None,
        typer.Option("--grammar", metavar="FILE", help="A grammar of Moses, cdec or Joshua."),
    ] = None,
    format: Format = None,
    scores: Scores = None,
    on_bad_line: Annotated[
        str,
        typer.Option(
            "--on-bad-line", metavar="stop|skip", help="Stop at a bad line, or drop it and count."
        ),
    ] = "stop",
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Make a table of somebody's phrase table or grammar.

    Those are text files, .gz .xz .zst too; - is standard input.

    rosewood rules import --moses phrase-table.gz --reordering reordering-table.gz -o rules/
    """
    from rosewood.progress import progress
    from rosewood.rules.formats import import_grammar, import_moses
    from rosewood.rules.table_files import MANIFEST

    if (moses is None) == (grammar is None):
        raise RuleError("import: want --moses or --grammar, one of them")
    if moses is None and (reordering is not None or orientations is not None):
        raise RuleError("--reordering and --orientations are for --moses")
    if grammar is None and format is not None:
        raise RuleError("--format is for --grammar")
    check_files({}, [moses, reordering, grammar])
    check_folder("-o", output, MANIFEST, [moses, reordering, grammar])
    shared: dict[str, Any] = {
        "scores": _names(scores),
        "on_bad_line": cast("OnBadLine", on_bad_line),
        "show": partial(progress, quiet=quiet),
    }
    if moses is not None:
        if reordering is not None and str(reordering) == "-" and orientations is None:
            raise RuleError("--reordering -: a stream has no name, want --orientations")
        imported = import_moses(
            source_of(moses),
            output,
            reordering=None if reordering is None else source_of(reordering),
            orientations=orientations,
            file=name_of(moses),
            **shared,
        )
    elif grammar is not None:
        imported = import_grammar(
            source_of(grammar),
            output,
            format=cast("GrammarFormat | None", format),
            file=name_of(grammar),
            **shared,
        )
    for line in imported.told():
        warn(line)


def export_rules(
    table: TableFolder,
    moses: Annotated[
        Path | None,
        typer.Option("--moses", metavar="FILE", help="Write phrases as a phrase table of Moses."),
    ] = None,
    reordering: Annotated[
        Path | None,
        typer.Option(
            "--reordering", metavar="FILE", help="Write its lexicalized reordering table."
        ),
    ] = None,
    grammar: Annotated[
        Path | None,
        typer.Option("--grammar", metavar="FILE", help="Write rules as a grammar; see --format."),
    ] = None,
    format: Format = None,
    scores: Scores = None,
    skip_unwritable: Annotated[
        bool,
        typer.Option(
            "--skip-unwritable",
            help="Leave out, and count, rules that the format cannot hold, such as those with a "
            "word [X,1].",
        ),
    ] = False,
    threads: Threads = None,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Write a table as text for Moses, cdec or Joshua.

    Files may be .gz .xz .zst, too; - is standard output.  What is read back is the same table, but
    for what a format has no place for: ids and where rules came from; for Moses the rule penalty,
    unless --scores names it; for cdec and Joshua counts.

    rosewood rules export rules/ --moses phrase-table.gz --reordering reordering-table.gz
    """
    from rosewood.progress import progress
    from rosewood.rules import RuleTable
    from rosewood.rules.formats import export_grammar, export_moses

    outputs = {"--moses": moses, "--reordering": reordering, "--grammar": grammar}
    if not any(outputs.values()):
        raise RuleError("export: want --moses, --reordering or --grammar")
    if grammar is not None and (moses is not None or reordering is not None):
        raise RuleError("--grammar goes without --moses and --reordering")
    if (grammar is None) != (format is None):
        raise RuleError("--grammar and --format go together: moses, cdec or joshua")
    if str(moses) == str(reordering) == "-":
        raise RuleError("standard output (-) can be written only once")
    check_files(outputs, [])
    found = RuleTable.open(table)
    chosen = _names(scores)
    working: dict[str, Any] = {
        "skip_unwritable": skip_unwritable,
        "threads": cores(threads),
        "show": partial(progress, quiet=quiet),
    }
    if grammar is not None:
        exported = export_grammar(
            found,
            _target(grammar),
            format=cast("GrammarFormat", format),
            features=chosen,
            **working,
        )
    else:
        exported = export_moses(
            found,
            None if moses is None else _target(moses),
            reordering=None if reordering is None else _target(reordering),
            scores=chosen,
            **working,
        )
    for line in exported.told():
        warn(line)
    used = exported.features
    if not quiet and (moses is not None or format == "moses"):
        warn(f"the {len(used)} scores are {', '.join(used)} (num-features={len(used)})")


def filter_rules(
    table: TableFolder,
    texts: Annotated[
        list[Path],
        typer.Argument(
            metavar="TEXT…",
            help="Sentences, one a line, words between spaces, .gz .xz .zst too; - is standard "
            "input.",
        ),
    ],
    output: NewTable,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, metavar="N", help="The first N rules of each source."),
    ] = None,
    threads: Threads = None,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Make a table of the rules that some sentences can use; ids stay the same.

    rosewood rules filter rules/ test.de -o test-rules/
    """
    from rosewood.corpus.lines import read_lines
    from rosewood.progress import progress
    from rosewood.rules import RuleTable
    from rosewood.rules.table_files import MANIFEST

    check_files({}, texts)
    check_folder("-o", output, MANIFEST, [*texts, table])
    found = RuleTable.open(table)

    def sentences() -> Iterator[str]:
        for file in texts:
            for _, line in read_lines(source_of(file), name_of(file)):
                yield line

    with progress("filtering by sentences", quiet=quiet) as step:
        made = found.filter(sentences(), output, limit=limit, threads=cores(threads), told=step)
    if not quiet:
        warn(f"{len(made):,} of {len(found):,} rules are kept")


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",")]


def _target(file: Path) -> Any:
    """What `-` means."""
    return sys.stdout.buffer if str(file) == "-" else file
