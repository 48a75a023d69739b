"""A verb in one file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from rosewood.errors import TextError
from rosewood.settings import Settings, setting


@dataclass(frozen=True)
class CountOptions(Settings):
    """What is counted."""

    error = TextError

    least: int = setting(1, "Letters of the shortest word that counts.", low=1)


def count_words(file: Annotated[Path, typer.Argument(help="Text.")], options: CountOptions) -> None:
    """Count the words of a text."""
    words = file.read_text(encoding="utf-8").split()
    print(sum(len(word) >= options.least for word in words))
