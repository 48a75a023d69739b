"""Scores of all rows, and whether OSCAR differs from each."""

from __future__ import annotations

from typing import Any

from experiments.corpora import Corpus
from experiments.oscar.systems import METRIC, PARTS
from experiments.scores import Runs, Scores
from rosewood.metrics import paired_bootstrap, parse_metric


def summary(corpus: Corpus, runs: Runs, against: str) -> dict[str, Any]:
    """BLEU of each row on both sets, features, minutes; p-values of `against` and each row."""
    scores = Scores(corpus, parse_metric(METRIC), PARTS, runs)
    systems: dict[str, Any] = {}
    for name in scores.names:
        own = [runs[name, seed] for seed in scores.seeds]
        systems[name] = scores.of(name) | {
            "active": [run["active"] for run in own],
            "reused": [run["reused"] for run in own],
        }
        if "groups" in own[0]:
            systems[name] |= {key: own[0][key] for key in ("groups", "grouped", "sizes")}
        if against in scores.names and name != against:
            one, other = scores.rows(against, "test"), scores.rows(name, "test")
            found = paired_bootstrap(scores.metric, one, other, samples=1000)
            systems[name]["p"] = found.p_value
    return {**scores.sets(), "systems": systems}
