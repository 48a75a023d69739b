"""How often the translation has a target word of the rule table: `word:WORD`."""

from __future__ import annotations

import numpy as np

from rosewood.arrays import LongArray
from rosewood.decode.features import Sparse
from rosewood.decode.options import TranslationOptions


class TargetWords:
    """How often a translation has a word, `word:WORD`; words of the rule table only.

    Words outside the table (copied, forced) have no feature: their number has no bound.
    """

    template = "word"
    help = "how often the translation has a target word"

    def __call__(self, options: TranslationOptions, chosen: LongArray) -> Sparse:
        """The words of each option."""
        known = len(options.table.target_words)
        owner: list[int] = []
        names: list[str] = []
        for option in chosen.tolist():
            start, end = options.target_start[option : option + 2]
            words = options.target[start:end]
            for number in words[(words >= 0) & (words < known)].tolist():
                owner.append(option)
                names.append(f"word:{options.word(number)}")
        return owner, names, np.ones(len(owner))


PLUGIN = TargetWords
