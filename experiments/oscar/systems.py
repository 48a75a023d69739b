"""The rows of the table: how each system is tuned, and how it does.

All systems of a corpus and a decoder have the same rules and language model.  A run that is
finished is kept in the work folder, and not done again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from experiments.corpora import lines_of
from experiments.runs import Run, outcome, stored
from rosewood.forest import Weights
from rosewood.pipeline import Translator
from rosewood.pipeline.tuning_data import DecodedForests, DevSentences

_REUSED = 1000  # best translations of a test sentence


class Row(NamedTuple):
    """A row: its name, options of `rosewood train`, and which choice of settings is its own."""

    label: str
    tuned_on: str
    features: str
    options: tuple[str, ...]
    sweep: str | None = None


_PRO = ("--tune", "pro", "--set", "interpolation=0.4")
_OSCAR = ("--tune", "oscar", "--set", "interpolation=0.4")
_TRAIN, _ID = ("--tune-on", "train"), ("--feature", "rule-ids")
ROWS = {
    "mert": Row("MERT", "dev", "default", ("--tune", "mert")),
    "pro_dev": Row("PRO", "dev", "default", _PRO),
    "pro_train": Row("PRO", "train", "default", (*_PRO, *_TRAIN)),
    "pro_dev_id": Row("PRO", "dev", "+id", (*_PRO, *_ID), "pro_dev_id"),
    "l1_train_id": Row("L1", "train", "+id", ("--tune", "l1", *_TRAIN, *_ID), "l1_train_id"),
    "l1_dev_id": Row("L1", "dev", "+id", ("--tune", "l1", *_ID), "l1_dev_id"),
    "oscar": Row("OSCAR", "both", "+group", _OSCAR, "oscar"),
    "oscar_all_rules": Row(
        "OSCAR, without leave one out", "both", "+group",
        (*_OSCAR, "--no-leave-one-out"), "oscar",
    ),
}  # fmt: skip
OSCAR = "oscar"
METRIC = "bleu:tokenize=none"


@dataclass(frozen=True)
class OscarRun(Run):
    """A run that may tune on training sentences."""

    sentences: int = 5000  # of the training corpus, in each round

    def train(self, name: str, seed: int, *more: object) -> dict[str, Any]:
        return super().train(name, seed, "--tune-sentences", self.sentences, *more)


def measure(run: OscarRun, name: str, seed: int, settings: Sequence[str]) -> dict[str, Any]:
    """Tune a system and translate both test sets with it."""
    chosen = [each for one in settings for each in ("--set", one)]

    def make() -> dict[str, Any]:
        told = run.train(name, seed, *ROWS[name].options, *chosen)
        found = outcome(run, name, seed, told, PARTS)
        source = lines_of(run.corpus.file("test", run.corpus.source))
        return found | _features(Translator.load(run.model(name, seed)), source)

    return stored(run.model(name, seed).with_suffix(".json"), make)


PARTS = ("devtest", "test")


def _features(translator: Translator, source: list[str]) -> dict[str, Any]:
    """How many features have a weight, and how many of them 1000-best lists of the test set have.

    Features of one group count as one.
    """
    weights = translator.bundle.weights
    dense = sum(1 for name, value in weights.named.items() if value and ":" not in name)
    numbers, values = weights.numbered.get("rule", (np.empty(0, np.int64), np.empty(0)))
    numbers = numbers[values != 0]
    group = np.arange(len(numbers))
    groups: dict[str, Any] = {}
    if "groups" in translator.bundle.part_names:
        found: Weights = translator.bundle.part("groups")
        group = found.lookup("rule", numbers).astype(np.int64)
        sizes = np.unique(group, return_counts=True)[1]
        groups = {"groups": len(sizes), "grouped": len(numbers), "sizes": sorted(sizes.tolist())}
    met = _met(translator, source) if len(numbers) else np.empty(0, np.int64)
    used = np.isin(numbers, met)
    return {
        "active": dense + len(np.unique(group)),
        "reused": dense + len(np.unique(group[used])),
        **groups,
    }


def _met(translator: Translator, source: list[str]) -> Any:
    """The rules in 1000-best lists."""
    decoder = translator.decoder
    data = DevSentences(source, [[""]] * len(source))
    lists = DecodedForests((decoder,), data, _REUSED, threads=2)
    sparse = decoder.features.sparse
    ids: set[int] = set()
    for forest in lists(decoder.weights, 1, range(len(source))):
        ids.update(np.unique(forest.feat_id).tolist())
    known, own = sparse.numbered().get("rule", (np.empty(0, np.int64), np.empty(0, np.int32)))
    return known[np.isin(own, list(ids))]
