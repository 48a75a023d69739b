"""`rosewood lm estimate`, `convert` and `mix`: make language models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rosewood.cli.common import (
    Json,
    Quiet,
    bad_value,
    conflict,
    name_of,
    needs,
    print_row,
    print_table,
    source_of,
    target_of,
    warn,
)
from rosewood.cli.lm_reading import (
    MODEL,
    LayoutOptions,
    Texts,
    reading,
    sentences,
    warn_of_repairs,
)
from rosewood.cli.memory_options import MaxMemory, Temporary, Work
from rosewood.cli.options import FILES, Config, Threads, check_files, cores
from rosewood.errors import FormatError, LanguageModelError
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood import _core
    from rosewood.lm import Estimate, Mixture, Words

__all__ = ["convert", "estimate", "mix"]


@dataclass(frozen=True)
class EstimateOptions(LayoutOptions):
    """How a model is estimated, and where it is written."""

    output: PathName | None = setting(None, "The model (.rlm).", group=FILES, short="o")
    arpa: PathName | None = setting(
        None, "The model as an ARPA file; .gz, .xz and .zst too.", group=FILES
    )
    order: int = setting(5, "n-gram order.", low=1, group=MODEL)
    cutoffs: str = setting(
        "",
        "Drop n-grams that occur N times or less, for each order from 1 on; the last number is for "
        "all higher orders. Dropped words become <unk>.",
        group=MODEL, metavar="N,N,…", default_text="nothing is dropped",
    )  # fmt: skip
    max_vocabulary: int | None = setting(
        None, "Keep the N most frequent words; all others become <unk>.",
        low=1, group=MODEL, metavar="N", default_text="no limit",
    )  # fmt: skip
    vocabulary: PathName | None = setting(
        None, "Keep the words of this file, one per line; all others become <unk>.", group=MODEL
    )
    fallback: str = setting(
        "0.5,1,1.5", "Discounts of orders with too little text to estimate them.",
        group=MODEL, metavar="D1,D2,D3",
    )  # fmt: skip
    on_bad_line: Literal["stop", "skip"] = setting(
        "stop",
        "At a line that is not UTF-8 or has control characters, a byte order mark, <s> or </s>: "
        "stop, or skip and count it.",
        metavar="stop|skip",
    )  # fmt: skip

    def check(self, inputs: list[PathName | None]) -> Path:
        """Refuses, before any work, what cannot be done; returns the first file to write."""
        files = {"-o": self.output, "--arpa": self.arpa}
        check_files(files, [*inputs, self.vocabulary])
        if self.output is None:
            self.refuse_for_arpa("--arpa")
        for option, path in files.items():
            if path == "-":
                raise bad_value(LanguageModelError, option, path, "a file")
        first = self.output or self.arpa
        if first is None:
            raise needs(LanguageModelError, "estimate", "-o FILE or --arpa FILE")
        return Path(first)

    def arguments(self) -> dict[str, Any]:
        """Arguments of `estimate_files`."""
        fallback = _numbers("--fallback", self.fallback, float)
        if len(fallback) != 3:
            raise bad_value(LanguageModelError, "--fallback", self.fallback, "three numbers")
        return {
            "order": self.order,
            "cutoffs": _numbers("--cutoffs", self.cutoffs, int),
            "max_vocabulary": self.max_vocabulary,
            "vocabulary": None if self.vocabulary is None else _listed(self.vocabulary),
            "fallback": tuple(fallback),
            "skip_bad": self.on_bad_line == "skip",
        }


def estimate(
    options: EstimateOptions,
    texts: Texts = None,
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
    first, layout = options.check([*files, config]), options.chosen_layout
    if work is None:
        work = first.with_name(f"{first.name}.work")
    try:
        with progress_of_parts(quiet=quiet) as told:
            found = estimate_files(
                [source_of(text) for text in files],
                **options.arguments(),
                max_memory=max_memory,
                work=work,
                threads=cores(threads),
                told=told,
            )
    except KeyboardInterrupt:
        if work.exists():
            warn(f"{work}: the same command resumes from there")
        raise
    with found:
        if found.went_on and not quiet:
            warn(f"{work}: resumed from there")
        _report(found, quiet=quiet)
        if options.output is not None:
            found.save(options.output, layout=layout, quantise=options.quantise)
        if options.arpa is not None:
            found.write_arpa(options.arpa)
    rows: dict[str, Any] = {
        "sentences": found.facts["sentences"],
        "tokens": found.facts["tokens"],
        "types": found.facts["types"],
        "ngrams": [found.table.size(n) for n in range(1, options.order + 1)],
    }
    if json:
        print_row({**rows, "facts": found.facts}, as_json=True)
    elif not quiet:
        rows["ngrams"] = "  ".join(f"{size:,}" for size in rows["ngrams"])
        print_table([[name, f"{row:,}" if type(row) is int else row] for name, row in rows.items()])


def _report(found: Estimate, *, quiet: bool) -> None:
    """Bad lines and fixed discounts."""
    if found.skipped.count:
        warn(f"{found.skipped.count} bad lines were left out; the first: "
             f"{found.skipped.examples[0]}")  # fmt: skip
    for each in found.fallbacks:
        if not quiet:
            warn(str(each))


def _listed(file: PathName) -> list[str]:
    """The words of a file, one per line."""
    from rosewood.corpus.lines import at, read_lines, split

    words = []
    for number, line in read_lines(source_of(file), str(file)):
        with at(str(file), number):
            found = split(line)
            if len(found) > 1:
                raise LanguageModelError(
                    f"there are {len(found)} words, expected one per line",
                    code="line.fields", value=len(found), expected=1,
                )  # fmt: skip
            words += found
    return words


def _numbers(option: str, text: str, kind: type) -> list[Any]:
    try:
        return [kind(each) for each in text.replace(",", " ").split()]
    except ValueError:
        expected = "numbers separated by commas"
        raise bad_value(LanguageModelError, option, text, expected) from None


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
    options: LayoutOptions,
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
        raise bad_value(LanguageModelError, "-o", output, "a name with .rlm or .arpa")
    if is_arpa:
        options.refuse_for_arpa(f"-o {output}")
    layout = options.chosen_layout
    table, words, facts = _table(file, cores(threads), max_memory, temporary, quiet=quiet)
    if is_arpa:
        write_arpa(target_of(output), table, words, threads=cores(threads))
        return
    write_model(
        output,
        table,
        words,
        layout=layout,
        quantise=options.quantise,
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
        raise FormatError(
            "it is a mixture, which has no n-grams of its own", code="file.kind", file=file
        )
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
    warn_of_repairs(file, facts)
    return table, words, facts


@dataclass(frozen=True)
class MixOptions(Settings):
    """The weights of a mixture, and where it is written."""

    error = LanguageModelError

    output: PathName = setting(help="The mixture, a small JSON file.", short="o")
    heldout: tuple[PathName, ...] = setting(
        (), "Held-out text to tune the weights on; repeatable.", metavar="TEXT"
    )
    weights: str | None = setting(
        None, "Weights that sum to 1, instead of a held-out text.", metavar="W,W,…"
    )


def mix(
    files: Annotated[list[Path], typer.Argument(metavar="MODEL…", help="Models (.rlm).")],
    options: MixOptions,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Mix several models: a weighted mean of their probabilities.

    The mixture refers to the files of the models; every verb takes it like a model.
    """
    from rosewood.corpus.lines import number
    from rosewood.lm import Mixture, Model, kind_of
    from rosewood.progress import progress

    check_files({"-o": options.output}, [*files, *options.heldout])
    if bool(options.heldout) == (options.weights is not None):
        if options.heldout:
            raise conflict(LanguageModelError, "--weights", "--heldout")
        raise needs(LanguageModelError, "mix", "--heldout or --weights")
    for file in files:
        if (kind := kind_of(file)) != "model":
            told = {"arpa": "an ARPA file: convert it first", "mixture": "a mixture itself"}[kind]
            raise FormatError(f"it is {told}", code="file.kind", file=file, value=kind)
    models = [Model.open(file) for file in files]
    if options.weights is not None:
        weights = [number("a weight", part.strip()) for part in options.weights.split(",")]
        mixture = Mixture(models, weights)
    else:
        with progress("reading held-out text, lines", quiet=quiet) as step:

            def counted() -> Iterator[str]:
                for line in sentences(options.heldout):
                    step()
                    yield line

            mixture = Mixture.tuned(models, counted(), threads=cores(threads))
    mixture.save(options.output)
    _print_mixture(mixture, files, as_json=json)


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
