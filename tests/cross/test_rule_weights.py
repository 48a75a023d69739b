"""Weights of rules within the search, against all derivations there are, and what they go
through: limits of options, threads, pickles, parts of tables, other weights."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests import hiero_models, phrase_models
from tests.decoders import small_decoder
from tests.hiero_models import glue_rules, hiero_cases
from tests.phrase_checks import derivations_of, summary, told, wanted
from tests.phrase_models import cases
from tests.reference import phrase_search as reference
from tests.reference.chart_search import best_rules, yield_of

from rosewood.decode import HieroDecoder, PhraseDecoder, RuleIds
from rosewood.forest import Weights

EXAMPLES = settings(
    max_examples=40, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate]
)
modes = st.sampled_from(["cube", "full"])
limits = st.sampled_from([None, 1, 2, 3])
TEXTS = ["das haus ist klein .", "zyx klein", "wir gehen nach hause und QQ .", ""]


class PlainIds(RuleIds):
    """The same features, whose weights Python adds up."""

    numbers_rules = False


class DoubledIds(RuleIds):
    """The same numbers under another name."""

    template = "again"


def drawn_weights(table, seed):
    """Weights of some rules, and of some that there are not."""
    random = np.random.default_rng(seed)
    ids = np.flatnonzero(random.random(table.num_ids + 3) < 0.6)
    return ids, random.normal(size=len(ids))


def numbered(rules, table, weights):
    """The rules with a feature of their own each, and the weights of those by name."""
    ids = {(rule.left, rule.source, rule.target): rule.id for rule in table}
    named = {f"rule:{number}": 0.0 for number in range(table.num_ids)}
    named |= {f"rule:{number}": value for number, value in zip(*weights, strict=True)}
    made = []
    for rule in rules:
        own = {f"rule:{ids[rule.left, rule.source, rule.target]}": 1.0}
        made.append(replace(rule, features={**rule.features, **own}))
    return made, named


# -- against the reference -------------------------------------------------------------------------


@pytest.mark.slow
@EXAMPLES
@given(cases(max_words=5, most=300), modes, limits, st.integers(0, 2**32 - 1))
def test_phrases_with_weights(case, search, limit, seed):
    how = replace(phrase_models.UNLIMITED, search=search, option_limit=limit)
    with phrase_models.decoder_of(case, how, features=[RuleIds()]) as plain:
        weights = drawn_weights(plain.table, seed)
        decoder = plain.with_weights(Weights(case.weights, {"rule": weights}))
        rules, named = numbered(case.rules, plain.table, weights)
        changed = replace(case, rules=tuple(rules), weights={**case.weights, **named})
        problem = changed.problem(option_limit=limit)
        found = decoder.search(case.words)
        some = summary(derivations_of(found.forest, decoder.theta()), case.language_models)
        assert some == wanted(problem)
        assert found.best.score == pytest.approx(reference.best(problem)[0], abs=1e-6)
        check_scores(decoder, found)
        if limit is None:
            other = plain_decoder(plain, weights)
            assert told(other.search(case.words).best) == told(found.best)


@pytest.mark.slow
@EXAMPLES
@given(hiero_cases(), modes, limits, st.integers(0, 2**32 - 1))
def test_hierarchical_rules_with_weights(case, search, limit, seed):
    how = replace(hiero_models.UNLIMITED, search=search, option_limit=limit)
    with hiero_models.decoder_of(case, how, features=[RuleIds()]) as plain:
        weights = drawn_weights(plain.table, seed)
        decoder = plain.with_weights(Weights(case.weights, {"rule": weights}))
        glue = [rule for label in case.joined or () for rule in glue_rules(label)]
        rules, named = numbered([*case.rules, *glue], plain.table, weights)
        weighted = {**case.weights, **named}
        kept = best_rules(rules, limit, case.language_models, weighted)
        kept = [rule for rule in kept if rule not in rules[len(case.rules) :]]
        problem = replace(case, rules=tuple(kept), weights=weighted).problem()
        every = [(yield_of(one), problem.features(one)) for one in problem.derivations()]
        found = decoder.search(case.words)
        assert found.report.reachable == bool(every)
        if not every:  # nothing is left that glue may join
            return
        best = max(problem.score(values) for _, values in every)
        assert found.best.score == pytest.approx(best, abs=1e-6)
        assert summary(
            derivations_of(found.forest, decoder.theta()), case.language_models
        ) == summary(iter(every), case.language_models)
        check_scores(decoder, found)
        if limit is None:
            other = plain_decoder(plain, weights)
            assert told(other.search(case.words).best) == told(found.best)


def check_scores(decoder, found):
    """The score of the search is that of its forest, and that of its features."""
    scored = found.forest.best(found.forest.score(decoder.theta()))
    assert scored.score == pytest.approx(found.best.score, rel=1e-9, abs=1e-9)
    named = sum(
        decoder.weights.get(name, 0.0) * value for name, value in found.best.features.items()
    )
    assert named == pytest.approx(found.best.score, rel=1e-9, abs=1e-9)


def plain_decoder(decoder, weights):
    """A decoder that calls the feature for each sentence."""
    more = {"reorder": decoder.reorder} if isinstance(decoder, PhraseDecoder) else {}
    return type(decoder)(
        decoder.table, decoder.language_models, features=[PlainIds()], settings=decoder.settings,
        weights=Weights(decoder.weights.named, {"rule": weights}), **more,
    )  # fmt: skip


# -- what weights go through -----------------------------------------------------------------------


@pytest.fixture(scope="module", params=[PhraseDecoder, HieroDecoder])
def decoder(request, tmp_path_factory):
    made = small_decoder(tmp_path_factory.mktemp("weights"))
    models = made.table, made.language_models
    return request.param(*models, features=[RuleIds(), DoubledIds()])


def weighted_of(decoder, **arrays):
    return decoder.with_weights(Weights(decoder.weights.named, arrays))


def every(decoder, threads=1):
    return [told(each) for each in decoder.translate(TEXTS, threads=threads)]


def test_they_are_the_same_at_any_number_of_threads_and_in_pickles(decoder):
    weighted = weighted_of(decoder, rule=drawn_weights(decoder.table, 1))
    want = every(weighted)
    assert want != every(decoder)
    for threads in (2, 3):
        assert every(weighted, threads) == want
    assert every(pickle.loads(pickle.dumps(weighted))) == want


def test_a_part_of_a_table_has_the_weights_of_its_rules(decoder, tmp_path):
    part = decoder.table.filter(TEXTS[:2], tmp_path / "part")
    assert 0 < len(part) < len(decoder.table)
    made = type(decoder)(part, decoder.language_models, features=[RuleIds()])
    numbers = np.arange(decoder.table.num_ids)
    values = np.random.default_rng(2).normal(size=len(numbers))
    some, whole = (weighted_of(each, rule=(numbers, values)) for each in (made, decoder))
    for text in TEXTS[:2]:
        (want,), (found,) = whole.translate([text]), some.translate([text])
        rules = {f"rule:{use.rule}" for use in found.rules if use.rule is not None}
        assert rules <= set(found.features)
        assert (found.words, found.score, found.rules) == (want.words, want.score, want.rules)


def test_other_weights_replace_them(decoder):
    want = every(decoder)
    ids, values = drawn_weights(decoder.table, 3)
    weighted = weighted_of(decoder, rule=(ids, values))
    assert every(weighted) != want
    assert every(weighted_of(weighted)) == want
    assert every(weighted_of(weighted, rule=(ids, 0 * values))) == want
    assert every(weighted_of(weighted, rule=(ids[:0], values[:0]))) == want
    far = np.array([decoder.table.num_ids, 2**40])
    assert every(weighted_of(weighted, rule=(far, np.ones(2)))) == want
    assert every(weighted.with_settings(weighted.settings)) == every(weighted)


def test_weights_of_two_templates_are_added_up(decoder):
    ids, values = drawn_weights(decoder.table, 4)
    half = ids, values / 2
    both = weighted_of(decoder, rule=half, again=half)
    one = weighted_of(decoder, rule=(ids, values))
    assert [each[:2] for each in every(both)] == [each[:2] for each in every(one)]
    for text in TEXTS:
        check_scores(both, both.search(text))


def test_the_choice_of_rules_sees_them(decoder):
    """With one rule a source, the worst rule is used if its weight says so."""
    few = decoder.with_settings(replace(decoder.settings, option_limit=1))
    before = {use.rule for use in next(few.translate(["das"])).rules}
    (other,) = {rule.id for rule in decoder.table.lookup("das")} - before
    weighted = weighted_of(few, rule=(np.array([other]), np.array([50.0])))
    assert {use.rule for use in next(weighted.translate(["das"])).rules} == {other}
