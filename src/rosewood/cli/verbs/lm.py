"""Language models: estimate, query, inspect, convert and mix them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from json import dumps
from math import isfinite
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
    from rosewood.lm import BatchScores, Perplexity, WordScore

__all__ = ["PLUGIN"]

_TOTALS = ("log10", "words", "unknown")
_WORD = ("word", "score", "length", "is_known")

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
    if kenlm and json:
        raise LanguageModelError("--kenlm or --json: want one of them")
    if str(html) == "-":
        raise LanguageModelError("--html: a page goes to a file")
    found = opened(model, threads=cores(threads), quiet=quiet)
    with progress("scoring, lines", quiet=quiet) as step:

        def batches() -> Iterator[tuple[list[str], BatchScores]]:
            """Prints what is asked for, and hands it on."""
            for lines, scores in scored(
                found, sentences(files), bounds=not no_bounds, threads=cores(threads)
            ):
                rows = _rows(lines, scores, not no_bounds, words=words, kenlm=kenlm, as_json=json)
                sys.stdout.write("".join(f"{row}\n" for row in rows))
                step(len(lines))
                yield lines, scores

        if kenlm:
            _print_summary(scores for _, scores in batches())
        elif html is None:
            for _ in batches():
                pass
        else:
            said = (
                word_scores(line, scores, number)
                for lines, scores in batches()
                for number, line in enumerate(lines)
            )
            _write_page(said, html, title=f"{model.name}: surprisal")


def _rows(
    lines: Sequence[str],
    scores: BatchScores,
    bounds: bool,
    *,
    words: bool,
    kenlm: bool,
    as_json: bool,
) -> Iterator[str]:
    """What is said of each line; many of them at a time, for there may be millions."""
    start = scores.start.tolist()
    totals, unknown = scores.totals().tolist(), scores.unknown().tolist()
    lengths = [end - begin - bounds for begin, end in pairwise(start)]
    if not (words or kenlm):
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
        if kenlm:
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
        total = found.perplexity(sentences(files), threads=cores(threads), step=step)
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
        rows.append([f"{n}-grams", f"{count:,}", f"{count / tokens:.1%} of what is foreseen"])
    print_table(rows, right=[1])


@app.command()
def sample(
    model: ModelFile,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many sentences.")] = 10,
    seed: Seed = 1,
    max_words: Annotated[
        int, typer.Option("--max-words", min=1, help="So many words at most, behind --prefix.")
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


PLUGIN = app
