"""A tokeniser in one file: words between white space, cut at hyphens."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rosewood.corpus.text.tokeniser import Cut, Tokeniser


@dataclass(frozen=True)
class Hyphens(Tokeniser):
    """Words between white space, cut at hyphens."""

    name = "hyphens"

    def cut(self, text):
        found = list(re.finditer(r"-|[^\s-]+", text))
        ends = [0, *(each.end() for each in found)]
        starts = [*(each.start() for each in found), len(text)]
        tokens = [each[0] for each in found]
        return Cut(tokens, [start > end for start, end in zip(starts, ends, strict=True)])

    def spaces(self, tokens):
        before = ["-", *tokens]
        return ["-" not in (last, token) for last, token in zip(before, tokens, strict=False)]
