"""`rosewood rules import` and `export`: tables of Moses, cdec and Joshua."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from rosewood.cli.common import conflict, name_of, needs, source_of, target_of, warn
from rosewood.cli.options import check_files, check_folder
from rosewood.cli.run_options import RunOptions, ThreadedRun
from rosewood.errors import RuleError
from rosewood.rules.settings import GrammarFormat
from rosewood.settings import Settings, setting, setting_of
from rosewood.shared_settings import SharedSettings
from rosewood.shared_types import PathName

TableFolder = Annotated[Path, typer.Argument(metavar="TABLE", help="Folder of a rule table.")]
NewTable = Annotated[Path, typer.Option("--output", "-o", help="Folder of the new table.")]


@dataclass(frozen=True)
class FormatOptions(Settings):
    """How rules are written in text files."""

    error = RuleError

    format: GrammarFormat | None = setting(None, "Format of the grammar.")
    scores: str | None = setting(
        None, "Features in the columns of scores, in this order.", metavar="NAME,NAME,…"
    )

    @property
    def score_names(self) -> list[str] | None:
        """The names of --scores."""
        return None if self.scores is None else [name.strip() for name in self.scores.split(",")]


@dataclass(frozen=True)
class ImportOptions(FormatOptions):
    """What is read."""

    moses: PathName | None = setting(None, "Phrase table of Moses.")
    reordering: PathName | None = setting(
        None, "Lexicalized reordering table, in addition to --moses."
    )
    orientations: str | None = setting(
        None,
        "Columns of the reordering table: msd or mslr, and backward, forward or bidirectional, "
        "such as msd-bidirectional.",
        metavar="NAME", default_text="by the file name",
    )  # fmt: skip
    grammar: PathName | None = setting(None, "Grammar of Moses, cdec or Joshua.")
    on_bad_line: Literal["stop", "skip"] = setting_of(
        SharedSettings, "on_bad_line", more="stop, or skip and count it.", metavar="stop|skip"
    )

    def check(self, output: Path) -> None:
        """Refuses, before any work, what cannot be done."""
        from rosewood.rules.table_files import MANIFEST

        if self.moses is None and self.grammar is None:
            raise needs(RuleError, "import", "--moses or --grammar")
        if self.moses is not None and self.grammar is not None:
            raise conflict(RuleError, "--moses", "--grammar")
        for name in ("reordering", "orientations") if self.moses is None else ("format",):
            if getattr(self, name) is not None:
                other = "--moses" if self.moses is None else "--grammar"
                raise needs(RuleError, f"--{name}", other)
        if self.reordering == "-" and self.orientations is None:
            raise needs(RuleError, "--reordering -", "--orientations")
        inputs = [self.moses, self.reordering, self.grammar]
        check_files({}, inputs)
        check_folder("-o", output, MANIFEST, inputs)


def import_rules(output: NewTable, options: ImportOptions, run: RunOptions) -> None:
    """Make a rule table from a phrase table or grammar.

    Those are text files, .gz .xz .zst too; - is standard input.

    rosewood rules import --moses phrase-table.gz --reordering reordering-table.gz -o rules/
    """
    from rosewood.progress import progress
    from rosewood.rules.formats import import_grammar, import_moses

    options.check(output)
    shared: dict[str, Any] = {
        "scores": options.score_names,
        "on_bad_line": options.on_bad_line,
        "show": partial(progress, quiet=run.quiet),
    }
    reordering = options.reordering
    if options.moses is not None:
        imported = import_moses(
            source_of(options.moses),
            output,
            reordering=None if reordering is None else source_of(reordering),
            orientations=options.orientations,
            file=name_of(options.moses),
            **shared,
        )
    elif options.grammar is not None:
        imported = import_grammar(
            source_of(options.grammar),
            output,
            format=options.format,
            file=name_of(options.grammar),
            **shared,
        )
    for line in imported.told():
        warn(line)


@dataclass(frozen=True)
class ExportOptions(FormatOptions):
    """What is written."""

    moses: PathName | None = setting(None, "Write phrases as a phrase table of Moses.")
    reordering: PathName | None = setting(None, "Write the lexicalized reordering table of Moses.")
    grammar: PathName | None = setting(None, "Write rules as a grammar; see --format.")
    skip_unwritable: bool = setting(
        False, "Skip and count rules that the format cannot hold, such as those with a word [X,1]."
    )

    def check(self) -> None:
        """Refuses, before any work, what cannot be done."""
        outputs = {f"--{name}": getattr(self, name) for name in ("moses", "reordering", "grammar")}
        if not any(outputs.values()):
            raise needs(RuleError, "export", "--moses, --reordering or --grammar")
        if self.grammar is not None and (self.moses or self.reordering):
            raise conflict(RuleError, "--grammar", "--moses" if self.moses else "--reordering")
        if (self.grammar is None) != (self.format is None):
            both = ["--grammar", "--format"]
            raise needs(RuleError, *(both if self.format is None else both[::-1]))
        if self.moses == self.reordering == "-":
            raise conflict(RuleError, "--reordering -", "--moses -")
        check_files(outputs, [])


def export_rules(
    table: TableFolder,
    options: ExportOptions,
    run: ThreadedRun,
) -> None:
    """Write a table as text for Moses, cdec or Joshua.

    Files may be .gz .xz .zst, too; - is standard output.  Reading them back gives the same table,
    except for what a format cannot hold: ids and origins of rules; for Moses the rule penalty,
    unless --scores names it; for cdec and Joshua counts.

    rosewood rules export rules/ --moses phrase-table.gz --reordering reordering-table.gz
    """
    from rosewood.progress import progress
    from rosewood.rules import RuleTable
    from rosewood.rules.formats import export_grammar, export_moses

    options.check()
    found = RuleTable.open(table)
    shared: dict[str, Any] = {
        "skip_unwritable": options.skip_unwritable,
        "threads": run.cores,
        "show": partial(progress, quiet=run.quiet),
    }
    moses, reordering = options.moses, options.reordering
    if options.grammar is not None:
        exported = export_grammar(
            found,
            target_of(options.grammar),
            format=cast(GrammarFormat, options.format),
            features=options.score_names,
            **shared,
        )
    else:
        exported = export_moses(
            found,
            None if moses is None else target_of(moses),
            reordering=None if reordering is None else target_of(reordering),
            scores=options.score_names,
            **shared,
        )
    for line in exported.told():
        warn(line)
    used = exported.features
    if not run.quiet and (moses is not None or options.format == "moses"):
        warn(f"the {len(used)} scores are {', '.join(used)} (num-features={len(used)})")
