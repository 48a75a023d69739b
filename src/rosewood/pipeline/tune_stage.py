"""The stage `tune`: weights that make the decoder say what the references say.

Each round the decoder lists its best translations of the development set, the lists of all rounds
are merged, and a learner finds weights for them; what the decoder says with them is what counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from rosewood.decode import Decoder, Guesses, decoder_kind
from rosewood.decode.guessing import unknown_words
from rosewood.forest import Forest, Weights
from rosewood.learn import tune_loop
from rosewood.lm import Model
from rosewood.model.python_features import feature_code, make_feature
from rosewood.model.weight_files import save_weights
from rosewood.pipeline.background import ahead
from rosewood.pipeline.confidence import MOST_SEARCHES, fit_confidence
from rosewood.pipeline.inputs import TrainingInputs
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.stage import Done, Task
from rosewood.pipeline.tokenise_stage import held_out
from rosewood.pipeline.work_store import Finished
from rosewood.reorder import LinearReordering
from rosewood.resources import MAX_MEMORY
from rosewood.rules import RuleTable
from rosewood.shared_types import ProgressCallback
from rosewood.svg_text import plural

WEIGHTS = "weights"  # the folder of the tuned weights
_FEW = 40  # sentences from which no weights can be learnt
_WAITING = 64  # forests at most that are searched and not yet made into lists


def search_choices(inputs: TrainingInputs, settings: TrainingSettings) -> dict[str, Any]:
    """Settings of the decoder; the distortion limit is a fact of the stage `reordering`."""
    return {
        "decoder": settings.decoder,
        "search": asdict(settings.search(None)),
        "features": [
            {**asdict(record), "code": feature_code(made)}
            for made, record in map(make_feature, settings.features)
        ],
    }


def tune_settings(inputs: TrainingInputs, settings: TrainingSettings) -> dict[str, Any]:
    """What decides this stage beside models, sentences and settings that are read as they are."""
    return {**search_choices(inputs, settings), "learner": repr(settings.learner())}


def make_decoder(settings: TrainingSettings, stages: Mapping[str, Done | Finished]) -> Decoder:
    """The decoder of a run from the folders of its stages, with the weights tuning begins with."""
    kind = decoder_kind(settings.decoder)
    limits = settings.search(stages["reordering"].facts["distortion_limit"])
    lms = sorted(stages["lm"].folder.glob("*.rlm"), key=lambda path: (len(path.stem), path.stem))
    parts = {
        "rules": RuleTable.open(stages["extract"].folder / "rules"),
        "lm": {path.stem: Model.open(path) for path in lms},
        "guesses": Guesses.load(stages["extract"].folder / "guesses.json"),
    }
    names, folder = stages["reordering"].facts["models"], stages["reordering"].folder
    if names != ["lexicalized"]:
        parts["reorder"] = tuple(
            name if name == "lexicalized" else LinearReordering.open(folder / name)
            for name in names
        )
    return kind.make(
        parts,
        settings=limits,
        unknown=unknown_words(settings.unknown, parts),
        features=settings.python_features(),
    )


def tune(task: Task, told: ProgressCallback) -> dict[str, Any]:
    """Weights, how they were found, and what makes confidence of scores."""
    settings, words, threads = task.settings, task.needs["tokenise"].folder, task.threads
    decoder = make_decoder(settings, task.needs)
    learner = settings.learner()
    metric = settings.tuning_metric()
    start = decoder.default_weights()
    has_dev = (words / "dev.source").exists()
    sentences, references = held_out(words, "dev") if has_dev else ([], [])
    facts: dict[str, Any] = {
        "learner": settings.tune,
        "metric": settings.metric,
        "signature": metric.signature,
        "sentences": len(sentences),
        "nbest": settings.nbest,
        "start": start,
        "history": [],
        "notes": [],
    }
    if learner is None or len(sentences) < _FEW:
        if learner is not None:
            facts["notes"].append(
                f"weights are untuned: {plural(len(sentences), 'sentence')} to tune on, expected "
                f"at least {_FEW}"
            )
        facts |= {"learner": None, "ending": "not tuned", "weights": start, "score": None}
        save_weights(task.folder / WEIGHTS, Weights.of(start))
        told("fitting confidence", 0, None)
        return facts | confidence_facts(decoder, sentences, references, threads)
    most = len(sentences) * (settings.rounds + 1)  # the last weights are tried, too
    what = f"sentences, up to {settings.rounds + 1} times each"

    def lists(weights: Mapping[str, float], number: int) -> Iterator[Forest]:
        made = nbest_forests(decoder.with_weights(weights), sentences, settings.nbest, threads)
        for done, forest in enumerate(made, start=(number - 1) * len(sentences)):
            told(what, done, most)
            yield forest

    task.going.mkdir(exist_ok=True)
    found = tune_loop(
        lists, learner, metric, references, start=start, rounds=settings.rounds,
        seed=settings.seed, threads=threads, max_memory=task.max_memory or MAX_MEMORY,
        folder=task.going / "loop",
    )  # fmt: skip
    tuned = Weights.of(found.weights)
    save_weights(task.folder / WEIGHTS, tuned)
    facts |= {
        "settings": dict(vars(learner)),
        "history": found.history,
        "ending": found.ending,
        "weights": tuned.named,  # sparse ones are in the stage's folder
        "score": found.score,
    }
    told(what, most, most)
    if tuned == start:
        facts["notes"].append("no weights were better than those that tuning began with")
    told("fitting confidence", 0, None)
    return facts | confidence_facts(decoder.with_weights(tuned), sentences, references, threads)


def nbest_forests(decoder: Decoder, sentences: list[str], n: int, threads: int) -> Iterator[Forest]:
    """The n best translations of each sentence, as flat forests.

    A second thread makes the lists, so that the next sentences are searched meanwhile.
    """

    def listed(forest: Forest) -> Forest:
        return forest.k_best(forest.score(decoder.theta()), n, distinct=True).as_list()

    searched = (found.forest for found in decoder.search_all(sentences, threads=threads))
    return map(listed, searched) if threads == 1 else ahead(listed, searched, _WAITING)


def confidence_facts(
    decoder: Decoder, sentences: list[str], references: list[list[str]], threads: int
) -> dict[str, Any]:
    """How sure words are, by which of them were right; sentences from all over the set."""
    every = -(-len(sentences) // MOST_SEARCHES) or 1
    searches = decoder.search_all(sentences[::every], threads=threads)
    wanted = ([each.split() for each in some] for some in references[::every])
    dense = len(decoder.features.dense)
    how = fit_confidence(searches, decoder.theta, wanted, dense=dense)
    return {"confidence": how.to_dict()}
