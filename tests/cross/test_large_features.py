"""Columns of the large feature set in both decoders against plain loops."""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.large_feature_models import COLUMNS, large_set, some_rule
from tests.phrase_models import language_model
from tests.reference.large_features import MorphemeTable, columns, cut_cost, cuts

from rosewood.corpus.segmenter import Segmenter
from rosewood.decode import Forced, HieroDecoder, PhraseDecoder, Source
from rosewood.decode.large_features import LargeFeatures
from rosewood.decode.settings import HieroSettings, SearchSettings
from rosewood.rules import RuleTable

seeds = st.integers(0, 2**32 - 1).map(Random)
KINDS = {"phrase": (PhraseDecoder, SearchSettings), "hiero": (HieroDecoder, HieroSettings)}


def sentence_of(random, rules):
    """Words of several rules, and some that no rule has."""
    words = []
    while len(words) < 6:
        if random.random() < 0.2:
            words.append("unknown")
        else:
            words += [each for each in random.choice(rules).source if isinstance(each, str)]
    return tuple(words)


def decoder_for(kind, folder, random, large, limit=None):
    most_gaps = 2 if kind == "hiero" else 0
    rules = [some_rule(random, random.randrange(most_gaps + 1)) for _ in range(12)]
    rules += [some_rule(random) for _ in range(12)]
    rules = list({(rule.source, rule.target): rule for rule in rules}.values())
    table = RuleTable.build(Path(folder) / "table", rules, features=COLUMNS)
    made, limits = KINDS[kind]
    return made(table, language_model(2), large=large, settings=limits(option_limit=limit)), rules


@pytest.mark.parametrize("kind", list(KINDS))
@given(random=seeds)
@settings(max_examples=30)
def test_every_column_is_that_of_the_reference(kind, random):
    large = large_set(random)
    with tempfile.TemporaryDirectory() as folder:
        decoder, rules = decoder_for(kind, folder, random, large)
        first = decoder.features.dense.index(large.names[0])
        assert decoder.features.dense[first : first + len(large.names)] == large.names
        words = sentence_of(random, rules)
        forced = (Forced(0, 1, ("XY one",), exclusive=False),)
        options = decoder.search(Source(words, forced)).options
        assert len(options)
        facts, morphemes = options.described(decoder.weights), MorphemeTable(large)
        for number, found in zip(options.rule.tolist(), facts, strict=True):
            want = dict.fromkeys(large.names, 0.0)
            if number >= 0:
                want = columns(decoder.table[number], large, morphemes)
            assert {name: found.features[name] for name in want} == pytest.approx(want, abs=1e-9)


@pytest.mark.parametrize("kind", list(KINDS))
@given(random=seeds)
@settings(max_examples=15)
def test_the_best_rules_of_a_source_are_chosen_by_all_columns(kind, random):
    large = large_set(random)
    with tempfile.TemporaryDirectory() as folder:
        decoder, rules = decoder_for(kind, folder, random, large)
        weights = {name: random.uniform(-1, 1) for name in decoder.features.dense}
        weights |= dict.fromkeys(decoder.language_models, 0.0)
        decoder = decoder.with_weights(weights)
        few = decoder.with_settings(type(decoder.settings)(option_limit=1))
        words = sentence_of(random, rules)
        every, chosen = (each.search(words).options for each in (decoder, few))
        facts = every.described(weights)
        scores = {n: each.score for n, each in zip(every.rule.tolist(), facts, strict=True)}
        for number in set(chosen.rule.tolist()) - {-1}:
            rule = decoder.table[number]
            same = [n for n in scores if n >= 0 and decoder.table[n].source == rule.source]
            assert scores[number] == pytest.approx(max(scores[n] for n in same), abs=1e-9)


@pytest.mark.parametrize("kind", list(KINDS))
def test_scores_and_forests_have_the_columns(kind, tmp_path):
    random = Random(7)
    large = large_set(random)
    decoder, rules = decoder_for(kind, tmp_path, random, large)
    assert {decoder.default_weights()[name] for name in large.names} == {0.0}
    decoder = decoder.with_weights(
        {name: random.uniform(-0.3, 0.3) for name in decoder.features.dense}
    )
    words = sentence_of(random, rules)
    found = decoder.search(words)
    values = found.best.features
    assert found.best.score == pytest.approx(
        sum(decoder.weights[name] * value for name, value in values.items())
    )
    assert found.forest.dense.shape[1] == len(decoder.features.dense)
    copy = pickle.loads(pickle.dumps(decoder))
    assert copy.features.dense == decoder.features.dense
    assert copy.search(words).best.score == found.best.score
    sentences = [sentence_of(random, rules) for _ in range(20)]
    one, two = ([t.score for t in decoder.translate(sentences, threads=n)] for n in (1, 2))
    assert one == two


def test_a_folder_has_all_of_it(tmp_path):
    for seed in range(5):
        large = large_set(Random(seed))
        large.save(tmp_path / str(seed))
        LargeFeatures.verify(tmp_path / str(seed))
        again = LargeFeatures.open(tmp_path / str(seed))
        assert again.helps == large.helps
        assert again.class_pairs == large.class_pairs
        for side in ("source", "target"):
            assert getattr(again, side).segmenter == getattr(large, side).segmenter
        assert np.array_equal(again.links.count, large.links.count)


@given(st.lists(st.text("abcü", min_size=1, max_size=6), min_size=1), st.text("abcüx", max_size=7))
def test_a_word_has_its_cheapest_morphemes(words, word):
    segmenter = Segmenter.learn(words)
    for each in (word, *words[:3]):
        pieces = segmenter.segment(each)
        assert "".join(pieces) == each
        best = min(cut_cost(cut, segmenter.morphemes) for cut in cuts(each))
        assert cut_cost(pieces, segmenter.morphemes) == pytest.approx(best, abs=1e-9)
