"""The stage `tune`: weights that make the decoder say what the references say.

Each round the decoder lists its best translations of the development set, the lists of all rounds
are merged, and a learner finds weights for them; what the decoder says with them is what counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rosewood.decode import Guesser, Guesses, PhraseDecoder, SearchSettings, UnknownWords
from rosewood.forest import Forest
from rosewood.learn import tune_loop
from rosewood.lettering import plural
from rosewood.lm import Model
from rosewood.pipeline.confidence import MOST_SEARCHES, fit_confidence
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.store import Finished, Place
from rosewood.pipeline.telling import Told
from rosewood.pipeline.words import held_out
from rosewood.rules import RuleTable

__all__ = ["make_decoder", "tune"]

_FEW = 40  # sentences from which no weights can be learnt


def make_decoder(
    settings: TrainingSettings, search: SearchSettings, extracted: Finished, lms: Finished
) -> PhraseDecoder:
    """The decoder of a run, with the weights that tuning begins with."""
    models = {name: Model.open(lms.folder / f"{name}.rlm") for name in lms.facts["models"]}
    table = RuleTable.open(extracted.folder / "rules")
    unknown: UnknownWords = settings.unknown  # type: ignore[assignment]  # or refused
    if settings.unknown == "guess":
        unknown = Guesser(table, Guesses.load(extracted.folder / "guesses.json"))
    features = settings.python_features()
    return PhraseDecoder(table, models, settings=search, unknown=unknown, features=features)


def tune(
    settings: TrainingSettings,
    words: Finished,
    decoder: PhraseDecoder,
    place: Place,
    threads: int,
    told: Told,
) -> dict[str, Any]:
    """Weights, how they were found, and what makes confidence of scores."""
    learner = settings.learner()
    metric = settings.tuning_metric()
    start = decoder.default_weights()
    sentences, references = ([], []) if not words.facts["dev"] else held_out(words.folder, "dev")
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
                "weights are untuned ones: too few to learn from "
                f"({plural(len(sentences), 'sentence')}, want {_FEW} at least)"
            )
        facts |= {"learner": None, "ending": "not tuned", "weights": start, "score": None}
        told("fitting confidence", 0, None)
        return facts | _confidence(decoder, sentences, references, threads)
    most = len(sentences) * (settings.rounds + 1)  # the last weights are tried, too
    what = f"sentences, up to {settings.rounds + 1} times each"

    def lists(weights: Mapping[str, float], number: int) -> list[Forest]:
        made: list[Forest] = []
        for forest in _lists(decoder.with_weights(weights), sentences, settings.nbest, threads):
            told(what, (number - 1) * len(sentences) + len(made), most)
            made.append(forest)
        return made

    place.going.mkdir(exist_ok=True)
    found = tune_loop(
        lists, learner, metric, references, start=start, rounds=settings.rounds,
        seed=settings.seed, threads=threads, folder=place.going / "loop",
    )  # fmt: skip
    facts |= {
        "settings": dict(vars(learner)),
        "history": found.history,
        "ending": found.ending,
        "weights": found.weights,
        "score": found.score,
    }
    told(what, most, most)
    if found.weights == start:
        facts["notes"].append("no weights were better than those that tuning began with")
    told("fitting confidence", 0, None)
    return facts | _confidence(decoder.with_weights(found.weights), sentences, references, threads)


def _lists(decoder: PhraseDecoder, sentences: list[str], n: int, threads: int) -> Iterator[Forest]:
    """The n best translations of each sentence, as flat forests."""
    for found in decoder.search_all(sentences, threads=threads):
        forest = found.forest  # which may have sparse features that no sentence before it had
        yield forest.k_best(forest.score(decoder.theta()), n, distinct=True).as_list()


def _confidence(
    decoder: PhraseDecoder, sentences: list[str], references: list[list[str]], threads: int
) -> dict[str, Any]:
    """How sure words are, by which of them were right; sentences from all over the set."""
    every = -(-len(sentences) // MOST_SEARCHES) or 1
    searches = decoder.search_all(sentences[::every], threads=threads)
    wanted = ([each.split() for each in some] for some in references[::every])
    return {"confidence": fit_confidence(searches, decoder.theta, wanted).as_dict()}
