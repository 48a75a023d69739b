"""Scores and states of parts of sentences, by definition.  Native: core/lm/chart.hpp.

A part has the score of its words when nothing comes before them.  The left side of its state are
its first words, as long as they are an n-gram of the model in which a longer one ends.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.reference.lm import BackoffModel, Ngram


@dataclass(frozen=True)
class PartState:
    """Left words, whether others follow that depend on nothing before the part, right state."""

    left: Ngram
    is_full: bool
    right: Ngram


def part_score(model: BackoffModel, words: Ngram) -> float:
    """log10 of the words without any context before them."""
    return sum(score for score, _ in model.sentence(words, begin=False, end=False))


def part_state(model: BackoffModel, words: Ngram) -> PartState:
    """What words before and behind a part need to know of it."""
    extended = {ngram[1:] for ngram in model.probability}
    length = 0
    while length < len(words) and words[: length + 1] in extended:
        length += 1
    is_full = length < len(words) or length == model.order - 1
    return PartState(words[:length], is_full, model.state(words))
