"""Back-off models by the definition of ARPA files: plain recursion over dictionaries.

An n-gram is a tuple of word numbers.  Every n-gram of a model has all its prefixes and suffixes in
it.  Native: core/lm/query.hpp.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

Ngram = tuple[int, ...]
BEGIN, END = 1, 2


@dataclass
class BackoffModel:
    """log10 probabilities of n-grams, and back-offs of those that have one."""

    words: list[str]
    order: int
    probability: dict[Ngram, float]
    backoff: dict[Ngram, float] = field(default_factory=dict)

    @cached_property
    def contexts(self) -> set[Ngram]:
        """N-grams that longer ones begin with."""
        return {ngram[:-1] for ngram in self.probability if len(ngram) > 1}

    def score(self, context: Ngram, word: int) -> tuple[float, int]:
        """log10 p(word | context), and how long the n-gram is that it comes from."""
        context = context[max(0, len(context) - self.order + 1) :]
        if (*context, word) in self.probability:
            return self.probability[*context, word], len(context) + 1
        score, length = self.score(context[1:], word)
        return self.backoff.get(context, 0.0) + score, length

    def state(self, context: Ngram) -> Ngram:
        """The shortest end of a context that says as much as all of it."""
        for start in range(max(0, len(context) - self.order + 1), len(context)):
            end = context[start:]
            if end in self.contexts or self.backoff.get(end, 0.0) != 0.0:
                return end
        return ()

    def sentence(
        self, words: Ngram, *, begin: bool = True, end: bool = True
    ) -> list[tuple[float, int]]:
        """Score and length of each word, and of the end."""
        text = (BEGIN,) * begin + words + (END,) * end
        return [self.score(text[:at], text[at]) for at in range(int(begin), len(text))]

    def distribution(self, context: Ngram) -> list[float]:
        """p of each word; no sentence begins within another."""
        scores = [self.score(context, word)[0] for word in range(len(self.words))]
        return [0.0 if word == BEGIN else 10.0**score for word, score in enumerate(scores)]
