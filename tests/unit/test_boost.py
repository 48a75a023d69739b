"""Boosting: gradients of losses, planted trees, early stopping, odd data, same bytes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lists import lattice, planted
from tests.reference import boosting
from tests.reference.forest import enumerate_derivations
from tests.refusals import refuses
from tests.strategies import weighted_forests

from rosewood import _core
from rosewood.corpus import Vocabulary
from rosewood.errors import ForestError, TuningError
from rosewood.forest import FeatureSpace, Forest
from rosewood.journal import Journal
from rosewood.learn import BoostSettings, TuningSet, boost_trees, make_learner
from rosewood.learn.binning import binned
from rosewood.learn.boost_losses import PairLoss, RiskLoss
from rosewood.learn.boost_rows import listed_rows
from rosewood.learn.losses import edge_losses
from rosewood.metrics import parse_metric

WORDS = Vocabulary([f"w{i}" for i in range(40)])
BLEU = parse_metric("bleu:tokenize=none")


def lattices(numbers, *, width: int = 4, threads: int = 1) -> TuningSet:
    space = FeatureSpace([f"f{i}" for i in range(width)], ["s:1", "s:2"])
    made = [lattice(number, space, WORDS) for number in numbers]
    references = [[reference] for _, reference in made]
    return TuningSet([forest for forest, _ in made], BLEU, references, threads=threads)


def choices(seed: int, count: int) -> TuningSet:
    """One word of four at each of six places.  Where the count is at most 2, the right one has the
    best lexical score, elsewhere the best phrase score: figure 2 of the paper."""
    random = np.random.default_rng(seed)
    space = FeatureSpace(["phrase", "lexical", "count"])
    forests, references = [], []
    for _ in range(count):
        dense, words, right = [[0.0, 0.0, 0.0]], [], []
        for _ in range(6):
            times = int(random.integers(1, 5))
            options = random.normal(size=(4, 2))
            said = random.choice(len(WORDS), 4, replace=False)
            right.append(said[options[:, 1 if times <= 2 else 0].argmax()])
            dense += [[*row, times] for row in options.tolist()]
            words += said.tolist()
        edges = len(dense)
        forests.append(
            Forest(
                np.concatenate([[0], 1 + 4 * np.arange(7)]),
                np.arange(-1, edges).clip(0),
                np.repeat(np.arange(6), 4),
                features=space,
                dense=np.array(dense),
                vocabulary=WORDS,
                yield_start=np.concatenate([[0], 2 * np.arange(edges)]),
                yield_symbol=np.column_stack([np.full(len(words), -1), words]).reshape(-1),
            )
        )
        references.append([" ".join(WORDS[int(w)] for w in right)])
    return TuningSet(forests, BLEU, references)


# -- losses ----------------------------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6))
def test_pairs_against_plain_loops_and_finite_differences(seed):
    random = np.random.default_rng(seed)
    rows, count = int(random.integers(1, 9)), int(random.integers(2, 8))
    members = [random.integers(0, rows, random.integers(0, 5)).tolist() for _ in range(count)]
    pairs = [tuple(random.choice(count, 2, replace=False).tolist()) for _ in range(6)]
    start = np.cumsum([0, *map(len, members)])
    flat = np.array([row for own in members for row in own], dtype=np.int64)
    better, worse = np.array(pairs).T
    loss = PairLoss(rows, start, flat, better, worse)
    score = random.normal(size=rows)
    totals = [sum(score[row] for row in own) for own in members]
    assert loss.value(score) == pytest.approx(boosting.pairwise_loss(totals, pairs))
    target, weight = boosting.pairwise_targets(totals, pairs, members, rows)
    found = loss.targets(score)
    assert found.target == pytest.approx(target)
    assert found.weight.tolist() == weight
    assert found.target == pytest.approx(-differences(loss, score), abs=1e-6)
    along = random.normal(size=rows)
    rho = loss.step(score, along, 0.5)
    want = min(
        loss.value(score + at * along) + 0.25 * at * at for at in rho + np.linspace(-1, 1, 41)
    )
    assert loss.value(score + rho * along) + 0.25 * rho * rho <= want + 1e-9


def differences(loss, score, step=1e-6):
    return np.array(
        [
            (loss.value(score + step * unit) - loss.value(score - step * unit)) / (2 * step)
            for unit in np.eye(len(score))
        ]
    )


@settings(max_examples=50, deadline=None)
@given(weighted_forests(st.floats(-2, 2), max_derivations=12), st.integers(0, 99))
def test_risk_of_a_forest_is_that_of_all_derivations(case, seed):
    forest, score = case
    local = np.random.default_rng(seed).normal(size=forest.num_edges)
    derivations = list(enumerate_derivations(forest))
    losses = [sum(local[e] for e in edges) for edges in derivations]
    want, slopes = boosting.batch_risk(derivations, score, losses, 1.5)
    risk, slope = np.empty(1), np.empty(forest.num_edges)
    batch = _core.make_batch([forest.view], [forest.feature_view])
    _core.batch_risk(
        batch, np.array([0, forest.num_edges]), np.array(score), local, 1.5, risk, slope
    )
    assert risk[0] == pytest.approx(want)
    assert slope == pytest.approx(slopes)


@pytest.mark.parametrize("memory", [1 << 30, 1 << 12])
def test_risk_of_refined_forests_by_finite_differences(memory):
    """Edges of the forests that are refined to n-gram states share the scores of ours."""
    made = [lattice(number, FeatureSpace(["a", "b"]), WORDS, length=3) for number in range(4)]
    tuning = TuningSet(
        [forest for forest, _ in made], BLEU, [[ref] for _, ref in made], max_memory=memory
    )
    theta = np.array([0.5, -0.2])
    found = edge_losses(tuning, tuning.candidates(theta, 20), "linear", max_edges=10**6)
    loss = RiskLoss(found.batches, tuning.edge_start, scale=0.7)
    score = tuning.edge_scores(theta)
    assert loss.targets(score).target == pytest.approx(-differences(loss, score), abs=1e-6)


# -- trees -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_trees_of_figure_2_are_found():
    """Trust the lexical score where the count is at most 2."""
    tuning, other = choices(1, 120), choices(2, 120)
    theta = make_learner("pro").fit(tuning, np.ones(3), seed=1).theta
    before = other.score(theta)
    found = boost_trees(
        tuning, theta, BoostSettings(leaf="linear", rounds=2, k=100, shrinkage=1), select=other
    )
    assert found.selected > before + 30
    for tree in found.trees.trees:
        (split,) = tree.splits
        assert (split.column, split.threshold) == ("count", 2.5)
        assert tree.factors[0] in ("phrase", "lexical")
        low, high = (tree.scale * value for value in tree.values)
        assert (low > high) == (tree.factors[0] == "lexical")
    assert next(iter(found.trees.importance())) == "count"


def test_the_risk_of_forests_finds_figure_2_too():
    tuning, other = choices(1, 120), choices(2, 120)
    theta = make_learner("pro").fit(tuning, np.ones(3), seed=1).theta
    settings = BoostSettings(leaf="linear", rounds=4, shrinkage=1, loss="risk")
    found = boost_trees(tuning, theta, settings, select=other)
    assert found.selected > other.score(theta) + 50
    splits = {(s.column, s.threshold, t.factors) for t in found.trees.trees for s in t.splits}
    assert {("count", 2.5, ("lexical",)), ("count", 2.5, ("phrase",))} <= splits


@pytest.mark.parametrize("loss", ["pairs", "risk"])
@pytest.mark.parametrize("leaf", ["constant", "linear", "product"])
def test_the_loss_falls_in_every_round(loss, leaf):
    tuning = choices(1, 40)
    chosen = BoostSettings(loss=loss, leaf=leaf, rounds=4, leaves=4, k=50, samples=500, scale=0.5)
    found = boost_trees(tuning, np.array([1.0, 1.0, 0.0]), chosen)
    losses = [row["loss"] for row in found.history]
    assert len(losses) == 5
    assert all(after < before for before, after in pairwise(losses))
    assert [row["round"] for row in found.history] == list(range(5))
    # What trees add up to is what was learnt.
    rows, hypotheses = listed_rows(tuning, found.theta, 50)
    best = hypotheses.best(rows.base + found.trees.score(rows.values))
    if loss == "pairs":
        score = tuning.metric.score(hypotheses.statistics[best])
        assert score == pytest.approx(found.score)
        assert found.score == found.history[-1]["score"]


def test_lists_are_boosted_by_their_own_columns():
    """An n-best list has no edges: trees look at whole candidates."""
    tuning = planted(np.array([1.0, 0.5, 0.0]), lists=60)
    found = boost_trees(tuning, np.array([1.0, 0.0, 0.0]), BoostSettings(rounds=5, leaves=3))
    assert found.history[-1]["loss"] < found.history[0]["loss"]
    assert {split.column for tree in found.trees.trees for split in tree.splits} <= {
        "f0", "f1", "f2"
    }  # fmt: skip
    assert "f1" in found.trees.importance()


def test_other_weights_may_choose_the_candidates():
    """Lists that another system made: its k best strings, scored by θ."""
    tuning = lattices(range(4))
    theta, other = np.array([1.0, 0, 0, 0, 0, 0]), np.array([0, 1.0, 0, 0, 0, 0])
    rows, hypotheses = listed_rows(tuning, theta, 3, other)
    wanted = []
    for i, forest in enumerate(tuning.each()):
        found = forest.k_best(forest.score(other), 3, distinct=True)
        wanted.append(tuning.statistics_of_texts(i, found.texts()))
        first = hypotheses.list_start[i]
        own = hypotheses.row[hypotheses.start[first] : hypotheses.start[first + 1]]
        assert rows.base[own].sum() == pytest.approx(forest.score(theta)[found[0].edges].sum())
    assert (hypotheses.statistics == np.concatenate(wanted)).all()
    settings = BoostSettings(k=3, rounds=2, samples=50, threshold=0, min_weight=1)
    found = boost_trees(tuning, theta, settings, select=tuning, lists=other)
    assert found.history[0]["score"] == BLEU.score(
        hypotheses.statistics[hypotheses.best(rows.base)]
    )
    with refuses(ForestError, "argument.shape", argument="lists"):
        boost_trees(tuning, theta, settings, lists=[1.0])


def test_the_last_round_is_chosen_on_another_set():
    tuning, other = lattices(range(12)), lattices(range(100, 112))
    theta = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    chosen = BoostSettings(rounds=12, patience=4, leaves=8, min_weight=1, k=30, samples=300)
    found = boost_trees(tuning, theta, chosen, select=other)
    scores = [row["selected"] for row in found.history]
    assert found.selected == max(scores)
    assert len(found.trees) == scores.index(max(scores))
    assert len(scores) - 1 <= min(12, len(found.trees) + 4)
    assert found.score == found.history[len(found.trees)]["score"]
    assert boost_trees(tuning, theta, chosen).trees.trees[: len(found.trees)] == found.trees.trees


@pytest.mark.parametrize("loss", ["pairs", "risk"])
def test_threads_memory_and_kills_change_nothing(loss, tmp_path):
    chosen = BoostSettings(loss=loss, rounds=4, leaves=4, k=30, samples=300)
    theta = np.array([1.0, 0.2, 0.0, 0.0, 0.1, 0.0])
    want = boost_trees(lattices(range(8)), theta, chosen).trees.to_dict()
    assert boost_trees(lattices(range(8), threads=3), theta, chosen).trees.to_dict() == want
    small = lattices(range(8))
    low = TuningSet(list(small.forests), BLEU, small.references, max_memory=1 << 13)
    assert boost_trees(low, theta, chosen).trees.to_dict() == want
    told: list[dict] = []

    def stop(row):
        told.append(row)
        if len(told) == 2:
            raise KeyboardInterrupt

    journal = tmp_path / "journal"
    with pytest.raises(KeyboardInterrupt):
        boost_trees(lattices(range(8)), theta, chosen, journal=Journal(journal), report=stop)
    record = Journal(journal)
    assert len(record) == 2
    assert boost_trees(lattices(range(8)), theta, chosen, journal=record).trees.to_dict() == want
    assert (
        boost_trees(lattices(range(8)), theta, chosen, seed=1).trees.to_dict() != want
        or loss == "risk"
    )


# -- odd data --------------------------------------------------------------------------------------


def of_rows(*lists, good=None):
    space = FeatureSpace(["a", "b"])
    forests = [
        Forest.from_nbest([f"w{n}" for n in range(len(rows))], rows, features=space)
        for rows in lists
    ]
    return TuningSet(forests, BLEU, [["w0"]] * len(lists))


def test_constant_columns_have_no_splits():
    tuning = of_rows(np.array([[1.0, 5.0], [0.0, 5.0], [2.0, 5.0]]))
    chosen = BoostSettings(min_weight=0.5, rounds=3, leaves=256)
    found = boost_trees(tuning, np.array([0.1, 0.0]), chosen)
    assert {split.column for tree in found.trees.trees for split in tree.splits} == {"a"}
    assert all(len(tree.values) <= 3 for tree in found.trees.trees)  # no more leaves than rows
    same = of_rows(np.full((3, 2), 5.0))
    assert len(boost_trees(same, np.zeros(2), chosen).trees) == 0


def test_one_candidate_has_no_pairs():
    with refuses(TuningError, "tuning.no-pairs", argument="threshold"):
        boost_trees(of_rows(np.ones((1, 2))), np.ones(2))


def test_one_pair():
    tuning = of_rows(np.array([[1.0, 0.0], [0.0, 0.0]]))
    found = boost_trees(tuning, np.zeros(2), BoostSettings(keep=1, min_weight=1, rounds=1))
    (tree,) = found.trees.trees
    assert tree.splits[0].threshold == 0.5
    assert tree.values[1] > 0 > tree.values[0]


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_refused(number):
    rows = np.zeros((20_000, 2))
    rows[17_000, 1] = number
    with refuses(TuningError, "tuning.not-finite", argument="b", value=17_000):
        binned(rows, ("a", "b"))


def test_bins_are_cut_half_way_or_at_quantiles():
    random = np.random.default_rng(1)
    rows = np.column_stack([random.integers(0, 5, 1000), random.normal(size=1000), np.ones(1000)])
    found = binned(rows, ("few", "many", "one"))
    assert [each.tolist() for each in (found.cuts[0], found.cuts[2])] == [[0.5, 1.5, 2.5, 3.5], []]
    assert found.counts.tolist() == [5, 255, 1]
    sizes = np.bincount(found.bin[1])
    assert 1 <= sizes.min() <= sizes.max() <= 12
    for cuts, column, bins in zip(found.cuts, rows.T, found.bin, strict=True):
        for number, cut in enumerate(cuts):
            assert ((column <= cut) == (bins <= number)).all()
    assert found.values[0].tolist() == [0, 1, 2, 3, 4]
    assert found.values[1] is None
    near = np.array([[1.0], [np.nextafter(1.0, 2.0)]])
    assert binned(near, ("x",)).bin.tolist() == [[0, 1]]


def test_rare_values_have_bins():
    """Of 100,000 rows, 390 are not 0: they are told apart, and from 0."""
    random = np.random.default_rng(1)
    rows = np.zeros((100_000, 1))
    rows[random.choice(100_000, 390, replace=False), 0] = np.abs(random.normal(size=390)) + 0.1
    found = binned(rows, ("rare",))
    assert 200 < found.counts[0] <= 255
    assert ((found.bin[0] == 0) == (rows[:, 0] == 0)).all()


def test_values_that_the_sample_has_not_are_read_from_rows():
    rows = np.zeros((400_001, 1))
    rows[1::3] = 1.0  # the sample is every third row from the first one on
    found = binned(rows, ("x",))
    assert found.values == [None]
    assert found.counts.tolist() == [1]


def test_without_dense_features_there_is_nothing_to_look_at():
    sparse = Forest.from_nbest(["a", "b"], sparse=[{"s:1": 1.0}, {"s:2": 1.0}])
    with refuses(TuningError, "argument.missing", argument="features"):
        boost_trees(TuningSet([sparse], BLEU, [["a"]]), np.ones(2))
