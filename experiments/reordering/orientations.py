"""Orientation events of an aligned corpus as examples: made once, split by sentence.

    events = read_events(aligned, work, FEATURES["paper"])
    train, tuning, held_out = events.split(seed=1)

As in the papers: backward orientations of the hierarchical model, three classes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.corpora import Aligned
from rosewood.reorder import CorpusEvents, Examples
from rosewood.reorder.event_features import count_features
from rosewood.reorder.events import LabelledEvents
from rosewood.reorder.settings import EventFeatureSettings
from rosewood.rules.settings import EVENT_CLASSES

CLASSES = EVENT_CLASSES["msd"]
HELD_OUT = 0.1  # of the sentences
# Features of the papers: word pairs and the words beside the phrase, which do not tell the side;
# no ends of sentences; more than ten occurrences.  All is written out, so that the stored results
# stay comparable when the defaults of Rosewood change.
FEATURES = {
    "paper": EventFeatureSettings(
        window=1, sides=False, boundaries=False, source_edges=False, target_edges=False,
        min_count=11,
    ),
    "rosewood": EventFeatureSettings(
        window=2, sides=True, boundaries=True, source_edges=True, target_edges=True, min_count=2
    ),
}  # fmt: skip
_MOST = 1 << 20  # examples that are written together
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class Part(NamedTuple):
    """Examples, and the number of the phrase pair of each."""

    examples: Examples
    pair: NDArray[np.int64]

    @property
    def label(self) -> NDArray[np.uint8]:
        return self.examples.label()


@dataclass(frozen=True)
class EventExamples:
    """All events of a corpus as examples."""

    examples: Examples
    sentence: NDArray[np.int64]
    pair: NDArray[np.int64]
    min_count: int

    def split(self, seed: int) -> tuple[Part, Part, Part]:
        """Events to learn from, to choose settings by, and to judge by: 8, 1 and 1 tenths.

        Sentences are drawn, not events.  Features are those that the training events have.
        """
        sentences = np.random.default_rng(seed).permutation(np.unique(self.sentence))
        size = max(1, round(HELD_OUT * len(sentences)))
        tuning, held_out = (
            np.isin(self.sentence, each) for each in (sentences[size : 2 * size], sentences[:size])
        )
        parts = [
            Part(self.examples.take(index), self.pair[index])
            for index in map(np.flatnonzero, (~tuning & ~held_out, tuning, held_out))
        ]
        train = parts[0].examples
        seen = np.bincount(train.feature, train.count, minlength=train.num_features)
        first, second, third = (
            Part(each.examples.with_features(seen >= self.min_count), each.pair) for each in parts
        )
        return first, second, third


def read_events(
    aligned: Aligned, work: Path, name: str, sentences: int | None = None
) -> EventExamples:
    """The events of a corpus with the features of a name; `sentences` limits them."""
    settings = FEATURES[name]
    place = work / (f"events-{name}" if sentences is None else f"events-{name}-{sentences}")
    if not (place / "done.json").exists():
        _write(aligned, place, settings, sentences)
    return EventExamples(
        Examples.open(place / "examples"), np.load(place / "sentence.npy"),
        np.load(place / "pair.npy"), settings.min_count,
    )  # fmt: skip


def _write(
    aligned: Aligned, place: Path, settings: EventFeatureSettings, sentences: int | None
) -> None:
    place.mkdir(parents=True, exist_ok=True)
    events = CorpusEvents(
        aligned.corpus, aligned.links, kind="hierarchy", classes="msd", directions=("backward",)
    )
    table = count_features(events, settings)
    sentence, pair = [], []
    with Examples.writer(
        place / "examples", num_classes=len(CLASSES), num_features=len(table),
        directions=("backward",),
    ) as writer:  # fmt: skip
        for block in events.blocks():
            kept = len(block) if sentences is None else int((block.sentence < sentences).sum())
            start, feature, count = table.rows(block)
            end = start[kept]
            labels = {way: label[:kept] for way, label in block.labels.items()}
            writer.append(start[: kept + 1], feature[:end], labels, count[:end])
            sentence.append(block.sentence[:kept])
            pair.append(phrase_pairs(block)[:kept])
    np.save(place / "sentence.npy", np.concatenate(sentence))
    np.save(place / "pair.npy", np.unique(np.concatenate(pair), return_inverse=True)[1])
    (place / "done.json").write_text(json.dumps({"features": len(table)}), "utf-8")


def phrase_pairs(block: LabelledEvents) -> NDArray[np.uint64]:
    """A hash of the words of each event's source and target phrase."""
    found = np.zeros(len(block), np.uint64)
    for text, start, begin, end, salt in (
        (block.source, block.source_start, block.source_begin, block.source_end, 1),
        (block.target, block.target_start, block.target_begin, block.target_end, 2),
    ):
        first = start[block.sentence] + begin
        length = end - begin
        found = _mixed(found ^ np.uint64(salt) ^ length.astype(np.uint64) << np.uint64(8))
        for place in range(int(length.max(initial=0))):
            inside = length > place
            word = text[first[inside] + place].astype(np.uint64)
            found[inside] = _mixed(found[inside] ^ word + np.uint64(1))
    return found


def _mixed(value: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers whose bits depend on all bits of others."""
    value = (value ^ value >> np.uint64(31)) * _MULTIPLIER
    return value ^ value >> np.uint64(29)
