"""Other translations than the best: what they say, and that their numbers add up."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.decoders import small_decoder
from tests.refusals import refuses

from rosewood.decode import (
    Forced,
    RuleIds,
    Source,
    TargetWords,
    alternatives,
    forest_mbr,
    moses_line,
    translation_of,
)
from rosewood.decode.nbest import all_features
from rosewood.errors import DecodingError
from rosewood.rerank import read_candidates

WORDS = ["das", "haus", "ist", "klein", "nicht", "zyx", "nach", "hause", "."]


@pytest.fixture(scope="module")
def decoder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alternatives")
    made = small_decoder(folder, features=[RuleIds(), TargetWords()])
    return made.with_weights({**made.weights, "word:small": 0.3, "rule:das|||the": -0.2})


@pytest.mark.slow
@given(st.lists(st.sampled_from(WORDS), max_size=5), st.booleans(), st.booleans())
def test_each_is_a_translation(decoder, words, distinct, forced):
    given_ = (Forced(0, 1, ("a b", "")),) if forced and words else ()
    found = decoder.search(Source(tuple(words), given_))
    theta = decoder.theta()
    some = alternatives(found, theta, 8, distinct=distinct)
    # Whatever has the same score, what the search chose comes first.
    assert some[0].score == pytest.approx(found.best.score)
    assert (some[0].words, some[0].rules) == (found.best.words, found.best.rules)
    assert some[0].features == pytest.approx(found.best.features)
    weight = found.forest.score(theta)
    listed = found.forest.k_best(weight, 8, distinct=distinct)
    assert len({each.text for each in some} - set(listed.texts())) <= 1
    for each, derivation in zip(some, listed, strict=True):
        assert each.score == pytest.approx(derivation.score, abs=1e-9)
        known = {n: v for n, v in each.features.items() if n in decoder.weights}
        total = sum(value * decoder.weights[name] for name, value in known.items())
        assert total == pytest.approx(each.score, abs=1e-9)
        spans = sorted((use.begin, use.end) for use in each.rules)
        assert [place for span in spans for place in range(*span)] == list(range(len(words)))
        assert sum(use.target_end - use.target_begin for use in each.rules) == len(each.words)
        for use in each.rules:
            said = each.words[use.target_begin : use.target_end]
            if use.rule is not None:
                rule = decoder.table.by_id(use.rule)
                assert (rule.source, rule.target) == (tuple(words[use.begin : use.end]), said)
            elif use.is_unknown:
                assert said == tuple(words[use.begin : use.end])
            else:
                assert use.is_forced
                assert " ".join(said) in ("a b", "")


def test_what_consensus_chose(decoder):
    found = decoder.search("das haus ist klein .")
    chosen = forest_mbr(found.forest, found.forest.score(decoder.theta()))
    translation = translation_of(found, chosen.derivation)
    assert translation.text == chosen.text
    assert translation.score == pytest.approx(chosen.derivation.score)


def test_references_that_cannot_be_reached(decoder):
    found = decoder.search(Source(("das", "haus"), reference=("nothing",)))
    assert alternatives(found, decoder.theta(), 3) == []


def test_derivations_of_other_forests(decoder):
    found, other = decoder.search("das haus"), decoder.search("das haus")
    best = other.forest.best(other.forest.score(decoder.theta()))
    with refuses(DecodingError, "argument.conflict", argument="derivation"):
        translation_of(found, best)


def test_lines_of_lists(decoder):
    plain = decoder.search("das haus").best
    dense = decoder.features.dense
    features = all_features(plain, dense)
    assert tuple(features)[: len(dense)] == dense
    assert features["distortion"] == 0.0
    odd = replace(plain, features={**plain.features, "word:|||": 1.0})
    with refuses(DecodingError, "feature.names", argument="word:|||"):
        moses_line(0, odd, dense)


def test_numbers_come_back_as_they_were(tmp_path):
    decoder = small_decoder(tmp_path, features=[TargetWords()])
    best = decoder.search("das haus = zyx:= ist").best
    dense = decoder.features.dense
    lines = [moses_line(7, best, dense), moses_line(7, best, dense, "a ||| text")]
    (read,) = read_candidates(lines)
    assert (read.id, read.texts) == ("7", (best.text, "a &#124;&#124;&#124; text"))
    assert read.features(0) == all_features(best, dense)
    assert read.scores["model"][0] == best.score
