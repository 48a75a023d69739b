"""Boosted trees inside both decoders: scores are those of all derivations, scored in Python."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests import hiero_models, phrase_models
from tests.decoders import small_decoder
from tests.hiero_models import hiero_cases
from tests.phrase_models import cases
from tests.refusals import refuses

from rosewood.decode import PhraseDecoder
from rosewood.errors import DecodingError
from rosewood.forest import BoostedTrees, Split, Tree

EXAMPLES = settings(
    max_examples=40, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate]
)
modes = st.sampled_from(["cube", "full"])
TEXTS = ["das haus ist klein .", "zyx klein", "wir gehen nach hause und QQ .", ""]


def random_trees(names, seed: int) -> BoostedTrees:
    """Some trees over any of the features, with constant and other leaves."""
    random = np.random.default_rng(seed)
    trees = []
    for _ in range(int(random.integers(0, 4))):
        leaves = int(random.integers(1, 5))
        splits = tuple(
            Split(int(random.integers(0, n + 1)), str(random.choice(names)),
                  float(random.choice([-3.0, -1.0, -0.5, 0.0, 0.5])))
            for n in range(leaves - 1)
        )  # fmt: skip
        factors = tuple(map(str, random.choice(names, random.integers(0, 3))))
        values = tuple((random.integers(-8, 9, leaves) / 8).tolist())
        trees.append(Tree(splits, values, factors, float(random.choice([0.5, -1.0, 2.0]))))
    return BoostedTrees(tuple(names), tuple(trees))


def check(plain, boosted, words, weight: float, *, is_full: bool) -> None:
    """What a decoder with trees finds, against the forest of the one without, scored in Python."""
    trees = boosted.trees
    found, without = boosted.search(words), plain.search(words)
    forest = found.forest
    if forest.is_empty:
        assert without.forest.is_empty
        return
    assert forest.features.dense == (*plain.features.dense, "boost")
    np.testing.assert_allclose(
        forest.dense[:, -1], trees.score(forest.dense[:, :-1]), rtol=1e-12, atol=1e-12
    )
    score = forest.score(boosted.theta())
    best = forest.best(score)
    # The decoder's own choice has the score that it tells, and there is no better one.
    edges = found.derivation.edges
    assert score[edges].sum() == pytest.approx(found.best.score, rel=1e-9, abs=1e-9)
    assert best.score == pytest.approx(found.best.score, rel=1e-9, abs=1e-9)
    assert found.best.features.get("boost", 0.0) == pytest.approx(
        forest.dense[edges, -1].sum(), abs=1e-9
    )
    (alone,) = boosted.translate([words])
    assert alone.score == pytest.approx(found.best.score, rel=1e-9, abs=1e-9)
    assert alone.text == found.best.text
    if is_full:
        other = without.forest
        assert other.num_edges == forest.num_edges
        scored = other.score(plain.theta()) + weight * trees.score(other.dense)
        assert other.best(scored).score == pytest.approx(found.best.score, rel=1e-9, abs=1e-9)
        ours, theirs = (np.sort(rows, axis=0) for rows in (forest.dense[:, :-1], other.dense))
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.slow
@EXAMPLES
@given(cases(max_words=5, most=300), modes, st.integers(0, 2**32 - 1))
def test_phrases(case, search, seed):
    how = replace(phrase_models.UNLIMITED, search=search)
    with phrase_models.decoder_of(case, how) as plain:
        trees = random_trees(plain.features.dense, seed)
        boosted = PhraseDecoder(
            plain.table, plain.language_models, reorder=plain.reorder, settings=plain.settings,
            features=plain.option_features, unknown=plain.unknown, trees=trees,
            weights={**plain.weights, "boost": 0.75},
        )  # fmt: skip
        check(plain, boosted, " ".join(case.words), 0.75, is_full=search == "full")


def oriented_trees(names, seed: int) -> BoostedTrees:
    """Trees over an orientation and what the search knows of the same step besides."""
    random = np.random.default_rng(seed)
    backward = [name for name in names if "backward" in name]
    trees = []
    for _ in range(20 if backward else 0):
        column, factor = str(random.choice(backward)), str(random.choice(["lm", "distortion"]))
        split = Split(0, column, float(random.choice([-3.0, -1.0, -0.5])))
        values = tuple((random.integers(-8, 9, 2) / 8).tolist())
        trees.append(Tree((split,), values, (factor,)))
    return BoostedTrees(tuple(names), tuple(trees))


@pytest.mark.slow
@EXAMPLES
@given(
    cases(max_words=5, most=300, lexicalized=phrase_models.reordering_models()), modes,
    st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_orientations_with_other_features(case, search, seed):
    how = replace(phrase_models.UNLIMITED, search=search)
    with phrase_models.decoder_of(case, how) as plain:
        boosted = PhraseDecoder(
            plain.table, plain.language_models, reorder=plain.reorder, settings=plain.settings,
            features=plain.option_features, unknown=plain.unknown,
            trees=oriented_trees(plain.features.dense, seed),
            weights={**plain.weights, "boost": 0.75},
        )  # fmt: skip
        check(plain, boosted, " ".join(case.words), 0.75, is_full=search == "full")


@pytest.mark.slow
@EXAMPLES
@given(hiero_cases(), modes, st.integers(0, 2**32 - 1))
def test_rules_with_gaps(case, search, seed):
    how = replace(hiero_models.UNLIMITED, search=search)
    with hiero_models.decoder_of(case, how) as plain:
        trees = random_trees(plain.features.dense, seed)
        with hiero_models.decoder_of(
            replace(case, weights={**case.weights, "boost": -0.5}), how, trees=trees
        ) as boosted:
            check(plain, boosted, " ".join(case.words), -0.5, is_full=search == "full")


def figure_2(decoder) -> BoostedTrees:
    """A tree over the language model and the table, and one over the table alone."""
    return BoostedTrees(
        decoder.features.dense,
        (
            Tree((Split(0, "phrase_ef", -0.75),), (0.5, 1.0), ("phrase_ef",)),
            Tree((Split(0, "lm", -6.0), Split(1, "word_penalty", -1.5)), (-0.25, 0.5, 1.0)),
        ),
    )


@pytest.fixture
def boosted(tmp_path):
    plain = small_decoder(tmp_path)
    return plain, _with_trees(plain, figure_2(plain))


def _with_trees(plain, trees):
    return PhraseDecoder(
        plain.table, plain.language_models, reorder=plain.reorder, trees=trees,
        weights={**plain.weights, "boost": 1.0},
    )  # fmt: skip


def test_threads_pickles_and_other_weights(boosted):
    plain, decoder = boosted
    want = [(each.text, each.score) for each in decoder.translate(TEXTS)]
    assert [(each.text, each.score) for each in decoder.translate(TEXTS, threads=3)] == want
    again = pickle.loads(pickle.dumps(decoder))
    assert again.trees == decoder.trees
    assert [(each.text, each.score) for each in again.translate(TEXTS)] == want
    none = decoder.with_weights({**decoder.weights, "boost": 0.0})
    for one, other in zip(none.translate(TEXTS), plain.translate(TEXTS), strict=True):
        assert (one.text, one.score) == (other.text, pytest.approx(other.score))
        assert one.features["boost"] != 0.0  # a feature all the same


def test_trees_that_do_not_fit_are_refused(tmp_path):
    plain = small_decoder(tmp_path)
    unknown = BoostedTrees(("other",), (Tree((Split(0, "other", 1.0),), (0.0, 1.0)),))
    with refuses(DecodingError, "features.missing", argument="other"):
        _with_trees(plain, unknown)
    with refuses(DecodingError, "argument.type", argument="trees"):
        _with_trees(plain, "trees.json")
