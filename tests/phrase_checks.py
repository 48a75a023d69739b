"""What decoders found held against the reference: derivations, features, phrases, links."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from rosewood.forest import Forest, expected_ngram_counts, refine
from tests.reference import phrase_search as reference


def derivations_of(forest, theta):
    """Words and features of every derivation of a forest; numbers are exact but for those of
    language models, which depend on the words alone."""
    names = forest.features.names
    for one in forest.iterate_best(forest.score(theta)):
        values = one.features()
        yield tuple(one.words), {names[i]: float(values[i]) for i in np.flatnonzero(values)}


def summary(found, language_models):
    """How often there is a derivation of these words and features."""
    counted = Counter()
    for words, values in found:
        for name, model in language_models.items():
            want = reference.language_score(model, words)
            assert abs(values.pop(name, 0.0) - want) <= 1e-6
        counted[words, tuple(sorted(values.items()))] += 1
    return counted


def wanted(problem):
    return summary(
        (
            (reference.yield_of(one), reference.features(problem, one))
            for one in reference.derivations(problem)
        ),
        problem.language_models,
    )


def known_options(problem):
    """By what a decoder tells of them."""
    return {
        (*one.span, one.target, "unknown_penalty" in one.features): one for one in problem.options
    }


def check_best(problem, translation):
    """Its numbers, from its words and phrases alone."""
    known, said = known_options(problem), translation.words
    one = tuple(
        known[use.begin, use.end, said[use.target_begin : use.target_end], use.is_unknown]
        for use in translation.rules
    )
    values = reference.features(problem, one)
    assert said == reference.yield_of(one)
    assert translation.features == pytest.approx(values, abs=1e-6)
    assert translation.score == pytest.approx(problem.score(values), abs=1e-6)
    links, at = [], 0
    for option in one:
        links += [(option.begin + i, at + j) for i, j in option.links]
        at += len(option.target)
    assert list(translation.links) == sorted(links)


def check_boundary_words(coarse, fine, n, theta):
    """A search with n - 1 boundary words gives a forest that `refine` leaves as it is, and whose
    n-grams are expected as often as those of a search without."""
    assert fine.num_derivations() == coarse.num_derivations()
    for around in ({}, {"begin": "<s>", "end": "</s>"}):
        assert refine(fine, n, **around).forest.num_nodes == fine.num_nodes
        counts = [
            expected_ngram_counts(forest, forest.score(theta), n, **around)
            for forest in (coarse, fine)
        ]
        assert counts[0] == pytest.approx(counts[1], abs=1e-6)


def check_valid(forest):
    """A forest that was taken as it came passes all checks of one from outside."""
    Forest(
        forest.edge_start,
        forest.tail_start,
        forest.tail,
        features=forest.features,
        dense=forest.dense,
        feat_start=forest.feat_start,
        feat_id=forest.feat_id,
        feat_value=forest.feat_value,
        vocabulary=forest.vocabulary,
        yield_start=forest.yield_start,
        yield_symbol=forest.yield_symbol,
        rule=forest.rule,
    )


def told(translation):
    """All that a translation tells, to be compared."""
    return (
        translation.words,
        translation.score,
        dict(translation.features),
        translation.rules,
        translation.links,
        translation.report,
    )
