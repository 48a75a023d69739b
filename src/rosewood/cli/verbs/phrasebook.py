"""Generate everyday sentence pairs with gold word alignments."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosewood.cli.common import Quiet, warn
from rosewood.cli.options import Seed
from rosewood.errors import FormatError, RosewoodError

if TYPE_CHECKING:
    from rosewood.corpus.phrasebook import PhrasebookPair

__all__ = ["PLUGIN"]


def phrasebook(
    languages: Annotated[
        str,
        typer.Argument(
            help="en-de (English and German) or en-ja (English and Japanese, romanised)."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Where to write train.en, train.de, train.gold and, if asked for, dev and test; "
            "the folder is made.",
        ),
    ] = None,
    pairs: Annotated[int, typer.Option("--pairs", min=0, help="Pairs to train on.")] = 5000,
    dev: Annotated[int, typer.Option("--dev", min=0, help="Held-out pairs for tuning.")] = 0,
    test: Annotated[int, typer.Option("--test", min=0, help="Held-out pairs for testing.")] = 0,
    seed: Seed = 1,
    noise: Annotated[
        float,
        typer.Option("--noise", min=0, max=1, help="Share of loose, incomplete, misspelt pairs."),
    ] = 0.05,
    unseen: Annotated[
        float,
        typer.Option(
            "--unseen", min=0, max=0.2, help="Share of held-out words that are not in training."
        ),
    ] = 0.03,
    reverse: Annotated[
        bool, typer.Option("--reverse", help="Translate into English: de is the source.")
    ] = False,
    raw: Annotated[
        bool,
        typer.Option(
            "--raw",
            help="Write text as people do, not cut into words; the gold alignment still counts the "
            "words that it would be cut into.",
        ),
    ] = False,
    show: Annotated[
        int | None,
        typer.Option("--show", min=1, metavar="N", help="Print N pairs with their alignments."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Make everyday sentences with their translations and gold word alignments.

    The same seed gives the same sentences everywhere. In .gold files, i-j is a sure link of source
    word i and target word j, counted from 0, and ipj a possible one.
    """
    from rosewood.corpus.phrasebook import Phrasebook
    from rosewood.progress import progress

    book = Phrasebook(languages, seed=seed, noise=noise, reverse=reverse)
    if show is not None and output is None:
        for pair in book.pairs(show):
            _print(pair)
        return
    if show is not None or output is None:
        raise RosewoodError("say where to write (-o FOLDER), or how many to print (--show N)")
    counts = {"train": pairs, "dev": dev, "test": test}
    if not any(counts.values()):
        raise RosewoodError("no pairs are asked for: say --pairs, --dev or --test")
    _prepare(output)
    with progress("sentences", sum(counts.values()), quiet=quiet) as step:
        book.write(output, **counts, unseen=unseen, raw=raw, step=step)
    if not quiet:
        told = ", ".join(f"{count:,} for {part}" for part, count in counts.items() if count)
        warn(f"{output}: pairs of sentences: {told}")


def _prepare(folder: Path) -> None:
    """The folder, or the reason why nothing can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise FormatError("-o: it is no folder", file=folder) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FormatError("-o: nothing can be written there", file=folder)


def _print(pair: PhrasebookPair) -> None:
    """A pair as it is written, and who translates whom; possible links have a question mark."""
    source, target = pair.raw()
    print(source if pair.kind == "plain" else f"{source}  [{pair.kind}]")
    print(target)
    links = []
    for i, word in enumerate(pair.source):
        found = [
            pair.target[j] + ("" if (i, j) in pair.sure else "?")
            for j in range(len(pair.target))
            if (i, j) in pair.possible
        ]
        links.append(f"{word} = {' + '.join(found)}" if found else f"{word} = –")
    print(f"    {'   '.join(links)}\n")


PLUGIN = phrasebook
