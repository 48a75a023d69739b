"""Scores of systems that translated the same sets, once for each seed of tuning."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from experiments.corpora import Corpus
from experiments.runs import references_of
from rosewood.arrays import FloatArray
from rosewood.metrics import Metric

Runs = Mapping[tuple[str, int], dict[str, Any]]  # by the name of a system and its seed


class Scores:
    """Statistics of each sentence, for all systems, seeds and sets."""

    def __init__(self, corpus: Corpus, metric: Metric, parts: Sequence[str], runs: Runs) -> None:
        self.metric, self.parts, self.runs = metric, parts, runs
        self.names = list(dict.fromkeys(name for name, _ in runs))
        self.seeds = list(dict.fromkeys(seed for _, seed in runs))
        self._references = {part: references_of(corpus, part) for part in parts}
        self._rows = {
            (key, part): metric.statistics_many([[line] for line in run["said"][part]], references)
            for key, run in runs.items()
            for part, references in self._references.items()
        }

    def of(self, name: str) -> dict[str, Any]:
        """A system's score on each set by seed, and the median minutes of its tuning."""
        own = [self.runs[name, seed] for seed in self.seeds]
        seconds = [run["seconds"] for run in own if run["seconds"] is not None]
        return {
            "dev": [run["dev"] for run in own],
            **{
                part: [
                    float(self.metric.score(self._rows[(name, seed), part])) for seed in self.seeds
                ]
                for part in self.parts
            },
            "minutes": statistics.median(seconds) / 60 if seconds else None,
        }

    def rows(self, name: str, part: str) -> FloatArray:
        """Statistics of each sentence, over all seeds: so they are drawn together in tests."""
        each = np.stack([self._rows[(name, seed), part] for seed in self.seeds])
        total: FloatArray = each.sum(axis=0)
        return total

    def sets(self) -> dict[str, Any]:
        """What the scores were computed on."""
        references = self._references
        return {
            "seeds": self.seeds,
            "sentences": {part: len(refs) for part, refs in references.items()},
            "references": {part: len(refs[0]) for part, refs in references.items()},
            "distinct_references": {
                part: sum(len(set(each)) > 1 for each in refs) / len(refs)
                for part, refs in references.items()
            },
            "signature": self.metric.signature_with(nrefs=len(references["test"][0])),
        }
