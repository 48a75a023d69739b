"""Rule tables: show, filter, import, export and verify them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosewood.cli.aligned_corpora import read_aligned
from rosewood.cli.common import (
    lines_to,
    name_of,
    named_rows,
    print_row,
    print_table,
    source_of,
    verify_each,
    warn,
)
from rosewood.cli.corpora import Sources, read_corpus
from rosewood.cli.groups import VerbGroup
from rosewood.cli.options import AlignmentFile, check_files, check_folder
from rosewood.cli.rules_formats import NewTable, TableFolder, export_rules, import_rules
from rosewood.cli.run_options import Config, Json, ThreadedRun
from rosewood.corpus.settings import CorpusSettings
from rosewood.errors import RuleError
from rosewood.rules.settings import EventSettings
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.rules.found_rules import FoundRule

_Origins = dict[
    int | None, tuple[str, str]
]  # sentence pairs of the training corpus, by their numbers

app = VerbGroup(
    "Tables of translation rules, phrases and rules with gaps: inspect them, filter them, read and "
    "write those of Moses, cdec and Joshua."
)
app.command("import")(import_rules)
app.command("export")(export_rules)


@dataclass(frozen=True)
class ShowOptions(Settings):
    """Which rules are shown, and what of them."""

    error = RuleError

    sentence: bool = setting(
        False,
        "SOURCE is a sentence: show all rules for its spans, up to the maximum span of extraction, "
        "or 10 words.",
        short="s",
    )
    limit: int | None = setting(
        None, "Maximum number of rules of each source.",
        low=1, short="n", metavar="N", default_text="all",
    )  # fmt: skip
    origin: tuple[PathName, ...] = setting(
        (),
        "Show the training sentence that each rule came from: the corpus of the extraction; for "
        "two text files, twice.",
        metavar="CORPUS",
    )
    languages: str | None = setting(
        None, "Source and target language of --origin.", short="l", metavar="DE:EN"
    )
    every: bool = setting(False, "Show features of orientations, too.", option="all", short="a")


@app.command()
def show(
    table: TableFolder,
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE", help='Words, and gaps as in "das [X,1] von [X,2]"; or a sentence.'
        ),
    ],
    options: ShowOptions,
    json: Json = False,
    config: Config = None,
) -> None:
    """The rules of a source, the best first, with features, counts and alignment.

    Counts are those of the rule, of its source and of its target.

    rosewood rules show rules/ "ein haus" --limit 5
    """
    from rosewood.rules import RuleTable
    from rosewood.rules.found_rules import FoundRule, rules_of_sentence

    opened = RuleTable.open(table)
    if not source.strip():
        raise RuleError("show: SOURCE is empty", code="argument.value", argument="SOURCE")
    if options.sentence:
        found = [*rules_of_sentence(opened, source, options.limit)]
    else:
        found = [FoundRule(rule) for rule in opened.lookup(source)[: options.limit]]
    origins = _origins(found, options) if options.origin else {}
    if not found:
        warn(f"{table}: no rule for {source!r}")
    elif json:
        for each in found:
            print_row(each.to_dict(origins.get(each.rule.sentence)), as_json=True)
    else:
        features = [
            name for name in opened.features if options.every or not name.startswith("orientation_")
        ]
        _print(found, origins, features, is_sentence=options.sentence)


def _origins(found: Sequence[FoundRule], options: ShowOptions) -> _Origins:
    """The sentence pairs, of an indexed corpus or its files, that rules were seen in."""
    from rosewood.corpus import IndexedCorpus

    sources = [str(each) for each in options.origin]
    wanted = {each.rule.sentence for each in found} - {None}
    if not wanted and found:
        warn("the table has no origins of rules")
    origins: _Origins = {}
    if len(sources) == 1 and Path(sources[0]).is_dir():
        corpus = IndexedCorpus.open(sources[0])
        for number in wanted:
            if number is not None and number < len(corpus):
                sides = corpus.source.words(number), corpus.target.words(number)
                origins[number] = " ".join(sides[0]), " ".join(sides[1])
    elif wanted:
        reading = CorpusSettings(languages=options.languages, on_bad_line="blank")
        pairs = read_corpus(reading, sources, every_line=True, quiet=True)
        for number, pair in enumerate(pairs):
            if number in wanted:
                origins[number] = pair.source, pair.target
                if len(origins) == len(wanted):
                    break
    if missing := len(wanted - origins.keys()):
        warn(f"{', '.join(sources)}: it ends before {missing} of the sentences rules came from")
    return origins


def _print(
    found: Sequence[FoundRule], origins: _Origins, features: Sequence[str], *, is_sentence: bool
) -> None:
    """A table of rules; below it the sentences they came from."""
    names = ["id", "target", "links", "counts", *features]
    rows = [["span", "source", *names] if is_sentence else names]
    has_labels = any(each.rule.left != "X" for each in found)
    for each in found:
        rule = each.rule
        left = [f"[{rule.left}] → " if has_labels else ""]
        row = [
            str(rule.id),
            "".join([*left, " ".join(map(str, rule.target))]),
            " ".join(f"{i}-{j}" for i, j in rule.links),
            f"{rule.count:.6g}/{rule.source_count:.6g}/{rule.target_count:.6g}",
            *(f"{rule.features[name]:.4g}" for name in features),
        ]
        if is_sentence:
            spans = [f"{each.begin}:{each.end}", *(f"[{b}:{e}]" for b, e in each.gaps)]
            row = [" ".join(spans), " ".join(map(str, rule.source)), *row]
        rows.append(row)
    numbers = len(rows[0]) - len(features)
    print_table(rows, right=range(numbers - 1, len(rows[0])))
    for number in dict.fromkeys(each.rule.sentence for each in found):
        if number is not None and number in origins:
            print(f"\nsentence {number + 1}\n  {origins[number][0]}\n  {origins[number][1]}")


@app.command()
def info(table: TableFolder, json: Json = False) -> None:
    """Print the contents of a table, and how it was made."""
    from rosewood.rules import RuleTable

    found = RuleTable.open(table)
    row = {
        "table": str(table),
        "rules": len(found),
        "ids": found.num_ids,
        "source_words": len(found.source_words),
        "target_words": len(found.target_words),
        "labels": list(found.labels),
        "features": list(found.features),
        "bytes": found.size,
        "bytes_per_rule": found.size / len(found) if len(found) else None,
        "facts": found.facts,
    }
    if json:
        print_row(row, as_json=True)
    else:
        print_table([*named_rows(row)])


@app.command()
def verify(
    tables: Annotated[list[Path], typer.Argument(metavar="TABLE…", help="Folders of rule tables.")],
) -> None:
    """Read all of a table: check its checksums and its structure."""
    from rosewood.rules import RuleTable

    verify_each(tables, lambda table: RuleTable.open(table).verify())


@app.command("filter")
def filter_rules(
    table: TableFolder,
    texts: Annotated[
        list[Path],
        typer.Argument(
            metavar="TEXT…",
            help="Sentences, one per line, words separated by spaces, .gz .xz .zst too; - is "
            "standard input.",
        ),
    ],
    output: NewTable,
    run: ThreadedRun,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, metavar="N", help="Maximum number of rules of each source."),
    ] = None,
) -> None:
    """Make a table of the rules that some sentences can use; rules keep their ids.

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

    with progress("filtering by sentences", quiet=run.quiet) as step:
        made = found.filter(sentences(), output, limit=limit, threads=run.cores, step=step)
    if not run.quiet:
        warn(f"{len(made):,} of {len(found):,} rules are kept")


@dataclass(frozen=True, kw_only=True)
class EventOptions(AlignmentFile):
    """Where links are read, and events are written."""

    output: PathName = setting(
        "-", "Output file, .gz .xz .zst too.", short="o", default_text="stdout"
    )


@app.command()
def events(
    sources: Sources,
    options: EventOptions,
    settings: EventSettings,
    reading: CorpusSettings,
    run: ThreadedRun,
) -> None:
    """Write the orientation of every phrase pair, with the features of reordering models.

    A line is an orientation, the source and target phrase, their linked words, and the adjacent
    source words: swap ||| nicht ||| not ||| nicht&not ||| geht nach

    rosewood rules events train.de train.en --alignment train.pharaoh -o events.gz
    """
    from rosewood.progress import progress
    from rosewood.rules.events import orientation_events

    check_files({"-o": options.output}, [*sources, options.alignment, run.config])
    corpus, links = read_aligned(sources, options.alignment, reading, quiet=run.quiet)
    blocks = orientation_events(corpus, links, threads=run.cores, **vars(settings))
    with lines_to(options.output) as write, progress("events", quiet=run.quiet) as step:
        for block in blocks:
            if len(block):
                write("\n".join(block.lines()))
            step(len(block))


PLUGIN = app
