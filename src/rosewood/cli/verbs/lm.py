"""Language models: estimate, query, inspect, convert and mix them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.common import (
    Json,
    Quiet,
    bad_value,
    conflict,
    name_of,
    named_rows,
    print_row,
    print_table,
    verify_each,
)
from rosewood.cli.groups import VerbGroup
from rosewood.cli.lm_making import convert, estimate, mix
from rosewood.cli.lm_reading import ModelFile, Texts, opened, reading, sentences
from rosewood.cli.options import Config, Seed, Threads, check_files, cores
from rosewood.errors import LanguageModelError
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.lm import BatchScores, Mixture, Model, WordScore
    from rosewood.lm.query import Style

__all__ = ["PLUGIN"]

_AT_ONCE = 1 << 12  # sentences that are scored at a time

app = VerbGroup(
    "n-gram language models: estimate, query, inspect, convert and mix them. Logarithms are to "
    "base 10."
)
for verb in (estimate, convert, mix):
    app.command()(verb)


@dataclass(frozen=True)
class QueryOptions(Settings):
    """What is printed of each line."""

    error = LanguageModelError

    words: bool = setting(False, "Print a row for each word: word, score, n-gram length.")
    kenlm: bool = setting(False, "Print rows as KenLM's query: word=number length score.")
    html: PathName | None = setting(None, "HTML page that shows the surprisal of each word.")
    no_bounds: bool = setting(False, "Lines are parts of sentences: add no <s> and </s>.")

    @property
    def style(self) -> Style:
        """What is printed of each line."""
        return "kenlm" if self.kenlm else "words" if self.words else "totals"

    def check(self, as_json: bool) -> None:
        """Refuses options that exclude each other."""
        for option, other in (("--words", self.words), ("--json", as_json)):
            if self.kenlm and other:
                raise conflict(LanguageModelError, option, "--kenlm")
        if self.html == "-":
            raise bad_value(LanguageModelError, "--html", "-", "a file")


@app.command()
def query(
    model: ModelFile,
    options: QueryOptions,
    texts: Texts = None,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Score text: log10 of each line's probability, its words, and how many are unknown.

    The end of a line, </s>, is scored, too, but not counted as a word.
    """
    from rosewood.lm.query import kenlm_summary, query_rows, word_scores
    from rosewood.progress import progress

    files = texts or [Path("-")]
    check_files({"--html": options.html}, [model, *files])
    options.check(json)
    found = opened(model, threads=cores(threads), quiet=quiet)
    with progress("scoring, lines", quiet=quiet) as step:

        def batches() -> Iterator[tuple[list[str], BatchScores]]:
            """Prints what is asked for, and passes it on."""
            bounds = not options.no_bounds
            for lines, scores in _scored(found, sentences(files), bounds, cores(threads)):
                rows = query_rows(lines, scores, bounds=bounds, style=options.style, as_json=json)
                sys.stdout.write("".join(f"{row}\n" for row in rows))
                step(len(lines))
                yield lines, scores

        if options.kenlm:
            for row in kenlm_summary(scores for _, scores in batches()):
                print(row)
        elif options.html is None:
            for _ in batches():
                pass
        else:
            words = (
                word_scores(line, scores, number)
                for lines, scores in batches()
                for number, line in enumerate(lines)
            )
            _write_page(words, options.html, title=f"{model.name}: surprisal")


def _scored(
    model: Model | Mixture, lines: Iterator[str], bounds: bool, threads: int
) -> Iterator[tuple[list[str], BatchScores]]:
    """Batches of lines with the scores of their words; at a terminal, line by line."""
    most = 1 if sys.stdin.isatty() else _AT_ONCE
    while some := list(islice(lines, most)):
        yield some, model.words_batch(some, begin=bounds, end=bounds, threads=threads)


def _write_page(words: Iterator[Sequence[WordScore]], output: PathName, title: str) -> None:
    from rosewood.lm.draw import surprisal_page
    from rosewood.output import whole_file

    with whole_file(output) as stream:
        for line in surprisal_page(words, title=title):
            stream.write(line.encode() + b"\n")


@app.command()
def perplexity(
    model: ModelFile,
    texts: Texts = None,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Perplexity of a text, with and without unknown words."""
    from rosewood.progress import progress

    files = texts or [Path("-")]
    check_files({}, [model, *files])
    found = opened(model, threads=cores(threads), quiet=quiet)
    with progress("scoring, lines", quiet=quiet) as step:
        total = found.perplexity(sentences(files), threads=cores(threads), step=step)
    if total.sentences == 0:
        names = ", ".join(map(name_of, files))
        raise LanguageModelError(f"{names}: there is no text", code="file.empty", file=names)
    if json:
        print_row(total.to_dict(), as_json=True)
    else:
        print_table(total.rows(), right=[1])


@dataclass(frozen=True)
class SampleOptions(Settings):
    """Which sentences are drawn."""

    error = LanguageModelError

    count: int = setting(10, "Number of sentences.", low=1, short="n")
    max_words: int = setting(1000, "Maximum number of words after --prefix.", low=1)
    prefix: str = setting("", "First words of every sentence.", metavar="WORDS",
                          default_text="none")  # fmt: skip


@app.command()
def sample(
    model: ModelFile,
    options: SampleOptions,
    seed: Seed = 1,
    threads: Threads = None,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Draw sentences from a model; the same seed gives the same sentences."""
    from rosewood.corpus.lines import split

    begin = split(options.prefix)
    if {"<s>", "</s>"} & set(begin):
        raise bad_value(LanguageModelError, "--prefix", options.prefix, "words, no <s> or </s>")
    found = opened(model, threads=cores(threads), quiet=quiet)
    for text in found.sample(
        options.count,
        seed=seed,
        max_words=options.max_words,
        context=["<s>", *begin],
        threads=cores(threads),
    ):
        print(" ".join([*begin, *([text] if text else [])]))


@app.command("next")
def next_words(
    model: ModelFile,
    context: Annotated[
        str,
        typer.Argument(
            metavar="[WORDS]",
            help="The context; <s> is the beginning of a sentence.",
        ),
    ] = "<s>",
    top: Annotated[
        int | None,
        typer.Option(
            "--top", "-n", min=1, metavar="N", help="Number of words.", show_default="all"
        ),
    ] = None,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Print each next word with its probability after a context, the most probable first.

    Probabilities of all words, including </s> and <unk>, sum to 1.

    rosewood lm next lm.rlm "<s> the" --top 10
    """
    import numpy as np

    found = opened(model, threads=cores(threads), quiet=quiet)
    p = found.distribution(context)
    order = np.argsort(-p, kind="stable")
    for word in order[order != 1][:top].tolist():  # <s> never comes next
        print_row({"word": found.vocabulary.word(word), "p": float(p[word])}, json)


@app.command()
def vocabulary(
    model: ModelFile,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Print the words of a model, one per line, in the order of their numbers."""
    for word in opened(model, threads=cores(threads), quiet=quiet).vocabulary:
        print(word)


@app.command()
def info(
    model: ModelFile,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Print the contents of a model file, and how it was made."""
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


@app.command()
def verify(
    files: Annotated[
        list[Path], typer.Argument(metavar="MODEL…", help="Models, mixtures or ARPA files.")
    ],
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Read all of a model: check its checksums and its structure."""
    from rosewood.lm import Mixture, kind_of, read_arpa, verify_model

    def check(file: Path) -> None:
        kind = kind_of(file)
        if kind == "arpa":
            with reading(file, quiet=quiet) as step:
                read_arpa(file, threads=cores(threads), step=step)
        elif kind == "mixture":
            for model in Mixture.open(file).models:
                verify_model(model.path)
        else:
            verify_model(file)

    verify_each(files, check)


PLUGIN = app
