"""Word alignments in files: symmetrise, evaluate, show and convert them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import BufferedIOBase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, NamedTuple, cast

import typer

from rosewood.cli.common import Json, print_row, print_table, warn
from rosewood.cli.options import Threads, check_files, cores
from rosewood.errors import AlignmentError, FormatError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rosewood.align import Alignment, Gold, GoldAlignment, Links, LinkScores

__all__ = [
    "GOLD",
    "Drawing",
    "FirstLine",
    "Order",
    "app",
    "check_picture",
    "gold_of",
    "read_gold_file",
    "read_links_file",
    "write_picture",
]

app = typer.Typer(
    help="Word alignments in files: make one of two, score them, look at them, convert them. A "
    "line is a sentence; its links are i-j, source word and target word, counted from 0.",
    no_args_is_help=True,
)

LinksFile = Annotated[
    Path, typer.Argument(metavar="LINKS", help="A file of links; - is standard input.")
]
LinksOutput = Annotated[
    Path,
    typer.Option("--output", "-o", help="Where to write, .gz .xz .zst too.", show_default="stdout"),
]
GOLD = typer.Option("--gold", metavar="FILE", help="People's links: i-j sure, ipj possible.")
Order = Annotated[
    str,
    typer.Option(
        "--order",
        metavar="atools|symal",
        help="Whose order grow-diag follows where links shut each other out: fast_align's or "
        "that of Moses (Koehn et al. 2005).",
    ),
]
FirstLine = Annotated[
    int | None,
    typer.Option(
        "--first-line",
        min=1,
        metavar="N",
        help="The line of the corpus that the gold begins at, where it is of a part of it.",
    ),
]
STDOUT = Path("-")


@app.command()
def symmetrize(
    forward: Annotated[
        Path, typer.Argument(help="Links of a model that gives each target word a source word.")
    ],
    backward: Annotated[
        Path, typer.Argument(help="Links of the other direction; they are source-target, too.")
    ],
    output: LinksOutput = STDOUT,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="intersection, union, grow-diag, grow-diag-final or grow-diag-final-and.",
        ),
    ] = "grow-diag-final-and",
    order: Order = "atools",
    reverse_backward: Annotated[
        bool, typer.Option("--reverse-backward", help="Links of BACKWARD are target-source.")
    ] = False,
    threads: Threads = None,
) -> None:
    """Make one alignment of two."""
    from rosewood.align import symmetrize, write_pharaoh

    check_files({"-o": output}, [forward, backward])
    first, second = read_links_file(forward), read_links_file(backward)
    if len(first) != len(second):
        raise FormatError(
            f"it has {len(second)} lines, {forward} has {len(first)}", file=str(backward)
        )
    second = second.transposed() if reverse_backward else second
    made = symmetrize(first, second, method, order=order, threads=cores(threads))
    write_pharaoh(made, _destination(output))


@app.command()
def evaluate(
    files: Annotated[
        list[Path], typer.Argument(metavar="LINKS…", help="Files of links; - is standard input.")
    ],
    gold: Annotated[Path, GOLD],
    first_line: FirstLine = None,
    per_sentence: Annotated[
        bool, typer.Option("--per-sentence", help="The counts of each sentence, too.")
    ] = False,
    json: Json = False,
) -> None:
    """Alignment error rate, precision, recall and F against --gold, for each file.

    Gold lines without links are sentences that nobody has aligned: they do not count.
    """
    from rosewood.align import score_links

    check_files({}, [*files, gold])
    truth = read_gold_file(gold)
    empty = len(truth) - int(truth.is_aligned.sum())
    if empty:
        warn(f"{gold}: sentences without gold, which are not counted: {empty}")
    rows: list[dict[str, Any]] = []
    if per_sentence and not json:
        print("file\tline\taer\t" + "\t".join(_COUNTS))
    for file in files:
        scores = score_links(read_links_file(file), truth, first_line=first_line)
        if per_sentence:
            _print_sentences(str(file), scores, json)
        rows.append({"file": str(file), **scores.to_dict()})
    if per_sentence and not json:
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


@app.command()
def show(
    file: LinksFile,
    line: Annotated[int, typer.Argument(metavar="LINE", min=1, help="Which line, from 1.")],
    source: Annotated[
        Path | None, typer.Option("--source", help="The source text, a sentence a line.")
    ] = None,
    target: Annotated[Path | None, typer.Option("--target", help="The target text.")] = None,
    gold: Annotated[Path | None, GOLD] = None,
    first_line: FirstLine = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A picture, .svg or .html.", show_default="terminal"),
    ] = None,
) -> None:
    """Draw one sentence: source words along the top, target words down the side."""
    check_files({"-o": output}, [file, source, target, gold])
    if (source is None) != (target is None):
        raise AlignmentError("show: want both --source and --target, or neither")
    check_picture(output)
    links = read_links_file(file)
    if line > len(links):
        raise FormatError(f"there is no line {line}: it has {len(links)}", file=str(file))
    alignment = links[line - 1]
    if source is not None and target is not None:
        try:
            alignment = alignment.with_words(_line(source, line), _line(target, line))
        except AlignmentError as error:
            raise FormatError(str(error), file=str(file), line=line) from error
    truth = None
    if gold is not None:
        truth = gold_of(read_gold_file(gold), line, first_line)
        if truth is None:
            raise AlignmentError(f"{gold}: line {line} of the links has no gold")
    if output is None:
        print(alignment.text(gold=truth))
    else:
        write_picture([Drawing(alignment, truth)], output)


def gold_of(gold: Gold, line: int, first_line: int | None) -> GoldAlignment | None:
    """What people said of a line of the corpus, if they did."""
    number = line - (first_line or 1)
    return gold[number] if 0 <= number < len(gold) and gold.is_aligned[number] else None


class Drawing(NamedTuple):
    """What there is to draw of a sentence."""

    alignment: Alignment
    gold: GoldAlignment | None = None
    posterior: NDArray[np.float64] | None = None
    title: str = ""


def check_picture(output: Path | None) -> None:
    """Before any work: is it a kind of picture that there is?"""
    if output is not None and output.suffix.lower() not in (".svg", ".html"):
        raise AlignmentError(f"{output}: a picture ends with .svg or .html")


def write_picture(drawings: Sequence[Drawing], output: Path) -> None:
    """One matrix as SVG, or a page of any number of them."""
    from rosewood.output import whole_file

    if output.suffix.lower() == ".svg":
        (each,) = drawings
        picture = each.alignment.svg(gold=each.gold, posterior=each.posterior)
    else:
        parts = ["<!doctype html>", '<meta charset="utf-8">', "<title>Alignment</title>"]
        for each in drawings:
            title = f'<h3 style="font-family:sans-serif">{each.title}</h3>'
            parts += [title] if each.title else []
            parts.append(each.alignment.html(gold=each.gold, posterior=each.posterior))
        picture = "\n".join([*parts, ""])
    with whole_file(output) as stream:
        stream.write(picture.encode())


@app.command()
def convert(
    file: LinksFile,
    output: LinksOutput = STDOUT,
    is_gold: Annotated[
        bool, typer.Option("--gold", help="It is a gold file: i-j sure, ipj possible.")
    ] = False,
    naacl: Annotated[
        bool,
        typer.Option(
            "--naacl", help="It is a gold file of lines `sentence source target [S|P]`, from 1."
        ),
    ] = False,
    only_sure: Annotated[
        bool, typer.Option("--only-sure", help="Leave the possible links of gold out.")
    ] = False,
    reverse: Annotated[
        bool, typer.Option("--reverse", help="Write target-source links: swap the two numbers.")
    ] = False,
    from_one: Annotated[
        bool, typer.Option("--from-one", help="Words of LINKS are counted from 1.")
    ] = False,
) -> None:
    """Write links sorted and checked, turned around, counted from 0, compressed as -o says."""
    from rosewood.align import read_gold, read_naacl, write_gold, write_pharaoh

    check_files({"-o": output}, [file])
    if naacl and from_one:
        raise AlignmentError("--naacl files are counted from 1 by themselves: drop --from-one")
    if only_sure and not (is_gold or naacl):
        raise AlignmentError("--only-sure is for gold: say --gold or --naacl, too")
    if not (is_gold or naacl):
        links = read_links_file(file, base=int(from_one))
        write_pharaoh(links.transposed() if reverse else links, _destination(output))
        return
    if naacl:
        gold = read_naacl(_source(file), file=_name(file))
    else:
        gold = read_gold(_source(file), base=int(from_one), file=_name(file))
    gold = gold.transposed() if reverse else gold
    if only_sure:
        write_pharaoh(gold.sure, _destination(output))
    else:
        write_gold(gold, _destination(output))


def _source(file: Path) -> Path | BufferedIOBase:
    return cast(BufferedIOBase, sys.stdin.buffer) if str(file) == "-" else file


def _destination(output: Path) -> Path | BinaryIO:
    return sys.stdout.buffer if str(output) == "-" else output


def _name(file: Path) -> str:
    return "<stdin>" if str(file) == "-" else str(file)


def read_links_file(file: Path, base: int = 0, *, bad_lines: dict[int, str] | None = None) -> Links:
    """Links in a file, or from standard input."""
    from rosewood.align import read_pharaoh

    return read_pharaoh(_source(file), base=base, file=_name(file), bad_lines=bad_lines)


def read_gold_file(file: Path) -> Gold:
    """People's links in a file, or from standard input."""
    from rosewood.align import read_gold

    return read_gold(_source(file), file=_name(file))


def _line(file: Path, line: int) -> str:
    """One line of a file, without the rest in memory."""
    from rosewood.corpus.lines import read_lines

    last = 0
    for number, text in read_lines(_source(file), _name(file)):
        if number == line:
            return text
        last = number
    raise FormatError(f"there is no line {line}: it has {last}", file=_name(file))


PLUGIN = app
