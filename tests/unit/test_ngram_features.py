"""N-grams of strings as features of edges."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.forest import enumerate_derivations, features_of, words_of
from tests.reference.second_stage import count_ngrams
from tests.refusals import refuses
from tests.strategies import WORDS, forests

from rosewood.corpus import Vocabulary
from rosewood.errors import ForestError
from rosewood.forest import FeatureSpace, ForestSet, ForestSetWriter, NgramFeatures, parse_forest

ngrams = st.lists(
    st.lists(st.sampled_from([*WORDS, "d"]), min_size=1, max_size=3).map(tuple),
    max_size=8, unique=True,
)  # fmt: skip
CATS = """
dense lm
0 <- ||| the mat ||| lm=-2
1 <- ||| a cat   ||| lm=-2.5
2 <- 0 1 ||| [1] on [0] ||| lm=-1
2 <- ||| the cat ||| lm=-9
"""


@given(forests(), ngrams)
def test_features_of_derivations_are_ngrams_of_their_strings(forest, chosen):
    features = NgramFeatures(chosen)
    score = np.arange(forest.num_edges) / 4 - 1
    made = features.add_to(forest, score)
    assert made.features == features.space()
    found = Counter()
    for derivation in enumerate_derivations(made):
        words = tuple(words_of(made, derivation))
        told = features_of(made, derivation)
        first = told.pop("first_stage", 0.0)
        counts = count_ngrams(words, features.order)
        wanted = {f"ngram:{' '.join(each)}": counts[each] for each in chosen if counts[each]}
        assert told == wanted
        found[words, first] += 1
    assert found == Counter(
        (tuple(words_of(forest, each)), sum(score[list(each)]))
        for each in enumerate_derivations(forest)
    )


def test_ngrams_are_counted_in_texts():
    texts = ["a b a b", "b a", "c"]
    made = NgramFeatures.count(texts, order=2, min_count=2)
    assert made.ngrams == (("a",), ("b",), ("a", "b"), ("b", "a"))
    assert NgramFeatures.count(texts, order=1, min_count=1, most=2).ngrams == (("a",), ("b",))
    assert made.names[2] == "ngram:a b"


def test_numbers_are_words_like_any_other(tmp_path):
    features = NgramFeatures([("2019",), ("2019", "a"), ("007",)])
    forest = parse_forest("0 <- ||| 007 2019 a 2019\n")
    made = features.add_to(forest, np.zeros(1))
    wanted = {"ngram:2019": 2.0, "ngram:2019 a": 1.0, "ngram:007": 1.0}
    assert features_of(made, (0,)) == wanted
    space, words = features.space(), Vocabulary()
    with ForestSetWriter(tmp_path / "x.rwf", features=space, vocabulary=words) as writer:
        writer.append(made)
    assert features_of(ForestSet(tmp_path / "x.rwf")[0], (0,)) == wanted


def test_forests_of_a_set_share_a_space():
    features = NgramFeatures([("the", "mat"), ("on", "the")])
    space = features.space()
    forest = parse_forest(CATS)
    made = features.add_to(forest, forest.score([1.0]), space=space)
    assert made.features is space
    assert made.score(features.theta(2.0, np.array([0.5, 1.0]))).max() == pytest.approx(-1.0)


def test_no_ngrams_leave_the_score_alone():
    forest = parse_forest(CATS)
    made = NgramFeatures([]).add_to(forest, forest.score([1.0]))
    assert made.features == FeatureSpace(["first_stage"])
    assert made.num_edges == forest.num_edges


@pytest.mark.parametrize("wrong", [(), ("a b",), ("",), ("a",) * 9])
def test_wrong_ngrams(wrong):
    with refuses(ForestError, "argument.value", argument="ngrams"):
        NgramFeatures([wrong])


def test_ngrams_are_given_once():
    with refuses(ForestError, "argument.duplicate", argument="ngrams"):
        NgramFeatures([("a", "b"), ("a",), ("a", "b")])
