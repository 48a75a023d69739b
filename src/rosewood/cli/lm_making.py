"""`rosewood lm estimate`, `convert` and `mix`: make language models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.common import (
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
from rosewood.cli.lm_reading import JsonOptions, LmOptions, Texts, reading, sentences
from rosewood.cli.memory_options import Temporary, Work
from rosewood.cli.options import FILES, check_files
from rosewood.cli.run_options import Config
from rosewood.errors import FormatError, LanguageModelError
from rosewood.lm.settings import EstimationSettings, LayoutSettings
from rosewood.settings import setting, setting_of
from rosewood.shared_settings import SharedSettings
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.lm import Mixture


def _refuse_for_arpa(options: LayoutSettings, other: str) -> None:
    """An ARPA file has neither layout nor quantisation."""
    for name in ("layout", "quantise"):
        if getattr(options, name) is not None:
            raise conflict(LanguageModelError, f"--{name}", other)


@dataclass(frozen=True, kw_only=True)
class EstimateOptions(EstimationSettings, JsonOptions):
    """How a model is estimated, and where it is written."""

    max_memory: int = setting_of(SharedSettings, "max_memory", group="")
    output: PathName | None = setting(None, "The model (.rlm).", group=FILES, short="o")
    arpa: PathName | None = setting(
        None, "The model as an ARPA file; .gz, .xz and .zst too.", group=FILES
    )

    def check(self, inputs: list[PathName | None]) -> Path:
        """Refuses, before any work, what cannot be done; returns the first file to write."""
        files = {"-o": self.output, "--arpa": self.arpa}
        check_files(files, [*inputs, self.vocabulary])
        if self.output is None:
            _refuse_for_arpa(self, "--arpa")
        for option, path in files.items():
            if path == "-":
                raise bad_value(LanguageModelError, option, path, "a file")
        first = self.output or self.arpa
        if first is None:
            raise needs(LanguageModelError, "estimate", "-o FILE or --arpa FILE")
        return Path(first)


def estimate(
    options: EstimateOptions,
    texts: Texts = None,
    work: Work = None,
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
    place = first.with_name(f"{first.name}.work") if work is None else work
    how = {**options.keywords(), "max_memory": options.max_memory, "threads": options.cores}
    try:
        with progress_of_parts(quiet=options.quiet) as told:
            found = estimate_files(
                [source_of(text) for text in files], work=place, told=told, **how
            )
    except KeyboardInterrupt:
        if place.exists():
            warn(f"{place}: the same command resumes from there")
        raise
    with found:
        if found.went_on and not options.quiet:
            warn(f"{place}: resumed from there")
        if found.skipped.count:
            warn(f"{found.skipped.count} bad lines were left out; the first: "
                 f"{found.skipped.examples[0]}")  # fmt: skip
        for each in [] if options.quiet else found.fallbacks:
            warn(str(each))
        if options.output is not None:
            found.save(options.output, layout=layout, quantise=options.quantise)
        if options.arpa is not None:
            found.write_arpa(options.arpa)
    rows = found.summary()
    if options.json:
        print_row({**rows, "facts": found.facts}, as_json=True)
    elif not options.quiet:
        rows["ngrams"] = "  ".join(f"{size:,}" for size in rows["ngrams"])
        print_table([[name, f"{row:,}" if type(row) is int else row] for name, row in rows.items()])


@dataclass(frozen=True, kw_only=True)
class ConvertOptions(LayoutSettings, LmOptions):
    """What is written."""

    max_memory: int = setting_of(SharedSettings, "max_memory", group="")
    output: PathName = setting(
        help="A model (.rlm), or an ARPA file (.arpa, .arpa.gz, .arpa.xz, .arpa.zst; - is standard "
        "output).",
        group="",
        short="o",
    )


def convert(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="An ARPA file, .gz .xz .zst too, - is standard input; or a model of layout small.",
        ),
    ],
    options: ConvertOptions,
    temporary: Temporary = None,
    config: Config = None,
) -> None:
    """Turn an ARPA file into a model, or a small model into an ARPA file or another layout."""
    from rosewood.corpus.compression import plain_name
    from rosewood.lm import write_arpa, write_model

    output = Path(options.output)
    check_files({"-o": output}, [file])
    is_arpa = str(output) == "-" or plain_name(output).suffix == ".arpa"
    if not is_arpa and output.suffix != ".rlm":
        raise bad_value(LanguageModelError, "-o", output, "a name with .rlm or .arpa")
    if is_arpa:
        _refuse_for_arpa(options, f"-o {output}")
    layout = options.chosen_layout
    how: dict[str, Any] = {
        "threads": options.cores,
        "max_memory": options.max_memory,
        "temporary": temporary,
    }
    table, words, facts = _table(file, how, quiet=options.quiet)
    if is_arpa:
        write_arpa(target_of(output), table, words, threads=options.cores)
    else:
        write_model(
            output, table, words, layout=layout, quantise=options.quantise, facts=facts, **how
        )


def _table(file: Path, how: dict[str, Any], *, quiet: bool) -> tuple[Any, Any, dict[str, Any]]:
    """The n-grams of a file of any kind that has them, its words and facts."""
    from rosewood.lm import kind_of, read_arpa, read_table
    from rosewood.lm.arpa import repairs

    kind = "arpa" if str(file) == "-" else kind_of(file)
    if kind == "mixture":
        raise FormatError(
            "it is a mixture, which has no n-grams of its own", code="file.kind", file=file
        )
    if kind == "model":
        return read_table(file)
    with reading(file, quiet=quiet) as step:
        found = read_arpa(source_of(file), step=step, file=name_of(file), **how)
    for line in repairs(found[2]):
        warn(f"{name_of(file)}: {line}")
    return found


@dataclass(frozen=True, kw_only=True)
class MixOptions(JsonOptions):
    """The weights of a mixture, and where it is written."""

    output: PathName = setting(help="The mixture, a small JSON file.", short="o")
    heldout: tuple[PathName, ...] = setting(
        (), "Held-out text to tune the weights on; repeatable.", metavar="TEXT"
    )
    weights: tuple[float, ...] | None = setting(
        None, "Weights that sum to 1, instead of a held-out text.", metavar="W,W,…",
        default_text="none", types_none=False,
    )  # fmt: skip


def mix(
    files: Annotated[list[Path], typer.Argument(metavar="MODEL…", help="Models (.rlm).")],
    options: MixOptions,
    config: Config = None,
) -> None:
    """Mix several models: a weighted mean of their probabilities.

    The mixture refers to the files of the models; every verb takes it like a model.
    """
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
        mixture = Mixture(models, options.weights)
    else:
        with progress("reading held-out text, lines", quiet=options.quiet) as step:

            def counted() -> Iterator[str]:
                for line in sentences(options.heldout):
                    step()
                    yield line

            mixture = Mixture.tuned(models, counted(), threads=options.cores)
    mixture.save(options.output)
    _print_mixture(mixture, files, as_json=options.json)


def _print_mixture(mixture: Mixture, files: list[Path], *, as_json: bool) -> None:
    tuned = mixture.facts.get("tuned", {})
    pairs = [*zip(map(str, files), mixture.weights, strict=True)]
    if as_json:
        models = [{"file": file, "weight": weight} for file, weight in pairs]
        print_row({"models": models, **tuned}, as_json=True)
        return
    rows = [["weight", "model"], *([f"{weight:.6f}", file] for file, weight in pairs)]
    if tuned:
        alone = [f"{each:,.4f}" for each in tuned["perplexity_of_each"]]
        rows = [[row[0], p, row[1]] for row, p in zip(rows, ["perplexity", *alone], strict=True)]
        rows.append(["", f"{tuned['perplexity_of_equal_weights']:,.4f}", "equal weights"])
        rows.append(["", f"{tuned['perplexity']:,.4f}", "these weights"])
    print_table(rows, right=range(len(rows[0]) - 1))
