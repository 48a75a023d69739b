"""Language models on the command line: arguments, options of all verbs, opening models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosewood.cli.common import name_of, source_of, warn
from rosewood.cli.run_options import ReportOptions, ThreadsOptions
from rosewood.errors import LanguageModelError
from rosewood.shared_types import CountCallback, PathName

if TYPE_CHECKING:
    from rosewood.lm import Mixture, Model

ModelFile = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL",
        help="A model (.rlm), a mixture of models (.json) or an ARPA file, .gz .xz .zst too.",
    ),
]
Texts = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[TEXT]…",
        help="Text, one sentence per line, words separated by spaces, .gz .xz .zst too; without "
        "one, or -, standard input.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class LmOptions(ThreadsOptions):
    """Options of all verbs."""

    error = LanguageModelError

    def open(self, file: PathName) -> Model | Mixture:
        """A model of any kind."""
        return opened(file, threads=self.cores, quiet=self.quiet)


@dataclass(frozen=True, kw_only=True)
class JsonOptions(LmOptions, ReportOptions):
    """Options of verbs that print results."""


@contextmanager
def reading(file: Path, *, quiet: bool) -> Iterator[CountCallback]:
    """Shows the number of bytes read, and the total where it is known."""
    from rosewood.corpus.compression import plain_name
    from rosewood.progress import progress

    is_plain = file.is_file() and plain_name(file) == file
    total = file.stat().st_size if is_plain else None
    with progress(f"reading {name_of(file)}, bytes", total, quiet=quiet) as step:
        yield step


def opened(file: PathName, *, threads: int, quiet: bool) -> Model | Mixture:
    """A model of any kind; ARPA files are read first."""
    from rosewood.lm import kind_of, open_arpa, open_model
    from rosewood.lm.arpa import repairs

    file = Path(file)
    if kind_of(file) != "arpa":
        return open_model(file)
    with reading(file, quiet=quiet) as step:
        model = open_arpa(file, threads=threads, step=step)
    for line in repairs(model.facts):
        warn(f"{file}: {line}")
    return model


def sentences(files: Sequence[PathName]) -> Iterator[str]:
    """The lines of texts; sentence markers in them are refused."""
    from rosewood.lm.text import read_sentences

    return read_sentences(map(source_of, files))
