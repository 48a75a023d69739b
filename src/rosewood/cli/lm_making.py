"""`rosewood lm convert` and `mix`: models made of others."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.common import Json, print_row, print_table
from rosewood.cli.lm_reading import (
    LayoutName,
    Quantise,
    Quiet,
    Threads,
    layout_of,
    name_of,
    reading,
    sentences,
    source_of,
    tell_mended,
)
from rosewood.cli.options import Config, check_files, cores
from rosewood.cli.working import MaxMemory, Temporary
from rosewood.errors import FormatError, LanguageModelError

if TYPE_CHECKING:
    from rosewood import _core
    from rosewood.lm import Mixture, Words

__all__ = ["convert", "mix"]


def convert(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="An ARPA file, .gz .xz .zst too, - is standard input; or a model of layout small.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="A model (.rlm), or an ARPA file (.arpa, .arpa.gz, .arpa.xz, .arpa.zst; - is "
            "standard output).",
        ),
    ],
    layout: LayoutName = None,
    quantise: Quantise = None,
    threads: Threads = None,
    max_memory: MaxMemory = 2 << 30,
    temporary: Temporary = None,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Turn an ARPA file into a model, or a small model into an ARPA file or another layout."""
    from rosewood.corpus.compression import plain_name
    from rosewood.lm import write_arpa, write_model

    check_files({"-o": output}, [file])
    is_arpa = str(output) == "-" or plain_name(output).suffix == ".arpa"
    if not is_arpa and output.suffix != ".rlm":
        raise FormatError("a model goes to a .rlm file, its text to a .arpa file", file=output)
    if is_arpa and (layout is not None or quantise is not None):
        raise LanguageModelError(f"{output}: an ARPA file has no --layout and is not quantised")
    wanted = layout_of(layout, quantise)
    table, words, facts = _table(file, cores(threads), max_memory, temporary, quiet=quiet)
    if is_arpa:
        write_arpa(
            sys.stdout.buffer if str(output) == "-" else output,
            table,
            words,
            threads=cores(threads),
        )
        return
    write_model(
        output,
        table,
        words,
        layout=wanted,
        quantise=quantise,
        facts=facts,
        threads=cores(threads),
        max_memory=max_memory,
        temporary=temporary,
    )


def _table(
    file: Path, threads: int, max_memory: int, temporary: Path | None, *, quiet: bool
) -> tuple[_core.NgramTable, Words, dict[str, Any]]:
    """The n-grams of a file of any kind that has them."""
    from rosewood.lm import kind_of, read_arpa, read_table

    kind = "arpa" if str(file) == "-" else kind_of(file)
    if kind == "mixture":
        raise FormatError("it is a mixture, which has no n-grams of its own", file=file)
    if kind == "model":
        return read_table(file)
    with reading(file, quiet=quiet) as step:
        table, words, facts = read_arpa(
            source_of(file),
            threads=threads,
            max_memory=max_memory,
            temporary=temporary,
            step=step,
            file=name_of(file),
        )
    tell_mended(file, facts)
    return table, words, facts


def mix(
    files: Annotated[list[Path], typer.Argument(metavar="MODEL…", help="Models (.rlm).")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The mixture, a small JSON file.")],
    heldout: Annotated[
        list[Path] | None,
        typer.Option(
            "--heldout",
            metavar="TEXT",
            help="Weights are tuned on this text, which no model was made from; may be repeated.",
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="W,W,…",
            help="Weights that add up to 1, in place of a held-out text.",
        ),
    ] = None,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Several models as one: a weighted mean of their probabilities.

    The mixture refers to the models where they are; every verb takes it like a model.
    """
    from rosewood.lm import Mixture, Model, kind_of
    from rosewood.progress import progress

    check_files({"-o": output}, [*files, *(heldout or ())])
    if (heldout is None) == (weights is None):
        raise LanguageModelError("mix: want --heldout or --weights")
    for file in files:
        if (kind := kind_of(file)) != "model":
            told = {"arpa": "an ARPA file: convert it first", "mixture": "a mixture itself"}[kind]
            raise FormatError(f"it is {told}", file=file)
    models = [Model.open(file) for file in files]
    if weights is not None:
        mixture = Mixture(models, _numbers(weights))
    else:
        with progress("reading held-out text, lines", quiet=quiet) as step:

            def counted() -> Any:
                for line in sentences(heldout):
                    step()
                    yield line

            mixture = Mixture.tuned(models, counted(), threads=cores(threads))
    mixture.save(output)
    _print_mixture(mixture, files, as_json=json)


def _numbers(text: str) -> list[float]:
    from rosewood.corpus.lines import number

    return [number("a weight", part.strip()) for part in text.split(",")]


def _print_mixture(mixture: Mixture, files: list[Path], *, as_json: bool) -> None:
    tuned = mixture.facts.get("tuned")
    if as_json:
        models = [
            {"file": str(file), "weight": weight}
            for file, weight in zip(files, mixture.weights, strict=True)
        ]
        print_row({"models": models, **({} if tuned is None else tuned)}, as_json=True)
        return
    shown = zip(files, mixture.weights, strict=True)
    if tuned is None:
        rows = [["weight", "model"], *([f"{weight:.6f}", str(file)] for file, weight in shown)]
        print_table(rows, right=[0])
        return
    rows = [["weight", "perplexity", "model"]]
    for (file, weight), alone in zip(shown, tuned["perplexity_of_each"], strict=True):
        rows.append([f"{weight:.6f}", f"{alone:,.4f}", str(file)])
    rows.append(["", f"{tuned['perplexity_of_equal_weights']:,.4f}", "equal weights"])
    rows.append(["", f"{tuned['perplexity']:,.4f}", "these weights"])
    print_table(rows, right=[0, 1])
