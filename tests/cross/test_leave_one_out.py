"""Rules of a pair without it, against counting again; and translating without them."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.aligned import by_name, extracted, random_pairs
from tests.bitexts import close, indexed
from tests.cross.test_rules_extract import corpora
from tests.reference import rule_scores as reference
from tests.refusals import refuses

from rosewood.align import Links
from rosewood.decode import HieroDecoder, PhraseDecoder, Source
from rosewood.errors import DecodingError, RuleError
from rosewood.lm import estimate
from rosewood.rules import LeaveOneOut, LeftOut, RuleTable


def language_model(pairs, folder):
    with estimate((" ".join(pair.target) for pair in pairs), order=2) as made:
        return made.save(folder / "lm.rlm")


def without(pairs, table) -> LeaveOneOut:
    corpus = indexed([(pair.source, pair.target) for pair in pairs])
    return LeaveOneOut(table, corpus, Links.of([pair.links for pair in pairs]))


def check(table: RuleTable, pairs, seen) -> None:
    names = {rule.id: name for name, rule in by_name(table).items()}
    found = without(pairs, table).of(range(len(pairs)), threads=2)
    for number, each in enumerate(found):
        copies = {k for k, pair in enumerate(pairs) if pair == pairs[number]}
        want = reference.rules_of_pairs(seen, number, copies)
        assert (np.diff(each.rules) > 0).all()
        assert {names[int(rule)] for rule in table.ids(each.rules)} == set(want)
        for rule, added, is_removed in zip(
            table.ids(each.rules).tolist(), each.added.tolist(), each.is_removed, strict=True
        ):
            if is_removed:
                assert want[names[rule]] == (-math.inf, -math.inf)
            else:
                close(added, list(want[names[rule]]))


@pytest.mark.slow
@given(corpora(), st.integers(1, 4))
def test_phrase_pairs_without_a_pair(tmp_path_factory, pairs, limit):
    table = extracted(pairs, tmp_path_factory.mktemp("t") / "rules", max_phrase=limit)
    check(table, pairs, [reference.seen_phrases(pair, limit, None) for pair in pairs])


@pytest.mark.slow
@given(corpora(), st.booleans(), st.booleans())
def test_rules_with_gaps_without_a_pair(tmp_path_factory, pairs, whole, loose):
    settings = {"whole_counts": whole, "tight_gaps": loose}
    table = extracted(
        pairs, tmp_path_factory.mktemp("t") / "rules", hierarchical=True, loose=loose, max_span=5,
        **settings,
    )  # fmt: skip
    limits = {"max_source": 5, "max_target": 5, "tight": not loose, **settings}
    check(table, pairs, [reference.seen_gapped(pair, **limits) for pair in pairs])


@pytest.mark.parametrize("is_gapped", [False, True])
def test_copies_of_a_pair_are_left_out_with_it(tmp_path, is_gapped):
    once = random_pairs(3, 12)
    one = extracted(once, tmp_path / "once", hierarchical=is_gapped)
    two = extracted([*once, *once, once[0]], tmp_path / "twice", hierarchical=is_gapped)
    names = by_name(two)
    places = by_name(one)
    assert names.keys() == places.keys()
    for number, each in enumerate(without([*once, *once, once[0]], two).of(range(1, 12)), 1):
        (alone,) = without(once, one).of([number])
        ids = {rule.id: name for name, rule in names.items()}
        own = {ids[i]: row for i, row in zip(two.ids(each.rules).tolist(), each.added, strict=True)}
        ids = {rule.id: name for name, rule in places.items()}
        for i, row in zip(one.ids(alone.rules).tolist(), alone.added, strict=True):
            assert np.isneginf(own[ids[i]][0]) == np.isneginf(row[0])


@pytest.mark.parametrize("is_gapped", [False, True])
def test_translating_without_rules(tmp_path, is_gapped):
    """The same options as those of a table without the rules, with changed scores."""
    pairs = random_pairs(3, 40)
    table = extracted(pairs, tmp_path / "rules", hierarchical=is_gapped)
    rest = without(pairs, table)
    kind = HieroDecoder if is_gapped else PhraseDecoder
    decoder = kind(table, language_model(pairs, tmp_path))
    number = next(i for i, each in enumerate(rest.of(range(40))) if each.is_removed.any())
    (left_out,) = rest.of([number])
    words = pairs[number].source
    own = dict(zip(left_out.rules.tolist(), left_out.added.tolist(), strict=True))
    plain = decoder.search(Source(words)).options
    found = pickle.loads(pickle.dumps(decoder)).search(Source(words, left_out=left_out))
    expected = {}
    for rule, row in zip(plain.rule.tolist(), plain.features.tolist(), strict=True):
        if rule < 0 or not np.isinf(own.get(rule, [0.0])[0]):
            added = own.get(rule, [0.0, 0.0])
            expected[rule] = [row[0] + added[0], row[1] + added[1], *row[2:]]
    options = found.options
    kept = dict(zip(options.rule.tolist(), options.features.tolist(), strict=True))
    assert {rule for rule in kept if rule >= 0} == {rule for rule in expected if rule >= 0}
    for rule, row in kept.items():
        if rule >= 0:
            close(row, expected[rule])
    forest = found.forest
    assert forest.best(forest.score(decoder.theta())).score == pytest.approx(
        found.best.score, abs=1e-9
    )
    both = [Source(words, left_out=left_out), Source(words)] * 3
    texts = [each.text for each in decoder.translate(both, threads=1)]
    assert texts == [each.text for each in decoder.translate(both, threads=2)]


def test_a_word_without_rules_is_unknown(tmp_path):
    pairs = random_pairs(3, 5)
    table = extracted(pairs, tmp_path / "rules")
    decoder = PhraseDecoder(table, language_model(pairs, tmp_path))
    every = LeftOut(np.arange(len(table)), np.full((len(table), 2), -np.inf))
    found = decoder.search(Source(pairs[0].source, left_out=every))
    assert found.best.text.split() == list(pairs[0].source)


def test_nonsense_is_refused(tmp_path):
    pairs = random_pairs(3, 5)
    table = extracted(pairs, tmp_path / "rules")
    decoder = PhraseDecoder(table, language_model(pairs, tmp_path))
    rest = without(pairs, table)
    assert rest.of([]) == []
    with refuses(RuleError, "argument.range", argument="pairs"):
        rest.of([5])
    with refuses(RuleError, "rules.other-corpus"):
        without(random_pairs(4, 9), table)
    with refuses(RuleError, "argument.shape", argument="added"):
        LeftOut(np.arange(2), np.zeros((3, 2)))
    with refuses(DecodingError, "argument.type", argument="left_out"):
        Source(("a",), left_out=3)
    for rules in ([len(table)], [-1], [1, 1], [2, 1]):
        with refuses(DecodingError, "argument.range", argument="rules"):
            decoder.search(Source(("a",), left_out=LeftOut(rules, np.zeros((len(rules), 2)))))
    for value in (np.nan, np.inf):
        with refuses(DecodingError, "argument.value", argument="added"):
            decoder.search(Source(("a",), left_out=LeftOut([1], [[value, 0.0]])))
    other = RuleTable.build(tmp_path / "built", list(table))
    with refuses(RuleError, "rules.other-corpus"):
        without(pairs, other)
