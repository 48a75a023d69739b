"""A decoder feature in one file."""

from __future__ import annotations

import numpy as np


class LongWords:
    """Number of target words with more than six letters."""

    names = ("long_words",)
    version = "1.0"
    help = "number of target words with more than six letters"

    def __call__(self, options):
        rows = [
            sum(len(word) > 6 for word in options.target_words(number))
            for number in range(len(options))
        ]
        return np.array(rows, float)[:, None]
