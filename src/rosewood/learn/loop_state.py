"""What a tuning loop keeps between rounds: merged forests, weights, history; and its folder.

The folder has the forests of the last round (`round-N.rwf`), the note `state.json`, and, where
there are weights of numbered features, these in array files.  The note is written last: killed at
any moment, the folder has the state after some round.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.corpus import Vocabulary
from rosewood.errors import FormatError, RosewoodError, TuningError
from rosewood.forest import (
    FeatureSpace,
    Forest,
    ForestSet,
    ForestSetWriter,
    Weights,
    merge,
    renamed,
)
from rosewood.learn.batches import check_forest
from rosewood.metrics.metric import Metric
from rosewood.output import whole_file

_TEXTS = 256  # whose statistics are counted together


@dataclass
class LoopState:
    """What is known between rounds."""

    forests: ForestSet | None  # those of all rounds, merged
    weights: Weights
    best: Weights
    best_score: float | None
    history: list[dict[str, Any]]
    ending: str | None = None

    def keep_best(self, score: float | None, sign: float) -> None:
        """The weights that the decoder was just asked with, if they are the best so far."""
        if score is None:
            return
        if self.best_score is None or sign * score > sign * self.best_score:
            self.best, self.best_score = self.weights, score

    def replace_forests(self, forests: ForestSet) -> None:
        """Those of another round; the file of the old ones stays, for it may be needed again."""
        self.close()
        self.forests = forests

    def close(self) -> None:
        if self.forests is not None:
            self.forests.close()


class MergedRound(NamedTuple):
    """The forests of all rounds, the metric's statistics of the decoder's own best derivations
    (None if all weights are zero), and how many edges are new."""

    forests: ForestSet
    statistics: FloatArray | None
    new: int

    def score(self, metric: Metric) -> float | None:
        """What the decoder's best derivations score."""
        return None if self.statistics is None else metric.score(self.statistics)


def merge_round(
    old: ForestSet | None,
    decoded: Iterable[Forest],
    weights: Weights,
    metric: Metric,
    references: Sequence[Sequence[str]],
    path: Path,
    *,
    number: int,
    threads: int,
    unlabelled: int = 0,
) -> MergedRound:
    """Score a decoder's forests and merge them with those of the rounds before, one at a time.

    `weights` are those that it used in round `number`; `path` is where the merged forests go.  The
    last `unlabelled` forests have no references and do not count in the score.
    """
    expected = len(references) + unlabelled
    path.parent.mkdir(parents=True, exist_ok=True)
    names = None if old is None else _Names(old.features, old.vocabulary, weights)
    texts: list[str] = []
    count = edges = 0
    with ForestSetWriter(
        path,
        features=None if old is None else old.features,
        vocabulary=None if old is None else old.vocabulary,
    ) as writer:
        for forest in decoded:
            if count == expected:
                raise _other_count(number, "more", count)
            check_forest(str(count), forest)
            if names is None:
                words = None if forest.vocabulary is None else Vocabulary()
                names = _Names(FeatureSpace(forest.features.dense), words, weights)
                writer.features, writer.vocabulary = names.space, names.words
                _check_names(weights, names.space)
            fresh = renamed(forest, names.space, names.words)
            text = names.best_text(fresh) if count < len(references) else None
            if text is not None:
                texts.append(text)
            parts = [fresh] if old is None else [old.read(count), fresh]
            merged = merge(parts).forest
            edges += merged.num_edges
            writer.append(merged)
            count += 1
        if count != expected:
            raise _other_count(number, count, expected)
    found = None
    if names is not None and names.has_weights():
        found = _statistics(metric, texts, references, threads)
    before = 0 if old is None else int(old.num_edges.sum())
    return MergedRound(ForestSet(path), found, edges - before)


def _other_count(number: int, forests: int | str, sentences: int) -> TuningError:
    return TuningError(
        f"round {number}: the decoder returned {forests} forests, expected {sentences}",
        code="argument.shape",
        argument="forests",
        value=forests,
        expected=sentences,
    )


def _check_names(given: Weights, space: FeatureSpace) -> None:
    for name in given.named:
        if ":" not in name and space.dense_index(name) is None:
            reason = f"there is a starting weight for {name!r}, but no such feature"
            raise TuningError(reason, code="argument.unknown", argument="start", value=name)


class _Names:
    """Features and words of all forests, and θ for them, which grows as features are met."""

    def __init__(self, space: FeatureSpace, words: Vocabulary | None, weights: Weights) -> None:
        self.space, self.words, self._weights = space, words, weights
        self._is_zero = not any(weights.named.values()) and not any(
            values.any() for _, values in weights.numbered.values()
        )
        self._theta: FloatArray = space.vector(weights, only_known=True)
        self._known = len(self._theta)

    def has_weights(self) -> bool:
        """Without weights, no derivation is the best one."""
        return bool(self._theta[: self._known].any())

    def best_text(self, forest: Forest) -> str | None:
        """The string of the best derivation; None where all weights are zero."""
        if self._is_zero:
            return None
        self._grow()
        return forest.best(forest.score(self._theta[: self._known])).text

    def _grow(self) -> None:
        size = len(self.space)
        if size > len(self._theta):
            grown = np.zeros(2 * size)
            grown[: self._known] = self._theta[: self._known]
            self._theta = grown
        if size > self._known:
            width = len(self.space.dense)
            fresh = self.space.sparse.lookup(self._weights, self._known - width, size - width)
            self._theta[self._known : size] = fresh
        self._known = size


def _statistics(
    metric: Metric, texts: list[str], references: Sequence[Sequence[str]], threads: int
) -> FloatArray:
    blocks = []
    for first in range(0, len(texts), _TEXTS):
        some = [[text] for text in texts[first : first + _TEXTS]]
        wanted = references[first : first + _TEXTS]
        try:
            blocks.append(metric.statistics_many(some, wanted, threads=threads))
        except RosewoodError:
            for i, (text, refs) in enumerate(zip(some, wanted, strict=True), start=first):
                try:  # which sentence it is
                    metric.statistics(text, refs)
                except RosewoodError as error:
                    raise error.restated(f"{i}: {error}") from error
            raise
    return np.concatenate(blocks)


# -- the folder ------------------------------------------------------------------------------------


def save_loop(folder: Path, identity: str, state: LoopState) -> None:
    """Write the weights, then the note that makes the round count; then old files go."""
    if state.forests is None:
        raise TuningError("a loop is saved after a round, not before", code="tuning.no-round")
    number = len(state.history)
    kept = {state.forests.path.name}
    files = {}
    for key, weights in (("weights", state.weights), ("best", state.best)):
        if weights.numbered:
            files[key] = f"{key}-{number}.npz"
            weights.save(folder / files[key])
    note = {
        "identity": identity,
        "forests": state.forests.path.name,
        "weights": state.weights.named,
        "best": state.best.named,
        "arrays": files,
        "best_score": state.best_score,
        "history": state.history,
        "ending": state.ending,
    }
    with whole_file(folder / "state.json") as out:
        out.write(json.dumps(note, ensure_ascii=False, allow_nan=False).encode())
    kept |= set(files.values())
    for pattern in ("round-*.rwf", "weights-*.npz", "best-*.npz"):
        for old in folder.glob(pattern):
            if old.name not in kept:
                old.unlink(missing_ok=True)


def resume_loop(folder: Path | None, identity: str) -> LoopState | None:
    """The state that a folder has; None where there is none."""
    file = None if folder is None else folder / "state.json"
    if folder is None or file is None or not file.exists():
        return None
    try:
        note = json.loads(file.read_text(encoding="utf-8"))
        if note["identity"] != identity:
            reason = (
                f"{folder}: it contains a loop with other settings, references or starting "
                "weights; choose another folder, or remove this one"
            )
            raise TuningError(reason, code="file.mismatch", file=folder)
        arrays = note.get("arrays", {})
        weights, best = (
            Weights.load(folder / arrays[key]) if key in arrays else Weights.of(note[key])
            for key in ("weights", "best")
        )
        return LoopState(
            ForestSet(folder / note["forests"]),
            weights,
            best,
            note["best_score"],
            note["history"],
            note["ending"],
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        told = f"it is not the state of a loop: {error}"
        raise FormatError(told, file=file, code="file.damaged") from error
