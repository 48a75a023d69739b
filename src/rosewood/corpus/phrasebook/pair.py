"""A sentence and its translation, with gold word links."""

from __future__ import annotations

import re
from dataclasses import dataclass

KINDS = ("plain", "idiom", "paraphrase", "omission", "typo")

_BEGIN = re.compile(r"(?:^|(?<=[.?!] )).")
_LEFT = re.compile(r" (?=[.,?!;:](?: |$)|n't\b|'(?:s|m|re|ve|ll|d)\b)|(?<=s) (?='(?: |$))")


@dataclass(frozen=True, slots=True)
class PhrasebookPair:
    """Words of both sides, cased but for the sentence's beginning, and the links between them.

    `sure` and `possible` hold pairs (source word, target word) from zero; what is sure is possible.
    `kind` is one of KINDS: the last three are noise.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    sure: frozenset[tuple[int, int]]
    possible: frozenset[tuple[int, int]]
    kind: str

    def raw(self) -> tuple[str, str]:
        """Both sides as people write them: a capital at the beginning, no spaces before stops."""
        return _written(self.source), _written(self.target)

    def gold(self) -> str:
        """The links as a line of a gold file: `i-j` where they are sure, `ipj` where possible."""
        return " ".join(
            f"{i}-{j}" if (i, j) in self.sure else f"{i}p{j}" for i, j in sorted(self.possible)
        )

    def text(self) -> str:
        """Both sides and the links of each source word; possible links have a question mark."""
        source, target = self.raw()
        links = []
        for i, word in enumerate(self.source):
            found = [
                other + ("" if (i, j) in self.sure else "?")
                for j, other in enumerate(self.target)
                if (i, j) in self.possible
            ]
            links.append(f"{word} = {' + '.join(found) or '–'}")
        kind = "" if self.kind == "plain" else f"  [{self.kind}]"
        return f"{source}{kind}\n{target}\n    {'   '.join(links)}\n"

    def reversed(self) -> PhrasebookPair:
        """The same pair in the other direction."""
        return PhrasebookPair(
            self.target,
            self.source,
            frozenset((j, i) for i, j in self.sure),
            frozenset((j, i) for i, j in self.possible),
            self.kind,
        )


def _written(words: tuple[str, ...]) -> str:
    text = _LEFT.sub("", " ".join(words))
    return _BEGIN.sub(lambda match: match[0].upper(), text)
