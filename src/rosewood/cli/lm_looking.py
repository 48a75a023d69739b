"""`rosewood lm next`, `info`, `vocabulary` and `verify`: looking into a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.common import Json, named_rows, print_row, print_table, warn
from rosewood.cli.lm_reading import ModelFile, Quiet, Threads, opened, reading
from rosewood.cli.options import Config, cores
from rosewood.errors import RosewoodError

if TYPE_CHECKING:
    from rosewood.lm import Mixture, Model

__all__ = ["info", "next_words", "verify", "vocabulary"]


def next_words(
    model: ModelFile,
    context: Annotated[
        str,
        typer.Argument(
            metavar="[WORDS]",
            help="What stands before; <s> in front of it is where a sentence begins.",
        ),
    ] = "<s>",
    top: Annotated[
        int | None,
        typer.Option("--top", "-n", min=1, metavar="N", help="So many words; without it, all."),
    ] = None,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """What comes next: each word with its probability after a context, the likeliest first.

    Probabilities of all words, </s> and <unk> among them, add up to 1.

    rosewood lm next lm.rlm "<s> the" --top 10
    """
    import numpy as np

    found = opened(model, threads=cores(threads), quiet=quiet)
    p = found.distribution(context)
    order = np.argsort(-p, kind="stable")
    for word in order[order != 1][:top].tolist():  # <s> never comes next
        print_row({"word": found.vocabulary.word(word), "p": float(p[word])}, json)


def vocabulary(
    model: ModelFile,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """The words of a model, one a line, in the order of their numbers."""
    for word in opened(model, threads=cores(threads), quiet=quiet).vocabulary:
        print(word)


def info(
    model: ModelFile,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """What is in a model's file, and how it was made."""
    from rosewood.lm import Mixture

    found = opened(model, threads=cores(threads), quiet=quiet)
    row = _mixture_row(found) if isinstance(found, Mixture) else _model_row(found)
    row = {"file": str(model), **row, "facts": found.facts}
    if json:
        print_row(row, as_json=True)
        return
    print_table([*named_rows(row)])


def _model_row(model: Model) -> dict[str, Any]:
    return {
        "order": model.order,
        "ngrams": list(model.counts),
        "words": len(model.vocabulary),
        "layout": model.layout,
        "quantised": model.quantised,
        "bytes": model.size,
    }


def _mixture_row(mixture: Mixture) -> dict[str, Any]:
    return {
        "order": mixture.order,
        "words": len(mixture.vocabulary),
        "models": [str(model.path) for model in mixture.models],
        "weights": list(mixture.weights),
    }


def verify(
    files: Annotated[
        list[Path], typer.Argument(metavar="MODEL…", help="Models, mixtures or ARPA files.")
    ],
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Read all of a model: every checksum, and everything that its parts must be."""
    from rosewood.lm import Mixture, kind_of, read_arpa, verify_model

    is_good = True
    for file in files:
        try:
            kind = kind_of(file)
            if kind == "arpa":
                with reading(file, quiet=quiet) as step:
                    read_arpa(file, threads=cores(threads), step=step)
            elif kind == "mixture":
                for model in Mixture.open(file).models:
                    verify_model(model.path)
            else:
                verify_model(file)
        except (RosewoodError, OSError) as error:  # the others are looked at all the same
            warn(str(error) if isinstance(error, RosewoodError) else f"{file}: {error.strerror}")
            is_good = False
        else:
            print(f"{file}: good")
    if not is_good:
        raise typer.Exit(1)
