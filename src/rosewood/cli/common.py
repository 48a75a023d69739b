"""What verbs share: options, reading forests and weights, printing rows, writing forests."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.errors import ForestError, FormatError

if TYPE_CHECKING:
    from rosewood.arrays import FloatArray
    from rosewood.forest import Forest, NamedForest

__all__ = [
    "File",
    "Format",
    "Json",
    "Output",
    "Quiet",
    "Scale",
    "Scorer",
    "Weights",
    "each_forest",
    "lines_to",
    "named_rows",
    "print_row",
    "print_table",
    "warn",
    "working_on",
    "write_all",
]

File = Annotated[
    Path, typer.Argument(help="A file of forests, in any format; - is standard input.")
]
Format = Annotated[
    str | None,
    typer.Option("--format", help="set, text, plf, moses, htk, cdec, joshua, joshua-dump or lazy."),
]
Weights = Annotated[
    Path | None,
    typer.Option(
        "--weights",
        help='JSON file {"feature": weight, …}; features that are not named weigh 0. '
        "Without it every feature weighs 1.",
    ),
]
Scale = Annotated[float, typer.Option("--scale", help="Factor γ on all scores.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="Where to write.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]


def warn(message: str) -> None:
    """One line for the user, beside the results."""
    print(f"rosewood: {message}", file=sys.stderr)


@contextmanager
def lines_to(output: Path) -> Iterator[Callable[[str], None]]:
    """Writes lines to a file that appears whole or not at all, or to standard output."""
    from rosewood.corpus.compression import open_output

    if str(output) == "-":
        yield print
        return
    with open_output(output) as stream:

        def write(line: str) -> None:
            stream.write(line.encode() + b"\n")

        yield write


def each_forest(file: Path, format: str | None) -> Iterator[NamedForest]:
    """The forests of a file, or of standard input."""
    from rosewood.forest.formats import read_any

    if str(file) == "-":
        return read_any(sys.stdin, format=format or "text")
    return read_any(file, format=format)


@contextmanager
def working_on(file: Path, name: str) -> Iterator[None]:
    """Errors inside name the file and the forest."""
    try:
        yield
    except FormatError:
        raise
    except ForestError as error:
        raise ForestError(f"{file}: forest {name!r}: {error}") from error


class Scorer:
    """Log weights of edges from a file of feature weights."""

    def __init__(self, weights: Path | None, scale: float = 1.0) -> None:
        if not math.isfinite(scale):
            raise ForestError(f"--scale is {scale}, want a finite number")
        self.scale = scale
        self.file = weights
        self.named = None if weights is None else _named(weights)
        self.unheard = set(self.named or ())

    def __call__(self, forest: Forest) -> FloatArray:
        import numpy as np

        space = forest.features
        if self.named is None:
            theta = np.ones(len(space))
        else:
            known = {n: v for n, v in self.named.items() if n in space.sparse or n in space.dense}
            self.unheard -= known.keys()
            theta = space.vector(known)
        with np.errstate(over="ignore", invalid="ignore"):
            weight = self.scale * forest.score(theta)
        if not np.isfinite(weight).all():
            raise ForestError("its scores do not fit a double: are weights or --scale too large?")
        return weight

    def finish(self) -> None:
        """Tell of weights that no forest had a feature for: a misspelt name must not pass."""
        if self.unheard:
            names = ", ".join(repr(n) for n in sorted(self.unheard)[:5])
            more = f" and {len(self.unheard) - 5} more" if len(self.unheard) > 5 else ""
            warn(f"{self.file}: no forest has the feature {names}{more}")


def _named(file: Path) -> dict[str, float]:
    from rosewood.model import read_weights

    return read_weights(file)


def print_row(values: dict[str, Any], as_json: bool) -> None:
    """A row of results: JSON, or fields between tabs."""
    if as_json:
        print(json.dumps(values, ensure_ascii=False, allow_nan=False))
    else:
        print("\t".join(_cell(v) for v in values.values()))


def print_table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> None:
    """Columns for people to read; those of these numbers are flush right, the last one is free."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def named_rows(values: dict[str, Any], prefix: str = "") -> Iterator[list[str]]:
    """Names and values for people; what is nested is written with dots, lists with spaces."""
    for name, value in values.items():
        if isinstance(value, dict):
            yield from named_rows(value, f"{prefix}{name}.")
        elif isinstance(value, list | tuple):
            yield [prefix + name, "  ".join(map(_told, value)) or "none"]
        else:
            yield [prefix + name, _told(value)]


def _told(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_told, value))
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value).replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def write_all(forests: Iterable[NamedForest], output: Path) -> None:
    """A forest set or the text form, by the ending; nothing is left of a file that fails."""
    from rosewood.forest import ForestSetWriter, write_forests

    if output.suffix == ".rwf":
        with ForestSetWriter(output) as writer:
            for name, forest, info in forests:
                writer.append(forest, info or {"id": name})
    elif str(output) == "-":
        write_forests(forests, sys.stdout)
    elif output.suffix in (".forest", ".txt") or (output.exists() and not output.is_file()):
        write_forests(forests, output)
    else:
        raise ForestError(f"{output}: forests are written to .rwf, .forest, .txt or -")
