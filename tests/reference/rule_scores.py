"""Counting and scoring rules, by their definitions: dictionaries, fractions, and enumeration.

Counts and probabilities are exact fractions; only logarithms are floats.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from tests.reference.rules import Box, Sentence, gapped_rules, orientation, phrase_pairs

Symbols = tuple[str | int, ...]  # words, and gaps: in sources -1, in targets the gap's number
Links = tuple[tuple[int, int], ...]
NOTHING = None  # what words without links are linked to


class Pair(NamedTuple):
    """A sentence pair."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: frozenset[tuple[int, int]]

    @property
    def shape(self) -> Sentence:
        return Sentence(len(self.source), len(self.target), self.links)


class Seen(NamedTuple):
    """A rule at one place."""

    source: Symbols
    target: Symbols
    links: Links
    share: int
    backward: int
    forward: int


def side(words: Sequence[str], begin: int, end: int, gaps: dict[tuple[int, int], int]) -> list[Any]:
    """Words of a span, and pairs of a gap's number and its end where one begins."""
    made: list[Any] = []
    place = begin
    begins = {gap[0]: (gap[1], number) for gap, number in gaps.items()}
    while place < end:
        if place in begins:
            stop, number = begins[place]
            made.append((number,))
            place = stop
        else:
            made.append(place)
            place += 1
    return made


def rule_of(pair: Pair, outer: Box, gaps: Sequence[Box]) -> tuple[Symbols, Symbols, Links]:
    """Symbols and links of a rule whose gaps are in the order of the source."""
    sources = side(pair.source, *outer[:2], {gap[:2]: n for n, gap in enumerate(gaps)})
    targets = side(pair.target, *outer[2:], {gap[2:]: n for n, gap in enumerate(gaps)})
    links = tuple(
        sorted(
            (sources.index(i), targets.index(j))
            for i, j in pair.links
            if i in sources and j in targets
        )
    )
    return (
        tuple(-1 if isinstance(each, tuple) else pair.source[each] for each in sources),
        tuple(each[0] if isinstance(each, tuple) else pair.target[each] for each in targets),
        links,
    )


def seen_phrases(pair: Pair, max_phrase: int, kind: str | None) -> list[Seen]:
    found = []
    for box in phrase_pairs(pair.shape, max_phrase, max_phrase):
        ways = [0, 0]
        if kind is not None:
            ways = [
                orientation(pair.shape, box, kind, direction, max_phrase)
                for direction in ("backward", "forward")
            ]
        found.append(Seen(*rule_of(pair, box, ()), 1, *ways))
    return found


def seen_gapped(pair: Pair, **settings: Any) -> list[Seen]:
    return [
        Seen(*rule_of(pair, rule.outer, rule.gaps), rule.share, 0, 0)
        for rule in gapped_rules(pair.shape, **settings)
    ]


def best_links(counts: dict[Links, Fraction]) -> Links:
    """The most frequent; of equals the one whose target words have the greater partners."""

    def partners(links: Links) -> list[list[int]]:
        last = max((j for _, j in links), default=-1)
        return [sorted(i for i, j in links if j == place) for place in range(last + 1)]

    return max(counts, key=lambda links: (counts[links], partners(links)))


def word_counts(pairs: Sequence[Pair]) -> Counter[tuple[str | None, str | None]]:
    """How often words are linked, or linked to nothing."""
    found: Counter[tuple[str | None, str | None]] = Counter()
    for pair in pairs:
        for i, j in pair.links:
            found[pair.source[i], pair.target[j]] += 1
        for i, word in enumerate(pair.source):
            if not any(i == each for each, _ in pair.links):
                found[word, NOTHING] += 1
        for j, word in enumerate(pair.target):
            if not any(j == each for _, each in pair.links):
                found[NOTHING, word] += 1
    return found


def lexical(
    source: Symbols, target: Symbols, links: Links, counts: Counter[tuple[str | None, str | None]]
) -> tuple[Fraction, Fraction]:
    """Lexical weights: of the target given the source, and of the source given the target."""
    sources: Counter[str | None] = Counter()
    targets: Counter[str | None] = Counter()
    for (f, e), count in counts.items():
        sources[f] += count
        targets[e] += count

    def mean(values: list[Fraction]) -> Fraction:
        return sum(values, Fraction()) / len(values)

    ef = fe = Fraction(1)
    for j, e in enumerate(target):
        if isinstance(e, str):
            partners = [source[i] for i, to in links if to == j] or [NOTHING]
            ef *= mean([Fraction(counts[f, e], sources[f]) for f in partners])
    for i, f in enumerate(source):
        if isinstance(f, str):
            partners = [target[j] for of, j in links if of == i] or [NOTHING]
            fe *= mean([Fraction(counts[f, e], targets[e]) for e in partners])
    return ef, fe


class Scored(NamedTuple):
    seen: int
    count: Fraction
    source_count: Fraction
    target_count: Fraction
    ef: float  # probabilities
    fe: float
    lexical_ef: Fraction
    lexical_fe: Fraction
    links: Links
    orientation: tuple[int, ...]  # events: backward, then forward


def scored(
    pairs: Sequence[Pair],
    seen: Sequence[Seen],
    *,
    good_turing: Sequence[float] | None = None,
    kneser_ney: Sequence[float] | None = None,
) -> dict[tuple[Symbols, Symbols], Scored]:
    """All rules; what is left of counts by Good-Turing, or taken from them by Kneser-Ney."""
    counts: dict[tuple[Symbols, Symbols], Fraction] = defaultdict(Fraction)
    links: dict[tuple[Symbols, Symbols], dict[Links, Fraction]] = defaultdict(
        lambda: defaultdict(Fraction)
    )
    ways: dict[tuple[Symbols, Symbols], list[int]] = defaultdict(lambda: [0] * 8)
    times = Counter((each.source, each.target) for each in seen)
    for each in seen:
        rule = each.source, each.target
        counts[rule] += Fraction(1, each.share)
        links[rule][each.links] += Fraction(1, each.share)
        ways[rule][each.backward] += 1
        ways[rule][4 + each.forward] += 1
    words = word_counts(pairs)
    found = {}
    for (source, target), count in counts.items():
        of_source = {rule: c for rule, c in counts.items() if rule[0] == source}
        of_target = {rule: c for rule, c in counts.items() if rule[1] == target}
        totals = [sum(each.values(), Fraction()) for each in (of_source, of_target)]
        probability = [float(count / total) for total in totals]
        often = times[source, target]
        if good_turing is not None and often < 10:
            probability = [p * good_turing[often] for p in probability]
        if kneser_ney is not None:
            backed = [Fraction(len(each), len(counts)) for each in (of_target, of_source)]
            probability = [
                (
                    float(count)
                    - taken(kneser_ney, count, often)
                    + sum(taken(kneser_ney, c, times[r]) for r, c in group.items()) * float(back)
                )
                / float(total)
                for group, total, back in zip((of_source, of_target), totals, backed, strict=True)
            ]
        chosen = best_links(links[source, target])
        found[source, target] = Scored(
            often, count, *totals, *probability, *lexical(source, target, chosen, words), chosen,
            tuple(ways[source, target]),
        )  # fmt: skip
    return found


def rules_of_pairs(
    seen: Sequence[Sequence[Seen]], pair: int, copies: Container[int]
) -> dict[tuple[Symbols, Symbols], tuple[float, float]]:
    """Leave one out: what is added to both log scores of each rule of a pair without that pair.

    `seen` are the rules of each pair, `copies` the numbers of this pair and its copies, which are
    left out together.  A rule that was seen in them alone has -infinity.
    """

    def counts(some: Sequence[Sequence[Seen]]) -> tuple[Counter[Any], Counter[Any], Counter[Any]]:
        both: Counter[Any] = Counter()
        source: Counter[Any] = Counter()
        target: Counter[Any] = Counter()
        for each in (one for rules in some for one in rules):
            share = Fraction(1, each.share)
            both[each.source, each.target] += share
            source[each.source] += share
            target[each.target] += share
        return both, source, target

    every, rest = (
        counts(seen),
        counts([rules for number, rules in enumerate(seen) if number not in copies]),
    )
    found = {}
    for each in seen[pair]:
        name = each.source, each.target
        if not rest[0][name]:
            found[name] = (-math.inf, -math.inf)
            continue
        before = [every[0][name] / every[1][name[0]], every[0][name] / every[2][name[1]]]
        after = [rest[0][name] / rest[1][name[0]], rest[0][name] / rest[2][name[1]]]
        ef, fe = (math.log(a) - math.log(b) for a, b in zip(after, before, strict=True))
        found[name] = (ef, fe)
    return found


def taken(discounts: Sequence[float], count: Fraction, seen: int) -> float:
    """What is taken from a count: of shares as much of each as of a whole one."""
    return float(count / seen) * min(seen, discounts[min(seen, 3) - 1])


def orientation_probabilities(
    events: Sequence[int], all_events: Sequence[int], classes: int, smoothing: float, prior: str
) -> list[float]:
    """Of one direction, with made-up events: of each class, or spread as all are."""

    def merged(four: Sequence[int]) -> list[int]:
        return [*four[: classes - 1], sum(four[classes - 1 :])]

    added = [smoothing] * classes
    if prior == "counts":
        added = [smoothing * (each + 0.1) / sum(all_events) for each in merged(all_events)]
    counts = [have + more for have, more in zip(merged(events), added, strict=True)]
    return [each / sum(counts) for each in counts]


def significance(both: int, source: int, target: int, total: int) -> float:
    """-log of the chance that so many of all sentence pairs have both phrases, or more."""
    ways = sum(
        math.comb(source, k) * math.comb(total - source, target - k)
        for k in range(both, min(source, target) + 1)
    )
    return math.log(math.comb(total, target)) - math.log(ways)


def sentences_with(phrase: Sequence[str], sentences: Sequence[Sequence[str]]) -> set[int]:
    """Which sentences have a phrase somewhere."""
    size = len(phrase)
    return {
        k
        for k, words in enumerate(sentences)
        if any(tuple(words[at : at + size]) == tuple(phrase) for at in range(len(words)))
    }
