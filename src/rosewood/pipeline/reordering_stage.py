"""The stage `reordering`: how differently the two languages order their words.

The probabilities of orientations are columns of the rule table; what is decided here is how far the
decoder may jump.  Six words, as elsewhere, are too few for Japanese and too many for Spanish: the
alignment itself tells how far translations jump, and nearly all of them must be within reach.
Rules with gaps need neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosewood.align import Links
from rosewood.corpus import IndexedCorpus, WordClasses
from rosewood.errors import ReorderingError
from rosewood.pipeline.inputs import TrainingInputs
from rosewood.pipeline.model_stages import read_links
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.stage import Task
from rosewood.reorder import REORDERING, CorpusEvents, Lexicalized
from rosewood.rules import RuleTable
from rosewood.rules.settings import CLASSES, DIRECTIONS
from rosewood.shared_types import ProgressCallback

_SENTENCES = 1 << 16  # looked at together
_LONGEST = 1000  # jumps of this length and more are counted as one
_SHARE = 0.999  # of jumps that are within reach
_MANY = 10_000  # sentence pairs from which trained reordering models are used unasked
_LEAST, _MOST = 6, 20  # words of a limit that is chosen


def reordering(task: Task, told: ProgressCallback) -> dict[str, Any]:
    """The limit of jumps, and what the orientations of phrases look like."""
    settings, aligned, extracted = task.settings, task.needs["align"], task.needs["extract"]
    jumps = jump_lengths(read_links(aligned.folder))
    facts: dict[str, Any] = {
        "jumps": jumps[: _MOST + 1].tolist(),
        "jumps_above": int(jumps[_MOST + 1 :].sum()),
        "distortion_limit": jump_limit(settings, jumps),
        "kind": None,
        "notes": [],
    }
    corpus = IndexedCorpus.open(task.needs["tokenise"].folder / "corpus")
    names = chosen_models(settings, len(corpus))
    facts["trained"] = train_models(task, corpus, names, told, facts["notes"])
    facts["models"] = [name for name in names if name == "lexicalized" or name in facts["trained"]]
    table = RuleTable.open(extracted.folder / "rules")
    if table.facts["settings"]["hierarchical"]:  # rules move what is in their gaps
        return facts | {"distortion_limit": None}
    model = Lexicalized.of(table)
    if model is None:
        if not facts["trained"]:
            facts["notes"].append("there is no reordering model: jumps have their length alone")
        return facts
    counted = extracted.facts["orientation"]["counts"]
    names = CLASSES[model.classes]
    shares = np.array(counted, float).reshape(len(DIRECTIONS), -1)
    if len(names) == 3:  # left and right are counted apart all the same
        shares = np.concatenate([shares[:, :2], shares[:, 2:].sum(axis=1, keepdims=True)], axis=1)
    shares /= np.maximum(1.0, shares.sum(axis=1, keepdims=True))
    return facts | {
        "kind": model.kind,
        "classes": model.classes,
        "directions": list(model.directions),
        "shares": {
            way: dict(zip(names, row, strict=True))
            for way, row in zip(DIRECTIONS, shares.tolist(), strict=True)
        },
    }


def chosen_models(settings: TrainingSettings, pairs: int) -> tuple[str, ...]:
    """Reordering models for a corpus of so many sentence pairs.

    With few pairs, trained models are used only if they, or settings of them, are asked for.
    """
    names = settings.reordering_models
    is_asked_for = settings.reordering_set or settings.select is not None
    if settings.reordering == ("auto",) and pairs < _MANY and not is_asked_for:
        return tuple(name for name in names if name == "lexicalized")
    return names


def reordering_settings(inputs: TrainingInputs, settings: TrainingSettings) -> dict[str, Any]:
    """What decides trained models."""
    chosen = {name: settings.reordering_settings(name) for name in settings.trained_reordering}
    return {
        "models": list(settings.reordering),
        "trained": {name: [own.to_dict(), rest] for name, (own, rest) in chosen.items()},
        "word_classes": [settings.word_classes, settings.seed]
        if settings.uses_word_classes
        else None,
    }


def learn_classes(
    task: Task, corpus: IndexedCorpus, told: ProgressCallback
) -> tuple[WordClasses, WordClasses]:
    """Write the word classes of both sides: source.classes and target.classes."""
    task.going.mkdir(exist_ok=True)
    made = {}
    for side, text in (("source", corpus.source), ("target", corpus.target)):
        made[side] = WordClasses.learn(
            text, task.settings.word_classes, threads=task.threads, seed=task.settings.seed,
            work=task.going / f"{side}.classes",
            told=_named(f"{side} classes", told),
        )  # fmt: skip
        made[side].save(task.folder / f"{side}.classes")
    return made["source"], made["target"]


def train_models(
    task: Task, corpus: IndexedCorpus, names: Sequence[str], told: ProgressCallback,
    notes: list[str],
) -> dict[str, Any]:  # fmt: skip
    """Write each trained model to a folder of its name; what is known of them.

    A corpus without any feature that occurs often enough has none: a note says so.
    """
    settings, facts = task.settings, {}
    classes = learn_classes(task, corpus, told) if settings.uses_word_classes else None
    for name in (each for each in names if each != "lexicalized"):
        chosen, rest = settings.reordering_settings(name)
        events = CorpusEvents(
            corpus, read_links(task.needs["align"].folder), kind=chosen.kind,
            classes=chosen.classes, directions=chosen.directions, max_phrase=chosen.max_phrase,
        )  # fmt: skip
        try:
            model = REORDERING[name].train(  # type: ignore[attr-defined]
                events, chosen, set=rest, classes=classes, work=task.going / name,
                threads=task.threads,
                told=_named(name, told),
            )  # fmt: skip
        except ReorderingError as error:
            if error.code != "reordering.no-features":
                raise
            notes.append(f"there is no reordering model {name}: {error}")
            continue
        model.save(task.folder / name)
        facts[name] = {"features": len(model), "bytes": model.size, **model.facts["facts"]}
    return facts


def _named(name: str, told: ProgressCallback) -> ProgressCallback:
    return lambda what, done, total: told(f"{name}, {what}", done, total)


def jump_limit(settings: TrainingSettings, jumps: NDArray[np.int64]) -> int | None:
    """The distortion limit: the one that was set, or by the counts of jumps of each length."""
    if settings.distortion_limit != "auto":
        return settings.distortion_limit
    if not jumps.any():
        return _LEAST
    upto = np.cumsum(jumps) / jumps.sum()
    return int(np.clip(np.searchsorted(upto, _SHARE), _LEAST, _MOST))


def jump_lengths(links: Links) -> NDArray[np.int64]:
    """How many jumps there are of each length, from 0: source words that lie between what two
    target words in a row are linked to, forwards or backwards."""
    found = np.zeros(_LONGEST + 1, np.int64)
    for begin in range(0, len(links), _SENTENCES):
        found += _jumps(links[begin : begin + _SENTENCES])
    return found


def _jumps(links: Links) -> NDArray[np.int64]:
    sentence = np.repeat(np.arange(len(links), dtype=np.int64), links.counts)
    word = (sentence << 32) | links.target.astype(np.int64)
    order = np.lexsort((links.source, word))
    word, source = word[order], links.source[order].astype(np.int64)
    first = np.flatnonzero(np.diff(word, prepend=-1))
    last = np.append(first[1:], len(word))[: len(first)] - 1
    in_a_row = (word[first][1:] >> 32) == (word[first][:-1] >> 32)
    jumps = np.abs(source[first][1:] - source[last][:-1] - 1)[in_a_row]
    return np.bincount(np.minimum(jumps, _LONGEST), minlength=_LONGEST + 1)
