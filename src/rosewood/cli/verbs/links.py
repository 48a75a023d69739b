"""Word alignments in files: symmetrise, evaluate, show and convert them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from rosewood.align.settings import SYMMETRIZATIONS, order_setting
from rosewood.cli.aligned_corpora import check_picture, read_gold_file, read_links_file
from rosewood.cli.common import (
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
from rosewood.cli.options import check_files, cores
from rosewood.cli.run_options import Json, Threads
from rosewood.errors import AlignmentError, FormatError
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName

app = VerbGroup(
    "Word alignments in files: symmetrise, score, show and convert them. A line is a sentence; its "
    "links are i-j, source word and target word, counted from 0."
)
LinksFile = Annotated[
    Path, typer.Argument(metavar="LINKS", help="A file of links; - is standard input.")
]
_GOLD = "Gold links: i-j is sure, ipj possible."
_FIRST = "Line of the links at which the gold begins."
_COUNTS = ("links", "sure", "possible", "links_sure", "links_possible")


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

    method: str = setting(SYMMETRIZATIONS[-1], "Method.", known=lambda: SYMMETRIZATIONS)
    order: str = order_setting()
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
    shows_counts = options.per_sentence and not json
    if shows_counts:
        print("file\tline\taer\t" + "\t".join(_COUNTS))
    rows: list[dict[str, Any]] = []
    for file in files:
        scores = score_links(read_links_file(file), truth, first_line=options.first_line)
        for counts in scores.rows() if options.per_sentence else ():
            print_row({"file": str(file), **counts}, json)
        rows.append({"file": str(file), **scores.to_dict()})
    if json:
        for row in rows:
            print_row(row, as_json=True)
        return
    names = ("aer", "precision", "recall", "f", "sentences", "links")
    table = [["AER", "precision", "recall", "F", "sentences", "links", "file"]]
    for row in rows:
        cells = [f"{row[n]:.4f}" if isinstance(row[n], float) else f"{row[n]:,}" for n in names]
        table.append([*cells, row["file"]])
    if shows_counts:
        print()
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
    if line > len(links):
        raise _no_line(file, line, len(links))
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


def _no_line(file: PathName, line: int, count: int) -> FormatError:
    return FormatError(
        f"there is no line {line}: it has {count}",
        code="argument.range", argument="LINE", value=line, expected=count, file=name_of(file),
    )  # fmt: skip


def _line(file: PathName, line: int) -> str:
    """One line of a file, without the rest in memory."""
    from rosewood.corpus.lines import read_lines

    last = 0
    for last, text in read_lines(source_of(file), name_of(file)):
        if last == line:
            return text
    raise _no_line(file, line, last)


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
    from rosewood.align import read_naacl, write_gold, write_pharaoh

    check_files({"-o": options.output}, [file])
    if options.naacl and options.from_one:
        hint = "such files are always counted from 1"
        raise conflict(AlignmentError, "--from-one", "--naacl", hint)
    is_gold = options.is_gold or options.naacl
    if options.only_sure and not is_gold:
        raise needs(AlignmentError, "--only-sure", "--gold or --naacl")
    links: Any
    if options.naacl:
        links = read_naacl(source_of(file), file=name_of(file))
    else:
        links = (read_gold_file if is_gold else read_links_file)(file, int(options.from_one))
    links = links.transposed() if options.reverse else links
    if is_gold and not options.only_sure:
        write_gold(links, target_of(options.output))
    else:
        write_pharaoh(links.sure if is_gold else links, target_of(options.output))


PLUGIN = app
