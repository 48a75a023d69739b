"""The rows of the table: how each system is tuned, and how it does.

All systems of a corpus and a decoder have the same rules, language model and reordering models.  A
run that is finished is kept in the work folder, and not done again.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from experiments.corpora import stage_folder
from experiments.runs import Run, outcome, stage_of, stored
from experiments.scores import Runs, Scores
from rosewood.metrics import paired_randomisation, parse_metric
from rosewood.pipeline.settings import TrainingSettings
from rosewood.settings import setting_names

METRIC = "bleu:tokenize=none"
PARTS = ("devtest", "test")
UNTUNED = "untuned"  # the model of all stages before tuning
CONSENSUS_ROW = "mr_da_forests"  # whose model translates by consensus


class Row(NamedTuple):
    """A row: its name, what it learns from, its features, and options of `rosewood train`."""

    label: str
    tuned_on: str
    features: str
    options: tuple[str, ...]


_FORESTS = ("--on", "forests")
_NGRAMS = ("--second-stage", "ngrams")
_PLAIN = ("--set", "match_length=false")
ROWS = {
    "mert": Row("MERT", "lists", "small", ("--tune", "mert")),
    "mr_lists": Row("MR", "lists", "small", ("--tune", "mr")),
    "mr_da_lists": Row("MR+DA", "lists", "small", ("--tune", "mr-da")),
    "mr_forests": Row("MR", "forests", "small", ("--tune", "mr", *_FORESTS)),
    "mr_da_forests": Row("MR+DA", "forests", "small", ("--tune", "mr-da", *_FORESTS)),
    "mr_forests_plain": Row(
        "MR, no brevity", "forests", "small", ("--tune", "mr", *_FORESTS, *_PLAIN)
    ),
    "mr_da_forests_plain": Row(
        "MR+DA, no brevity", "forests", "small", ("--tune", "mr-da", *_FORESTS, *_PLAIN)
    ),
    "large": Row("MR", "forests", "large", ("--tune", "mr-da", *_FORESTS, *_NGRAMS)),
}
# Pairs of rows that are compared: the paper's claims.
COMPARED = [
    *((name, "mert") for name in ROWS if name != "mert"),
    ("mr_forests", "mr_lists"),
    ("mr_da_forests", "mr_da_lists"),
    ("mr_da_lists", "mr_lists"),
    ("mr_da_forests", "mr_forests"),
    ("mr_forests", "mr_forests_plain"),
    ("mr_da_forests", "mr_da_forests_plain"),
    ("large", "mr_da_forests"),
]


def is_known(row: Row) -> bool:
    """Whether `rosewood train` has the options of a row."""
    names = setting_names(TrainingSettings)
    wanted = (each.removeprefix("--") for each in row.options if each.startswith("--"))
    return all(each.replace("-", "_") in names for each in wanted)


def measure(run: Run, name: str, seed: int) -> dict[str, Any]:
    """Tune a system and translate both test sets with it."""

    def make() -> dict[str, Any]:
        told = run.train(name, seed, *ROWS[name].options, "--metric", METRIC)
        folder = stage_folder(run.work, "tune", stage_of(told, "tune")["key"])
        facts = json.loads((folder / "stage.json").read_text("utf-8"))["facts"]
        wanted = {key: facts[key] for key in ("history", "ending", "weights")}
        return outcome(run, name, seed, told, PARTS) | wanted

    return stored(run.model(name, seed).with_suffix(".json"), make)


def summary(run: Run, runs: Runs) -> dict[str, Any]:
    """BLEU of each row on all sets, minutes, rounds; p-values of rows that are compared."""
    scores = Scores(run.corpus, parse_metric(METRIC), PARTS, runs)
    systems = {}
    for name in scores.names:
        found = runs[name, scores.seeds[0]]
        rounds = [{key: row[key] for key in _KEPT if key in row} for row in found["history"]]
        systems[name] = scores.of(name) | {"rounds": rounds, "ending": found["ending"]}
    first = next(iter(runs.values()))
    return {
        **scores.sets(),
        "features": len(first["weights"]),
        "systems": systems,
        "compared": [
            {"system": one, "baseline": other} | randomised(scores.metric, *(
                scores.rows(each, "test") for each in (one, other)
            ))
            for one, other in COMPARED
            if one in systems and other in systems
        ],
    }  # fmt: skip


_KEPT = ("score", "tuned", "edges", "dropped", "kept", "risk_change")


def randomised(metric: Any, one: Any, other: Any) -> dict[str, float]:
    """The difference of two systems, and its p-value by approximate randomisation."""
    found = paired_randomisation(metric, one, other, samples=10_000, ties=True)
    return {"difference": found.difference, "p": found.p_value}
