"""The large feature set by plain loops: every column of a rule from its words, links and counts.

A segmenter's reference is here, too: the cheapest cut of a word by trying all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import log

from rosewood.decode.large_features import LargeFeatures, LargeSide, escaped
from rosewood.rules import Rule

PIECE = 6.0  # cost of a piece of a word, in nats
LEAST = 1e-7  # of a word's probability


def cuts(word: str) -> Iterator[tuple[str, ...]]:
    """All ways to cut a word into pieces."""
    if not word:
        yield ()
    for end in range(1, len(word) + 1):
        for rest in cuts(word[end:]):
            yield (word[:end], *rest)


def cut_cost(pieces: tuple[str, ...], morphemes: Mapping[str, int]) -> float:
    """Negative log probability; unknown characters are a billion times rarer than anything."""
    total = max(1, sum(morphemes.values()))
    cost = PIECE * len(pieces)
    for piece in pieces:
        if piece in morphemes:
            cost -= log(morphemes[piece] / total)
        elif len(piece) == 1:
            cost += log(total) + log(1e9)
        else:
            return float("inf")
    return cost


class MorphemeTable:
    """Relative frequencies of links between morphemes, by their texts; None is nothing."""

    def __init__(self, large: LargeFeatures) -> None:
        sides = [[*side.segmenter.morphemes, None] for side in (large.source, large.target)]
        self.count: dict[tuple[str | None, str | None], int] = {}
        for s, t, count in zip(
            large.links.source.tolist(), large.links.target.tolist(), large.links.count.tolist(),
            strict=True,
        ):  # fmt: skip
            self.count[sides[0][s], sides[1][t]] = count
        self.of_source: Counter[str | None] = Counter()
        self.of_target: Counter[str | None] = Counter()
        for (one, other), count in self.count.items():
            self.of_source[one] += count
            self.of_target[other] += count

    def ef(self, s: str | None, t: str | None) -> float:
        """p(t | s)."""
        return self.count.get((s, t), 0) / max(1, self.of_source[s])

    def fe(self, s: str | None, t: str | None) -> float:
        """p(s | t)."""
        return self.count.get((s, t), 0) / max(1, self.of_target[t])


def columns(rule: Rule, large: LargeFeatures, table: MorphemeTable) -> dict[str, float]:
    """All columns of a rule by their names; `table` is that of `large`."""
    found = dict.fromkeys(large.names, 0.0)
    source = {i: word for i, word in enumerate(rule.source) if isinstance(word, str)}
    target = {j: word for j, word in enumerate(rule.target) if isinstance(word, str)}
    found["source_words"] = float(len(source))
    found["target_words"] = float(len(target))
    found["log_count"] = log(1 + rule.count)
    found["log_source_count"] = log(1 + rule.source_count)
    found["log_target_count"] = log(1 + rule.target_count)

    def morphemes(side: LargeSide, word: str) -> tuple[str, ...]:
        return side.segmenter.segment(word)

    def ef(s: str | None, t: str) -> float:
        product = 1.0
        given = [None] if s is None else morphemes(large.source, s)
        for m in morphemes(large.target, t):
            product *= sum(table.ef(n, m) for n in given) / len(given)
        return product

    def fe(s: str, t: str | None) -> float:
        product = 1.0
        given = [None] if t is None else morphemes(large.target, t)
        for m in morphemes(large.source, s):
            product *= sum(table.fe(m, n) for n in given) / len(given)
        return product

    for j, t in target.items():
        linked = [source[i] for i, other in rule.links if other == j]
        values = [ef(s, t) for s in linked] or [ef(None, t)]
        found["morpheme_ef"] += log(max(LEAST, sum(values) / len(values)))
        if not linked:
            _count_free(found, "inserts", large.target, t)
    for i, s in source.items():
        linked = [target[j] for other, j in rule.links if other == i]
        values = [fe(s, t) for t in linked] or [fe(s, None)]
        found["morpheme_fe"] += log(max(LEAST, sum(values) / len(values)))
        if not linked:
            _count_free(found, "deletes", large.source, s)
    for i, j in rule.links:
        s, t = large.source.classes.of(source[i]), large.target.classes.of(target[j])
        if (s, t) in large.class_pairs:
            one, other = large.source.named_class(s), large.target.named_class(t)
            found[f"links_{one}_to_{other}"] += 1
    return found


def _count_free(found: dict[str, float], verb: str, side: LargeSide, word: str) -> None:
    if word in side.top:
        found[f"{verb}_{escaped(word)}"] += 1
    if word in side.classes:
        found[f"{verb}_{side.named_class(side.classes.of(word))}"] += 1
