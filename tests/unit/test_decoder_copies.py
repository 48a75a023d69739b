"""Decoders made of decoders: other weights and limits, pickles, other threads and processes, and
tables that are part of another one."""

from __future__ import annotations

import pickle
import threading
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
import pytest
from tests.copies import Lengths, shouted, translations
from tests.decoders import WEIGHTS, small_decoder

from rosewood.decode import (
    PhraseDecoder,
    RuleIds,
    SearchSettings,
    TargetWords,
    alternatives,
    translation_of,
)
from rosewood.lm import Model
from rosewood.rules import RuleTable

TEXTS = ["das haus ist klein .", "zyx klein", "wir gehen nach hause und QQ ."]
SETTINGS = SearchSettings(
    search="full", pop_limit=7, stack_size=5, beam=9.0, distortion_limit=3, option_limit=2,
    max_phrase=2, max_pops=90, time_limit=1000.0,
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("copies")


@pytest.fixture(scope="module")
def decoder(folder):
    """Nothing of it is as it would be without saying so."""
    return small_decoder(
        folder, features=[Lengths(), TargetWords(), RuleIds()], settings=SETTINGS, reorder=(),
        weights={**WEIGHTS, "squared": -0.5, "word:little": 2.0, "rule:das|||the": -1.5},
        unknown=shouted,
    )  # fmt: skip


# -- pickles ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("unknown", ["copy", "drop", shouted])
def test_a_pickle_has_all_of_it(decoder, unknown):
    made = PhraseDecoder(
        decoder.table, decoder.language_models, features=decoder.option_features,
        weights=decoder.weights, settings=SETTINGS, unknown=unknown,
    )  # fmt: skip
    again = pickle.loads(pickle.dumps(made))
    assert (again.weights, again.settings, again.unknown) == (made.weights, SETTINGS, unknown)
    assert again.features.dense == made.features.dense
    kinds = [type(each) for each in again.option_features]
    assert kinds == [Lengths, TargetWords, RuleIds]
    want = translations(made, TEXTS)
    assert translations(again, TEXTS) == want
    # And all of it matters.
    plain = PhraseDecoder(decoder.table, decoder.language_models)
    assert [words for words, *_ in translations(plain, TEXTS)] != [words for words, *_ in want]


@pytest.mark.slow
def test_other_processes_find_the_same(decoder):
    with get_context("spawn").Pool(2) as pool:
        found = pool.starmap(translations, [(decoder, TEXTS), (decoder, TEXTS[::-1])])
    want = translations(decoder, TEXTS)
    assert found == [want, want[::-1]]


# -- other weights, other limits -------------------------------------------------------------------


def test_names_are_shared_by_decoders_of_other_weights_and_limits(decoder):
    weights = {**decoder.weights, "word:building": 3.0, "word:house": -1.0}
    others = [decoder.with_weights(weights), decoder.with_settings(SearchSettings())]
    others.append(others[1].with_weights(weights))
    for other in others:
        assert other.features is decoder.features
    found = decoder.search("haus und haus")  # which has sparse features that others did not meet
    for other in others:
        own = other.search("haus klein")
        theta = other.theta()
        assert len(theta) == len(decoder.theta()) == len(decoder.features)
        for search in (found, own):
            best = search.forest.best(search.forest.score(theta))
            values = alternatives(search, theta, 1)[0].features
            total = sum(other.weights.get(name, 0.0) * value for name, value in values.items())
            assert best.score == pytest.approx(total)
        assert own.forest.best(own.forest.score(theta)).score == pytest.approx(own.best.score)
    assert (others[0].settings, others[1].settings) == (SETTINGS, SearchSettings())
    assert (others[0].weights, others[1].weights) == (weights, decoder.weights)


def test_other_weights_score_what_was_found(decoder):
    """The same order, other numbers; and another order."""
    found = decoder.search(TEXTS[0])
    theta = decoder.theta()
    listed = alternatives(found, theta, 5)
    assert [each.score for each in alternatives(found, 2 * theta, 5)] == pytest.approx(
        [2 * each.score for each in listed]
    )
    for some in (2 * theta, -theta):
        for each in alternatives(found, some, 5):
            values = np.zeros(len(theta))
            for name, value in each.features.items():
                values[decoder.features.names.index(name)] = value
            assert each.score == pytest.approx(float(some @ values))
    worst = alternatives(found, -theta, 1)[0]
    assert worst.score > -found.best.score


@pytest.mark.parametrize("distinct", [False, True])
def test_among_equals_the_choice_of_the_search_comes_first(decoder, distinct):
    """All derivations are worth 0; none is listed twice, and none is left out."""
    free = decoder.with_weights(dict.fromkeys(decoder.features.dense, 0.0))
    free = free.with_settings(SearchSettings(max_phrase=2))
    once = free.search("klein haus klein")  # which says the same in several ways
    theta = np.zeros(len(free.features))
    every = list(once.forest.iterate_best(once.forest.score(theta)))
    texts = {tuple(each.words) for each in every}
    count = len(texts) if distinct else len(every)
    for chosen in every[::7]:  # any of them might have been the choice
        found = replace(once, best=translation_of(once, chosen), best_edges=chosen.edges)
        for n in (1, 5, count + 1):
            listed = alternatives(found, theta, n, distinct=distinct)
            assert (listed[0].words, listed[0].rules) == (found.best.words, found.best.rules)
            assert all(each.score == 0.0 for each in listed)
            told = [each.words if distinct else each.rules + each.words for each in listed]
            assert len(set(told)) == len(told) == min(n, count)


# -- part of a table -------------------------------------------------------------------------------


def test_rules_of_a_filtered_table_keep_their_ids(decoder, tmp_path):
    text = "und klein zyx gesehen ."
    part = decoder.table.filter([text], tmp_path / "part")
    assert not np.array_equal(part.ids(np.arange(len(part))), np.arange(len(part)))
    whole, less = (
        PhraseDecoder(table, decoder.language_models, weights=WEIGHTS)
        for table in (decoder.table, part)
    )
    want, found = whole.search(text), less.search(text)
    (alone,) = less.translate([text])
    rules = [use.rule for use in want.best.rules]
    for best in (found.best, alone, alternatives(found, less.theta(), 1)[0]):
        assert [use.rule for use in best.rules] == rules
        assert best.links == want.best.links
        for use in best.rules:
            if use.rule is not None:
                said = best.words[use.target_begin : use.target_end]
                assert decoder.table.by_id(use.rule).target == said
    assert found.forest.rule.tolist() == want.forest.rule.tolist()
    assert set(found.forest.rule.tolist()) >= {rule for rule in rules if rule is not None} | {-1}


# -- threads ---------------------------------------------------------------------------------------


def test_other_threads_go_on_while_a_search_runs(folder, decoder):
    slow = PhraseDecoder(
        RuleTable.open(folder / "rules"), Model.open(folder / "lm.rlm"), weights=WEIGHTS,
        settings=SearchSettings(pop_limit=4000, stack_size=2000, distortion_limit=None),
    )  # fmt: skip
    text = " ".join(["das", "haus", "ist", "klein", "nicht", "hier"] * 8)
    ticks = 0
    is_over = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not is_over.wait(0.001):
            ticks += 1

    other = threading.Thread(target=tick)
    other.start()
    try:
        for times in (1, 2, 4, 8, 16, 32):  # until a search is long enough for others to be seen
            before = ticks
            list(slow.translate([" ".join([text] * times)]))
            if ticks - before >= 20:
                break
        else:
            pytest.fail("no other thread runs while a search does")
    finally:
        is_over.set()
        other.join()
