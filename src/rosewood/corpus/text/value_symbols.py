"""The word that stands for any value, such as a placeholder, in what models learn and search.

What is learnt of `%d Minuten` so holds for `{count} Minuten`, and no rule can bring a value of its
own: extraction takes rules without values, or with one on each side (core/rules/instances.hpp).
After the search the values of the source take the places of the symbols again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rosewood.corpus.text.tokeniser import ESCAPE, JOINER

VALUE = f"{ESCAPE}value{ESCAPE}"  # which no text becomes: its marks are escaped, with hex digits


def is_value_symbol(word: str) -> bool:
    """Whether a word stands for a value, with or without joiners."""
    return VALUE in word and word.strip(JOINER) == VALUE


def with_joiners_of(word: str, text: str) -> str:
    """The text with joiners on the sides where a word has them."""
    before = JOINER if word.startswith(JOINER) else ""
    return before + text + (JOINER if word.endswith(JOINER) else "")


def matched(
    source: Sequence[str],
    target: Sequence[str],
    rules: Iterable[tuple[Iterable[int], Iterable[int]]],
) -> dict[int, int]:
    """For each symbol of a translation the place of the value that it stands for.

    `rules` are places in the source and in the target that were translated together; a rule has as
    many symbols on both sides.
    """
    found: dict[int, int] = {}
    for sources, targets in rules:
        here = [place for place in sources if is_value_symbol(source[place])]
        there = [place for place in targets if is_value_symbol(target[place])]
        found |= zip(there, here, strict=False)
    return found
