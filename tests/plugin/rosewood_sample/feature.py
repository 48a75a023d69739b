"""A decoder feature in one file: --feature 'long-words{"letters": 9}'."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosewood.errors import DecodingError
from rosewood.settings import Settings, setting


@dataclass(frozen=True)
class LongWords(Settings):
    """Number of long target words."""

    error = DecodingError
    names = ("long_words",)
    version = "1.0"
    help = "number of long target words"

    letters: int = setting(7, "Letters of the shortest long word.", low=1)

    def __call__(self, options):
        rows = [
            sum(len(word) >= self.letters for word in options.target_words(number))
            for number in range(len(options))
        ]
        return np.array(rows, float)[:, None]
