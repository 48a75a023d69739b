"""Generate everyday sentence pairs with gold word alignments."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from rosewood.cli.common import conflict, needs, warn
from rosewood.cli.run_options import QuietOptions
from rosewood.errors import FormatError, RosewoodError
from rosewood.settings import setting, setting_of
from rosewood.shared_settings import SharedSettings
from rosewood.shared_types import PathName


@dataclass(frozen=True, kw_only=True)
class PhrasebookOptions(QuietOptions):
    """What is generated, and where it is written."""

    output: PathName | None = setting(
        None, "Folder for train.en, train.de and train.gold, and dev and test; created if needed.",
        metavar="FOLDER", short="o",
    )  # fmt: skip
    pairs: int = setting(5000, "Pairs for training.", low=0)
    dev: int = setting(0, "Held-out pairs for tuning.", low=0)
    test: int = setting(0, "Held-out pairs for testing.", low=0)
    noise: float = setting(0.05, "Share of loose, incomplete or misspelt pairs.", low=0, high=1)
    unseen: float = setting(
        0.03, "Share of held-out words that are not in the training pairs.", low=0, high=0.2
    )
    reverse: bool = setting(False, "Translate into English: the other language is the source.")
    raw: bool = setting(
        False, "Write untokenised text; gold alignments count the words after tokenisation."
    )
    seed: int = setting_of(SharedSettings, "seed")
    show: int | None = setting(None, "Print N pairs with their alignments.", low=1, metavar="N")


def phrasebook(
    languages: Annotated[
        str,
        typer.Argument(
            help="en-de (English and German) or en-ja (English and Japanese, romanised)."
        ),
    ],
    options: PhrasebookOptions,
) -> None:
    """Generate everyday sentences with their translations and gold word alignments.

    The same seed gives the same sentences everywhere. In .gold files, i-j is a sure link of source
    word i and target word j, counted from 0, and ipj a possible one.
    """
    from rosewood.corpus.phrasebook import Phrasebook
    from rosewood.progress import progress

    book = Phrasebook(languages, seed=options.seed, noise=options.noise, reverse=options.reverse)
    output, show = options.output, options.show
    if show is not None and output is None:
        for pair in book.pairs(show):
            print(pair.text())
        return
    if output is None or show is not None:
        if show is None:
            raise needs(RosewoodError, "phrasebook", "-o FOLDER or --show N")
        raise conflict(RosewoodError, "--show", "-o")
    counts = {"train": options.pairs, "dev": options.dev, "test": options.test}
    if not any(counts.values()):
        raise needs(RosewoodError, "phrasebook", "--pairs, --dev or --test")
    _prepare(Path(output))
    with progress("sentences", sum(counts.values()), quiet=options.quiet) as step:
        book.write(output, **counts, unseen=options.unseen, raw=options.raw, step=step)
    if not options.quiet:
        told = ", ".join(f"{count:,} for {part}" for part, count in counts.items() if count)
        warn(f"{output}: pairs of sentences: {told}")


def _prepare(folder: Path) -> None:
    """Makes the folder, if it can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise FormatError("-o: it is not a folder", code="file.kind", file=folder) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FormatError("-o: it cannot be written", code="file.access", file=folder)


PLUGIN = phrasebook
