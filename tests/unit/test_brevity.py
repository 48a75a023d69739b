"""Minimum risk with linear BLEU: translations get as long as references."""

from __future__ import annotations

import numpy as np
import pytest

from rosewood.corpus import Vocabulary
from rosewood.forest import FeatureSpace, Forest, ForestBuilder, ForestSet, ForestSetWriter
from rosewood.learn import Annealed, MinimumRisk, Objective, Terms, TuningSet
from rosewood.learn.batches import batches_of
from rosewood.learn.candidates import words_of_edges
from rosewood.learn.losses import edge_losses
from rosewood.metrics import parse_metric

BLEU = parse_metric("bleu:tokenize=none,orders=1")  # longer n-grams punish gaps, too
SPACE = FeatureSpace(["sure", "word", "hard"])
WORDS = Vocabulary([f"w{i}" for i in range(40)])


def droppable(number: int, positions: int = 9) -> tuple[Forest, str]:
    """A lattice in which every word can be left out.  At hard positions nothing tells right words
    from wrong ones: without these words precisions are better."""
    random = np.random.default_rng([3, number])
    builder = ForestBuilder(SPACE, WORDS)
    node = builder.node()
    builder.edge(node)
    right = [WORDS[int(w)] for w in random.integers(0, len(WORDS), positions)]
    for place, word in enumerate(right):
        following = builder.node()
        builder.edge(following, [node], [0])
        hard = place % 3 == 2
        for said in (word, *(WORDS[int(w)] for w in random.integers(0, len(WORDS), 2))):
            sure = random.normal() + (2.0 if said == word and not hard else 0.0)
            features = {"sure": sure, "word": 1.0, "hard": float(hard)}
            builder.edge(following, [node], [0, said], features=features)
        node = following
    return builder.build(node), " ".join(right)


@pytest.fixture(scope="module")
def case() -> tuple[list[Forest], list[list[str]]]:
    made = [droppable(number) for number in range(40)]
    return [forest for forest, _ in made], [[text] for _, text in made]


def lists(forests: list[Forest]) -> list[Forest]:
    """Their 30 best translations under some weights."""
    every = [forest.k_best(forest.score([1.0, 0.1, 0.0]), 30) for forest in forests]
    return [
        Forest.from_nbest([t.split() for t in each.texts()], each.features()[0], features=SPACE)
        for each in every
    ]


def ratio(tuning: TuningSet, theta: np.ndarray) -> float:
    words, wanted, *_ = tuning.best_statistics(theta).sum(axis=0)
    return float(words / wanted)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [MinimumRisk, Annealed])
def test_translations_get_as_long_as_references(case, kind):
    tuning = TuningSet(case[0], BLEU, case[1])
    settings = {"stages": 2, "quench": 1} if kind is Annealed else {}
    start = np.array([1.0, 0.5, 0.0])
    plain = kind(match_length=False, **settings).fit(tuning, start)
    fit = kind(**settings).fit(tuning, start)
    assert ratio(tuning, plain.theta) < 0.9
    assert 0.95 < ratio(tuning, fit.theta) < 1.05
    assert fit.score > plain.score + 2
    assert any(note.startswith("the loss of a word is") for note in fit.notes)
    assert not any(note.startswith("the loss of a word is") for note in plain.notes)


def test_references_that_no_translation_reaches(case):
    """The share is halved towards the whole; the best of what was tried is kept."""
    longer = [[f"{text} x y z x y z"] for (text,) in case[1]]
    tuning = TuningSet(case[0], BLEU, longer)
    fit = MinimumRisk().fit(tuning, np.array([1.0, 0.5, 0.0]))
    stages = dict.fromkeys(row["stage"] for row in fit.history)
    assert list(stages) == ["risk", "length 0.75", "length 0.875", "length 0.9375"]
    assert fit.score == pytest.approx(tuning.score(fit.theta))
    assert fit.score >= MinimumRisk(match_length=False).fit(tuning, fit.theta).score


def test_other_losses_do_not_know_it(case):
    for tuning, settings in (
        (TuningSet(case[0], parse_metric("chrf:word_order=2"), case[1]), {}),
        (TuningSet(case[0], BLEU, case[1]), {"loss": "length"}),
        (TuningSet(lists(case[0]), BLEU, case[1]), {}),
    ):
        found = [
            MinimumRisk(match_length=brevity, iterations=5, **settings).fit(tuning, np.ones(3))
            for brevity in (True, False)
        ]
        assert found[0].theta.tobytes() == found[1].theta.tobytes()


@pytest.mark.parametrize("kind", ["packed", "lists"])
def test_a_share_of_it_is_a_loss_of_words(case, tmp_path, kind):
    """Whether forests are in memory or read slice by slice."""
    forests = case[0][:20] if kind == "packed" else lists(case[0][:20])
    path = tmp_path / "set.rwf"
    with ForestSetWriter(path, features=SPACE, vocabulary=WORDS) as out:
        for number, forest in enumerate(forests):
            out.append(forest, {"id": str(number), "refs": case[1][number]})
    theta, terms = np.array([0.7, -0.2, 0.1]), Terms(risk=1.0, entropy=-0.3)
    values = []
    for memory in (1, 1 << 30):
        tuning = TuningSet(ForestSet(path), BLEU, max_memory=memory)
        candidates = tuning.candidates(theta, 20)
        losses = edge_losses(tuning, candidates, "linear", max_edges=100_000)
        assert losses.word_gain > 0
        objective = Objective(losses.batches, np.ones(3), l2=0.1, word_gain=losses.word_gain)
        found = objective.with_brevity(0.25)(theta, terms)
        assert objective.with_brevity(0.0)(theta, terms)[0] == objective(theta, terms)[0]
        values.append((found[0], found[1].tobytes()))
        # The loss of words by itself, on the original forests.
        words = [words_of_edges(forest).astype(float) for forest in forests]
        own = -0.25 * losses.word_gain * np.concatenate(words)
        alone = Objective(batches_of(forests, loss=own), np.ones(3))(theta, Terms(risk=1.0))
        without = objective(theta, terms)
        assert found[0] == pytest.approx(without[0] + alone[0], rel=1e-10)
        np.testing.assert_allclose(found[1], without[1] + alone[1], rtol=1e-8, atol=1e-10)
    assert values[0] == values[1]
