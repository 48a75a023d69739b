"""`rosewood lm estimate`: text in, a language model out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.common import Json, print_row, print_table, warn
from rosewood.cli.lm_reading import (
    MODEL,
    LayoutName,
    Quantise,
    Quiet,
    Threads,
    layout_of,
    source_of,
)
from rosewood.cli.options import FILES, Config, check_files, cores
from rosewood.cli.working import MaxMemory, Work
from rosewood.errors import LanguageModelError

if TYPE_CHECKING:
    from rosewood.lm import Estimate

__all__ = ["estimate"]


def estimate(
    texts: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[TEXT]…",
            help="Text, a sentence a line, words between spaces; .gz, .xz and .zst too; - is "
            "standard input, and so is nothing.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", rich_help_panel=FILES, help="The model (.rlm)."
        ),
    ] = None,
    arpa: Annotated[
        Path | None,
        typer.Option(
            "--arpa",
            metavar="FILE",
            rich_help_panel=FILES,
            help="The model as text, which other programs read; .gz, .xz and .zst too.",
        ),
    ] = None,
    order: Annotated[
        int, typer.Option("--order", min=1, rich_help_panel=MODEL, help="Words of an n-gram.")
    ] = 5,
    cutoffs: Annotated[
        str,
        typer.Option(
            "--cutoffs",
            metavar="N,N,…",
            rich_help_panel=MODEL,
            show_default="nothing is left out",
            help="Leave out n-grams that occur so often or less, for each order from 1 on; the "
            "last is for all above. Words that are left out become <unk>.",
        ),
    ] = "",
    max_vocabulary: Annotated[
        int | None,
        typer.Option(
            "--max-vocabulary",
            min=1,
            metavar="N",
            rich_help_panel=MODEL,
            help="Keep the N most frequent words; all others become <unk>.",
        ),
    ] = None,
    vocabulary: Annotated[
        Path | None,
        typer.Option(
            "--vocabulary",
            metavar="FILE",
            rich_help_panel=MODEL,
            help="Keep the words of this file, one a line; all others become <unk>.",
        ),
    ] = None,
    fallback: Annotated[
        str,
        typer.Option(
            "--fallback",
            metavar="D1,D2,D3",
            rich_help_panel=MODEL,
            help="Discounts of orders whose own cannot be estimated, as of small texts.",
        ),
    ] = "0.5,1,1.5",
    layout: LayoutName = None,
    quantise: Quantise = None,
    on_bad_line: Annotated[
        str,
        typer.Option(
            "--on-bad-line",
            metavar="stop|skip",
            help="Stop at a line that is not UTF-8, has control characters, a byte order mark, <s> "
            "or </s>; or leave it out and count.",
        ),
    ] = "stop",
    max_memory: MaxMemory = 2 << 30,
    work: Work = None,
    threads: Threads = None,
    quiet: Quiet = False,
    json: Json = False,
    config: Config = None,
) -> None:
    """Estimate a model from text: interpolated modified Kneser-Ney.

    rosewood lm estimate --order 5 news.en.gz -o news.rlm

    rosewood text tokenise --tokeniser char words.txt | rosewood lm estimate --order 8 - -o
    spelling.rlm
    """
    from rosewood.lm import estimate_files
    from rosewood.progress import progress_of_parts

    files = texts or [Path("-")]
    check_files({"-o": output, "--arpa": arpa}, [*files, vocabulary, config])
    if output is None and arpa is None:
        raise LanguageModelError("say where the model goes: -o FILE, or --arpa FILE")
    if on_bad_line not in ("stop", "skip"):
        raise LanguageModelError(f"--on-bad-line {on_bad_line}: want stop or skip")
    wanted = layout_of(layout, quantise)
    if output is None and (layout is not None or quantise is not None):
        raise LanguageModelError("--layout and --quantise are for -o: ARPA files have none")
    for option, path in {"-o": output, "--arpa": arpa}.items():
        if str(path) == "-":
            raise LanguageModelError(f"{option}: a model goes to a file")
    first = output or arpa
    assert first is not None
    if work is None:
        work = first.with_name(f"{first.name}.work")
    try:
        with progress_of_parts(quiet=quiet) as told:
            found = estimate_files(
                [source_of(text) for text in files],
                order,
                cutoffs=_numbers("--cutoffs", cutoffs, int),
                max_vocabulary=max_vocabulary,
                vocabulary=None if vocabulary is None else _listed(vocabulary),
                fallback=_fallback(fallback),
                skip_bad=on_bad_line == "skip",
                max_memory=max_memory,
                work=work,
                threads=cores(threads),
                told=told,
            )
    except KeyboardInterrupt:
        if work.exists():
            warn(f"{work}: the same command goes on from there")
        raise
    with found:
        if found.went_on and not quiet:
            warn(f"{work}: went on from what had been done there")
        _tell(found, quiet=quiet)
        if output is not None:
            found.save(output, layout=wanted, quantise=quantise)
        if arpa is not None:
            found.write_arpa(arpa)
    rows: dict[str, Any] = {
        "sentences": found.facts["sentences"],
        "tokens": found.facts["tokens"],
        "types": found.facts["types"],
        "ngrams": [found.table.size(n) for n in range(1, order + 1)],
    }
    if json:
        print_row({**rows, "facts": found.facts}, as_json=True)
    elif not quiet:
        rows["ngrams"] = "  ".join(f"{size:,}" for size in rows["ngrams"])
        print_table([[name, f"{row:,}" if type(row) is int else row] for name, row in rows.items()])


def _tell(found: Estimate, *, quiet: bool) -> None:
    """What was not as it should be."""
    if found.skipped.count:
        warn(f"{found.skipped.count} bad lines were left out; the first: "
             f"{found.skipped.examples[0]}")  # fmt: skip
    for each in found.fallbacks:
        if not quiet:
            warn(str(each))


def _listed(file: Path) -> list[str]:
    """The words of a file, one a line."""
    from rosewood.corpus.lines import at, read_lines, split

    words = []
    for number, line in read_lines(source_of(file), str(file)):
        with at(str(file), number):
            found = split(line)
            if len(found) > 1:
                raise LanguageModelError(f"there are {len(found)} words, want one a line")
            words += found
    return words


def _numbers(option: str, text: str, kind: type) -> list[Any]:
    try:
        return [kind(each) for each in text.replace(",", " ").split()]
    except ValueError:
        raise LanguageModelError(f"{option} {text}: want numbers with commas between") from None


def _fallback(text: str) -> tuple[float, float, float]:
    found = _numbers("--fallback", text, float)
    if len(found) != 3:
        raise LanguageModelError(f"--fallback {text}: want three numbers")
    return found[0], found[1], found[2]
