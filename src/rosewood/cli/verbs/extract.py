"""Extract and score translation rules from a word-aligned corpus."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rosewood.cli.aligned_corpora import read_aligned
from rosewood.cli.common import print_row, print_table, warn
from rosewood.cli.corpora import Sources
from rosewood.cli.memory_options import Work
from rosewood.cli.options import FILES, AlignmentFile, check_files, check_folder
from rosewood.cli.options_from_settings import Typed
from rosewood.cli.run_options import JsonObject, MemoryRun
from rosewood.corpus.settings import CorpusSettings
from rosewood.errors import RuleError
from rosewood.rules.settings import GAP_SETTINGS, PHRASE_SETTINGS, ExtractionSettings
from rosewood.settings import setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.rules import Extracted


@dataclass(frozen=True, kw_only=True)
class ExtractOptions(AlignmentFile):
    """Where links are read, and the table is written."""

    group = FILES

    output: PathName = setting(help="The rule table.", short="o", metavar="FOLDER")


def extract(
    sources: Sources,
    options: ExtractOptions,
    settings: Annotated[dict[str, Any], Typed(ExtractionSettings)],
    reading: CorpusSettings,
    run: MemoryRun,
    work: Work = None,
    json: JsonObject = False,
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
            message = f"{option} works only {other} --hierarchical"
            raise RuleError(message, code="argument.conflict", argument=option)
    ExtractionSettings(**settings)  # bad settings are refused before anything is read
    output = Path(options.output)
    inputs = [*map(Path, sources), Path(options.alignment), run.config]
    check_files({}, inputs)
    check_folder("-o", options.output, MANIFEST, [*inputs, work])
    if work is None:
        work = output.with_name(f"{output.name}.work")
    check_apart(work, [path for path in (*inputs, output) if path and str(path) != "-"])
    corpus, links = read_aligned(sources, options.alignment, reading, quiet=run.quiet)
    try:
        with progress_of_parts(quiet=run.quiet) as told:
            found = extract_rules(
                corpus,
                links,
                output,
                max_memory=run.max_memory,
                work=work,
                threads=run.cores,
                told=told,
                **settings,
            )
    except KeyboardInterrupt:
        if work.exists():
            warn(f"{work}: the same command goes on from there")
        raise
    if found.went_on and not run.quiet:
        warn(f"{work}: went on from what had been done there")
    _tell(found, json, run.quiet)


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
