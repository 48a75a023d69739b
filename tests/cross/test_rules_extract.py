"""Extraction and scoring against loops and fractions: counts, probabilities, links, classes."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.aligned import (
    SOURCES,
    TARGETS,
    aligned_sentences,
    by_name,
    extracted,
    random_pairs,
    symbols,
)
from tests.bitexts import close
from tests.reference import rule_scores as reference

from rosewood import _core
from rosewood.corpus.text.tokeniser import JOINER
from rosewood.corpus.text.value_symbols import VALUE
from rosewood.rules import RuleTable
from rosewood.rules.settings import smoothed


@st.composite
def corpora(draw, pairs: int = 4, longest: int = 5) -> list[reference.Pair]:
    """A few aligned sentence pairs of few words, so that rules are seen again."""
    made = []
    for shape in draw(st.lists(aligned_sentences(longest), min_size=1, max_size=pairs)):
        chance = Random(draw(st.integers(0, 2**32 - 1)))
        sides = [
            tuple(chance.choices(words[:3], k=size))
            for words, size in ((SOURCES, shape.sources), (TARGETS, shape.targets))
        ]
        made.append(reference.Pair(*sides, shape.links))
    return [*made, reference.Pair(("a",), ("v",), frozenset({(0, 0)}))]


def same(table: RuleTable, want, pairs, *, check_links: bool = True) -> None:
    found = by_name(table)
    assert found.keys() == want.keys()
    for name, rule in found.items():
        scores = want[name]
        close(rule.count, float(scores.count))
        close(rule.source_count, float(scores.source_count))
        close(rule.target_count, float(scores.target_count))
        close(rule.features["phrase_ef"], math.log(scores.ef))
        close(rule.features["phrase_fe"], math.log(scores.fe))
        assert rule.features["rule_penalty"] == 1
        assert rule.sentence is not None
        pair = pairs[rule.sentence]
        assert set(symbols(rule, "source")) - {-1} <= set(pair.source)
        if check_links:
            assert rule.links == scores.links
            close(rule.features["lexical_ef"], math.log(scores.lexical_ef))
            close(rule.features["lexical_fe"], math.log(scores.lexical_fe))


@pytest.mark.slow
@given(corpora(), st.integers(1, 4), st.sampled_from(["word", "phrase", "hierarchy", None]),
       st.sampled_from(["msd", "mslr"]), st.sampled_from(["uniform", "counts"]))  # fmt: skip
def test_phrase_pairs_are_those_of_the_definition(
    tmp_path_factory, pairs, limit, kind, classes, prior
):
    table = extracted(pairs, tmp_path_factory.mktemp("t") / "rules", max_phrase=limit,
                      orientation=kind, classes=classes, orientation_prior=prior)  # fmt: skip
    seen = [each for pair in pairs for each in reference.seen_phrases(pair, limit, kind)]
    want = reference.scored(pairs, seen)
    same(table, want, pairs)
    if kind is None:
        return
    totals = [sum(each.orientation[n] for each in want.values()) for n in range(8)]
    for name, rule in by_name(table).items():
        events = want[name].orientation
        found = [value for key, value in rule.features.items() if key.startswith("orientation_")]
        made = [
            math.log(p)
            for n in (0, 4)
            for p in reference.orientation_probabilities(
                events[n : n + 4], totals[n : n + 4], len(classes), 0.5, prior
            )
        ]
        close(found, made)


@pytest.mark.slow
@given(corpora(longest=6), st.integers(2, 6), st.integers(1, 5), st.integers(0, 2), st.booleans(),
       st.booleans(), st.booleans(), st.booleans(), st.booleans())  # fmt: skip
def test_hierarchical_rules_are_those_of_the_definition(
    tmp_path_factory, pairs, span, most, gaps, adjacent, unlinked, loose, tight_gaps, whole
):
    settings = {
        "max_source": span, "max_target": span, "max_symbols": most, "max_gaps": gaps,
        "allow_adjacent": adjacent, "need_link": not unlinked, "tight": not loose,
        "tight_gaps": tight_gaps, "whole_counts": whole,
    }  # fmt: skip
    seen = [each for pair in pairs for each in reference.seen_gapped(pair, **settings)]
    want = reference.scored(pairs, seen)
    table = extracted(
        pairs, tmp_path_factory.mktemp("t") / "rules", hierarchical=True, max_span=span,
        max_symbols=most, max_gaps=gaps, adjacent_gaps=adjacent, unlinked_rules=unlinked,
        loose=loose, tight_gaps=tight_gaps, whole_counts=whole,
    )  # fmt: skip
    rules = by_name(table)
    glue = [rule for rule in table if rule.left == "S"]
    assert [str(rule) for rule in glue] == [
        "[S] ||| [X,1] ||| [X,1] |||",
        "[S] ||| [S,1] [X,2] ||| [S,1] [X,2] |||",
    ]
    assert all(rule.features["glue"] == 1 and rule.features["rule_penalty"] == 0 for rule in glue)
    assert rules.keys() == want.keys()
    for name, rule in rules.items():
        close(rule.count, float(want[name].count))
        close(rule.features["phrase_ef"], math.log(want[name].ef))
        close(rule.features["phrase_fe"], math.log(want[name].fe))
        assert rule.features["glue"] == 0
        words = reference.word_counts(pairs)
        lexical = reference.lexical(*name, rule.links, words)
        close(
            [rule.features["lexical_ef"], rule.features["lexical_fe"]], list(map(math.log, lexical))
        )


@pytest.mark.slow
@pytest.mark.parametrize("smoothing", ["good-turing", "kneser-ney"])
@pytest.mark.parametrize("is_gapped", [False, True])
def test_smoothed_probabilities(tmp_path, smoothing, is_gapped):
    pairs = random_pairs(3, 40)
    seen = [
        each
        for pair in pairs
        for each in (
            reference.seen_gapped(pair) if is_gapped else reference.seen_phrases(pair, 7, None)
        )
    ]
    plain = reference.scored(pairs, seen)
    of_count = Counter(each.seen for each in plain.values())
    how = smoothed(smoothing, [of_count[n] for n in range(12)])
    chosen = {"good_turing": how.good_turing} if smoothing == "good-turing" else {
        "kneser_ney": how.kneser_ney}  # fmt: skip
    table = extracted(pairs, tmp_path / "rules", smoothing=smoothing, hierarchical=is_gapped)
    rules = by_name(table)
    want = reference.scored(pairs, seen, **chosen)
    assert rules.keys() == want.keys()
    for name, rule in rules.items():
        close(rule.features["phrase_ef"], math.log(want[name].ef))
        close(rule.features["phrase_fe"], math.log(want[name].fe))


def test_probabilities_sum_to_one(tmp_path):
    table = extracted(random_pairs(5, 60), tmp_path / "rules")
    by_source, by_target = defaultdict(float), defaultdict(float)
    for rule in table:
        by_source[rule.source] += math.exp(rule.features["phrase_ef"])
        by_target[rule.target] += math.exp(rule.features["phrase_fe"])
        for direction in ("backward", "forward"):
            ways = [value for name, value in rule.features.items()
                    if name.startswith(f"orientation_{direction}_")]  # fmt: skip
            close(sum(map(math.exp, ways)), 1)
    close(list(by_source.values()), 1)
    close(list(by_target.values()), 1)


def test_kneser_ney_sums_to_one_with_what_was_not_seen(tmp_path):
    """Targets that were not seen with a source have what its discounts leave to them."""
    pairs = random_pairs(7, 60)
    table = extracted(pairs, tmp_path / "rules", smoothing="kneser-ney")
    seen = [each for pair in pairs for each in reference.seen_phrases(pair, 7, None)]
    plain = reference.scored(pairs, seen)
    of_count = Counter(each.seen for each in plain.values())
    how = smoothed("kneser-ney", [of_count[n] for n in range(12)]).kneser_ney
    sources_of = Counter(target for _, target in plain)
    rules = by_name(table)
    for source in list(dict.fromkeys(source for source, _ in plain))[:20]:
        counts = {t: each.count for (s, t), each in plain.items() if s == source}
        total = sum(counts.values())
        mass = sum(reference.taken(how, count, int(count)) for count in counts.values()) / float(
            total
        )
        have = sum(math.exp(rules[source, t].features["phrase_ef"]) for t in counts)
        other = sum(mass * n / len(plain) for t, n in sources_of.items() if t not in counts)
        close(have + other, 1)


@pytest.mark.slow
@pytest.mark.parametrize("size", [30, 200])  # of 200, words are in so many that it is remembered
def test_significant_pairs(tmp_path, size):
    pairs = random_pairs(11, size)
    seen = [each for pair in pairs for each in reference.seen_phrases(pair, 7, None)]
    tested = {}
    for source, target in {(each.source, each.target) for each in seen}:
        sources = reference.sentences_with(source, [pair.source for pair in pairs])
        targets = reference.sentences_with(target, [pair.target for pair in pairs])
        tested[source, target] = reference.significance(
            len(sources & targets), len(sources), len(targets), len(pairs)
        )
    alpha = math.log(size)
    for setting, least in (("a+e", alpha + 1e-6), ("a-e", alpha - 1e-6), (2.5, 2.5)):
        kept = {name for name, value in tested.items() if value >= least}
        assert 0 < len(kept) < len(tested)
        table = extracted(pairs, tmp_path / f"rules{setting}", significance=setting)
        assert by_name(table).keys() == kept
        assert table.facts["insignificant"] == len(tested) - len(kept)


@given(st.data())
def test_the_tail_of_fishers_test(data):
    total = data.draw(st.integers(1, 300))
    source, target = (data.draw(st.integers(1, total)) for _ in range(2))
    both = data.draw(st.integers(max(0, source + target - total), min(source, target)))
    found = _core.RuleScorer.significance(both, source, target, total)
    assert math.isclose(found, reference.significance(both, source, target, total), abs_tol=1e-8)


def test_limits_keep_the_best_in_their_order(tmp_path):
    pairs = random_pairs(13, 40)
    whole = extracted(pairs, tmp_path / "whole")
    best = extracted(pairs, tmp_path / "best", limit=2)
    rare = extracted(pairs, tmp_path / "rare", min_count=2)
    by_source = defaultdict(list)
    for rule in whole:
        by_source[rule.source].append(rule)
    for rules in by_source.values():
        scores = [(rule.features["phrase_ef"], rule.features["phrase_fe"]) for rule in rules]
        assert scores == sorted(scores, reverse=True)
    want = [str(rule) for rules in by_source.values() for rule in rules[:2]]
    assert [str(rule) for rule in best] == want
    assert best.facts["over_limit"] == len(whole) - len(best)
    assert [str(r) for r in rare] == [str(rule) for rule in whole if rule.count >= 2]


def test_rules_with_gaps_that_are_rare_are_dropped(tmp_path):
    pairs = random_pairs(13, 40)
    times = Counter(
        (each.source, each.target) for pair in pairs for each in reference.seen_gapped(pair)
    )
    whole = by_name(extracted(pairs, tmp_path / "whole", hierarchical=True))
    frequent = extracted(pairs, tmp_path / "frequent", hierarchical=True, min_gapped=3)
    kept = {name for name in whole if times[name] >= 3 or -1 not in name[0]}
    assert by_name(frequent).keys() == kept
    assert frequent.facts["rare"] == len(whole) - len(kept) > 0


@pytest.mark.parametrize("is_gapped", [False, True])
def test_the_same_bytes_whatever_is_used(tmp_path, is_gapped):
    pairs = random_pairs(17, 3000)
    settings = {"hierarchical": is_gapped, "smoothing": "kneser-ney"}
    wanted = None
    for number, room in enumerate([(1, 2 << 30), (2, 2 << 30), (3, 1 << 17), (1, 1 << 16)]):
        folder = tmp_path / str(number)
        extracted(pairs, folder, threads=room[0], max_memory=room[1], **settings)
        found = {path.name: path.read_bytes() for path in folder.iterdir()}
        wanted = wanted or found
        assert found == wanted


@pytest.mark.parametrize("hierarchical", [False, True])
@given(pairs=corpora(longest=6))
def test_rules_have_as_many_values_on_both_sides(pairs, hierarchical, tmp_path_factory):
    """Rules of a text with symbols of values: those that it has anyway, and at most one each."""
    folder = tmp_path_factory.mktemp("values")
    symbol = VALUE if len(pairs) % 2 else JOINER + VALUE
    own = {SOURCES[1]: symbol, TARGETS[1]: symbol}

    def named(words):
        return tuple(own.get(word, word) for word in words)

    named_pairs = [
        pair._replace(source=named(pair.source), target=named(pair.target)) for pair in pairs
    ]
    every = extracted(pairs, folder / "all", hierarchical=hierarchical)
    found = extracted(named_pairs, folder / "some", hierarchical=hierarchical)
    wanted = {tuple(map(named, sides)) for sides in by_name(every)}
    assert set(by_name(found)) == {
        (source, target) for source, target in wanted
        if source.count(symbol) == target.count(symbol) <= 1
    }  # fmt: skip
