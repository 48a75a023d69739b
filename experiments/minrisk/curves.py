"""Minimum risk with and without annealing on the same forests: the risk at each iteration.

The forests are those of development sentences in a first round, under the weights that tuning
begins with.  Both methods start from these weights, and from random ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.corpora import lines_of
from experiments.minrisk.systems import METRIC, UNTUNED
from experiments.runs import Run, references_of, stored
from rosewood.arrays import FloatArray
from rosewood.forest import ForestSet, ForestSetWriter, prune
from rosewood.learn import TuningSet
from rosewood.learn.candidates import Candidates, spread_within
from rosewood.learn.learner import begin
from rosewood.learn.learners.mr import MinimumRisk
from rosewood.learn.learners.mr_da import Annealed
from rosewood.learn.objective import Objective
from rosewood.metrics import parse_metric
from rosewood.pipeline import Translator

_RANDOM = 2  # random starts
_SENTENCES = 500  # of the development set, spread over it
_DENSITY = 100  # edges for each word, as in `rosewood train --on forests`
METHODS = {"MR": MinimumRisk, "MR+DA": Annealed}


def curves(run: Run, seed: int) -> dict[str, Any]:
    """The risk and the score of each iteration, by method and start."""
    return stored(run.folder / f"curves-{seed}.json", lambda: _curves(run, seed))


def _curves(run: Run, seed: int) -> dict[str, Any]:
    tuning, start = _forests(run, seed)
    # Without brevity: with it, the loss changes on the way.
    settings: dict[str, Any] = {"match_length": False} | ({"iterations": 3} if run.quick else {})
    begun = begin(tuning, start, MinimumRisk().k)
    gains = tuning.metric.sentence_gains(begun.candidates.statistics)
    points = spread_within(gains, begun.candidates.start)  # of linear BLEU: a unit of the risk
    random = np.random.default_rng(seed)
    starts = {"default weights": start}
    for number in range(1, 1 + (1 if run.quick else _RANDOM)):
        drawn = begun.units * random.standard_normal(len(start))
        starts[f"random weights {number}"] = drawn
    return {
        "forests": len(tuning),
        "edges": tuning.num_edges,
        "runs": [
            {"method": method, "start": name}
            | _watched(kind(**settings), tuning, theta, begun.candidates, points)
            for name, theta in starts.items()
            for method, kind in METHODS.items()
        ],
    }


def _forests(run: Run, seed: int) -> tuple[TuningSet, FloatArray]:
    """Forests of the development set and the weights that they were searched with."""
    decoder = Translator.load(run.model(UNTUNED, seed)).decoder
    file = run.folder / f"dev-{seed}.rwf"
    if not file.exists():
        source = lines_of(run.corpus.file("dev", run.corpus.source))
        references = references_of(run.corpus, "dev")
        every = -(-len(source) // (20 if run.quick else _SENTENCES))
        with ForestSetWriter(file) as writer:
            for number, found in enumerate(decoder.search_all(source[::every])):
                weight = found.forest.score(decoder.theta())
                small = prune(found.forest, weight, density=_DENSITY).forest
                writer.append(small, {"id": str(number), "refs": references[number * every]})
    return TuningSet(ForestSet(file), parse_metric(METRIC), threads=run.threads), decoder.theta()


def _watched(
    learner: MinimumRisk,
    tuning: TuningSet,
    start: FloatArray,
    candidates: Candidates,
    points: float,
) -> dict[str, Any]:
    """A fit, and the expected linear BLEU of each iterate.

    Linear BLEU is fitted to the same candidates whatever the start, so that curves are comparable.
    """
    objectives: list[Objective] = []

    class Watched(type(learner)):  # type: ignore[misc]
        """The same learner, whose objective can be asked for its parts."""

        def objective(
            self, tuning: TuningSet, own: Candidates, units: FloatArray
        ) -> tuple[Objective, tuple[str, ...]]:
            objective, notes = super().objective(tuning, candidates, units)
            objectives.append(objective)
            return objective, notes

    rows: list[dict[str, Any]] = []

    def report(row: Any) -> None:
        if np.isfinite(row["objective"]):  # what was computed last is of this iterate
            gain = -points * objectives[-1].parts[0]
            rows.append({"stage": row["stage"], "gain": gain, "score": row["score"]})

    fit = Watched(**vars(learner)).fit(tuning, start, report=report)
    return {"score": fit.score, "iterations": rows}
