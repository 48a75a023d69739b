"""Pruned tuning sets: what is kept, what that changes, and the loop that prunes between rounds."""

from __future__ import annotations

import numpy as np
import pytest
from tests.lists import lattice
from tests.reference.forest import enumerate_derivations
from tests.refusals import refuses

from rosewood.corpus import Vocabulary
from rosewood.errors import TuningError
from rosewood.forest import FeatureSpace, ForestSet
from rosewood.learn import MinimumRisk, TuningSet, tune_loop
from rosewood.learn.forest_pruning import prune_set
from rosewood.learn.learner import begin
from rosewood.learn.losses import fit_linear
from rosewood.metrics import parse_metric

BLEU = parse_metric("bleu:tokenize=none")
WORDS = Vocabulary([f"w{i}" for i in range(12)])
SPACE = FeatureSpace(["right", "noise"], ["s:1", "s:2"])
THETA = np.array([1.0, 0.3, 0.2, -0.1])
MADE = [lattice(number, SPACE, WORDS, length=4) for number in range(12)]


def tuning_set(metric=BLEU, **options) -> TuningSet:
    references = [[reference] for _, reference in MADE]
    return TuningSet([forest for forest, _ in MADE], metric, references, **options)


@pytest.mark.parametrize("per_word", [1.0, 2.0, 2.5])
def test_what_pruning_changes_is_that_of_all_derivations(per_word, tmp_path):
    tuning = tuning_set()
    found = prune_set(tuning, THETA, per_word, tmp_path / "small.rwf")
    start = begin(tuning, THETA, 100)
    scaled = start.theta / np.abs(start.theta / start.units).max()
    linear = fit_linear(tuning, start.candidates)
    points = BLEU.score(start.candidates.statistics)
    mass, change, edges = [], 0.0, 0
    for (forest, reference), small in zip(MADE, found.forests, strict=True):
        every = [(forest.score(scaled)[list(d)].sum(), text_of(forest, d))
                 for d in enumerate_derivations(forest)]  # fmt: skip
        rest = [(small.score(scaled)[list(d)].sum(), text_of(small, d))
                for d in enumerate_derivations(small)]  # fmt: skip
        assert set(rest) <= set(every)
        assert small.num_edges <= max(1, per_word * (len(reference.split()) + 1))
        mass.append(sum(np.exp(w) for w, _ in rest) / sum(np.exp(w) for w, _ in every))
        change += points * (risk(rest, linear, reference) - risk(every, linear, reference))
        edges += small.num_edges
    facts = found.facts
    assert (facts.edges, facts.risk_unknown) == (edges, 0)
    assert facts.dropped == sum(forest.num_edges for forest, _ in MADE) - edges
    assert facts.kept == pytest.approx(np.mean(mass), abs=1e-12)
    assert facts.risk_change == pytest.approx(change, abs=1e-10)


def text_of(forest, edges) -> str:
    """The words of a lattice's derivation, whose edges go from the last to the first."""
    return " ".join(
        WORDS[int(s)] for e in sorted(edges) for s in yield_of(forest, e) if s >= 0
    )  # fmt: skip


def yield_of(forest, edge):
    return forest.yield_symbol[forest.yield_start[edge] : forest.yield_start[edge + 1]].tolist()


def risk(rows, linear, reference) -> float:
    weights = np.exp([weight for weight, _ in rows])
    losses = linear.loss([text for _, text in rows], [reference])
    return float(weights @ losses / weights.sum())


def test_threads_and_memory_do_not_matter(tmp_path):
    wanted = None
    for number, options in enumerate([{}, {"threads": 3}, {"max_memory": 1000}]):
        file = tmp_path / f"{number}.rwf"
        found = (prune_set(tuning_set(**options), THETA, 2.0, file).facts, file.read_bytes())
        assert found == (wanted or found)
        wanted = found


def test_nothing_to_prune_changes_nothing(tmp_path):
    facts = prune_set(tuning_set(), THETA, 100.0, tmp_path / "all.rwf").facts
    assert (facts.dropped, facts.kept, facts.risk_change) == (0, 1.0, 0.0)


def test_metrics_without_a_linear_loss_tell_what_is_kept(tmp_path):
    facts = prune_set(tuning_set(parse_metric("exact")), THETA, 2.0, tmp_path / "x.rwf").facts
    assert facts.kept < 1.0
    assert (facts.risk_change, facts.risk_unknown) == (None, len(MADE))


def test_without_weights_nothing_is_pruned(tmp_path):
    with refuses(TuningError, "tuning.zero-weights", argument="theta"):
        prune_set(tuning_set(), np.zeros(4), 2.0, tmp_path / "small.rwf")
    assert not list(tmp_path.iterdir())


def decode(weights, number):
    """Other lattices of the same sentences in each round."""
    for place, (forest, _) in enumerate(MADE):
        random = np.random.default_rng([number, place])
        dense = forest.dense + 0.1 * random.standard_normal(forest.dense.shape)
        yield forest.derive(dense=dense)


class Stopped(Exception):
    pass


def test_a_loop_prunes_what_it_merges_and_goes_on_when_killed(tmp_path):
    references = [[reference] for _, reference in MADE]
    options = {
        "start": {"right": 1.0, "noise": 0.5}, "rounds": 3, "edges_per_word": 4.0,
        "metric": BLEU, "references": references,
    }  # fmt: skip
    learner = MinimumRisk(iterations=3)
    whole = tune_loop(decode, learner, folder=tmp_path / "whole", **options)
    pruned = [row for row in whole.history if row.get("dropped")]
    assert pruned
    assert all(row["kept"] < 1.0 for row in pruned)
    assert all(row["risk_change"] != 0.0 for row in pruned)
    assert not list((tmp_path / "whole").glob("*.pruned"))
    size = sum(4 * (len(reference.split()) + 1) for _, reference in MADE)
    assert pruned[-1]["edges"] <= size

    def mortal(weights, number):
        if number == 3:
            raise Stopped
        return decode(weights, number)

    with pytest.raises(Stopped):
        tune_loop(mortal, learner, folder=tmp_path / "killed", **options)
    (file,) = (tmp_path / "killed").glob("round-*.rwf")
    assert int(ForestSet(file).num_edges.sum()) == whole.history[1]["edges"]
    again = tune_loop(decode, learner, folder=tmp_path / "killed", **options)
    assert (again.history, again.weights) == (whole.history, whole.weights)


@pytest.mark.parametrize("value", [0.5, float("nan"), "3"])
def test_the_limit_is_a_number_from_one(value):
    code = "argument.type" if isinstance(value, str) else "argument.range"
    with refuses(TuningError, code, argument="edges_per_word"):
        tune_loop(decode, MinimumRisk(), BLEU, [], edges_per_word=value)
