"""Language models: estimate, query, inspect, convert and mix them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from json import dumps
from math import isfinite
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
    from rosewood.lm import BatchScores, Mixture, Model, Perplexity, WordScore

__all__ = ["PLUGIN"]

_TOTALS = ("log10", "words", "unknown")
_WORD = ("word", "score", "length", "is_known")
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
                rows = _rows(lines, scores, bounds, options, as_json=json)
                sys.stdout.write("".join(f"{row}\n" for row in rows))
                step(len(lines))
                yield lines, scores

        if options.kenlm:
            _print_summary(scores for _, scores in batches())
        elif options.html is None:
            for _ in batches():
                pass
        else:
            words = (
                _word_scores(line, scores, number)
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


def _word_scores(line: str, scores: BatchScores, number: int) -> list[WordScore]:
    """The words of a line of a batch."""
    from rosewood.corpus.lines import split
    from rosewood.lm import WordScore

    here = slice(int(scores.start[number]), int(scores.start[number + 1]))
    columns = scores.score[here].tolist(), scores.length[here].tolist(), scores.word[here].tolist()
    words = [*split(line), "</s>"]  # the last is not used where ends are not scored
    return [
        WordScore(word, score, length, known != 0)
        for word, score, length, known in zip(words, *columns, strict=False)
    ]


def _rows(
    lines: Sequence[str],
    scores: BatchScores,
    bounds: bool,
    options: QueryOptions,
    *,
    as_json: bool,
) -> Iterator[str]:
    """What is printed of each line of a batch."""
    start = scores.start.tolist()
    totals, unknown = scores.totals().tolist(), scores.unknown().tolist()
    lengths = [end - begin - bounds for begin, end in pairwise(start)]
    if not (options.words or options.kenlm):
        if as_json:
            for found in zip(totals, lengths, unknown, strict=True):
                yield dumps(dict(zip(_TOTALS, found, strict=True)))
        else:
            for total, length, count in zip(totals, lengths, unknown, strict=True):
                yield f"{total:.6f}\t{length}\t{count}"
        return
    from rosewood.lm.words import words_of

    said = [word for line in lines for word in (*words_of(line), *(["</s>"] * bounds))]
    each = [*zip(said, scores.score.tolist(), scores.length.tolist(), scores.word.tolist(),
                 strict=True)]  # fmt: skip
    for number, (begin, end) in enumerate(pairwise(start)):
        part = each[begin:end]
        if options.kenlm:
            told = [f"{word}={known} {length} {score:.8g}" for word, score, length, known in part]
            yield "\t".join([*told, f"Total: {totals[number]:.8g} OOV: {unknown[number]}"])
        elif as_json:
            row = dict(
                zip(_TOTALS, (totals[number], lengths[number], unknown[number]), strict=True)
            )
            columns = [dict(zip(_WORD, (*w[:3], w[3] != 0), strict=True)) for w in part]
            yield dumps({**row, "scores": columns}, ensure_ascii=False)
        else:
            for word, score, length, known in part:
                yield f"{word}\t{score:.6f}\t{length}" + ("" if known else "\tunknown")
            yield ""


def _print_summary(batches: Iterator[BatchScores]) -> None:
    """The last lines of KenLM's query."""
    from rosewood.lm.perplexity import Perplexity

    total: Perplexity | None = None
    for scores in batches:
        part = Perplexity.of(*scores, int(scores.length.max(initial=1)))
        part = replace(part, lengths=())
        total = part if total is None else total + part
    if total is not None:
        print(f"Perplexity including OOVs:\t{total.perplexity:.8g}")
        print(f"Perplexity excluding OOVs:\t{total.perplexity_known:.8g}")
        print(f"OOVs:\t{total.unknown}")
        print(f"Tokens:\t{total.tokens}")


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
        print_row(_as_row(total), as_json=True)
    else:
        _print_perplexity(total)


def _as_row(total: Perplexity) -> dict[str, Any]:
    return {
        "sentences": total.sentences,
        "words": total.words,
        "unknown": total.unknown,
        "log10": total.log10,
        "log10_unknown": total.log10_unknown,
        "perplexity": _finite(total.perplexity),
        "perplexity_known": _finite(total.perplexity_known),
        "bits_per_word": _finite(total.bits_per_word),
        "lengths": list(total.lengths),
    }


def _finite(number: float) -> float | None:
    """JSON has no others."""
    return number if isfinite(number) else None


def _print_perplexity(total: Perplexity) -> None:
    tokens = total.words + total.sentences
    part = total.unknown / total.words if total.words else 0.0
    rows = [
        ["perplexity", f"{total.perplexity:,.4f}", "words and ends of sentences"],
        ["perplexity_known", f"{total.perplexity_known:,.4f}", "without unknown words"],
        ["bits_per_word", f"{total.bits_per_word:.4f}", ""],
        ["log10", f"{total.log10:,.4f}", ""],
        ["log10_unknown", f"{total.log10_unknown:,.4f}", "of unknown words"],
        ["sentences", f"{total.sentences:,}", ""],
        ["words", f"{total.words:,}", ""],
        ["unknown", f"{total.unknown:,}", f"{part:.2%} of the words"],
    ]
    for n, count in enumerate(total.lengths, start=1):
        rows.append([f"{n}-grams", f"{count:,}", f"{count / tokens:.1%} of all tokens"])
    print_table(rows, right=[1])


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
