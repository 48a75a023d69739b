"""Every learner: what it finds, what it refuses, and that threads and seeds do what they should."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from random import Random

import numpy as np
import pytest
from tests.large_feature_models import large_set
from tests.lists import cosine, planted, small_texts
from tests.real import path_of
from tests.refusals import refuses

from rosewood.decode.large_features import FIXED
from rosewood.errors import TuningError
from rosewood.forest import FeatureSpace, Forest
from rosewood.learn import (
    L1,
    LEARNERS,
    Annealed,
    Likelihood,
    Mert,
    MinimumRisk,
    Mira,
    Pro,
    TuningSet,
    check_weights,
    make_learner,
    normalize,
)
from rosewood.learn.candidates import spread
from rosewood.metrics import parse_metric

BLEU = parse_metric("bleu:tokenize=none")
WEIGHTS = np.array([1.0, -2.0, 0.5, 0.0, 3.0])
QUICK = {
    "mert": {"restarts": 4, "passes": 5},
    "mira": {"passes": 20, "step": 0.1},
    "pro": {"rounds": 1, "samples": 200},
    "l1": {"passes": 3, "samples": 200},
    "mr": {"iterations": 20},
    "mr-da": {"iterations": 5, "stages": 2, "quench": 1},
    "likelihood": {"iterations": 20},
}


# -- all of them -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("learner", [Pro(), Mira(), MinimumRisk(), Annealed(), Likelihood(),
                                     MinimumRisk(optimizer="stochastic")])  # fmt: skip
def test_planted_weights_are_found(learner):
    tuning = planted(WEIGHTS, noise=0.1, threads=2)
    fit = learner.fit(tuning, np.zeros(5))
    assert cosine(fit.theta, WEIGHTS) >= 0.99
    assert fit.score == pytest.approx(tuning.score(fit.theta))
    assert fit.history


@pytest.mark.slow
@pytest.mark.parametrize("learner", [Pro(), Mira(), MinimumRisk(), Annealed(), Mert(restarts=4)])
def test_features_of_any_size(learner):
    """A log probability of -1000 and a ratio near 1 are the same to a learner."""
    scale = np.array([1000.0, 1e-3, 1.0, 10.0, 0.1])
    tuning = planted(WEIGHTS / scale, scale=scale, noise=0.1)
    fit = learner.fit(tuning, np.zeros(5))
    assert cosine(fit.theta * scale, WEIGHTS) >= 0.98


@pytest.mark.slow
@pytest.mark.parametrize("learner", [Pro(), Mira(), MinimumRisk(), Annealed()])
def test_sparse_features_are_tuned_too(learner):
    fit = learner.fit(planted(WEIGHTS, noise=0.1, sparse=3), np.zeros(5))
    assert cosine(fit.theta, WEIGHTS) >= 0.99


@pytest.mark.slow
def test_l1_leaves_out_what_does_not_matter():
    weights = np.array([2.0, -1.0] + [0.0] * 20)
    fit = L1(penalty=0.05).fit(planted(weights, noise=0.5, sparse=20), np.zeros(22))
    assert np.count_nonzero(fit.theta[2:]) <= 4
    assert cosine(fit.theta, weights) > 0.9
    assert fit.history[-1]["active"] == np.count_nonzero(fit.theta)


@pytest.mark.slow
@pytest.mark.parametrize("method", list(LEARNERS))
def test_threads_do_not_matter_and_seeds_repeat(method):
    learner = make_learner(method, QUICK.get(method))
    found = [
        learner.fit(planted(WEIGHTS, lists=60, candidates=8, noise=0.5, threads=n), np.ones(5),
                    seed=7)
        for n in (1, 2, 5)
    ]  # fmt: skip
    for fit in found[1:]:
        assert fit.theta.tobytes() == found[0].theta.tobytes()
        assert fit.history == found[0].history


@pytest.mark.parametrize("method", list(LEARNERS))
def test_every_learner_reports_its_rounds(method):
    rounds = []
    tuning = planted(WEIGHTS, lists=30, candidates=6)
    fit = make_learner(method, QUICK.get(method)).fit(tuning, np.ones(5), report=rounds.append)
    assert rounds == fit.history
    assert [row["round"] for row in rounds] == list(range(1, len(rounds) + 1))
    assert all(isinstance(row["score"], float) for row in rounds)


@pytest.mark.parametrize("method", list(LEARNERS))
def test_every_learner_takes_forests(method):
    random = np.random.default_rng(3)
    packed = [_lattice(random) for _ in range(12)]
    tuning = TuningSet(packed, BLEU, [["a b c a b"]] * 12, threads=2)
    fit = make_learner(method, QUICK.get(method)).fit(tuning, np.ones(2))
    assert np.isfinite(fit.theta).all()
    assert fit.score > (85 if method in QUICK else tuning.score(np.ones(2)))


def _lattice(random) -> Forest:
    from rosewood.forest import ForestBuilder

    builder = ForestBuilder(features=FeatureSpace(("good", "noise")))
    node = builder.node()
    builder.edge(node, says=[], features={"good": 0.0, "noise": 0.0})
    for word in ["a", "b", "c", "a", "b"]:
        following = builder.node()
        for said in (word, "x", "y"):
            good = float(said == word) + 0.3 * random.standard_normal()
            noise = random.standard_normal()
            builder.edge(following, [node], [0, said], {"good": good, "noise": noise})
        node = following
    return builder.build(node)


@pytest.mark.parametrize("learner", [Mira(search="forest", passes=20), MinimumRisk(), Annealed()])
def test_learning_from_whole_forests(learner):
    random = np.random.default_rng(4)
    packed = [_lattice(random) for _ in range(60)]
    tuning = TuningSet(packed, BLEU, [["a b c a b"]] * 60)
    fit = learner.fit(tuning, np.zeros(2))
    assert fit.theta[0] > 0
    assert abs(fit.theta[1]) < 0.35 * fit.theta[0]
    assert fit.score > 90


@pytest.mark.parametrize("method", ["mert", "mr", "mira", "pro"])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_what_never_varies_gets_no_weight(method, kind):
    """Constant within lists here, it may be anything elsewhere: a weight would be a guess."""
    random = np.random.default_rng(0)
    space = FeatureSpace(("a", "b", "same") if kind == "dense" else ("a", "b"))
    lists, scores = [], []
    for i in range(60):
        rows = random.standard_normal((10, 2))
        scores.append({"good": rows @ [1.0, 0.5]})
        same = 0.1 * (1 + i % 7)
        dense = np.column_stack([rows, np.full(10, same)]) if kind == "dense" else rows
        tables = [{} if kind == "dense" else {"s:same": same}] * 10
        lists.append(Forest.from_nbest([["w"]] * 10, dense, sparse=tables, features=space))
    tuning = TuningSet(lists, parse_metric("column:good"), [()] * 60, scores=scores)
    fit = make_learner(method, QUICK.get(method)).fit(tuning, np.ones(3))
    assert fit.theta[2] == 0.0
    assert cosine(fit.theta[:2], np.array([1.0, 0.5])) > 0.98


@pytest.mark.parametrize("size", [1e-30, 1e-13, 1e10, 1e100])
def test_weights_are_large_where_features_are_small(size):
    tuning = planted(WEIGHTS[:3] / [size, 1, 1], scale=np.array([size, 1, 1]), noise=0.1)
    for method in ("mert", "mira", "pro", "mr"):
        fit = make_learner(method, QUICK.get(method)).fit(tuning, np.zeros(3))
        check_weights(fit.theta, None, fit.units)
        assert cosine(fit.theta * [size, 1, 1], WEIGHTS[:3]) > 0.95


def test_one_wild_score_does_not_decide_what_a_difference_is():
    tuning = planted(WEIGHTS, noise=0.1)
    wild = tuning.statistics.copy()
    wild[5, 0] = -1000.0
    tuning._table = wild
    fit = Pro(rounds=1).fit(tuning, np.zeros(5))
    assert cosine(fit.theta, WEIGHTS) > 0.98


def test_linear_bleu_tells_what_it_was_fitted_to():
    tuning = small_texts(3, lists=20)
    fit = MinimumRisk(loss="linear").fit(tuning, np.zeros(3))
    assert "linear-bleu|p:" in fit.notes[0]
    assert "|C:" in fit.notes[0]


def test_temperatures_fall_and_then_gamma_grows():
    plan = [terms for _, terms in Annealed(hottest=2.0, stages=3, quench=2).stages_of(10)]
    assert [terms.entropy for terms in plan] == [-0.2, -0.1, -0.05, 0.0, 0.0, 0.0]
    assert [terms.scale for terms in plan] == [1.0, 1.0, 1.0, 1.0, 2.0, 4.0]
    assert {(terms.risk, terms.log_loss) for terms in plan} == {(1.0, 0.0)}


def test_a_reward_for_entropy_keeps_choices_open():
    """Hot weights are short, and so are those of likelihood with a reward; a penalty stretches."""
    tuning = planted(WEIGHTS, noise=1.0, lists=80, candidates=8)

    def length(learner) -> float:
        return float(np.abs(learner.fit(tuning, np.zeros(5)).theta).sum())

    assert length(MinimumRisk(entropy=2.0)) < 0.5 * length(MinimumRisk())
    assert length(Likelihood(entropy=-0.5)) < length(Likelihood()) < length(Likelihood(entropy=0.5))


# -- what is refused -------------------------------------------------------------------------------


def test_degenerate_weights_are_refused():
    with refuses(TuningError, "tuning.diverged", argument="lm"):
        check_weights(np.array([1.0, np.nan]), ["tm", "lm"])
    with refuses(TuningError, "tuning.zero-weights"):
        check_weights(np.zeros(3))
    with refuses(TuningError, "tuning.exploded", argument="1"):
        check_weights(np.array([1.0, 1e300]))
    check_weights(np.array([0.0, 1e-5]))


def test_normalisation():
    theta = np.array([3.0, -4.0])
    assert normalize(theta, "l1").tolist() == pytest.approx([3 / 7, -4 / 7])
    assert normalize(theta, "l2").tolist() == pytest.approx([0.6, -0.8])
    assert normalize(theta, "none") is theta
    assert not normalize(np.zeros(2), "l1").any()
    with refuses(TuningError, "argument.choice", argument="normalization", value="l3"):
        normalize(theta, "l3")


def test_settings_are_checked():
    assert make_learner("mira", {"step": "0.5", "passes": "7"}) == Mira(step=0.5, passes=7)
    for name, value, code in [
        ("passes", "many", "argument.type"),
        ("passes", 0, "argument.range"),
        ("decay", 1.5, "argument.range"),
        ("step", float("nan"), "argument.range"),
        ("step", "x", "argument.type"),
        ("passes", 1.5, "argument.type"),
        ("passes", True, "argument.type"),
        ("search", "nowhere", "argument.choice"),
    ]:
        with refuses(TuningError, code, argument=name, value=value):
            make_learner("mira", {name: value})
    with refuses(TuningError, "argument.unknown", argument="setting", value="stap"):
        make_learner("mira", {"stap": 1})
    with refuses(TuningError, "argument.unknown", argument="learner", value="mertt"):
        make_learner("mertt")


def test_listing_learners_imports_nothing():
    code = (
        "import sys\nfrom rosewood.learn import LEARNERS\nprint(*LEARNERS.helps())\n"
        "assert not {'numpy', 'scipy', 'rosewood.forest'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == list(LEARNERS)


def test_every_setting_explains_itself():
    for kind in LEARNERS.values():
        assert kind.__doc__
        for each in fields(kind):
            assert each.metadata["help"], f"{kind}: {each.name}"


def test_nothing_to_rank():
    tuning = planted(np.zeros(2), lists=4, candidates=4)
    with refuses(TuningError, "tuning.no-pairs", argument="threshold"):
        Pro().fit(tuning, np.ones(2))


def test_tuning_sets_are_checked():
    space = FeatureSpace(("f",))
    good = Forest.from_nbest(["a b", "c"], [[1.0], [2.0]], features=space)
    with refuses(TuningError, "argument.missing", argument="forests"):
        TuningSet([], BLEU, [])
    with refuses(TuningError, "argument.shape", argument="references", value=2, expected=1):
        TuningSet([good], BLEU, [["a"], ["b"]])
    other = Forest.from_nbest(["a"], [[1.0]], features=FeatureSpace(("g",)))
    with refuses(TuningError, "tuning.other-features", value="1"):
        TuningSet([good, other], BLEU, [["a"], ["b"]])
    with refuses(TuningError, "forest.empty", value="1"):
        TuningSet([good, Forest.empty(features=space)], BLEU, [["a"], ["b"]])
    from rosewood.errors import MetricError

    with refuses(MetricError, "metric.no-reference", value=0) as refused:
        TuningSet([good, good], BLEU, [["a"], []])
    assert str(refused.value).startswith("1: ")  # the name of its list


def test_spread_is_a_deviation_within_lists():
    tuning = planted(WEIGHTS, lists=50, sparse=2, scale=np.array([1.0, 5, 0.1, 2, 7]))
    candidates = tuning.candidates(np.zeros(5), 1)
    table = candidates.matrix().toarray().reshape(50, 20, 5)
    expected = np.sqrt(((table - table.mean(axis=1, keepdims=True)) ** 2).mean(axis=(0, 1)))
    assert np.allclose(spread(candidates), expected)


def test_a_feature_that_does_not_vary_is_left_alone():
    space = FeatureSpace(("constant", "useful"))
    random = np.random.default_rng(0)
    lists, scores = [], []
    for _ in range(30):
        x = random.standard_normal(5)
        rows = np.column_stack([np.full(5, -1234.56), x])
        lists.append(Forest.from_nbest([["w"]] * 5, rows, features=space))
        scores.append({"good": x})
    tuning = TuningSet(lists, parse_metric("column:good"), [()] * 30, scores=scores)
    for learner in (Mert(restarts=3), Mira(), MinimumRisk(), Pro()):
        fit = learner.fit(tuning, np.array([1.0, 0.0]))
        assert fit.theta[1] > 0
        assert fit.score == pytest.approx(np.mean([s["good"].max() for s in scores]))


# -- real lists ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real() -> tuple[TuningSet, TuningSet]:
    from rosewood.rerank import forest_set, read_candidates

    files = [path_of(f"nbest-de-en/{part}.jsonl.gz") for part in ("dev", "test")]
    sets = [forest_set(read_candidates(file)) for file in files]
    dev, test = (TuningSet(each, BLEU, threads=2) for each in sets)
    return dev, test


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "least_dev", "least_test"),
    [("mert", 41.0, 39.4), ("pro", 0.0, 39.7), ("mr", 0.0, 39.7), ("mr-da", 0.0, 39.7),
     ("mira", 0.0, 40.2)],
)  # fmt: skip
def test_real_lists(real, method, least_dev, least_test):
    dev, test = real
    start = np.zeros(len(dev.features))
    fit = make_learner(method).fit(dev, start)
    assert fit.score >= least_dev
    assert test.score(fit.theta) >= least_test


def renamed(tuning, names):
    """The same lists with other names of dense features."""
    space = FeatureSpace(names)
    return tuning.changed(lambda _, forest: forest.derive(features=space), space, 0)


@pytest.mark.parametrize("method", ["pro", "mira", "mr", "l1", "oscar"])
def test_weights_of_indicators_stay_small(method):
    """Columns of the large set are recognised by their names; others are tuned as before."""
    tuning = planted(np.array([1.0, 0.5, 0.5, -0.3]), lists=100, noise=1.0, seed=5)
    names = tuning.features.dense
    start = np.ones(4)
    learner = make_learner(method, QUICK.get(method, {}))
    plain = learner.fit(tuning, start, seed=1).theta
    same = learner.fit(renamed(tuning, [f"x{n}" for n in names]), start, seed=1).theta
    assert same.tolist() == plain.tolist()
    start[2] = 0.0
    named = [*names[:2], "inserts_the", names[3]]
    theta = learner.fit(renamed(tuning, named), start, seed=1).theta
    plain = learner.fit(tuning, start, seed=1).theta
    assert abs(theta[2] / theta[0]) < 0.3 * abs(plain[2] / plain[0])


def test_indicators_of_the_large_set_are_known_by_name():
    large = large_set(Random(3))
    space = FeatureSpace([*large.names, "lm", "phrase_ef", "deletes"])
    told = dict(zip(space.dense, space.indicators.tolist(), strict=True))
    assert [name for name, is_one in told.items() if not is_one] == [
        *FIXED, "lm", "phrase_ef", "deletes",
    ]  # fmt: skip
    assert FeatureSpace().indicators.tolist() == []
