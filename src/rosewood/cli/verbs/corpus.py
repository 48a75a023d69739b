"""Parallel corpora: summarise, convert, filter, split and index them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from rosewood.cli.common import Json, Quiet, bad_value, conflict, print_row, warn
from rosewood.cli.corpora import CorpusOptions, ParallelOptions, Sources, read_corpus
from rosewood.cli.groups import VerbGroup
from rosewood.cli.options import Config, Seed, check_files, check_folder
from rosewood.cli.options_from_settings import Typed
from rosewood.corpus.filters import Filters
from rosewood.errors import CorpusError, FormatError
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.corpus import Corpus, FilterReport, IndexedCorpus, SentencePair
    from rosewood.corpus.splitting import Part, SplitBy
    from rosewood.corpus.writers import Target

__all__ = ["PLUGIN"]

app = VerbGroup(
    "Summarise parallel corpora, convert and filter them, split off test sets, index them for "
    "training. Files may be pairs of texts, tables, JSON lines, TMX, PO or XLIFF."
)
_FILTERING = "Filtering"  # a panel of --help


@app.command()
def info(
    sources: Sources,
    reading: CorpusOptions,
    config: Config = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Check a corpus from end to end: pairs, words, lengths, tags, and bad lines."""
    corpus = reading.read(sources, quiet=quiet)
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


@dataclass(frozen=True)
class ConvertOptions(Settings):
    """Where pairs are written, and which."""

    error = CorpusError

    output: tuple[PathName, ...] = setting(
        help="Output file: .tsv, .jsonl or .tmx (.gz .xz .zst), or - for JSON lines; twice for two "
        "text files, source and target.",
        short="o",
    )
    to: str | None = setting(
        None, "Output format: text, tsv, jsonl or tmx.",
        metavar="NAME", default_text="by the file name",
    )  # fmt: skip
    characters: bool = setting(
        False, "Measure lengths in characters, not in words: for text without spaces.",
        group=_FILTERING,
    )  # fmt: skip
    dedupe: bool = setting(False, "Keep the first of identical pairs.", group=_FILTERING)
    dedupe_by: str | None = setting(
        None, "Keep the first of pairs with the same side: source or target.",
        group=_FILTERING, metavar="SIDE",
    )  # fmt: skip

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
    reading: CorpusOptions,
    filtering: Annotated[
        dict[str, Any], Typed(Filters, ("min_words", "max_words", "max_ratio", "drop_identical"))
    ],
    config: Config = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Read corpora of any format, filter them, and write them as one."""
    target = options.target()
    check_files({f"-o {path}": path for path in options.output}, sources)
    filters = Filters(
        **filtering,
        unit="characters" if options.characters else "words",
        deduplicate=cast(Any, options.dedupe_by) or options.dedupe,
    )
    kept = reading.read(sources, quiet=quiet).filter(filters)
    _write_all(kept, target)
    if kept.report is not None and "-" not in options.output:
        _show(kept.report, json)


def _write_all(corpus: Corpus, target: Target) -> None:
    """Writes all pairs; warns of tags that the format cannot hold."""
    tagged = 0

    def counted(pairs: Iterator[SentencePair]) -> Iterator[SentencePair]:
        nonlocal tagged
        for pair in pairs:
            tagged += bool(pair.tags)
            yield pair

    corpus.through(counted).write_to(target)
    _warn_of_tags(tagged, target.format)


def _warn_of_tags(tagged: int, format: str) -> None:
    if tagged and format == "text":
        warn(f"text files cannot hold tags: those of {tagged:,} pairs are not written")


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


@dataclass(frozen=True)
class SplitOptions(Settings):
    """How a corpus is split."""

    error = CorpusError

    output: PathName = setting(
        help="Folder for train.*, dev.* and test.*; created if needed.", metavar="FOLDER", short="o"
    )
    dev: int = setting(0, "Pairs for development, all distinct.", low=0)
    test: int = setting(0, "Pairs for testing, all distinct.", low=0)
    by: str = setting(
        "pair", "Parts share no pair, or no source or target sentence.",
        metavar="pair|source|target",
    )  # fmt: skip
    to: str = setting("text", "Format: text, tsv, jsonl or tmx, and compression: text.gz, tsv.zst.")


@app.command()
def split(
    sources: Sources,
    options: SplitOptions,
    reading: CorpusOptions,
    seed: Seed = 1,
    config: Config = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Split a corpus at random into train, dev and test, which share no pairs."""
    from rosewood.corpus.splitting import PARTS, choose_split
    from rosewood.corpus.writers import open_writer

    output, to = Path(options.output), options.to
    corpus = reading.read(sources, quiet=quiet)
    targets = {part: _target(output, part, to, _sides(corpus, reading)) for part in PARTS}
    if not output.parent.is_dir():
        raise FormatError(
            f"-o: there is no folder {str(output.parent)!r}", code="file.missing", file=output
        )
    paths = [Path(path) for target in targets.values() for path in target.paths]
    if output.exists():
        check_files({f"-o {path}": path for path in paths}, sources)
    chosen = choose_split(corpus, options.dev, options.test, seed, cast("SplitBy", options.by))
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
    _warn_of_tags(tagged, targets["train"].format)
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
        raise bad_value(CorpusError, "--to", to, "compression .gz, .xz or .zst")
    if kind == "text":
        first, second = (folder / f"{part}.{side}{dot}{ending}" for side in sides)
        return target_of((first, second))
    return target_of(folder / f"{part}.{kind}{dot}{ending}", kind)


def _sides(corpus: Corpus, reading: CorpusOptions) -> tuple[str, str]:
    """Endings of text files: the languages, or the endings of the input files."""
    from rosewood.corpus.compression import plain_name

    source, target = reading.both_languages
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
        typer.Option("--output", "-o", metavar="FOLDER", help="Folder for the indexed corpus."),
    ],
    reading: ParallelOptions,
    config: Config = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write a corpus as word numbers, which training maps instead of reading text.

    Words are separated by spaces: tokenise the text before. The folder has the sentence pairs of
    the files in their order; sides may be empty.
    """
    from rosewood.corpus import IndexedCorpus
    from rosewood.corpus.indexed_files import MANIFEST

    check_files({}, [*sources, config])
    check_folder("-o", output, MANIFEST, [*sources, config])
    corpus = read_corpus(reading, sources, every_line=True, quiet=quiet)
    made = IndexedCorpus.build(output, pairs=corpus, max_words=reading.line_words)
    _print_indexed(made, json, skipped=corpus.skipped)


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
