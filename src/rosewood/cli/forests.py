"""Reading, scoring and writing files of forests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rosewood.cli.common import bad_value, print_row, warn
from rosewood.errors import ForestError, FormatError
from rosewood.forest.formats import FORMATS
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.forest import Forest, NamedForest
    from rosewood.forest.summary import NamedScores


Compress = Annotated[
    bool, typer.Option("--compress", help="Compress each forest of a forest set (.rwf).")
]


@dataclass(frozen=True)
class ForestOptions(Settings):
    """How forests are read."""

    error = ForestError

    format: str | None = setting(
        None, "Format.", choices=FORMATS, default_text="by the file name", types_none=False
    )

    def read(self, file: Path) -> Iterator[NamedForest]:
        """The forests of a file, or of standard input."""
        from rosewood.forest.formats import read_any

        if str(file) == "-":
            return read_any(sys.stdin, format=self.format or "text")
        return read_any(file, format=self.format)

    def changed(self, file: Path, change: Callable[[Forest], Forest]) -> Iterator[NamedForest]:
        """Each forest of a file, changed; its name and its info stay."""
        from rosewood.forest import NamedForest

        for name, forest, info in self.read(file):
            with working_on(file, name):
                made = change(forest)
            yield NamedForest(name, made, info)

    def print_rows(
        self, file: Path, rows: Callable[[NamedForest], Iterable[dict[str, Any]]], as_json: bool
    ) -> None:
        """Prints rows of each forest, which begin with its name."""
        for item in self.read(file):
            with working_on(file, item.name):
                for row in rows(item):
                    print_row({"name": item.name, **row}, as_json)


@dataclass(frozen=True)
class ForestScoreOptions(ForestOptions):
    """How forests are read and scored."""

    weights: PathName | None = setting(
        None,
        'JSON file {"feature": weight, …}; features without a weight have 0. Without the file '
        "every feature has weight 1.",
    )
    scale: float = setting(1.0, "Factor γ on all scores.")

    @contextmanager
    def scorer(self) -> Iterator[NamedScores]:
        """Scores with these weights; warns of weights of features that no forest has."""
        scores = self.scores(self.weights)
        yield scores
        if scores.unused:
            names = ", ".join(repr(n) for n in sorted(scores.unused)[:5])
            more = f" and {len(scores.unused) - 5} more" if len(scores.unused) > 5 else ""
            warn(f"{self.weights}: no forest has the feature {names}{more}")

    def scores(self, weights: PathName | None) -> NamedScores:
        """Scores with the weights of a file."""
        from rosewood.forest.summary import NamedScores
        from rosewood.model import read_weights

        return NamedScores(None if weights is None else read_weights(weights), self.scale)


@contextmanager
def working_on(file: Path, name: str) -> Iterator[None]:
    """Errors inside name the file and the forest."""
    try:
        yield
    except FormatError:
        raise
    except ForestError as error:
        raise error.restated(f"{file}: forest {name!r}: {error}", ForestError) from error


def write_all(
    forests: Iterable[NamedForest], output: Path, *, compress: bool = False, append: bool = False
) -> None:
    """A forest set or the text form, by the ending; nothing is left of a file that fails."""
    from rosewood.forest import ForestSetWriter, write_forests

    for option, wanted in (("--compress", compress), ("--append", append)):
        if wanted and output.suffix != ".rwf":
            raise bad_value(ForestError, option, output, "an output with the ending .rwf")
    if output.suffix == ".rwf":
        mode: Literal["append", "create"] = "append" if append else "create"
        with ForestSetWriter(output, mode=mode, compress=compress or None) as writer:
            for name, forest, info in forests:
                writer.append(forest, info or {"id": name})
    elif str(output) == "-":
        write_forests(forests, sys.stdout)
    elif output.suffix in (".forest", ".txt") or (output.exists() and not output.is_file()):
        write_forests(forests, output)
    else:
        raise bad_value(ForestError, "-o", output, "a name with .rwf, .forest or .txt, or -")
