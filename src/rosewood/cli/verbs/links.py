"""Word alignments in files: symmetrise, evaluate, show and convert them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.aligned_corpora import check_picture, read_gold_file, read_links_file
from rosewood.cli.common import (
    Json,
    conflict,
    name_of,
    needs,
    print_row,
    print_table,
    source_of,
    target_of,
    warn,
)
from rosewood.cli.groups import VerbGroup
from rosewood.cli.options import Threads, check_files, cores
from rosewood.errors import AlignmentError, FormatError
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.align import LinkScores

__all__ = ["PLUGIN"]

app = VerbGroup(
    "Word alignments in files: symmetrise, score, show and convert them. A line is a sentence; its "
    "links are i-j, source word and target word, counted from 0."
)
LinksFile = Annotated[
    Path, typer.Argument(metavar="LINKS", help="A file of links; - is standard input.")
]
_GOLD = "Gold links: i-j is sure, ipj possible."
_FIRST = "Line of the links at which the gold begins."
_ORDER = "Tie-break of grow-diag: that of fast_align's atools or of Moses' symal."


@dataclass(frozen=True)
class LinksOutput(Settings):
    """Where links are written."""

    error = AlignmentError

    output: PathName = setting(
        "-", "Output file, .gz .xz .zst too.", short="o", default_text="stdout"
    )


@dataclass(frozen=True)
class SymmetrizeOptions(LinksOutput):
    """How two alignments become one."""

    method: str = setting(
        "grow-diag-final-and",
        "Method: intersection, union, grow-diag, grow-diag-final or grow-diag-final-and.",
    )
    order: str = setting("atools", _ORDER, metavar="atools|symal")
    reverse_backward: bool = setting(False, "Links of BACKWARD are target-source.")


@app.command()
def symmetrize(
    forward: Annotated[
        Path, typer.Argument(help="Links of a model that gives each target word a source word.")
    ],
    backward: Annotated[
        Path, typer.Argument(help="Links of the other direction, also source-target.")
    ],
    options: SymmetrizeOptions,
    threads: Threads = None,
) -> None:
    """Symmetrise two alignments."""
    from rosewood.align import symmetrize, write_pharaoh

    check_files({"-o": options.output}, [forward, backward])
    first, second = read_links_file(forward), read_links_file(backward)
    if len(first) != len(second):
        raise FormatError(
            f"it has {len(second)} lines, {forward} has {len(first)}",
            code="file.mismatch", file=name_of(backward), value=len(second), expected=len(first),
        )  # fmt: skip
    second = second.transposed() if options.reverse_backward else second
    made = symmetrize(first, second, options.method, order=options.order, threads=cores(threads))
    write_pharaoh(made, target_of(options.output))


@dataclass(frozen=True)
class EvaluateOptions(Settings):
    """What links are scored against."""

    error = AlignmentError

    gold: PathName = setting(help=_GOLD)
    first_line: int | None = setting(None, _FIRST, low=1, metavar="N")
    per_sentence: bool = setting(False, "Print the counts of each sentence, too.")


@app.command()
def evaluate(
    files: Annotated[
        list[Path], typer.Argument(metavar="LINKS…", help="Files of links; - is standard input.")
    ],
    options: EvaluateOptions,
    json: Json = False,
) -> None:
    """Alignment error rate, precision, recall and F against --gold, for each file.

    Gold lines without links are sentences that nobody has aligned: they do not count.
    """
    from rosewood.align import score_links

    check_files({}, [*files, options.gold])
    truth = read_gold_file(options.gold)
    empty = len(truth) - int(truth.is_aligned.sum())
    if empty:
        warn(f"{options.gold}: sentences without gold, which are not counted: {empty}")
    rows: list[dict[str, Any]] = []
    shows_counts = options.per_sentence and not json
    if shows_counts:
        print("file\tline\taer\t" + "\t".join(_COUNTS))
    for file in files:
        scores = score_links(read_links_file(file), truth, first_line=options.first_line)
        if options.per_sentence:
            _print_sentences(str(file), scores, json)
        rows.append({"file": str(file), **scores.to_dict()})
    if shows_counts:
        print()
    _print_scores(rows, json)


_COUNTS = ("links", "sure", "possible", "links_sure", "links_possible")


def _print_sentences(file: str, scores: LinkScores, as_json: bool) -> None:
    counts = {name: getattr(scores, name).tolist() for name in _COUNTS}
    error = scores.sentence_aer().tolist()
    for n, number in enumerate(scores.sentence.tolist()):
        row = {"file": file, "line": number + 1, "aer": error[n]}
        print_row({**row, **{name: counts[name][n] for name in _COUNTS}}, as_json)


def _print_scores(rows: Sequence[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        for row in rows:
            print_row(row, as_json=True)
        return
    names = ("aer", "precision", "recall", "f", "sentences", "links")
    table = [["AER", "precision", "recall", "F", "sentences", "links", "file"]]
    for row in rows:
        cells = [f"{row[n]:.4f}" if isinstance(row[n], float) else f"{row[n]:,}" for n in names]
        table.append([*cells, row["file"]])
    print_table(table, right=range(len(names)))


@dataclass(frozen=True)
class ShowOptions(Settings):
    """What is drawn beside the links, and where."""

    error = AlignmentError

    source: PathName | None = setting(None, "Source text, one sentence per line.")
    target: PathName | None = setting(None, "Target text, one sentence per line.")
    gold: PathName | None = setting(None, _GOLD)
    first_line: int | None = setting(None, _FIRST, low=1, metavar="N")
    output: PathName | None = setting(
        None, "Picture, .svg or .html.", short="o", default_text="terminal"
    )


@app.command()
def show(
    file: LinksFile,
    line: Annotated[int, typer.Argument(metavar="LINE", min=1, help="Line number, from 1.")],
    options: ShowOptions,
) -> None:
    """Draw one sentence: source words along the top, target words down the side."""
    from rosewood.align.corpus_alignment import Drawing, gold_of, write_picture
    from rosewood.corpus.lines import at

    source, target, gold = options.source, options.target, options.gold
    check_files({"-o": options.output}, [file, source, target, gold])
    if (source is None) != (target is None):
        given, missing = ("--source", "--target") if target is None else ("--target", "--source")
        raise needs(AlignmentError, given, missing)
    check_picture("-o", options.output)
    links = read_links_file(file)
    _check_line(file, line, len(links))
    alignment = links[line - 1]
    if source is not None and target is not None:
        with at(name_of(file), line):
            alignment = alignment.with_words(_line(source, line), _line(target, line))
    truth = None
    if gold is not None:
        truth = gold_of(read_gold_file(gold), line, options.first_line)
        if truth is None:
            raise AlignmentError(
                f"{gold}: line {line} of the links has no gold",
                code="alignment.no-gold", file=gold, value=line,
            )  # fmt: skip
    if options.output is None:
        print(alignment.text(gold=truth))
    else:
        write_picture([Drawing(alignment, truth)], options.output)


def _check_line(file: PathName, line: int, count: int) -> None:
    if line > count:
        raise FormatError(
            f"there is no line {line}: it has {count}",
            code="argument.range", argument="LINE", value=line, expected=count, file=name_of(file),
        )  # fmt: skip


def _line(file: PathName, line: int) -> str:
    """One line of a file, without the rest in memory."""
    from rosewood.corpus.lines import read_lines

    last = 0
    for number, text in read_lines(source_of(file), name_of(file)):
        if number == line:
            return text
        last = number
    _check_line(file, line, last)
    return ""


@dataclass(frozen=True)
class ConvertOptions(LinksOutput):
    """What is read, and what is written."""

    is_gold: bool = setting(False, "Read a gold file: i-j is sure, ipj possible.", option="gold")
    naacl: bool = setting(
        False, "Read a gold file with lines `sentence source target [S|P]`, counted from 1."
    )
    only_sure: bool = setting(False, "Drop the possible links of gold.")
    reverse: bool = setting(False, "Write target-source links: swap the two numbers.")
    from_one: bool = setting(False, "Words of LINKS are counted from 1.")


@app.command()
def convert(file: LinksFile, options: ConvertOptions) -> None:
    """Write links sorted, checked, optionally reversed, counted from 0, compressed as -o says."""
    from rosewood.align import read_gold, read_naacl, write_gold, write_pharaoh

    check_files({"-o": options.output}, [file])
    if options.naacl and options.from_one:
        hint = "such files are always counted from 1"
        raise conflict(AlignmentError, "--from-one", "--naacl", hint)
    if options.only_sure and not (options.is_gold or options.naacl):
        raise needs(AlignmentError, "--only-sure", "--gold or --naacl")
    base, target = int(options.from_one), target_of(options.output)
    if not (options.is_gold or options.naacl):
        links = read_links_file(file, base=base)
        write_pharaoh(links.transposed() if options.reverse else links, target)
        return
    if options.naacl:
        gold = read_naacl(source_of(file), file=name_of(file))
    else:
        gold = read_gold(source_of(file), base=base, file=name_of(file))
    gold = gold.transposed() if options.reverse else gold
    if options.only_sure:
        write_pharaoh(gold.sure, target)
    else:
        write_gold(gold, target)


PLUGIN = app
