"""The stage `boost`: trees on top of tuned weights, learnt from forests of the development set.

The decoder translates the set once more, with the weights that were tuned.  Trees are learnt on the
edges of three quarters of its forests; the others decide how many there are.  A run has this stage
if it asks for trees, and other settings of trees do not tune weights again.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any

import numpy as np

from rosewood.decode import Decoder
from rosewood.forest import (
    BoostedTrees,
    Forest,
    ForestSet,
    ForestSetWriter,
    Weights,
    select_edges,
)
from rosewood.forest.trees import TREES
from rosewood.journal import Journal, fingerprint
from rosewood.learn import BoostSettings, TuningSet, boost_trees
from rosewood.learn.boost_rows import pruned_to
from rosewood.model.weight_files import open_weights, save_weights
from rosewood.pipeline.final_model import TREES_FILE
from rosewood.pipeline.inputs import TrainingInputs
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.stage import Task
from rosewood.pipeline.tune_stage import (
    FEW_SENTENCES,
    WEIGHTS,
    confidence_facts,
    dev_sentences,
    make_decoder,
    search_choices,
)
from rosewood.resources import MAX_MEMORY
from rosewood.shared_types import ProgressCallback
from rosewood.svg_text import plural

_SELECTING = 4  # every so many sentences choose the number of trees
_NO_TREES = "there are no trees: none makes the held-out quarter of the development set better"


def boost_settings(inputs: TrainingInputs, settings: TrainingSettings) -> dict[str, Any]:
    """What decides this stage beside models, sentences and settings that are read as they are."""
    return {**search_choices(inputs, settings), "boost": repr(settings.boosting())}


def boost(task: Task, told: ProgressCallback) -> dict[str, Any]:
    """Trees, weights with theirs, how they were found, and what makes confidence of scores."""
    settings, chosen = task.settings, task.settings.boosting()
    assert chosen is not None
    sentences, references = dev_sentences(task.needs["tokenise"].folder)
    if len(sentences) < FEW_SENTENCES or task.needs["tune"].facts["learner"] is None:
        count = plural(len(sentences), "sentence")
        note = (
            f"there are no trees: {count} in the development set, expected at least {FEW_SENTENCES}"
        )
        return {"confidence": None, "notes": [note]}
    weights = open_weights(task.needs["tune"].folder / WEIGHTS)
    decoder = make_decoder(settings, task.needs).with_weights(weights)
    trees, facts = learn_trees(task, decoder, sentences, references, chosen, told)
    trees.save(task.folder / TREES_FILE)
    final = Weights({**weights.named, TREES: 1.0}, weights.numbered)
    save_weights(task.folder / WEIGHTS, final)
    told("fitting confidence", 0, None)
    boosted = make_decoder(settings, task.needs, trees=trees).with_weights(final)
    return facts | confidence_facts(boosted, sentences, references, task.threads)


def learn_trees(
    task: Task,
    decoder: Decoder,
    sentences: Sequence[str],
    references: Sequence[Sequence[str]],
    settings: BoostSettings,
    told: ProgressCallback,
) -> tuple[BoostedTrees, dict[str, Any]]:
    """Trees for the weights of a decoder, and how they were found."""

    def report(row: dict[str, Any]) -> None:
        told("trees", row["round"], settings.rounds)

    task.going.mkdir(exist_ok=True)
    path = task.going / "boost.rwf"
    limits = (settings.loss, settings.k, settings.forest_edges)
    mark = fingerprint(sorted(decoder.weights.items()), *limits)
    done = task.going / "boost.done"
    if not (done.exists() and done.read_text("utf-8") == mark):
        with ForestSetWriter(path) as writer:
            for number, found in enumerate(decoder.search_all(sentences, threads=task.threads)):
                told("forests for trees", number, len(sentences))
                if not found.forest.is_empty:
                    refs = {"id": str(number), "refs": list(references[number])}
                    writer.append(_needed(found.forest, decoder, settings), refs)
        done.write_text(mark, "utf-8")
    with closing(ForestSet(path)) as forests:
        tuning = TuningSet(
            forests, task.settings.tuning_metric(), threads=task.threads,
            max_memory=task.max_memory or MAX_MEMORY,
        )  # fmt: skip
        theta = tuning.features.vector(decoder.weights, only_known=True)
        is_select = np.arange(len(tuning)) % _SELECTING == _SELECTING - 1
        rest, select = (tuning.subset(np.flatnonzero(each)) for each in (~is_select, is_select))
        found_trees = boost_trees(
            rest, theta, settings, select=select, seed=task.settings.seed,
            journal=Journal(task.going / "boost.journal"),
            report=report,
        )  # fmt: skip
    return found_trees.trees, {
        "trees": found_trees.trees.to_dict(),
        "history": found_trees.history,
        "settings": dict(vars(settings)),
        "notes": [] if len(found_trees.trees) else [_NO_TREES],
    }


def _needed(forest: Forest, decoder: Decoder, settings: BoostSettings) -> Forest:
    """What the loss looks at: pairs are of the k best strings, the risk is of the best edges."""
    score = forest.score(decoder.theta())
    if settings.loss == "risk":
        return pruned_to(forest, score, settings.forest_edges)
    best = forest.k_best(score, settings.k, distinct=True)
    used = np.zeros(forest.num_edges, dtype=bool)
    used[best.edge] = True
    return select_edges(forest, used).forest
