"""The stage `tune`: weights that make the decoder say what the references say.

Each round the decoder lists its best translations of the development set, the lists of all rounds
are merged, and a learner finds weights for them; what the decoder says with them is what counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from rosewood.corpus import IndexedCorpus
from rosewood.decode import Decoder, Guesses, decoder_kind
from rosewood.decode.features import numbers_rules
from rosewood.decode.guessing import unknown_words
from rosewood.decode.large_features import LargeFeatures
from rosewood.forest import BoostedTrees, Forest, Weights
from rosewood.learn import LoopResult, tune_loop
from rosewood.learn.group_facts import group_facts
from rosewood.learn.ranking import Ranking
from rosewood.learn.training_lists import TrainingLists
from rosewood.lm import Model
from rosewood.model.python_features import feature_code, make_feature
from rosewood.model.weight_files import save_weights
from rosewood.pipeline.confidence import MOST_SEARCHES, fit_confidence
from rosewood.pipeline.features_stage import LARGE
from rosewood.pipeline.inputs import TrainingInputs
from rosewood.pipeline.model_stages import LM, estimate_without
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.stage import Done, Task
from rosewood.pipeline.tokenise_stage import held_out, unlabelled_sentences
from rosewood.pipeline.tuning_data import (
    FOLDS,
    DecodedForests,
    DevSentences,
    TrainingSentences,
    TuningSentences,
)
from rosewood.pipeline.work_store import Finished
from rosewood.reorder import LinearReordering
from rosewood.resources import MAX_MEMORY
from rosewood.rules import RuleTable
from rosewood.shared_types import ProgressCallback
from rosewood.svg_text import plural

WEIGHTS = "weights"  # the folder of the tuned weights
GROUPS = "groups.npz"  # the file of groups of features
FEW_SENTENCES = 40  # sentences from which no weights can be learnt


def search_choices(inputs: TrainingInputs, settings: TrainingSettings) -> dict[str, Any]:
    """Settings of the decoder; the distortion limit is a fact of the stage `reordering`."""
    return {
        "decoder": settings.decoder,
        "search": asdict(settings.search(None)),
        "features": [
            {**asdict(record), "code": feature_code(made)}
            for made, record in map(make_feature, settings.all_features)
        ],
    }


def tune_settings(inputs: TrainingInputs, settings: TrainingSettings) -> dict[str, Any]:
    """What decides this stage beside models, sentences and settings that are read as they are."""
    chosen = {**search_choices(inputs, settings), "learner": repr(settings.learner())}
    if settings.on == "forests":
        chosen |= {"on": settings.on, "forest_edges": settings.forest_edges}
    if settings.tune_on == "train" or settings.uses_training:
        chosen |= {"training": [settings.tune_sentences, settings.leave_one_out]}
        chosen |= {"tune_on": settings.tune_on}
    return chosen


def make_decoder(
    settings: TrainingSettings,
    stages: Mapping[str, Done | Finished],
    lm: Path | None = None,
    *,
    trees: BoostedTrees | None = None,
) -> Decoder:
    """The decoder of a run from the folders of its stages, with the weights tuning begins with.

    `lm` is taken instead of the language model of the training corpus; `trees` add a feature.
    """
    kind = decoder_kind(settings.decoder)
    limits = settings.search(stages["reordering"].facts["distortion_limit"])
    lms = sorted(stages["lm"].folder.glob("*.rlm"), key=lambda path: (len(path.stem), path.stem))
    parts = {
        "rules": RuleTable.open(stages["extract"].folder / "rules"),
        "lm": {path.stem: Model.open(lm if lm and path.stem == LM else path) for path in lms},
        "guesses": Guesses.load(stages["extract"].folder / "guesses.json"),
    }
    names, folder = stages["reordering"].facts["models"], stages["reordering"].folder
    if names != ["lexicalized"]:
        parts["reorder"] = tuple(
            name if name == "lexicalized" else LinearReordering.open(folder / name)
            for name in names
        )
    if trees is not None:
        parts["trees"] = trees
    if "features" in stages:
        parts["large_features"] = LargeFeatures.open(stages["features"].folder / LARGE)
    return kind.make(
        parts,
        settings=limits,
        unknown=unknown_words(settings.unknown, parts),
        features=settings.python_features(),
    )


def dev_sentences(words: Path) -> tuple[list[str], list[list[str]]]:
    """The development set in the folder of the stage `tokenise`; empty where there is none."""
    return held_out(words, "dev") if (words / "dev.source").exists() else ([], [])


def tune(task: Task, told: ProgressCallback) -> dict[str, Any]:
    """Weights, how they were found, and what makes confidence of scores."""
    settings, words, threads = task.settings, task.needs["tokenise"].folder, task.threads
    decoder = make_decoder(settings, task.needs)
    learner = settings.learner()
    metric = settings.tuning_metric()
    start = decoder.default_weights()
    sentences, references = dev_sentences(words)
    data: TuningSentences = DevSentences(sentences, references)
    if learner is not None and settings.tune_on == "train":
        data = training_sentences(task)
    facts: dict[str, Any] = {
        "learner": settings.tune,
        "metric": settings.metric,
        "signature": metric.signature,
        "sentences": len(data),
        "on": settings.on,
        "nbest": settings.nbest if settings.on == "lists" else None,
        "start": start,
        "history": [],
        "notes": [],
    }
    if learner is None or len(data) < FEW_SENTENCES:
        if learner is not None:
            facts["notes"].append(
                f"weights are untuned: {plural(len(data), 'sentence')} to tune on, expected "
                f"at least {FEW_SENTENCES}"
            )
        facts |= {"learner": None, "ending": "not tuned", "weights": start, "score": None}
        save_weights(task.folder / WEIGHTS, Weights.of(start))
        told("fitting confidence", 0, None)
        return facts | confidence_facts(decoder, sentences, references, threads)
    texts = unlabelled_sentences(words)
    others = DevSentences(texts, [[]] * len(texts))
    what = f"sentences, up to {settings.rounds + 1} times each"
    each_round = len(data) + len(others)
    most = each_round * (settings.rounds + 1)  # the last weights are tried, too
    task.going.mkdir(exist_ok=True)
    decoders: tuple[Decoder, ...] = (decoder,)
    if isinstance(data, TrainingSentences):
        decoders = training_decoders(task, data, decoder, told)
    packed = settings.on == "forests"
    listed = None if packed else settings.nbest
    make_forests = DecodedForests(decoders, data, listed, threads)
    make_others = DecodedForests((decoder,), others, listed, threads)
    number_now = 0

    def forests(weights: Mapping[str, float], number: int) -> Iterator[Forest]:
        nonlocal number_now
        number_now = number
        made = chain(
            make_forests(weights, number, range(len(data))),
            make_others(weights, number, range(len(others))),
        )
        for done, forest in enumerate(made, start=(number - 1) * each_round):
            told(what, done, most)
            yield forest

    training = None
    if learner.uses_training and isinstance(learner, Ranking):
        training = _training(
            task,
            learner,
            decoder,
            lambda part, done, total: told(f"round {number_now}: {part}", done, total),
        )
        facts["training_sentences"] = len(training.data)
    found = tune_loop(
        forests, learner, metric, data.references, start=start, rounds=settings.rounds,
        seed=settings.seed, threads=threads, max_memory=task.max_memory or MAX_MEMORY,
        folder=task.going / "loop", training=None if training is None else training.learner,
        edges_per_word=settings.forest_edges if packed else None, unlabelled=len(others),
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
    if len(others):
        facts["unlabelled"] = {"sentences": len(others), **_entropies(found)}
    if (note := _pruning_note(found.history)) is not None:
        facts["notes"].append(note)
    if training is not None:
        facts |= _keep_groups(task.folder, training.learner, found, decoder)
        told_of = (note for row in found.history for note in row.get("notes", []))
        facts["notes"] += [f"groups of features: {note}" for note in dict.fromkeys(told_of)]
    told(what, most, most)
    if found.weights == start:
        reason = "no weights were better than those that tuning began with"
        facts["notes"].append(
            f"{reason}; {found.ending}" if found.ending.startswith("round ") else reason
        )
    told("fitting confidence", 0, None)
    return facts | confidence_facts(decoder.with_weights(tuned), sentences, references, threads)


def _entropies(found: LoopResult) -> dict[str, float | None]:
    """The mean entropy of sentences without references, in nats: with the weights that tuning
    began with, and with those that it found."""
    rows = found.history
    before: float | None = rows[0].get("entropy_before")
    best = _best_round(found)
    after = rows[best - 1].get("entropy_after") if best else before
    return {"entropy_before": before, "entropy_after": after}


def _best_round(found: LoopResult) -> int:
    """The place in the history of the round that began with the weights that are kept; they were
    found in the round before."""
    return next((i for i, row in enumerate(found.history) if row["score"] == found.score), 0)


def _pruning_note(history: list[dict[str, Any]]) -> str | None:
    """What pruning the forests of the last round changed."""
    pruned = [row for row in history if row.get("dropped")]
    if not pruned:
        return None
    row = pruned[-1]
    share = row["dropped"] / (row["dropped"] + row["edges"])
    change = ""
    if row["risk_change"] is not None:
        change = f", which changes the risk by {row['risk_change']:+.2g} points"
        if row["risk_unknown"]:
            change += f" (without {plural(row['risk_unknown'], 'forest')} too large to tell)"
    return (
        f"forests of tuning were pruned by {share:.0%} of their edges in the last round, and by "
        f"{1 - row['kept']:.1%} of their probability{change}"
    )


def training_sentences(task: Task) -> TrainingSentences:
    """Sentences of the training corpus, as the settings say."""
    corpus = IndexedCorpus.open(task.needs["tokenise"].folder / "corpus")
    if not task.settings.leave_one_out:
        return TrainingSentences(corpus, task.settings.tune_sentences)
    rules = RuleTable.open(task.needs["extract"].folder / "rules")
    links = task.needs["align"].folder
    return TrainingSentences(corpus, task.settings.tune_sentences, links, rules)


def training_decoders(
    task: Task,
    data: TrainingSentences,
    decoder: Decoder,
    told: ProgressCallback,
    *,
    trees: BoostedTrees | None = None,
) -> tuple[Decoder, ...]:
    """Decoders of parts of the training sentences, whose language models have not read them."""
    if not task.settings.leave_one_out:
        return (decoder,)
    made = []
    for number in range(FOLDS):
        file = task.going / f"without-{number}.rlm"
        if not file.exists():
            told("language models of training sentences", number, FOLDS)
            estimate_without(
                data.corpus.target, data.fold(number), task.settings.lm_order, file,
                max_memory=task.max_memory or MAX_MEMORY, threads=task.threads,
            )  # fmt: skip
        made.append(make_decoder(task.settings, task.needs, file, trees=trees))
    return tuple(made)


class _Training(NamedTuple):
    """Training sentences, and what learns from them."""

    data: TrainingSentences
    learner: Any


def _training(task: Task, learner: Ranking, decoder: Decoder, told: ProgressCallback) -> _Training:
    """What a learner that uses training data gets of it."""
    settings, threads = task.settings, task.threads
    data, folder = training_sentences(task), task.going / "training"
    decoders = training_decoders(task, data, decoder, told)
    lists = TrainingLists(
        DecodedForests(decoders, data, settings.nbest), data.references, settings.tuning_metric(),
        learner, folder=folder, seed=settings.seed, processes=threads,
        max_memory=task.max_memory or MAX_MEMORY, progress=told,
    )  # fmt: skip
    is_of_rules = any(map(numbers_rules, settings.python_features()))
    rules = len(RuleTable.open(task.needs["extract"].folder / "rules")) if is_of_rules else None
    made = learner.training(
        lists, folder=folder, dimension=rules, seed=settings.seed, processes=threads, progress=told
    )
    return _Training(data, made)


def _keep_groups(
    folder: Path, training: Any, found: LoopResult, decoder: Decoder
) -> dict[str, Any]:
    """Copy the groups of the round whose weights are the best ones; what is known of them."""
    rows, best = found.history, _best_round(found)
    groups = Weights()
    if best:
        groups = Weights.load(training.groups_file(rows[best - 1]["round"]))
    groups.save(folder / GROUPS)
    describe = getattr(decoder, "describe", str)
    return {"groups": group_facts(groups, found.weights, describe=describe)}


def confidence_facts(
    decoder: Decoder, sentences: list[str], references: list[list[str]], threads: int
) -> dict[str, Any]:
    """How sure words are, by which of them were right; sentences from all over the set."""
    every = -(-len(sentences) // MOST_SEARCHES) or 1
    searches = decoder.search_all(sentences[::every], threads=threads)
    wanted = ([each.split() for each in some] for some in references[::every])
    dense = len(decoder.features.dense)
    how = fit_confidence(
        searches, decoder.theta, wanted, dense=dense, unknown=getattr(decoder, "unknown", None)
    )
    return {"confidence": how.to_dict()}
