"""Features written in Python, for rules with gaps: values on edges, and what they are worth."""

from __future__ import annotations

import numpy as np
import pytest
from tests.phrase_models import language_model
from tests.refusals import refuses

from rosewood.decode import HieroDecoder, RuleIds, TargetWords
from rosewood.errors import DecodingError
from rosewood.rules import Gap, Rule, RuleTable

X1, X2 = Gap("X", 1), Gap("X", 2)
VALUE = {"phrase_ef": -0.5}
RULES = [
    Rule(("a",), ("A",), features=VALUE),
    Rule(("b",), ("B",), features=VALUE),
    Rule((X1, "b"), ("B", X1), features=VALUE),
    Rule((X1, "b", X2), (X2, "B", "A", X1), features=VALUE),
]


class Shape:
    """What can be seen of an option: its words, its gaps, its span."""

    names = ("own_words", "own_gaps", "span")

    def __init__(self):
        self.asked = []

    def __call__(self, options):
        self.asked.append(options)
        symbols = np.diff(options.target_start)
        return np.column_stack(
            [symbols - options.gaps, options.gaps, options.end - options.begin]
        ).astype(float)


class Sources:
    """Sparse names."""

    template = "source"

    def __call__(self, options, chosen):
        names = [f"source:{'_'.join(options.source_words(n))}" for n in chosen.tolist()]
        return chosen, names, np.full(len(chosen), 0.5)


WEIGHTS = {
    "own_words": -0.3, "own_gaps": 0.7, "span": 0.1, "rule:2": 0.25, "rule:3": -1.5,
    "word:B": 0.4, "source:[X,1]_b": 2.0,
}  # fmt: skip


@pytest.fixture
def shape():
    return Shape()


@pytest.fixture
def decoder(tmp_path, shape):
    table = RuleTable.build(tmp_path / "table", RULES)
    features = [shape, Sources(), RuleIds(), TargetWords()]
    made = HieroDecoder(table, language_model(3), features=features)
    return made.with_weights({**made.weights, **WEIGHTS})


def test_a_rule_with_gaps_is_one_option_without_a_span(decoder, shape):
    decoder.search("a b a b b")
    (options,) = shape.asked
    has_gaps = options.gaps > 0
    assert sorted(options.gaps[has_gaps].tolist()) == [1, 2]
    assert sorted(options.rule[has_gaps].tolist()) == sorted(set(options.rule[has_gaps].tolist()))
    assert (options.begin[has_gaps] == -1).all()
    assert (options.end[has_gaps] == -1).all()
    assert (options.end[~has_gaps] - options.begin[~has_gaps] == 1).all()
    assert {options.source_words(n) for n in np.flatnonzero(has_gaps).tolist()} == {
        ("[X,1]", "b"),
        ("[X,1]", "b", "[X,2]"),
    }


def test_edges_have_the_values_that_features_returned(decoder, shape):
    found = decoder.search("a b a b b ü")
    forest, options = found.forest, found.options
    dense = shape(options)
    first = forest.features.dense.index("own_words")
    names = forest.features.names
    has_option = found.edge_option >= 0
    rows = forest.dense[:, first : first + 3]
    assert (rows[~has_option] == 0).all()
    assert (rows[has_option] == dense[found.edge_option[has_option]]).all()
    for edge in range(forest.num_edges):
        row = slice(int(forest.feat_start[edge]), int(forest.feat_start[edge + 1]))
        values = {
            names[len(forest.features.dense) + i]: v
            for i, v in zip(
                forest.feat_id[row].tolist(), forest.feat_value[row].tolist(), strict=True
            )
        }
        assert values == expected_sparse(options, int(found.edge_option[edge]))


def expected_sparse(options, option):
    if option < 0:
        return {}
    said = [word for word in options.target_words(option) if word in ("A", "B")]
    found = {f"word:{word}": float(said.count(word)) for word in said}
    found[f"source:{'_'.join(options.source_words(option))}"] = 0.5
    if options.rule[option] >= 0:
        found[f"rule:{options.rule_id[option]}"] = 1.0
    return found


def test_the_score_is_that_of_all_features(decoder):
    for sentence in ("a", "b a b", "a b a b b ü"):
        found = decoder.search(sentence)
        total = sum(decoder.weights.get(n, 0.0) * v for n, v in found.best.features.items())
        assert found.best.score == pytest.approx(total, abs=1e-6)
        weight = found.forest.score(decoder.theta())
        assert found.forest.best(weight).score == pytest.approx(total, abs=1e-6)
        (alone,) = decoder.translate([sentence])
        assert alone.features == pytest.approx(found.best.features)


def test_weights_of_rules_with_gaps_steer_the_search(decoder):
    plain = decoder.with_weights(
        dict.fromkeys((*decoder.features.dense, *decoder.features.sparse), 0.0)
    )
    for sign in (1.0, -1.0):
        steered = plain.with_weights({**plain.weights, "rule:3": sign})
        best = steered.search("a b a b a").best
        assert ("rule:3" in best.features) == (sign > 0)


def test_a_score_that_is_not_a_number_is_refused(decoder, tmp_path):
    class Huge:
        names = ("huge",)

        def __call__(self, options):
            return np.where(options.gaps > 0, 1e300, 0.0)

    table = decoder.table
    huge = HieroDecoder(table, language_model(3), features=[Huge()])
    huge = huge.with_weights({**huge.weights, "huge": 1.0})
    with refuses(DecodingError, "decoding.score"):
        huge.search("a b")
    assert huge.search("a").best.words == ("A",)
