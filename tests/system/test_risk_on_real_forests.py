"""Minimum risk on forests of both decoders: gradients, losses of derivations, slices, lists."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.training import write_book

from rosewood.forest import Forest, ForestSet, ForestSetWriter, prune, refine
from rosewood.learn import MinimumRisk, Objective, Terms, TuningSet
from rosewood.learn.forest_pruning import prune_set
from rosewood.learn.losses import edge_losses, fit_linear
from rosewood.metrics import parse_metric
from rosewood.pipeline import TrainingInputs, TrainingSettings, Translator, train

pytestmark = pytest.mark.slow

BLEU = parse_metric("bleu:tokenize=none")
TERMS = {
    "risk": Terms(risk=1.0),
    "annealed": Terms(risk=1.0, entropy=-0.02, scale=2.0),
}


@pytest.fixture(scope="module", params=["phrase", "hiero"])
def path(request, tmp_path_factory) -> Path:
    """Forests of development sentences with references, as a decoder finds them."""
    place = write_book(tmp_path_factory.mktemp("risk"), train=200, dev=50, test=10)
    inputs = TrainingInputs(
        place / "train.en", place / "train.de", dev=(place / "dev.en", place / "dev.de")
    )
    settings = TrainingSettings(
        aligner="model1", lm_order=2, decoder=request.param, tune="none", pop_limit=15
    )
    translator = Translator.load(train(inputs, place / "model", settings).folder)
    sources = (place / "dev.en").read_text("utf-8").splitlines()
    references = (place / "dev.de").read_text("utf-8").splitlines()
    path = place / "dev.rwf"
    with ForestSetWriter(path) as writer:
        for number, (source, reference) in enumerate(zip(sources, references, strict=True)):
            prepared, found = translator.search(source)
            assert prepared.source is not None
            words = translator.bundle.target_text.encode(reference).words
            writer.append(found.forest, {"id": str(number), "refs": [" ".join(words)]})
    return path


def start_of(tuning: TuningSet) -> np.ndarray:
    dense = len(tuning.features.dense)
    return np.concatenate([np.full(dense, 0.1), np.zeros(len(tuning.features) - dense)])


@pytest.mark.parametrize("terms", list(TERMS))
def test_gradients_are_slopes(path, terms):
    tuning = TuningSet(ForestSet(path), BLEU)
    theta = start_of(tuning)
    losses = edge_losses(tuning, tuning.candidates(theta, 50), "linear", max_edges=10**7)
    objective = Objective(
        losses.batches, np.ones(len(theta)), l2=0.01, word_gain=losses.word_gain, brevity=0.3
    )
    value, gradient = objective(theta, TERMS[terms])
    assert np.isfinite(value)
    random = np.random.default_rng(1)
    steps = [*np.eye(len(theta))[:6], *random.normal(size=(3, len(theta)))]
    for step in steps:
        h = 1e-5
        up, down = (objective(theta + sign * h * step, TERMS[terms])[0] for sign in (1, -1))
        assert gradient @ step == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-6)


def test_losses_of_edges_add_up_to_those_of_strings(path):
    """For derivations drawn at random, exactly (up to the order of additions)."""
    forests = ForestSet(path)
    tuning = TuningSet(forests, BLEU)
    theta = start_of(tuning)
    linear = fit_linear(tuning, tuning.candidates(theta, 50))
    for number in range(0, len(forests), 7):
        refined = refine(forests[number], linear.orders)
        loss = linear.edge_losses(refined, tuning.references[number])
        drawn = refined.forest.sample(refined.forest.score(theta), 20, seed=number)
        strings = linear.loss(drawn.texts(), tuning.references[number])
        sums = [loss[each.edges].sum() for each in drawn]
        np.testing.assert_allclose(sums, strings, rtol=1e-12, atol=1e-15)


def test_slices_and_threads_do_not_matter(path):
    found = []
    for memory, threads in ((1, 1), (1 << 21, 2), (1 << 40, 3)):
        tuning = TuningSet(ForestSet(path), BLEU, max_memory=memory, threads=threads)
        fit = MinimumRisk(iterations=4).fit(tuning, start_of(tuning))
        found.append((fit.theta.tobytes(), fit.score))
    assert found[1:] == found[:-1]


def test_lists_of_all_derivations_have_the_same_risk(path):
    """Small parts of the forests, enumerated."""
    forests = ForestSet(path)
    theta = start_of(TuningSet(forests, BLEU))
    packed, lists, references = [], [], []
    for number, forest in enumerate(forests):
        small = prune(forest, forest.score(theta), density=3).forest
        if small.num_derivations() > 3000:
            continue
        every = small.k_best(small.score(theta), 3000)
        dense, _, _, _ = every.features()
        assert len(every) == small.num_derivations()
        lists.append(
            Forest.from_nbest(
                [text.split() for text in every.texts()], dense, features=forests.features
            )
        )
        packed.append(small)
        references.append(forests.info(number)["refs"])
    assert len(packed) > 20
    assert sum(each.num_edges for each in lists) > 2 * len(lists)
    values = []
    sets = [TuningSet(some, BLEU, references) for some in (packed, lists)]
    for tuning in sets:
        losses = edge_losses(tuning, sets[1].candidates(theta, 1), "linear", max_edges=10**7)
        objective = Objective(losses.batches, np.ones(len(theta)))
        values.append(objective(theta, Terms(risk=1.0)))
    assert values[0][0] == pytest.approx(values[1][0], rel=1e-9)
    np.testing.assert_allclose(values[0][1], values[1][1], rtol=1e-7, atol=1e-9)


def test_pruning_changes_the_risk_as_it_says(path, tmp_path):
    tuning = TuningSet(ForestSet(path), BLEU)
    theta = start_of(tuning)
    made = prune_set(tuning, theta, 4, tmp_path / "small.rwf")
    assert made.facts.dropped > 0
    assert 0 < made.facts.kept < 1
    # Both sets with the loss of the whole one, at the scale of weights that is meant there.
    from rosewood.learn.learner import begin

    begun = begin(tuning, theta, 100, is_sample=True)
    scaled = theta / np.abs(theta / begun.units).max()
    linear = fit_linear(tuning, begun.candidates)
    points = BLEU.score(begun.candidates.statistics)
    risks = []
    for forests in (ForestSet(path), made.forests):
        total = 0.0
        for number, forest in enumerate(forests):
            refined = refine(forest, linear.orders)
            loss = points * linear.edge_losses(refined, tuning.references[number])
            weight = refined.forest.score(scaled)
            inside, outside = refined.forest.inside_outside(weight)
            posterior = weight + outside[refined.forest.head] - inside[-1]
            np.add.at(
                posterior,
                np.repeat(np.arange(len(posterior)), np.diff(refined.forest.tail_start)),
                inside[refined.forest.tail],
            )
            total += float(np.exp(posterior) @ loss)
        risks.append(total)
    assert made.facts.risk_change == pytest.approx(risks[1] - risks[0], rel=1e-8, abs=1e-10)
