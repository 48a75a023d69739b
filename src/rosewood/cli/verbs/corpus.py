"""Parallel corpora: summarise, convert, filter, split and index them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from rosewood.cli.common import conflict, print_row, warn
from rosewood.cli.corpora import Sources, read_corpus
from rosewood.cli.groups import VerbGroup
from rosewood.cli.options import check_files, check_folder
from rosewood.cli.options_from_settings import Typed
from rosewood.cli.run_options import Config, Json, ReportOptions
from rosewood.corpus.filters import Filters
from rosewood.corpus.formats import written_formats
from rosewood.corpus.settings import CorpusSettings, ParallelSettings
from rosewood.errors import CorpusError, FormatError
from rosewood.settings import setting, setting_of
from rosewood.shared_settings import SharedSettings
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.corpus import IndexedCorpus, SentencePair
    from rosewood.corpus.splitting import SplitBy
    from rosewood.corpus.writers import Target

app = VerbGroup(
    "Summarise parallel corpora, convert and filter them, split off test sets, index them for "
    "training. Files may be pairs of texts, tables, JSON lines, TMX, PO or XLIFF."
)
_filter = partial(setting, group="Filtering")
_SHOWN = {"pairs": "pairs", "distinct": "distinct pairs", "identical": "pairs with identical sides"}


def _print(*cells: Any) -> None:
    """A row of a report."""
    print_row({str(number): cell for number, cell in enumerate(cells)}, as_json=False)


@dataclass(frozen=True, kw_only=True)
class InfoOptions(CorpusSettings, ReportOptions):
    """How a corpus is read, and what is shown."""


@app.command()
def info(sources: Sources, options: InfoOptions, config: Config = None) -> None:
    """Check a corpus from end to end: pairs, words, lengths, tags, and bad lines."""
    corpus = read_corpus(options, sources, quiet=options.quiet)
    found = corpus.summary().to_dict()
    beside = {"skipped": corpus.skipped, "left_out": corpus.left_out, "joined": corpus.tally.joined}
    if options.json:
        print_row({"files": corpus.files, **found, **beside}, as_json=True)
        return
    for what, shown in _SHOWN.items():
        _print(shown, found[what])
    print("side\twords\tcharacters\tmean\tmedian\t95 %\tlongest")
    for side in ("source", "target"):
        _print(side, *found[side].values())
    for what, counts in (
        ("tag ", found["tags"]), ("skipped: ", corpus.skipped), ("left out: ", corpus.left_out)
    ):  # fmt: skip
        for kind, count in counts.items():
            _print(what + kind, count)


@dataclass(frozen=True, kw_only=True)
class ConvertOptions(InfoOptions):
    """Where pairs are written, and which."""

    output: tuple[PathName, ...] = setting(
        help="Output file: .tsv, .jsonl or .tmx (.gz .xz .zst), or - for JSON lines; twice for two "
        "text files, source and target.",
        short="o",
    )
    to: str | None = setting(
        None, "Output format.", metavar="NAME", default_text="by the file name",
        known=written_formats,
    )  # fmt: skip
    characters: bool = _filter(
        False, "Measure lengths in characters, not in words: for text without spaces."
    )
    dedupe: bool = _filter(False, "Keep the first of identical pairs.")
    dedupe_by: str | None = _filter(
        None, "Keep the first of pairs with the same side: source or target.", metavar="SIDE"
    )

    def target(self) -> Target:
        """The file or files to write."""
        from rosewood.corpus.writers import target_of

        if len(self.output) > 2:
            raise conflict(CorpusError, "-o", "more than one other -o")
        if len(self.output) == 2:
            return target_of((self.output[0], self.output[1]), self.to)
        return target_of(self.output[0], self.to or ("jsonl" if self.output[0] == "-" else None))


@app.command()
def convert(
    sources: Sources,
    options: ConvertOptions,
    filtering: Annotated[
        dict[str, Any], Typed(Filters, ("min_words", "max_words", "max_ratio", "drop_identical"))
    ],
    config: Config = None,
) -> None:
    """Read corpora of any format, filter them, and write them as one."""
    target = options.target()
    check_files({f"-o {path}": path for path in options.output}, sources)
    filters = Filters(
        **filtering,
        unit="characters" if options.characters else "words",
        deduplicate=cast(Any, options.dedupe_by) or options.dedupe,
    )
    kept = read_corpus(options, sources, quiet=options.quiet).filter(filters)
    counts = _Tagged()
    kept.through(counts).write_to(target)
    counts.warn(target.format)
    report = kept.report
    if report is None or "-" in options.output:
        return
    if options.json:
        print_row(report.to_dict(), as_json=True)
        return
    _print("read", report.seen)
    for reason, removed in report.removed.items():
        _print(f"removed: {reason}", removed.count)
        for example in removed.examples:
            print(f"  {example}")
    _print("written", report.kept)


class _Tagged:
    """Counts pairs with tags, which text files cannot hold."""

    count = 0

    def __call__(self, pairs: Iterator[SentencePair]) -> Iterator[SentencePair]:
        self.count = 0
        for pair in pairs:
            self.count += bool(pair.tags)
            yield pair

    def warn(self, format: str) -> None:
        if self.count and format == "text":
            warn(f"text files cannot hold tags: those of {self.count:,} pairs are not written")


@dataclass(frozen=True, kw_only=True)
class SplitOptions(InfoOptions):
    """How a corpus is split."""

    output: PathName = setting(
        help="Folder for train.*, dev.* and test.*; created if needed.", metavar="FOLDER", short="o"
    )
    dev: int = setting(0, "Pairs for development, all distinct.", low=0)
    test: int = setting(0, "Pairs for testing, all distinct.", low=0)
    by: str = setting(
        "pair", "Parts share no pair, or no source or target sentence.",
        choices=("pair", "source", "target"), metavar="pair|source|target",
    )  # fmt: skip
    seed: int = setting_of(SharedSettings, "seed")
    to: str = setting(
        "text", "Output format, or format and compression, such as text.gz or tsv.zst.",
        known=written_formats,
    )  # fmt: skip


@app.command()
def split(sources: Sources, options: SplitOptions, config: Config = None) -> None:
    """Split a corpus at random into train, dev and test, which share no pairs."""
    from rosewood.corpus.splitting import PARTS, choose_split

    output, to = Path(options.output), options.to
    counts = _Tagged()
    corpus = read_corpus(options, sources, quiet=options.quiet)
    targets = corpus.split_targets(output, to)
    if not output.parent.is_dir():
        raise FormatError(
            f"-o: there is no folder {str(output.parent)!r}", code="file.missing", file=output
        )
    paths = [path for target in targets.values() for path in target.paths]
    if output.exists():
        check_files({f"-o {path}": path for path in paths}, sources)
    chosen = choose_split(
        corpus, options.dev, options.test, options.seed, cast("SplitBy", options.by)
    )
    corpus.through(counts).write_split(chosen, output, to)
    counts.warn(targets["train"].format)
    if options.json:
        found = {name: chosen.counts[name] for name in (*PARTS, "copies")}
        print_row({**found, "files": paths}, as_json=True)
        return
    for part, target in targets.items():
        _print(part, chosen.counts[part], " ".join(target.paths))
    if copies := chosen.counts["copies"]:
        _print("-", copies, "copies of held-out ones")


@dataclass(frozen=True, kw_only=True)
class IndexOptions(ParallelSettings, ReportOptions):
    """How a corpus is read, and where it is written."""

    output: PathName = setting(help="Folder for the indexed corpus.", metavar="FOLDER", short="o")


@app.command()
def index(sources: Sources, options: IndexOptions, config: Config = None) -> None:
    """Write a corpus as word numbers, which training maps instead of reading text.

    Words are separated by spaces: tokenise the text before. The folder has the sentence pairs of
    the files in their order; sides may be empty.
    """
    from rosewood.corpus import IndexedCorpus
    from rosewood.corpus.indexed_files import MANIFEST

    check_files({}, [*sources, config])
    check_folder("-o", options.output, MANIFEST, [*sources, config])
    corpus = read_corpus(options, sources, every_line=True, quiet=options.quiet)
    made = IndexedCorpus.build(options.output, pairs=corpus, max_words=options.line_words)
    _print_indexed(made, options.json, skipped=corpus.skipped)


@app.command()
def verify(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="An indexed corpus.")],
    json: Json = False,
) -> None:
    """Check every byte of an indexed corpus against its checksums, and summarise it."""
    from rosewood.corpus import IndexedCorpus

    corpus = IndexedCorpus.open(folder)
    corpus.verify()
    _print_indexed(corpus, json)


def _print_indexed(corpus: IndexedCorpus, as_json: bool, **more: Any) -> None:
    found = corpus.summary()
    if as_json:
        print_row({"folder": str(corpus.folder), **found, **more}, as_json=True)
        return
    _print("pairs", found["pairs"])
    print("side\twords\ttypes\tlongest")
    for name in ("source", "target"):
        _print(name, *found[name].values())


PLUGIN = app
