"""Scores of all rows, and whether OSCAR differs from each."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

from experiments.corpora import Corpus
from experiments.oscar.systems import METRIC, PARTS
from experiments.runs import references_of
from rosewood.metrics import paired_bootstrap, parse_metric

Runs = Mapping[tuple[str, int], dict[str, Any]]


def summary(corpus: Corpus, runs: Runs, against: str) -> dict[str, Any]:
    """BLEU of each row on both sets, features, minutes; p-values of `against` and each row."""
    metric = parse_metric(METRIC)
    references = {part: references_of(corpus, part) for part in PARTS}
    rows = {
        (key, part): metric.statistics_many([[line] for line in run["said"][part]], refs)
        for key, run in runs.items()
        for part, refs in references.items()
    }
    names = list(dict.fromkeys(name for name, _ in runs))
    seeds = list(dict.fromkeys(seed for _, seed in runs))
    systems: dict[str, Any] = {}
    for name in names:
        own = [runs[name, seed] for seed in seeds]
        seconds = [run["seconds"] for run in own if run["seconds"] is not None]
        systems[name] = {
            "dev": [run["dev"] for run in own],
            **{
                part: [float(metric.score(rows[(name, seed), part])) for seed in seeds]
                for part in PARTS
            },
            "active": [run["active"] for run in own],
            "reused": [run["reused"] for run in own],
            "minutes": statistics.median(seconds) / 60 if seconds else None,
        }
        if "groups" in own[0]:
            systems[name] |= {key: own[0][key] for key in ("groups", "grouped", "sizes")}
        if against in names and name != against:
            # Replicates of a sentence are drawn together.
            one, other = (
                sum(rows[(which, seed), "test"] for seed in seeds) for which in (against, name)
            )
            systems[name]["p"] = paired_bootstrap(metric, one, other, samples=1000).p_value
    return {
        "seeds": seeds,
        "sentences": {part: len(refs) for part, refs in references.items()},
        "references": {part: len(refs[0]) for part, refs in references.items()},
        "distinct_references": {
            part: sum(len(set(each)) > 1 for each in refs) / len(refs)
            for part, refs in references.items()
        },
        "signature": metric.signature_with(nrefs=len(references["test"][0])),
        "systems": systems,
    }
