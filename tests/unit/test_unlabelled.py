"""Learning from forests without references: entropy falls, scores and statistics do not know."""

from __future__ import annotations

import numpy as np
import pytest
from tests.lists import as_list, lattice
from tests.refusals import refuses

from rosewood.corpus import Vocabulary
from rosewood.errors import TuningError
from rosewood.forest import FeatureSpace, Forest, ForestSet, ForestSetWriter
from rosewood.learn import LEARNERS, TuningSet, make_learner, tune_loop
from rosewood.learn.forest_pruning import prune_set
from rosewood.metrics import parse_metric

BLEU = parse_metric("bleu:tokenize=none")
WORDS = Vocabulary([f"w{i}" for i in range(12)])
SPACE = FeatureSpace(["right", "noise"], ["s:1", "s:2"])
MADE = [lattice(number, SPACE, WORDS, length=4) for number in range(20)]
LABELLED = 12
UNLABELLED = len(MADE) - LABELLED
REFERENCES = [[reference] for _, reference in MADE[:LABELLED]]
QUICK = {
    "mr": {"iterations": 8},
    "mr-da": {"iterations": 4, "stages": 2, "quench": 1},
    "likelihood": {"iterations": 8},
}


def forests(kind: str = "forests") -> list[Forest]:
    return [forest if kind == "forests" else as_list(forest) for forest, _ in MADE]


def labelled(kind: str = "forests", **options) -> TuningSet:
    return TuningSet(forests(kind)[:LABELLED], BLEU, REFERENCES, **options)


def both(kind: str = "forests", **options) -> TuningSet:
    return TuningSet(forests(kind), BLEU, REFERENCES, unlabelled=UNLABELLED, **options)


def fitted(tuning: TuningSet, method: str = "mr", **more):
    learner = make_learner(method, {**QUICK[method], **more})
    return learner.fit(tuning, np.ones(4), seed=3)


@pytest.mark.parametrize("kind", ["forests", "lists"])
def test_a_set_counts_only_forests_with_references(kind):
    one, other = labelled(kind), both(kind)
    assert len(other) == LABELLED
    assert len(other.forests) == LABELLED
    assert len(other.unlabelled) == UNLABELLED
    theta = np.array([1.0, 0.3, 0.2, -0.1])
    assert other.score(theta) == one.score(theta)
    assert other.num_edges == one.num_edges
    assert other.statistics.tobytes() == one.statistics.tobytes()
    assert other.identity() != one.identity()
    assert other.subset([0, 3]).unlabelled is other.unlabelled
    assert one.unlabelled is None


@pytest.mark.parametrize("method", list(QUICK))
@pytest.mark.parametrize("kind", ["forests", "lists"])
def test_more_weight_on_entropy_leaves_less_of_it(method, kind):
    fits = [fitted(both(kind), method, unlabelled_entropy=weight) for weight in (0, 10)]
    before, after = ([fit.facts[f"entropy_{x}"] for fit in fits] for x in ("before", "after"))
    assert before[0] == before[1] > 0
    assert after[0] > after[1] > 0
    plain = fitted(labelled(kind), method)
    assert fits[0].theta.tobytes() == plain.theta.tobytes()  # 0 ignores them
    assert plain.facts == {}


def test_entropy_is_that_of_derivations():
    fit = fitted(both(), "mr-da")
    found = []
    for forest, _ in MADE[LABELLED:]:
        weight = 2.0 * forest.score(fit.theta)  # γ of the last stage
        strings = forest.k_best(weight, 10_000)
        p = np.exp([each.score for each in strings])
        p /= p.sum()
        found.append(-float(p @ np.log(p)))
    assert fit.facts["entropy_after"] == pytest.approx(np.mean(found))


@pytest.mark.parametrize("more", [{}, {"optimizer": "stochastic", "epochs": 2, "batch_size": 7}])
def test_neither_memory_nor_threads_matter(tmp_path, more):
    with ForestSetWriter(tmp_path / "set.rwf", features=SPACE, vocabulary=WORDS) as out:
        for forest in forests():
            out.append(forest)
    wanted = fitted(both(), **more)
    for options in ({"max_memory": 1}, {"threads": 3}, {"max_memory": 20_000, "threads": 2}):
        tuning = TuningSet(ForestSet(tmp_path / "set.rwf"), BLEU, REFERENCES,
                           unlabelled=UNLABELLED, **options)  # fmt: skip
        fit = fitted(tuning, **more)
        assert fit.theta.tobytes() == wanted.theta.tobytes()
        assert (fit.facts, fit.history) == (wanted.facts, wanted.history)


def test_features_that_vary_in_unlabelled_lists_alone_change_nothing():
    space = FeatureSpace(("useful", "constant"))
    random = np.random.default_rng(0)
    lists = []
    for number in range(30):
        x = random.standard_normal((6, 2)) * (1.0, 0.0 if number < 20 else 1.0)
        places = np.argsort(np.argsort(-x[:, 0])).tolist()
        texts = [" ".join(["a"] * 4 + ["x"] * place) for place in places]
        lists.append(Forest.from_nbest(texts, x, features=space))
    references = [["a a a a"]] * 20
    fit = make_learner("mr", QUICK["mr"]).fit(
        TuningSet(lists, BLEU, references, unlabelled=10), np.ones(2)
    )
    same = [each.derive(dense=each.dense * (1.0, 0.0)) for each in lists]
    plain = make_learner("mr", QUICK["mr"]).fit(
        TuningSet(same, BLEU, references, unlabelled=10), np.ones(2)
    )
    assert fit.theta[1] == 0.0
    assert fit.theta.tolist() == plain.theta.tolist()
    assert fit.facts == plain.facts


@pytest.mark.parametrize("method", [name for name, kind in LEARNERS.items()
                                    if not kind.takes_unlabelled])  # fmt: skip
def test_other_learners_refuse_them(method):
    with refuses(TuningError, "argument.conflict", argument="unlabelled"):
        make_learner(method).fit(both("lists"), np.ones(4))
    with refuses(TuningError, "argument.conflict"):
        tune_loop(decode, make_learner(method), BLEU, REFERENCES, unlabelled=UNLABELLED)


@pytest.mark.parametrize("count", [-1, len(MADE), 1.5, True])
def test_some_forests_have_references(count):
    with refuses(TuningError, "argument.type" if count in (1.5, True) else "argument.range",
                 argument="unlabelled", value=count):  # fmt: skip
        TuningSet(forests(), BLEU, REFERENCES, unlabelled=count)


def test_pruning_does_not_ask_for_their_risk(tmp_path):
    theta = np.array([1.0, 0.3, 0.2, -0.1])
    one = prune_set(labelled(), theta, 2.0, tmp_path / "one.rwf")
    all_of_them = prune_set(both(threads=2), theta, 2.0, tmp_path / "both.rwf")
    assert len(all_of_them.forests) == len(MADE)
    assert all(each.num_edges < forest.num_edges
               for each, forest in zip(all_of_them.forests, forests(), strict=True))  # fmt: skip
    assert all_of_them.facts.risk_change == one.facts.risk_change
    assert all_of_them.facts.dropped > one.facts.dropped
    for each, other in zip(one.forests, all_of_them.forests, strict=False):
        assert each.dense.tobytes() == other.dense.tobytes()


# -- the loop --------------------------------------------------------------------------------------


def decode(weights, number):
    """Other lattices of the same sentences in each round, first those with references."""
    for place, (forest, _) in enumerate(MADE):
        random = np.random.default_rng([number, place])
        dense = forest.dense + 0.1 * random.standard_normal(forest.dense.shape)
        yield forest.derive(dense=dense)


def run(decode=decode, learner=None, **options):
    return tune_loop(
        decode, learner or make_learner("mr", {"iterations": 3}), BLEU, REFERENCES,
        **{"start": {"right": 1.0, "noise": 0.5}, "rounds": 2, "unlabelled": UNLABELLED, **options},
    )  # fmt: skip


def test_a_loop_does_not_score_them():
    def without(weights, number):
        return list(decode(weights, number))[:LABELLED]

    found, plain = run(), run(without, unlabelled=0)
    assert found.history[0]["score"] == plain.history[0]["score"]
    row = found.history[0]
    assert row["entropy_before"] > row["entropy_after"] > 0
    assert "entropy_after" not in plain.history[0]
    ignored = run(learner=make_learner("mr", {"iterations": 3, "unlabelled_entropy": 0}))
    assert ignored.weights == plain.weights
    assert found.weights != plain.weights


@pytest.mark.parametrize("memory", [1, 10_000])
def test_memory_does_not_matter_to_a_loop(memory):
    small, large = (run(max_memory=m, edges_per_word=4.0) for m in (memory, 1 << 30))
    assert (small.weights, small.history) == (large.weights, large.history)


class Stopped(Exception):
    pass


@pytest.mark.parametrize("when", [1, 2])
def test_a_killed_loop_goes_on(tmp_path, when):
    whole = run(edges_per_word=4.0)

    def mortal(weights, number):
        for place, forest in enumerate(decode(weights, number)):
            if number > when and place > LABELLED:
                raise Stopped
            yield forest

    options = {"edges_per_word": 4.0, "folder": tmp_path}
    with pytest.raises(Stopped):
        run(mortal, **options)
    with refuses(TuningError, "file.mismatch", file=str(tmp_path)):
        run(**options, unlabelled=UNLABELLED - 1)
    again = run(**options)
    assert (again.weights, again.score, again.history) == (
        whole.weights, whole.score, whole.history
    )  # fmt: skip


def test_the_decoder_must_answer_for_them_too():
    def few(weights, number):
        return list(decode(weights, number))[:LABELLED]

    with refuses(TuningError, "argument.shape", value=LABELLED, expected=len(MADE)):
        run(few)
    with refuses(TuningError, "argument.range", argument="unlabelled", value=-1):
        run(unlabelled=-1)
