"""Which entries of a glossary were used: what never matches is mostly misspelt or inflected.

use = GlossaryUse(glossary)
for line in translator.stream(lines): use.count(line.prepared)
print(use.unused())
"""

from __future__ import annotations

from collections.abc import Sequence

from rosewood.corpus.text.tokeniser import JOINER, unescaped
from rosewood.decode.glossary import Glossary, GlossaryEntry
from rosewood.decode.text import PreparedText

_SHOWN = 10  # entries in a warning


class GlossaryUse:
    """Counts the entries that are in effect in texts."""

    def __init__(self, glossary: Glossary) -> None:
        self._waiting: dict[tuple[str, ...], list[GlossaryEntry]] = {}
        for entry in glossary:
            self._waiting.setdefault(_key(entry.source), []).append(entry)
        self.entries = len(glossary)

    def count(self, prepared: PreparedText) -> None:
        """Look at the entries that a text has."""
        for forced in prepared.source.forced if self._waiting else ():
            # A sentence may have the words in another case than the glossary.
            key = _key(prepared.source.words[forced.begin : forced.end])
            waiting = self._waiting.get(key)
            if waiting is not None and any(each.targets == forced.targets for each in waiting):
                del self._waiting[key]

    def unused(self) -> list[str]:
        """The source phrases of entries that no text had, in the order of the glossary."""
        return [_shown(entry.source) for each in self._waiting.values() for entry in each]

    def warning(self) -> str | None:
        """What to say of entries that no text had; nothing where all were in effect."""
        unused = self.unused()
        if not unused:
            return None
        more = ", …" if len(unused) > _SHOWN else ""
        return (
            f"glossary entries that matched nothing: {len(unused):,} of {self.entries:,} "
            f"({', '.join(unused[:_SHOWN])}{more})"
        )


def _shown(words: Sequence[str]) -> str:
    """Words as people write them, where the tokeniser marks what has no space between."""
    joined = " ".join(words).replace(f" {JOINER}", "").replace(f"{JOINER} ", "")
    return unescaped(joined.replace(JOINER, ""))


def _key(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.casefold() for word in words)
