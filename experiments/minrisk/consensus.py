"""Consensus at test time: choose a translation by agreement instead of by the best derivation.

The scale of each method is chosen on devtest.  All choose from the same forests: those of one
model's search, pruned.
"""

from __future__ import annotations

import time
from collections import defaultdict
from typing import Any

from experiments.corpora import lines_of
from experiments.minrisk.systems import METRIC, randomised
from experiments.runs import Run, references_of, stored
from rosewood.arrays import FloatArray
from rosewood.decode import Decoder
from rosewood.decode.consensus_methods import Consensus, make_consensus
from rosewood.forest import prune
from rosewood.metrics import parse_metric
from rosewood.pipeline import Translator

BEST = "best derivation"
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "MBR, 100-best": ("mbr", {}),
    "forest MBR": ("forest-mbr", {}),
    "variational, bigrams": ("variational", {}),
    "variational, orders 1 to 4": ("variational", {"mixture": "1:0.25,2:0.25,3:0.25,4:0.25"}),
}
SCALES = (1.0, 3.0, 10.0, 30.0, 100.0)
_DENSITY = 100  # edges for each word, as in `rosewood train --on forests`

_Choice = tuple[str, float | None]  # a method and its scale


def compare(run: Run, name: str, seed: int) -> dict[str, Any]:
    """Scores of all methods with the model of a row."""
    file = run.model(name, seed).with_suffix(".consensus.json")
    return stored(file, lambda: {"row": name, **_compare(run, name, seed)})


def _compare(run: Run, name: str, seed: int) -> dict[str, Any]:
    metric, decoder = parse_metric(METRIC), Translator.load(run.model(name, seed)).decoder
    scales = SCALES[:2] if run.quick else SCALES
    every: list[_Choice] = [(label, scale) for label in METHODS for scale in scales]
    found = _statistics(run, decoder, "devtest", [(BEST, None), *every])
    devtest = {choice: metric.score(rows) for choice, (rows, _) in found.items()}
    chosen = [
        max(((label, scale) for scale in scales), key=lambda choice: devtest[choice])
        for label in METHODS
    ]
    test = _statistics(run, decoder, "test", [(BEST, None), *chosen])
    best = test[BEST, None][0]
    return {
        "methods": [
            {
                "method": label, "scale": scale,
                "devtest": devtest[label, scale], "test": metric.score(rows),
                "seconds": seconds, **({} if label == BEST else randomised(metric, rows, best)),
            }
            for (label, scale), (rows, seconds) in test.items()
        ],
        "tried": [
            {"method": label, "scale": scale, "devtest": devtest[label, scale]}
            for label, scale in every
        ],
    }  # fmt: skip


def _statistics(
    run: Run, decoder: Decoder, part: str, choices: list[_Choice]
) -> dict[_Choice, tuple[FloatArray, float]]:
    """Statistics of what each choice says, and the processor seconds it took to choose."""
    makers = {choice: _maker(*choice) for choice in choices}
    said: dict[_Choice, list[list[str]]] = defaultdict(list)
    seconds: dict[_Choice, float] = defaultdict(float)
    source = lines_of(run.corpus.file(part, run.corpus.source))
    for found in decoder.search_all(source):
        weight = found.forest.score(decoder.theta())
        small = prune(found.forest, weight, density=_DENSITY)
        forest, weight = small.forest, weight[small.edge_map]
        for choice, maker in makers.items():
            begin = time.process_time()
            best = forest.best(weight) if maker is None else maker(forest, weight)[0]
            seconds[choice] += time.process_time() - begin
            said[choice].append([best.text])
    references = references_of(run.corpus, part)
    metric = parse_metric(METRIC)
    return {
        choice: (metric.statistics_many(lines, references), seconds[choice])
        for choice, lines in said.items()
    }


def _maker(label: str, scale: float | None) -> Consensus | None:
    if label == BEST:
        return None
    kind, settings = METHODS[label]
    return make_consensus(kind, {**settings, "scale": scale})
