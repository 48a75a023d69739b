"""Consensus decoding by enumeration: tables of strings, and plain sums over them.

Behind that, the loop of the native kernel, for forests of any size.
"""

from __future__ import annotations

from collections import Counter
from math import log

from rosewood.forest import Forest
from tests.reference.expectation import Table, ngrams
from tests.reference.forest import tails_of, words_of

# -- by enumeration --------------------------------------------------------------------------------


class Sayings:
    """What derivations say, and how probable each is; `strings` has the probability of strings."""

    def __init__(self, said, probability) -> None:
        self.said: list[tuple[str, ...]] = said
        self.strings: Counter[tuple[str, ...]] = Counter()
        for words, share in zip(said, probability, strict=True):
            self.strings[words] += share

    def occurrence(self, n: int) -> dict[tuple[str, ...], float]:
        """The probability that a string has each n-gram of 1 to n words, however often."""
        found: Counter[tuple[str, ...]] = Counter()
        for words, share in self.strings.items():
            for gram in ngrams(list(words), n):
                found[gram] += share
        return dict(found)

    def linear_gains(self, order: int, precision: float, ratio: float, posterior) -> list[float]:
        """The gain of each derivation: linear BLEU with posteriors in the place of references."""
        gains = []
        for words in self.said:
            gain = -float(len(words))
            for gram, count in ngrams(list(words), order).items():
                weight = 1.0 / (order * precision * ratio ** (len(gram) - 1))
                gain += weight * count * posterior[gram]
            gains.append(gain)
        return gains

    def log_model(self, n: int) -> dict[tuple[str, ...], float]:
        """log q(last word | words before) of each n-gram with what stands around the string."""
        counts: Counter[tuple[str, ...]] = Counter()
        for words, share in self.strings.items():
            for gram in _read(words, n):
                counts[gram] += share
        total: Counter[tuple[str, ...]] = Counter()
        for gram, count in counts.items():
            total[gram[:-1]] += count
        return {gram: log(count / total[gram[:-1]]) for gram, count in counts.items() if count > 0}

    def model_scores(self, n: int) -> list[float]:
        """log q(string) of each derivation."""
        model = self.log_model(n)
        return [sum(model.get(g, float("-inf")) for g in _read(words, n)) for words in self.said]


class Strings(Table, Sayings):
    """A table of derivations that knows what they say."""

    def __init__(self, forest: Forest, weight) -> None:
        Table.__init__(self, forest, weight)
        Sayings.__init__(
            self, [tuple(words_of(forest, d)) for d in self.derivations], self.probability
        )


def _read(words: tuple[str, ...], n: int) -> list[tuple[str, ...]]:
    """The n-grams by which a model reads a string: each word with up to n-1 before it."""
    around = ("<s>", *words, "</s>")
    return [around[max(0, end - n) : end] for end in range(2, len(around) + 1)]


# -- by loops --------------------------------------------------------------------------------------


def occurrence_probabilities(forest: Forest, q, marks, things: int) -> list[float]:
    """That each thing is among the marks of some edge: one less the derivations without it."""
    tails = tails_of(forest)
    found = []
    for thing in range(things):
        without: list[float] = []
        for node in range(forest.num_nodes):
            total = 0.0
            for edge in forest.edges_into(node):
                share = 0.0 if thing in marks[edge] else float(q[edge])
                for tail in tails[edge]:
                    share *= without[tail]
                total += share
            without.append(total)
        found.append(1.0 - without[-1])
    return found
