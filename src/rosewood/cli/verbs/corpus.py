"""Parallel corpora: summarise, convert, filter, split and index them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from rosewood.cli.common import Json, print_row, warn
from rosewood.cli.corpora import (
    BlankBadLine,
    CorpusFormat,
    Languages,
    LineCharacters,
    LineWords,
    OnBadLine,
    Quiet,
    Sources,
    checks_of,
    read_corpus,
    read_every_line,
    split_languages,
)
from rosewood.cli.options import Config, Seed, check_files, check_folder
from rosewood.errors import CorpusError

if TYPE_CHECKING:
    from rosewood.corpus import Corpus, FilterReport, IndexedCorpus, SentencePair
    from rosewood.corpus.splitting import Part, SplitBy
    from rosewood.corpus.writers import Target

__all__ = ["PLUGIN"]

app = typer.Typer(
    help="Look at parallel corpora, convert and filter them, split off test sets, index them for "
    "training. Files may be two texts side by side, tables, JSON lines, TMX, PO or XLIFF.",
    no_args_is_help=True,
)
_PANEL = "Filtering"
MinWords = Annotated[
    int, typer.Option("--min-words", min=0, rich_help_panel=_PANEL, help="Fewest of each side.")
]
MaxWords = Annotated[
    int | None,
    typer.Option("--max-words", min=1, rich_help_panel=_PANEL, help="Most of each side."),
]
MaxRatio = Annotated[
    float | None,
    typer.Option(
        "--max-ratio", min=1, rich_help_panel=_PANEL, help="Largest ratio of the lengths."
    ),
]
Characters = Annotated[
    bool,
    typer.Option(
        "--characters",
        rich_help_panel=_PANEL,
        help="Lengths are in characters, not in words: for text without spaces.",
    ),
]
DropIdentical = Annotated[
    bool,
    typer.Option(
        "--drop-identical", rich_help_panel=_PANEL, help="No pairs whose sides are the same."
    ),
]
Dedupe = Annotated[
    bool,
    typer.Option(
        "--dedupe", rich_help_panel=_PANEL, help="Of pairs that are the same, only the first."
    ),
]
DedupeBy = Annotated[
    str | None,
    typer.Option(
        "--dedupe-by",
        metavar="SIDE",
        rich_help_panel=_PANEL,
        help="source or target: of pairs with the same one, only the first.",
    ),
]


@app.command()
def info(
    sources: Sources,
    languages: Languages = None,
    format: CorpusFormat = None,
    on_bad_line: OnBadLine = "stop",
    line_words: LineWords = 10_000,
    line_characters: LineCharacters = 100_000,
    config: Config = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Check a corpus from end to end: pairs, words, lengths, tags, and what was skipped."""
    checks = checks_of(line_words, line_characters)
    corpus = read_corpus(sources, languages, format, on_bad_line, checks=checks, quiet=quiet)
    found = corpus.summary().to_dict()
    beside = {"skipped": corpus.skipped, "left_out": corpus.left_out, "joined": corpus.tally.joined}
    if json:
        print_row({"files": corpus.files, **found, **beside}, as_json=True)
        return
    for what in ("pairs", "distinct", "identical"):
        print_row({"what": _SHOWN[what], "value": found[what]}, as_json=False)
    print("side\twords\tcharacters\tmean\tmedian\t95 %\tlongest")
    for side in ("source", "target"):
        print_row({"side": side, **found[side]}, as_json=False)
    for name, count in found["tags"].items():
        print_row({"what": f"tag {name}", "value": count}, as_json=False)
    for what, counts in (("skipped", corpus.skipped), ("left out", corpus.left_out)):
        for kind, count in counts.items():
            print_row({"what": f"{what}: {kind}", "value": count}, as_json=False)


_SHOWN = {"pairs": "pairs", "distinct": "distinct pairs", "identical": "pairs with identical sides"}


@app.command()
def convert(
    sources: Sources,
    output: Annotated[
        list[Path],
        typer.Option(
            "--output",
            "-o",
            help="Where to write: .tsv, .jsonl or .tmx (.gz .xz .zst), or - for JSON lines; twice "
            "for two text files, source and target.",
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option("--to", help="text, tsv, jsonl or tmx; without it the ending tells."),
    ] = None,
    languages: Languages = None,
    format: CorpusFormat = None,
    on_bad_line: OnBadLine = "stop",
    line_words: LineWords = 10_000,
    line_characters: LineCharacters = 100_000,
    min_words: MinWords = 1,
    max_words: MaxWords = None,
    max_ratio: MaxRatio = None,
    characters: Characters = False,
    drop_identical: DropIdentical = False,
    dedupe: Dedupe = False,
    dedupe_by: DedupeBy = None,
    config: Config = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Read corpora of any format, filter them, and write them as one."""
    from rosewood.corpus import Filters
    from rosewood.corpus.writers import target_of

    if len(output) > 2:
        raise CorpusError("-o is given once, or twice for two text files")
    is_printed = "-" in map(str, output)
    if len(output) == 2:
        target = target_of((output[0], output[1]), to)
    else:
        target = target_of(output[0], to or ("jsonl" if is_printed else None))
    check_files({f"-o {path}": path for path in output}, list(map(Path, sources)))
    filters = Filters(
        min_words=min_words,
        max_words=max_words,
        max_ratio=max_ratio,
        unit="characters" if characters else "words",
        drop_identical=drop_identical,
        deduplicate=cast(Any, dedupe_by) or dedupe,
    )
    checks = checks_of(line_words, line_characters)
    corpus = read_corpus(sources, languages, format, on_bad_line, checks=checks, quiet=quiet)
    kept = corpus.filter(filters)
    _write_all(kept, target)
    if kept.report is not None and not is_printed:
        _show(kept.report, json)


def _write_all(corpus: Corpus, target: Target) -> None:
    """What the format has no place for is told."""
    tagged = 0

    def counted(pairs: Iterator[SentencePair]) -> Iterator[SentencePair]:
        nonlocal tagged
        for pair in pairs:
            tagged += bool(pair.tags)
            yield pair

    corpus.through(counted).write_to(target)
    _tell_of_tags(tagged, target.format)


def _tell_of_tags(tagged: int, format: str) -> None:
    if tagged and format == "text":
        warn(f"text files have no place for tags: those of {tagged:,} pairs are not written")


def _show(report: FilterReport, as_json: bool) -> None:
    if as_json:
        print_row(report.to_dict(), as_json=True)
        return
    print_row({"what": "read", "pairs": report.seen}, as_json=False)
    for reason, removed in report.removed.items():
        print_row({"what": f"removed: {reason}", "pairs": removed.count}, as_json=False)
        for example in removed.examples:
            print(f"  {example}")
    print_row({"what": "written", "pairs": report.kept}, as_json=False)


@app.command()
def split(
    sources: Sources,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Where train.*, dev.* and test.* go; made if need be.",
        ),
    ],
    dev: Annotated[
        int, typer.Option("--dev", min=0, help="Pairs for development, all different.")
    ] = 0,
    test: Annotated[
        int, typer.Option("--test", min=0, help="Pairs for testing, all different.")
    ] = 0,
    seed: Seed = 1,
    by: Annotated[
        str,
        typer.Option(
            "--by",
            metavar="pair|source|target",
            help="What must not be on both sides: the same pair, or the same source or target.",
        ),
    ] = "pair",
    to: Annotated[
        str,
        typer.Option("--to", help="text, tsv, jsonl or tmx, and how compressed: text.gz, tsv.zst."),
    ] = "text",
    languages: Languages = None,
    format: CorpusFormat = None,
    on_bad_line: OnBadLine = "stop",
    line_words: LineWords = 10_000,
    line_characters: LineCharacters = 100_000,
    config: Config = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Split a corpus into train, dev and test, as the seed falls, with nothing in two of them."""
    from rosewood.corpus.splitting import PARTS, choose_split
    from rosewood.corpus.writers import open_writer

    checks = checks_of(line_words, line_characters)
    corpus = read_corpus(sources, languages, format, on_bad_line, checks=checks, quiet=quiet)
    targets = {part: _target(output, part, to, _sides(corpus, languages)) for part in PARTS}
    if not output.parent.is_dir():
        raise CorpusError(f"-o: there is no folder {str(output.parent)!r}")
    paths = [Path(path) for target in targets.values() for path in target.paths]
    if output.exists():
        check_files({f"-o {path}": path for path in paths}, list(map(Path, sources)))
    chosen = choose_split(corpus, dev, test, seed, cast("SplitBy", by))
    output.mkdir(exist_ok=True)
    columns = corpus.tag_names() if to.startswith("tsv") else []
    with ExitStack() as stack:
        write = {
            part: stack.enter_context(open_writer(target, corpus.languages, columns))
            for part, target in targets.items()
        }
        tagged = 0
        for part, pair in chosen.parts(corpus):
            write[part](pair)
            tagged += bool(pair.tags)
    _tell_of_tags(tagged, targets["train"].format)
    counts = {name: chosen.counts[name] for name in (*PARTS, "copies")}
    if json:
        print_row({**counts, "files": [str(path) for path in paths]}, as_json=True)
        return
    for part, target in targets.items():
        row = {"part": part, "pairs": counts[part], "files": " ".join(target.paths)}
        print_row(row, as_json=False)
    if counts["copies"]:
        told = {"part": "-", "pairs": counts["copies"], "files": "copies of held-out ones"}
        print_row(told, as_json=False)


def _target(folder: Path, part: Part, to: str, sides: Sequence[str]) -> Target:
    from rosewood.corpus.writers import target_of

    kind, dot, ending = to.partition(".")
    if dot and ending not in ("gz", "xz", "zst"):
        raise CorpusError(f"--to {to}: compressed files are .gz, .xz or .zst")
    if kind == "text":
        first, second = (folder / f"{part}.{side}{dot}{ending}" for side in sides)
        return target_of((first, second))
    return target_of(folder / f"{part}.{kind}{dot}{ending}", kind)


def _sides(corpus: Corpus, languages: str | None) -> tuple[str, str]:
    """Endings of text files: the languages, or those of the files that are read."""
    from rosewood.corpus.compression import plain_name

    source, target = split_languages(languages)
    if source is not None and target is not None:
        return source, target
    found = [plain_name(name).suffix.removeprefix(".") for name in corpus.files[:2]]
    if len(set(found)) == 2 and all(each.isalpha() and len(each) <= 3 for each in found):
        return found[0], found[1]
    return "source", "target"


@app.command()
def index(
    sources: Sources,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Where the indexed corpus goes."),
    ],
    languages: Languages = None,
    format: CorpusFormat = None,
    on_bad_line: BlankBadLine = "stop",
    line_words: LineWords = 10_000,
    line_characters: LineCharacters = 100_000,
    config: Config = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write a corpus as numbers of words, which training maps instead of reading text.

    Words stand between spaces: tokenise the text before. A sentence pair of the folder is one of
    the files, in their order; sides may be empty.
    """
    from rosewood.corpus import IndexedCorpus
    from rosewood.corpus.indexed_files import MANIFEST

    check_files({}, [*map(Path, sources), config])
    check_folder("-o", output, MANIFEST, [*map(Path, sources), config])
    checks = checks_of(line_words, line_characters)
    corpus = read_every_line(sources, languages, format, on_bad_line, checks=checks, quiet=quiet)
    made = IndexedCorpus.build(output, pairs=corpus, max_words=line_words)
    _print_indexed(made, json, skipped=corpus.skipped)


@app.command()
def verify(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="An indexed corpus.")],
    json: Json = False,
) -> None:
    """Check every byte of an indexed corpus against its checksums, and tell what it holds."""
    from rosewood.corpus import IndexedCorpus

    corpus = IndexedCorpus.open(folder)
    corpus.verify()
    _print_indexed(corpus, json)


def _print_indexed(corpus: IndexedCorpus, as_json: bool, **more: Any) -> None:
    sides = {
        name: {
            "words": len(side.ids),
            "types": side.num_types,
            "longest": int(side.lengths.max(initial=0)),
        }
        for name, side in (("source", corpus.source), ("target", corpus.target))
    }
    if as_json:
        folder = {"folder": str(corpus.folder), "pairs": len(corpus)}
        print_row({**folder, **sides, **more}, as_json=True)
        return
    print_row({"what": "pairs", "value": len(corpus)}, as_json=False)
    print("side\twords\ttypes\tlongest")
    for name, told in sides.items():
        print_row({"side": name, **told}, as_json=False)


PLUGIN = app
