"""Random aligned sentence pairs for tests of rules, the native view of one, and rules of many."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import strategies as st

from rosewood import _core
from rosewood.align import Links
from rosewood.rules import Gap, Rule, RuleTable, extract
from tests.bitexts import indexed
from tests.reference.rule_scores import Pair, Symbols
from tests.reference.rules import Sentence

SOURCES, TARGETS = ["a", "b", "c", "d", "e"], ["v", "w", "x", "y", "z"]


@st.composite
def aligned_sentences(draw, longest: int = 7) -> Sentence:
    """Words without links, words with many, and orders that models find hard: all are likely."""
    sources, targets = draw(st.integers(0, longest)), draw(st.integers(0, longest))
    chance = random.Random(draw(st.integers(0, 2**32 - 1)))  # much faster than a draw for each link
    places = [(i, j) for i in range(sources) for j in range(targets)]
    if not places:
        return Sentence(sources, targets, frozenset())
    if chance.random() < 0.5:  # a permutation, some of it left out, and a link or two more
        order = chance.sample(range(targets), targets)
        links = {pair for pair in enumerate(order[:sources]) if chance.randint(0, 5)}
        links |= {chance.choice(places) for _ in range(chance.randint(0, 2))}
    else:
        links = {chance.choice(places) for _ in range(chance.randint(0, longest + 2))}
    return Sentence(sources, targets, frozenset(links))


def native(sentence: Sentence) -> _core.AlignedSentence:
    """The same sentence pair as kernels see it."""
    links = np.array(sorted(sentence.links), np.int32).reshape(-1, 2)
    source, target = (np.ascontiguousarray(links[:, side]) for side in (0, 1))
    return _core.AlignedSentence(sentence.sources, sentence.targets, source, target)


def random_pairs(seed: int, count: int) -> list[Pair]:
    """Sentence pairs of few words, for what needs many counts."""
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        sides = [tuple(chance.choices(w, (9, 5, 3, 2, 1), k=chance.randint(1, 6)))
                 for w in (SOURCES, TARGETS)]  # fmt: skip
        places = [(i, j) for i in range(len(sides[0])) for j in range(len(sides[1]))]
        links = frozenset(chance.sample(places, min(len(places), chance.randint(1, 6))))
        made.append(Pair(*sides, links))
    return made


def extracted(pairs: list[Pair], folder, **settings) -> RuleTable:
    """The table of their rules."""
    corpus = indexed([(pair.source, pair.target) for pair in pairs])
    return extract(corpus, Links.of([pair.links for pair in pairs]), folder, **settings).table


def symbols(rule: Rule, side: str) -> Symbols:
    """Those of a side, as the reference has them."""
    return tuple(
        (-1 if side == "source" else each.number - 1) if isinstance(each, Gap) else each
        for each in getattr(rule, side)
    )


def by_name(table: RuleTable) -> dict[tuple[Symbols, Symbols], Rule]:
    """Rules but for glue, by their sides as the reference has them."""
    rules = [rule for rule in table if rule.left == "X"]
    found = {(symbols(rule, "source"), symbols(rule, "target")): rule for rule in rules}
    assert len(found) == len(rules)
    return found
