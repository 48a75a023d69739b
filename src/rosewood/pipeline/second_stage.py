"""The stage `second`: n-grams of whole translations, learnt from forests of training sentences.

Training sentences are translated as if they were not in the corpus (see tuning_data.py), with the
tuned decoder.  Minimum risk on these forests finds weights for n-grams beside
the score of the decoder; every fifth of them, held out, chooses how much they count.  A run that is
stopped goes on with the sentences that it had not translated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from rosewood.decode import Decoder
from rosewood.decode.second_stage import SecondStageDecoder
from rosewood.errors import DamagedFileError
from rosewood.forest import ForestSet, NgramFeatures, SecondStage, Weights
from rosewood.forest.second_stage import SECOND_STAGE
from rosewood.learn import TuningSet
from rosewood.learn.second_stage import (
    ChosenFactor,
    LearntStage,
    ScoredForest,
    SecondStageSettings,
    hold_out,
    learn_second_stage,
    next_forest,
    write_second_forests,
)
from rosewood.model.weight_files import open_weights, save_weights
from rosewood.output import whole_file
from rosewood.pipeline.final_model import SECOND_FILE, final_decoder, final_stage, kept_trees
from rosewood.pipeline.inputs import TrainingInputs
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.stage import Task
from rosewood.pipeline.tune_stage import (
    FEW_SENTENCES,
    WEIGHTS,
    confidence_facts,
    dev_sentences,
    search_choices,
    training_decoders,
    training_sentences,
)
from rosewood.pipeline.tuning_data import TrainingSentences, fold
from rosewood.resources import MAX_MEMORY
from rosewood.shared_types import ProgressCallback
from rosewood.svg_text import plural

_SHOWN = 20  # n-grams in the report
_TRANSLATING = "training sentences for the second stage"


def second_stage_settings(inputs: TrainingInputs, settings: TrainingSettings) -> dict[str, Any]:
    """What decides this stage beside models, sentences and settings that are read as they are."""
    training = [settings.tune_sentences, settings.leave_one_out, settings.lm_order]
    own = {"second": repr(settings.second()), "training": training}
    return {**search_choices(inputs, settings), **own}


def second_stage(task: Task, told: ProgressCallback) -> dict[str, Any]:
    """Weights of n-grams, how they were found, and what makes confidence of the new scores."""
    settings, chosen = task.settings, task.settings.second()
    assert chosen is not None
    sentences, references = dev_sentences(task.needs["tokenise"].folder)
    data = training_sentences(task)
    unused = _reason_against(task, sentences, data)
    if unused is not None:
        return {"confidence": None, "notes": [f"there is no second stage: {unused}"]}
    task.going.mkdir(exist_ok=True)
    first = final_decoder(settings, task.needs)
    texts = (each[0] for each in data.references)
    features = NgramFeatures.count(
        texts, order=chosen.order, min_count=chosen.min_count, most=chosen.most
    )
    if not len(features):
        reason = f"no n-gram occurs {chosen.min_count} times in the training translations"
        return {"confidence": None, "notes": [f"there is no second stage: {reason}"]}
    path = task.going / "second.rwf"
    try:
        found = _forests(task, data, first, next_forest(path), told)
        write_second_forests(path, found, features, chosen, threads=task.threads)
        learnt, (factor, scores) = _learnt(task, path, features, chosen, told)
    except DamagedFileError as error:
        if error.file != str(path):
            raise
        told_how = f"{error.reason}: delete it, and the same command starts afresh"
        raise error.restated(told_how) from error
    facts: dict[str, Any] = {
        "sentences": len(data),
        "features": len(features),
        "history": [] if learnt is None else learnt.history,
        "factor": factor,
        "heldout": [[each, score] for each, score in scores.items()],
        "metric": settings.metric,
        "settings": dict(vars(chosen)),
        "notes": [],
    }
    if learnt is None:
        reason = "its n-grams do not make held-out training sentences better"
        facts["notes"].append(f"the second stage is not used: {reason}")
        return facts | {"confidence": None, "strongest": []}
    facts["notes"] += [f"second stage: {note}" for note in learnt.notes if "lost its" in note]
    second = learnt.second.scaled(factor)
    second.save(task.folder / SECOND_FILE)
    weights = open_weights(final_stage(task.needs).folder / WEIGHTS)
    save_weights(
        task.folder / WEIGHTS, Weights({**weights.named, SECOND_STAGE: 1.0}, weights.numbered)
    )
    told("fitting confidence", 0, None)
    decoder = SecondStageDecoder(first, SecondStage.load(task.folder / SECOND_FILE))
    facts["strongest"] = [list(each) for each in second.strongest(_SHOWN)]
    return facts | confidence_facts(decoder, sentences, references, task.threads)


def _learnt(
    task: Task, path: Path, features: NgramFeatures, chosen: SecondStageSettings,
    told: ProgressCallback,
) -> tuple[LearntStage | None, ChosenFactor]:  # fmt: skip
    """Weights of n-grams, and how much they count; no weights where that is not at all."""
    done = 0

    def report(row: dict[str, Any]) -> None:
        nonlocal done
        done += 1
        told("weights of n-grams", done, None)

    with closing(ForestSet(path)) as forests:
        tuning = TuningSet(
            forests, task.settings.tuning_metric(), threads=task.threads,
            max_memory=task.max_memory or MAX_MEMORY,
        )  # fmt: skip
        factor = _held_out(task, lambda: hold_out(tuning, features, chosen, report=report))
        if not factor.factor:
            return None, factor
        return learn_second_stage(tuning, features, chosen, report=report), factor


def _held_out(task: Task, work: Callable[[], ChosenFactor]) -> ChosenFactor:
    """How much n-grams count: kept until the stage is done, so that a run that was stopped in
    between goes on with it."""
    file = task.going / "heldout.json"
    if not file.exists():
        factor, scores = work()
        with whole_file(file) as out:
            out.write(json.dumps([factor, list(scores.items())]).encode())
    factor, pairs = json.loads(file.read_bytes())
    return ChosenFactor(factor, dict(map(tuple, pairs)))


def _reason_against(task: Task, sentences: Sequence[str], data: TrainingSentences) -> str | None:
    """Why nothing can be learnt."""
    if task.needs["tune"].facts["learner"] is None:
        return "weights are untuned"
    for what, count in (("development set", len(sentences)), ("training corpus", len(data))):
        if count < FEW_SENTENCES:
            told = plural(count, "sentence")
            return f"{told} in the {what}, expected at least {FEW_SENTENCES}"
    return None


def _forests(
    task: Task, data: TrainingSentences, first: Decoder, begin: int, told: ProgressCallback
) -> Iterator[ScoredForest]:
    """Forests of the training sentences from number `begin` on."""
    if begin >= len(data):
        return
    decoders = training_decoders(task, data, first, told, trees=kept_trees(task.needs))
    for place, decoder in enumerate(decoders):
        own = fold(data, place, len(decoders))
        numbers = range(max(own.start, begin), own.stop)
        if not len(numbers):
            continue
        ready = decoder.with_weights(first.weights)
        every = zip(
            numbers, ready.search_all(data.sources(numbers), threads=task.threads), strict=True
        )
        for number, found in every:
            told(_TRANSLATING, number, len(data))
            if not found.forest.is_empty:
                info = {"id": str(number), "refs": data.references[number]}
                yield ScoredForest(found.forest, found.forest.score(ready.theta()), info)
