"""Language models on the command line: arguments, opening models, reading text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rosewood.cli.common import conflict, name_of, source_of, warn
from rosewood.errors import FormatError, LanguageModelError
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.lm import Mixture, Model
    from rosewood.lm.files import Layout

__all__ = [
    "MODEL",
    "LayoutOptions",
    "ModelFile",
    "Texts",
    "opened",
    "reading",
    "sentences",
    "warn_of_repairs",
]

MODEL = "Model"  # a panel of --help

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


@dataclass(frozen=True)
class LayoutOptions(Settings):
    """How a model is stored."""

    error = LanguageModelError

    layout: Literal["fast", "small"] | None = setting(
        None, "Storage: fast (hash tables) or small (packed; can be converted again).",
        group=MODEL, metavar="fast|small", default_text="fast",
    )  # fmt: skip
    quantise: int | None = setting(
        None, "Bits per number of the model, which is then small.",
        low=1, high=16, group=MODEL, metavar="BITS", default_text="not quantised",
    )  # fmt: skip

    @property
    def chosen_layout(self) -> Layout:
        """The layout that the options ask for."""
        if self.layout == "fast" and self.quantise is not None:
            raise conflict(LanguageModelError, "--quantise", "--layout fast")
        return "small" if self.layout == "small" or self.quantise is not None else "fast"

    def refuse_for_arpa(self, option: str) -> None:
        """An ARPA file has neither layout nor quantisation."""
        for name in ("layout", "quantise"):
            if getattr(self, name) is not None:
                raise conflict(LanguageModelError, f"--{name}", option)


@contextmanager
def reading(file: Path, *, quiet: bool) -> Iterator[Callable[[int], None]]:
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

    file = Path(file)
    if kind_of(file) != "arpa":
        return open_model(file)
    with reading(file, quiet=quiet) as step:
        model = open_arpa(file, threads=threads, step=step)
    warn_of_repairs(file, model.facts)
    return model


def warn_of_repairs(file: Path, facts: dict[str, Any]) -> None:
    """What was added to an ARPA file, or changed."""
    mended, name = facts.get("mended", {}), name_of(file)
    if words := mended.get("missing_words"):
        warn(f"{name}: it has no {', '.join(words)}: added, with a probability of almost 0")
    if added := sum(mended.get("added_ngrams", ())):
        warn(f"{name}: {added:,} n-grams added that are parts of longer ones: no score changes")
    if count := mended.get("infinite_as_-99"):
        warn(f"{name}: {count:,} numbers are -inf, read as -99")
    if count := mended.get("positive_as_0"):
        warn(f"{name}: {count:,} log probabilities are slightly above 0, read as 0")


def sentences(files: Sequence[PathName]) -> Iterator[str]:
    """The lines of texts; sentence markers in them are refused."""
    from rosewood.corpus.lines import read_lines, split

    for file in files or ["-"]:
        for number, line in read_lines(source_of(file), name_of(file)):
            if "s>" in line:
                for word in split(line):
                    if word in ("<s>", "</s>"):
                        raise FormatError(
                            f"{word} must not be in the text: it is added to every line",
                            code="line.value", file=name_of(file), line=number, value=word,
                        )  # fmt: skip
            yield line
