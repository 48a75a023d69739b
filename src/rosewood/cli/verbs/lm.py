"""Language models: estimate, query, inspect, convert and mix them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.common import (
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
from rosewood.cli.lm_reading import JsonOptions, LmOptions, ModelFile, Texts, reading, sentences
from rosewood.cli.options import check_files
from rosewood.cli.run_options import Config
from rosewood.errors import LanguageModelError
from rosewood.settings import setting, setting_of
from rosewood.shared_settings import SharedSettings
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.lm import BatchScores
    from rosewood.lm.query import Style

app = VerbGroup(
    "n-gram language models: estimate, query, inspect, convert and mix them. Logarithms are to "
    "base 10."
)
for verb in (estimate, convert, mix):
    app.command()(verb)


@dataclass(frozen=True, kw_only=True)
class QueryOptions(JsonOptions):
    """What is printed of each line."""

    words: bool = setting(False, "Print a row for each word: word, score, n-gram length.")
    kenlm: bool = setting(False, "Print rows as KenLM's query: word=number length score.")
    html: PathName | None = setting(None, "HTML page that shows the surprisal of each word.")
    no_bounds: bool = setting(False, "Lines are parts of sentences: add no <s> and </s>.")

    def style(self) -> Style:
        """What is printed of each line; options that exclude each other are refused."""
        for name in ("words", "json"):
            if self.kenlm and getattr(self, name):
                raise conflict(LanguageModelError, f"--{name}", "--kenlm")
        if self.html == "-":
            raise bad_value(LanguageModelError, "--html", "-", "a file")
        return "kenlm" if self.kenlm else "words" if self.words else "totals"


@app.command()
def query(
    model: ModelFile, options: QueryOptions, texts: Texts = None, config: Config = None
) -> None:
    """Score text: log10 of each line's probability, its words, and how many are unknown.

    The end of a line, </s>, is scored, too, but not counted as a word.
    """
    from rosewood.corpus.lines import split
    from rosewood.lm.draw import write_surprisal_page
    from rosewood.lm.query import kenlm_summary, query_rows, scored_lines
    from rosewood.progress import progress

    files = texts or [Path("-")]
    check_files({"--html": options.html}, [model, *files])
    style, bounds, html = options.style(), not options.no_bounds, options.html
    found = options.open(model)
    at_once = {"at_once": 1} if sys.stdin.isatty() else {}
    with progress("scoring, lines", quiet=options.quiet) as step:

        def batches() -> Iterator[tuple[list[str], BatchScores]]:
            """Prints what is asked for, and passes it on."""
            for lines, scores in scored_lines(
                found, sentences(files), bounds=bounds, threads=options.cores, **at_once
            ):
                rows = query_rows(lines, scores, bounds=bounds, style=style, as_json=options.json)
                sys.stdout.write("".join(f"{row}\n" for row in rows))
                step(len(lines))
                yield lines, scores

        if options.kenlm:
            for row in kenlm_summary(scores for _, scores in batches()):
                print(row)
        elif html is None:
            for _ in batches():
                pass
        else:
            words = (
                scores.of_sentence(number, [*split(line), "</s>"])
                for lines, scores in batches()
                for number, line in enumerate(lines)
            )
            write_surprisal_page(words, html, title=f"{model.name}: surprisal")


@app.command()
def perplexity(
    model: ModelFile, options: JsonOptions, texts: Texts = None, config: Config = None
) -> None:
    """Perplexity of a text, with and without unknown words."""
    from rosewood.progress import progress

    files = texts or [Path("-")]
    check_files({}, [model, *files])
    found = options.open(model)
    with progress("scoring, lines", quiet=options.quiet) as step:
        total = found.perplexity(sentences(files), threads=options.cores, step=step)
    if total.sentences == 0:
        names = ", ".join(map(name_of, files))
        raise LanguageModelError(f"{names}: there is no text", code="file.empty", file=names)
    if options.json:
        print_row(total.to_dict(), as_json=True)
    else:
        print_table(total.rows(), right=[1])


@dataclass(frozen=True, kw_only=True)
class SampleOptions(LmOptions):
    """Which sentences are drawn."""

    count: int = setting(10, "Number of sentences.", low=1, short="n")
    seed: int = setting_of(SharedSettings, "seed")
    max_words: int = setting(1000, "Maximum number of words after --prefix.", low=1)
    prefix: str = setting("", "First words of every sentence.", metavar="WORDS",
                          default_text="none")  # fmt: skip


@app.command()
def sample(model: ModelFile, options: SampleOptions, config: Config = None) -> None:
    """Draw sentences from a model; the same seed gives the same sentences."""
    from rosewood.corpus.lines import split

    begin = split(options.prefix)
    if {"<s>", "</s>"} & set(begin):
        raise bad_value(LanguageModelError, "--prefix", options.prefix, "words, no <s> or </s>")
    how: dict[str, Any] = {"context": ["<s>", *begin], "max_words": options.max_words}
    found = options.open(model)
    for text in found.sample(options.count, seed=options.seed, threads=options.cores, **how):
        print(" ".join([*begin, *([text] if text else [])]))


@dataclass(frozen=True, kw_only=True)
class NextOptions(JsonOptions):
    """How many words are printed."""

    top: int | None = setting(None, "Number of words.", low=1, short="n", metavar="N",
                              default_text="all")  # fmt: skip


@app.command("next")
def next_words(
    model: ModelFile,
    options: NextOptions,
    context: Annotated[
        str,
        typer.Argument(metavar="[WORDS]", help="The context; <s> is the beginning of a sentence."),
    ] = "<s>",
    config: Config = None,
) -> None:
    """Print each next word with its probability after a context, the most probable first.

    Probabilities of all words, including </s> and <unk>, sum to 1.

    rosewood lm next lm.rlm "<s> the" --top 10
    """
    for word, p in options.open(model).next_words(context, options.top):
        print_row({"word": word, "p": p}, options.json)


@app.command()
def vocabulary(model: ModelFile, options: LmOptions) -> None:
    """Print the words of a model, one per line, in the order of their numbers."""
    for word in options.open(model).vocabulary:
        print(word)


@app.command()
def info(model: ModelFile, options: JsonOptions) -> None:
    """Print the contents of a model file, and how it was made."""
    found = options.open(model)
    row = {"file": str(model), **found.to_dict(), "facts": found.facts}
    if options.json:
        print_row(row, as_json=True)
    else:
        print_table([*named_rows(row)])


@app.command()
def verify(
    files: Annotated[
        list[Path], typer.Argument(metavar="MODEL…", help="Models, mixtures or ARPA files.")
    ],
    options: LmOptions,
) -> None:
    """Read all of a model: check its checksums and its structure."""
    from rosewood.lm import kind_of, verify_any

    def check(file: Path) -> None:
        with reading(file, quiet=options.quiet or kind_of(file) != "arpa") as step:
            verify_any(file, threads=options.cores, step=step)

    verify_each(files, check)


PLUGIN = app
