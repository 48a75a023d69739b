"""What verbs of language models share: their options, opening models, reading text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BufferedIOBase
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from rosewood.cli.common import warn
from rosewood.cli.corpora import Quiet
from rosewood.cli.options import Threads
from rosewood.errors import FormatError, LanguageModelError

if TYPE_CHECKING:
    from rosewood.lm import BatchScores, Mixture, Model, WordScore
    from rosewood.lm.files import Layout

__all__ = [
    "MODEL",
    "LayoutName",
    "ModelFile",
    "Quantise",
    "Quiet",
    "Texts",
    "Threads",
    "layout_of",
    "name_of",
    "opened",
    "reading",
    "scored",
    "sentences",
    "source_of",
    "tell_mended",
    "word_scores",
]

MODEL = "Model"  # a panel of --help
_AT_ONCE = 1 << 12  # sentences that are scored at a time


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
        help="Text, a sentence a line, words between spaces, .gz .xz .zst too; - is standard "
        "input, and so is nothing.",
    ),
]
LayoutName = Annotated[
    str | None,
    typer.Option(
        "--layout",
        metavar="fast|small",
        show_default="fast",
        rich_help_panel=MODEL,
        help="fast: n-grams are looked up by hashes; small: they are packed, and can be read back.",
    ),
]
Quantise = Annotated[
    int | None,
    typer.Option(
        "--quantise",
        min=1,
        max=16,
        metavar="BITS",
        rich_help_panel=MODEL,
        help="So many bits for each number of a model, which is then small.",
    ),
]


def layout_of(name: str | None, quantise: int | None) -> Layout:
    """The layout that the options ask for."""
    if name not in (None, "fast", "small"):
        raise LanguageModelError(f"--layout {name}: want fast or small")
    if name == "fast" and quantise is not None:
        raise LanguageModelError("--quantise is for --layout small")
    return "small" if name == "small" or quantise is not None else "fast"


def source_of(file: Path) -> Path | BufferedIOBase:
    """What `-` means."""
    return cast(BufferedIOBase, sys.stdin.buffer) if str(file) == "-" else file


def name_of(file: Path) -> str:
    """How errors call it."""
    return "<stdin>" if str(file) == "-" else str(file)


@contextmanager
def reading(file: Path, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Shows how many bytes of a file have been read, and of how many where that can be known."""
    from rosewood.corpus.compression import plain_name
    from rosewood.progress import progress

    is_plain = file.is_file() and plain_name(file) == file
    total = file.stat().st_size if is_plain else None
    with progress(f"reading {name_of(file)}, bytes", total, quiet=quiet) as step:
        yield step


def opened(file: Path, *, threads: int, quiet: bool) -> Model | Mixture:
    """A model of any kind; ARPA files are read first."""
    from rosewood.lm import kind_of, open_arpa, open_model

    if kind_of(file) != "arpa":
        return open_model(file)
    with reading(file, quiet=quiet) as step:
        model = open_arpa(file, threads=threads, step=step)
    tell_mended(file, model.facts)
    return model


def tell_mended(file: Path, facts: dict[str, Any]) -> None:
    """What an ARPA file lacked."""
    mended = facts.get("mended", {})
    if words := mended.get("missing_words"):
        warn(f"{name_of(file)}: it has no {', '.join(words)}: added, as good as impossible")
    if added := sum(mended.get("added_ngrams", ())):
        warn(f"{name_of(file)}: {added:,} n-grams added that are parts of longer ones: no score "
             "changes")  # fmt: skip
    if count := mended.get("infinite_as_-99"):
        warn(f"{name_of(file)}: {count:,} numbers are -inf, read as -99")
    if count := mended.get("positive_as_0"):
        warn(f"{name_of(file)}: {count:,} log probabilities are a little above 0, read as 0")


def sentences(files: Sequence[Path] | None) -> Iterator[str]:
    """The lines of texts; a mark of begin or end in one of them is told with its place."""
    from rosewood.corpus.lines import read_lines, split

    for file in files or [Path("-")]:
        for number, line in read_lines(source_of(file), name_of(file)):
            if "s>" in line:
                for word in split(line):
                    if word in ("<s>", "</s>"):
                        raise FormatError(
                            f"{word} stands in the text: it is put around every line anyway",
                            file=name_of(file),
                            line=number,
                        )
            yield line


def scored(
    model: Model | Mixture, lines: Iterator[str], *, bounds: bool, threads: int
) -> Iterator[tuple[list[str], BatchScores]]:
    """Some lines at a time, with the scores of their words; who types them is answered at once."""
    most = 1 if sys.stdin.isatty() else _AT_ONCE
    while some := list(islice(lines, most)):
        yield some, model.words_batch(some, begin=bounds, end=bounds, threads=threads)


def word_scores(line: str, scores: BatchScores, number: int) -> list[WordScore]:
    """The words of a line, which is one of those that were scored together."""
    from rosewood.corpus.lines import split
    from rosewood.lm import WordScore

    here = slice(int(scores.start[number]), int(scores.start[number + 1]))
    columns = scores.score[here].tolist(), scores.length[here].tolist(), scores.word[here].tolist()
    words = [*split(line), "</s>"]  # the last is not used where ends are not scored
    return [
        WordScore(word, score, length, known != 0)
        for word, score, length, known in zip(words, *columns, strict=False)
    ]
