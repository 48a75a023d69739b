"""Scores of rules against numbers worked out by hand, where random corpora seldom go."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from tests.aligned import by_name, extracted, random_pairs
from tests.bitexts import close
from tests.reference import rule_scores as reference
from tests.reference.rule_scores import Pair

from rosewood.rules.settings import smoothed

# -- links, and where rules are from ---------------------------------------------------------------


def straight(size: int) -> frozenset[tuple[int, int]]:
    return frozenset((n, n) for n in range(size))


def turned(size: int) -> frozenset[tuple[int, int]]:
    return frozenset((n, size - 1 - n) for n in range(size))


def whole_pair(size: int, links: frozenset[tuple[int, int]]) -> Pair:
    return Pair(
        tuple(f"f{n}" for n in range(size)), tuple(f"e{n}" for n in range(size)), frozenset(links)
    )


def chosen_links(size, patterns, folder):
    pairs = [whole_pair(size, links) for links in patterns]
    rule = by_name(extracted(pairs, folder, max_phrase=size))[pairs[0].source, pairs[0].target]
    assert rule.count == len(pairs)
    assert rule.links == tuple(sorted(pairs[rule.sentence].links))
    return frozenset(rule.links), rule.sentence


@pytest.mark.parametrize(
    "size", [2, 7, 8, 12]
)  # up to 7 a pattern fits a number, then it is hashed
@pytest.mark.parametrize("order", ["ABBB", "BABB", "BBAB", "BBBA"])
def test_a_rule_has_its_most_frequent_links(tmp_path, size, order):
    for number, (a, b) in enumerate(
        [(straight(size), turned(size)), (turned(size), straight(size))]
    ):
        found = chosen_links(
            size, [a if each == "A" else b for each in order], tmp_path / str(number)
        )
        assert found == (b, order.index("B"))


@pytest.mark.parametrize("size", [8, 12])
def test_of_long_rules_the_first_of_equally_frequent_links_are_taken(tmp_path, size):
    third = straight(size) - {(1, 1)} | {(1, 2)}
    for number, (a, b) in enumerate(
        [(straight(size), turned(size)), (turned(size), straight(size)), (third, straight(size))]
    ):
        for order in ("AB", "ABAB", "ABBA", "AABB"):
            patterns = [a if each == "A" else b for each in order]
            assert chosen_links(size, patterns, tmp_path / f"{number}{order}") == (a, 0)


@pytest.mark.parametrize("is_gapped", [False, True])
def test_rules_stand_in_the_sentence_they_are_said_to_be_from(tmp_path, is_gapped):
    pairs = random_pairs(23, 60)
    rules = by_name(extracted(pairs, tmp_path / "rules", hierarchical=is_gapped))
    stands = [
        {
            (seen.source, seen.target, seen.links)
            for seen in (
                reference.seen_gapped(pair) if is_gapped else reference.seen_phrases(pair, 7, None)
            )
        }
        for pair in pairs
    ]
    for (source, target), rule in rules.items():
        assert (source, target, rule.links) in stands[rule.sentence]
    assert len({rule.sentence for rule in rules.values()}) > len(pairs) / 2


# -- smoothing -------------------------------------------------------------------------------------

OF_COUNT = [0, 1000, 200, 90, 50, 32, 22, 16, 12, 9, 8, 5]
LEFT = [  # (c+1)/c · (n(c+1)+0.1)/(n(c)+0.1)
    0.4001599840,  # 2/1 · 200.1/1000.1
    0.6754122939,  # 3/2 · 90.1/200.1
    0.7413984462,  # 4/3 · 50.1/90.1
    0.8008982036,  # 5/4 · 32.1/50.1
    0.8261682243,  # 6/5 · 22.1/32.1
    0.8499245852,  # 7/6 · 16.1/22.1
    0.8589174800,  # 8/7 · 12.1/16.1
    0.8589174800,  # 9/8 · 9.1/12.1 = 0.8461, and never less than before
    0.9890109890,  # 10/9 · 8.1/9.1
]


def counted_pairs() -> list[Pair]:
    """Of every count as many pairs of words, each the other's only translation."""
    return [
        Pair((f"f{count}.{n}",), (f"e{count}.{n}",), straight(1))
        for count, size in enumerate(OF_COUNT)
        for n in range(size)
        for _ in range(count)
    ]


def test_what_good_turing_leaves_of_counts():
    close(smoothed("good-turing", OF_COUNT).good_turing[1:], LEFT, 1e-9)


def test_good_turing_of_rules_that_are_seen_so_often(tmp_path):
    rules = by_name(extracted(counted_pairs(), tmp_path / "rules", smoothing="good-turing"))
    assert len(rules) == sum(OF_COUNT)
    for (source, _), rule in rules.items():
        count = int(source[0][1:].split(".")[0])
        assert rule.count == count
        want = math.log(LEFT[count - 1]) if count < 10 else 0  # what is seen often is as it is
        close([rule.features["phrase_ef"], rule.features["phrase_fe"]], want)


def test_good_turing_never_leaves_more_than_there_is():
    of_count = [0, 10, 10, 40, 5, 5, 5, 5, 5, 5, 50, 0]
    assert smoothed("good-turing", of_count).good_turing[1:] == (1.0,) * 9


def test_good_turing_where_no_rule_has_the_next_count():
    left = smoothed("good-turing", [0, 3, *[0] * 10]).good_turing
    close(left[1], 2 * 0.1 / 3.1, 1e-12)
    assert left[2:] == (1.0,) * 8


def chen_and_goodman() -> tuple[float, float, float]:
    """Y = n1 / (n1 + 2 n2), D1 = 1 - 2 Y n2/n1, D2 = 2 - 3 Y n3/n2, D3+ = 3 - 4 Y n4/n3."""
    y = Fraction(1000, 1000 + 2 * 200)
    found = (
        1 - 2 * y * Fraction(200, 1000),
        2 - 3 * y * Fraction(90, 200),
        3 - 4 * y * Fraction(50, 90),
    )
    return float(found[0]), float(found[1]), float(found[2])


def test_what_kneser_ney_takes_from_counts():
    found = smoothed("kneser-ney", OF_COUNT)
    assert found.fallback is None
    close(found.kneser_ney, chen_and_goodman(), 1e-12)
    close(found.kneser_ney, [5 / 7, 29 / 28, 89 / 63], 1e-12)  # as one does it on paper


def test_kneser_ney_of_rules_that_are_seen_so_often(tmp_path):
    rules = by_name(extracted(counted_pairs(), tmp_path / "rules", smoothing="kneser-ney"))
    discounts = chen_and_goodman()
    for rule in rules.values():
        taken = discounts[min(3, int(rule.count)) - 1]  # given back to one of all rules
        want = math.log((rule.count - taken + taken / sum(OF_COUNT)) / rule.count)
        close([rule.features["phrase_ef"], rule.features["phrase_fe"]], want)


# -- significance ----------------------------------------------------------------------------------


def test_rare_sources_of_a_frequent_target(tmp_path):
    """In how many sentences a frequent target is, is counted once: one more or less shows."""
    pairs = [Pair(("f",), ("e",), straight(1))] * 60
    pairs += [Pair((f"once{n}",), ("e", "e"), frozenset({(0, 0)})) for n in range(30)]
    for n in range(10):
        pairs += [Pair((f"twice{n}",), ("e", "e", "e"), frozenset({(0, 0)}))]
        pairs += [Pair((f"twice{n}",), ("g",), straight(1))]
    pairs += [Pair((f"other{n}",), ("h",), straight(1)) for n in range(40)]
    tested = {}
    for source, target in by_name(extracted(pairs, tmp_path / "all")):
        with_source = reference.sentences_with(source, [pair.source for pair in pairs])
        with_target = reference.sentences_with(target, [pair.target for pair in pairs])
        tested[source, target] = reference.significance(
            len(with_source & with_target), len(with_source), len(with_target), len(pairs)
        )
    close(tested[("once0",), ("e",)], math.log(150 / 100))
    close(tested[("twice0",), ("e",)], -math.log(1 - Fraction(50 * 49, 150 * 149)))
    values = sorted(set(tested.values()))
    borders = [value + near for value in values for near in (-1e-6, 1e-6)]
    for number, least in enumerate(border for border in borders if border >= 0):
        table = extracted(pairs, tmp_path / str(number), significance=least)
        assert by_name(table).keys() == {name for name, value in tested.items() if value >= least}


# -- lexical weights -------------------------------------------------------------------------------


@pytest.mark.slow
def test_lexical_weights_beyond_the_least_number(tmp_path):
    """Words that are one of 3120 partners each, 120 times in a row: no double is so small."""
    half, others = 120, 300
    source = (*["f"] * half, *(f"f{n}" for n in range(half)))
    target = (*(f"e{n}" for n in range(half)), *["e"] * half)
    pairs = [Pair(source, target, straight(2 * half))]
    for _ in range(10):  # too long for phrases
        pairs += [Pair(("f",), ("g",) * others, frozenset((0, n) for n in range(others)))]
        pairs += [Pair(("h",) * others, ("e",), frozenset((n, 0) for n in range(others)))]
    table = extracted(pairs, tmp_path / "rules", max_phrase=2 * half, orientation=None)
    one_of = math.log(half + 10 * others)
    for begin, end in ((0, 240), (0, 120), (120, 240), (0, 57), (0, 58), (0, 59), (0, 115),
                       (119, 121), (30, 220)):  # fmt: skip
        (rule,) = (
            rule for rule in table.lookup(source[begin:end]) if rule.target == target[begin:end]
        )
        first, second = max(0, min(end, half) - begin), max(0, end - max(begin, half))
        close(rule.features["lexical_ef"], -first * one_of)
        close(rule.features["lexical_fe"], -second * one_of)
        ef, fe = reference.lexical(
            rule.source, rule.target, rule.links, reference.word_counts(pairs)
        )
        for name, want in (("lexical_ef", ef), ("lexical_fe", fe)):
            close(rule.features[name], math.log(want.numerator) - math.log(want.denominator))
