"""Sentence pairs and links that rules can be extracted from, and those that cannot be used."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rosewood.arguments import check_length
from rosewood.corpus.indexed import IndexedCorpus, IndexedText
from rosewood.errors import RuleError

if TYPE_CHECKING:
    from rosewood.align.alignment import Links


def bad_pairs(corpus: IndexedCorpus, links: Links) -> dict[int, tuple[str, str]]:
    """Sentence pairs that cannot be extracted from, by number: the file at fault, and the reason.

    The file is links, source or target.  A link may point beyond the words; a word ||| would
    separate the fields of a table as text.
    """
    found: dict[int, tuple[str, str]] = {}
    at = np.repeat(np.arange(len(links)), links.counts)
    for side, text, places in (
        ("source", corpus.source, links.source),
        ("target", corpus.target, links.target),
    ):
        for n in np.flatnonzero(places >= text.lengths[at]).tolist():
            k = int(at[n])
            link = f"{links.source[n]}-{links.target[n]}"
            reason = f"the link {link} is beyond the {text.lengths[k]} words of the {side}"
            found.setdefault(k, ("links", reason))
        for word in _words_with(text, b"|||"):
            first = text.word_start[word]
            name = text.word_bytes[first : text.word_start[word + 1]].tobytes().decode()
            reason = f"the {side} has the word {name}: ||| separates the fields of rules as text"
            for place in np.flatnonzero(text.ids == word).tolist():
                k = int(np.searchsorted(text.start, place, side="right")) - 1
                found.setdefault(k, (side, reason))
    return dict(sorted(found.items()))


def _words_with(text: IndexedText, part: bytes) -> list[int]:
    """The numbers of the words that contain these bytes."""
    words, found, at = text.word_bytes.tobytes(), [], 0
    while (at := words.find(part, at)) >= 0:
        word = int(np.searchsorted(text.word_start, at, side="right")) - 1
        if at + len(part) <= text.word_start[word + 1]:
            found.append(word)
            at = int(text.word_start[word + 1])
        else:
            at += 1  # it goes across the end of a word
    return found


def without_pairs(
    corpus: IndexedCorpus, links: Links, bad: Iterable[int]
) -> tuple[IndexedCorpus, Links]:
    """The same corpus and links with empty sentence pairs in place of these."""
    is_kept = np.ones(len(corpus), bool)
    is_kept[list(bad)] = False

    def kept(start: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        lengths = np.diff(start)
        made = np.concatenate([[0], np.cumsum(np.where(is_kept, lengths, 0))]).astype(np.int64)
        return made, np.repeat(is_kept, lengths)

    def text(side: IndexedText) -> IndexedText:
        start, inside = kept(side.start)
        return IndexedText(side.ids[inside], start, side.word_bytes, side.word_start, side.file)

    start, inside = kept(links.start)
    left = type(links)(start, links.source[inside], links.target[inside])
    return IndexedCorpus(text(corpus.source), text(corpus.target)), left


def check_pairs(corpus: IndexedCorpus, links: Links) -> None:
    """Refuse a corpus, or links, that rules cannot be extracted from."""
    if not isinstance(corpus, IndexedCorpus) or not hasattr(links, "beyond"):
        reason = "expected an IndexedCorpus and Links; extract_files reads files"
        raise RuleError(reason, code="argument.type", argument="corpus")
    check_length("links", links, len(corpus), "sentence pair", error=RuleError)
    for k, (_, reason) in bad_pairs(corpus, links).items():
        raise RuleError(f"sentence pair {k + 1}: {reason}", code="rules.sentence", value=k + 1)
    if len(links.source) == 0:
        raise RuleError("no words are linked: there are no rules to extract", code="rules.no-links")
