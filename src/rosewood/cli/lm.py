"""`rosewood lm …`: language models: scored text, perplexity, samples, what is in a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.common import Json, print_row, print_table
from rosewood.cli.lm_estimate import estimate
from rosewood.cli.lm_looking import info, next_words, verify, vocabulary
from rosewood.cli.lm_making import convert, mix
from rosewood.cli.lm_reading import (
    ModelFile,
    Quiet,
    Texts,
    Threads,
    name_of,
    opened,
    scored,
    sentences,
    word_scores,
)
from rosewood.cli.options import Config, Seed, check_files, cores
from rosewood.errors import LanguageModelError

if TYPE_CHECKING:
    from rosewood.lm import BatchScores, Mixture, Model, Perplexity, WordScore

__all__ = ["app"]

app = typer.Typer(
    help="n-gram language models: estimate, query, inspect, convert and mix them. Logarithms are "
    "to the base of 10.",
    no_args_is_help=True,
)
app.command()(estimate)
app.command()(convert)
app.command()(mix)
app.command("next")(next_words)
app.command()(info)
app.command()(vocabulary)
app.command()(verify)


@app.command()
def query(
    model: ModelFile,
    texts: Texts = None,
    words: Annotated[
        bool,
        typer.Option(
            "--words", help="A row for each word: it, its score, the length of its n-gram."
        ),
    ] = False,
    kenlm: Annotated[
        bool, typer.Option("--kenlm", help="The rows of KenLM's query: word=number length score.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", help="A page that shows how much each word surprises."
        ),
    ] = None,
    no_bounds: Annotated[
        bool, typer.Option("--no-bounds", help="Lines are pieces of text: no <s> and </s>.")
    ] = False,
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
    check_files({"--html": html}, [model, *files])
    if words and kenlm:
        raise LanguageModelError("--words or --kenlm: want one of them")
    found = opened(model, threads=cores(threads), quiet=quiet)
    is_words = words or kenlm or html is not None
    with progress("scoring, lines", quiet=quiet) as step:

        def shown() -> Iterator[Sequence[WordScore]]:
            """Prints what is asked for, and hands on the words of each line."""
            for lines, scores in scored(
                found, sentences(files), bounds=not no_bounds, threads=cores(threads)
            ):
                step(len(lines))
                rows = _totals(scores, bounds=not no_bounds)
                for number, (line, row) in enumerate(zip(lines, rows, strict=True)):
                    said = word_scores(line, scores, number) if is_words else []
                    if kenlm:
                        print(_kenlm_row(found, said, row))
                    elif json:
                        each = {"scores": [word._asdict() for word in said]} if words else {}
                        print_row({**row, **each}, as_json=True)
                    elif words:
                        print("\n".join(map(_word_row, said)), end="\n\n")
                    else:
                        print_row({**row, "log10": f"{row['log10']:.6f}"}, as_json=False)
                    yield said

        if html is None:
            for _ in shown():
                pass
        else:
            _write_page(shown(), html, title=f"{model.name}: surprisal")


def _totals(scores: BatchScores, *, bounds: bool) -> list[dict[str, Any]]:
    """One row for each line."""
    lengths = [end - begin - int(bounds) for begin, end in pairwise(scores.start.tolist())]
    columns = scores.totals().tolist(), lengths, scores.unknown().tolist()
    names = ("log10", "words", "unknown")
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _word_row(word: WordScore) -> str:
    known = "" if word.is_known else "\tunknown"
    return f"{word.word}\t{word.score:.6f}\t{word.length}{known}"


def _kenlm_row(model: Model | Mixture, words: Sequence[WordScore], total: dict[str, Any]) -> str:
    told = [
        f"{word.word}={model.vocabulary.id(word.word)} {word.length} {word.score:.8g}"
        for word in words
    ]
    return "\t".join([*told, f"Total: {total['log10']:.8g} OOV: {total['unknown']}"])


def _write_page(words: Iterator[Sequence[WordScore]], output: Path, title: str) -> None:
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
    """How well a model foresees a text: perplexity with and without unknown words."""
    from rosewood.progress import progress

    files = texts or [Path("-")]
    check_files({}, [model, *files])
    found = opened(model, threads=cores(threads), quiet=quiet)
    with progress("scoring, lines", quiet=quiet) as step:

        def counted() -> Iterator[str]:
            for line in sentences(files):
                step()
                yield line

        total = found.perplexity(counted(), threads=cores(threads))
    if total.sentences == 0:
        raise LanguageModelError(f"{', '.join(map(name_of, files))}: there is no text")
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
        "perplexity": total.perplexity,
        "perplexity_known": total.perplexity_known,
        "bits_per_word": total.bits_per_word,
        "lengths": list(total.lengths),
    }


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
        rows.append([f"{n}-grams", f"{count:,}", f"{count / tokens:.1%} of what is foreseen"])
    print_table(rows, right=[1])


@app.command()
def sample(
    model: ModelFile,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many sentences.")] = 10,
    seed: Seed = 1,
    max_words: Annotated[
        int, typer.Option("--max-words", min=1, help="A sentence ends here at the latest.")
    ] = 1000,
    prefix: Annotated[
        str, typer.Option("--prefix", metavar="WORDS", help="How every sentence begins.")
    ] = "",
    threads: Threads = None,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Draw sentences from a model, the same ones for the same seed."""
    from rosewood.corpus.lines import split

    begin = split(prefix)
    if {"<s>", "</s>"} & set(begin):
        raise LanguageModelError("--prefix: <s> and </s> are no words of a sentence")
    found = opened(model, threads=cores(threads), quiet=quiet)
    for text in found.sample(
        count,
        seed=seed,
        max_words=max_words,
        context=["<s>", *begin],
        threads=cores(threads),
    ):
        print(" ".join([*begin, *([text] if text else [])]))
