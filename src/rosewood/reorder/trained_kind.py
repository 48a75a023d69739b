"""Reordering models that are trained from events: what all kinds of them share.

    kind = REORDERING["maxent"]
    model = kind.train(CorpusEvents(corpus, links), ReorderingSettings(), work="work", threads=2)
    model.save("maxent")

A kind is a file of `models/` that says how weights are learned from examples, in one place; the
features, the model's folder and the decoder's side are the same for all.
"""

from __future__ import annotations

import io
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from rosewood.arrays import FloatArray, digest_of
from rosewood.corpus.clusters import WordClasses
from rosewood.errors import DamagedFileError, DecodingError, ReorderingError
from rosewood.output import whole_file
from rosewood.reorder.event_features import FeatureTable, count_features
from rosewood.reorder.events import Events
from rosewood.reorder.examples import Examples
from rosewood.reorder.linear import LinearReordering
from rosewood.reorder.selection import PresenceCounts, presence_counts, select_features
from rosewood.reorder.settings import EventFeatureSettings, ReorderingSettings
from rosewood.rules.settings import EVENT_CLASSES
from rosewood.rules.table import RuleTable
from rosewood.settings import Settings, setting_names, settings_of
from rosewood.shared_types import PathName, ProgressCallback
from rosewood.work_folder import Workplace

_EXAMPLES = "examples"  # a step of the work, and its folder


class Fitted(NamedTuple):
    """What was learned in one direction: weights (a row for each feature), and what is added."""

    weights: FloatArray
    bias: FloatArray
    totals: FloatArray | None  # of Bayes with full inference
    facts: dict[str, Any]


@dataclass(frozen=True)
class Work:
    """Events as numbers, and how they may be worked on."""

    events: Events
    table: FeatureTable
    folder: Path
    threads: int
    told: ProgressCallback | None
    place: Workplace | None = None  # knows what had been done in the folder before

    @property
    def num_classes(self) -> int:
        """Classes of the events."""
        return len(EVENT_CLASSES[self.events.classes])

    def blocks(self) -> Iterator[Examples]:
        """The events as examples, block by block."""
        for block in self.events.blocks(self.threads):
            start, feature, count = self.table.rows(block, self.threads)
            yield Examples(
                start, feature, block.labels, num_features=len(self.table),
                num_classes=self.num_classes, count=count, is_checked=True,
            )  # fmt: skip

    def examples(self) -> Examples:
        """All events, in a folder that is made once and mapped."""
        folder, done = self.folder / _EXAMPLES, 0
        if self.place is not None and self.place.result(_EXAMPLES) is not None:
            return Examples.open(folder)
        with Examples.writer(
            folder, num_classes=self.num_classes, num_features=len(self.table),
            directions=self.events.directions,
        ) as writer:  # fmt: skip
            for block in self.blocks():
                writer.append(block.start, block.feature, block.labels, block.count)
                done += len(block)
                if self.told is not None:
                    self.told("writing examples", done, None)
        if self.place is not None:
            self.place.note(_EXAMPLES, {"examples": done})
        return Examples.open(folder)

    def keep(self, way: str, fitted: Fitted) -> Fitted:
        """A direction is done: a run that is stopped in the next one need not learn it again."""
        if self.place is not None and self.place.is_named:
            stream = io.BytesIO()
            np.save(stream, fitted.weights)
            with whole_file(self.folder / f"{way}.npy") as out:
                out.write(stream.getvalue())
            rest = {"bias": fitted.bias.tolist(), "facts": fitted.facts}
            self.place.note(way, {**rest, "crc32": zlib.crc32(stream.getvalue())})
        return fitted

    def kept(self, way: str) -> Fitted | None:
        """What was learned in a direction before the work was stopped."""
        known = None if self.place is None else self.place.result(way)
        if known is None:
            return None
        path = self.folder / f"{way}.npy"
        data = path.read_bytes()
        if zlib.crc32(data) != known["crc32"]:
            raise DamagedFileError("checksum mismatch", code="file.changed", file=path)
        return Fitted(np.load(io.BytesIO(data)), np.array(known["bias"]), None, known["facts"])

    def step(self, what: str) -> ProgressCallback | None:
        """Progress of a part of the work."""
        told = self.told
        if told is None:
            return None
        return lambda name, done, total: told(f"{what}, {name}", done, total)


class TrainedKind(ABC):
    """Makes reordering models of one kind from events."""

    name: ClassVar[str]
    settings_type: ClassVar[type[Settings]]  # of its classifier

    def of(self, table: RuleTable) -> None:
        """Refused: a rule table does not have these models; they are trained."""
        reason = (
            f"a {self.name} model is trained from events: give the folder of one "
            "(rosewood reorder train)"
        )
        raise DecodingError(reason, code="argument.value", argument="reordering", value=self.name)

    @abstractmethod
    def fit(self, work: Work, settings: Any) -> dict[str, Fitted]:
        """What is learned from events, by direction."""

    def train(
        self,
        events: Events,
        settings: ReorderingSettings | None = None,
        *,
        set: Mapping[str, Any] | None = None,
        classes: tuple[WordClasses, WordClasses] | None = None,
        work: PathName | None = None,
        threads: int = 1,
        told: ProgressCallback | None = None,
    ) -> LinearReordering:
        """A model of events.

        `set` are settings of the classifier; `classes` the `WordClasses` of the source and the
        target, where features have classes.  What is computed on the way is kept in the folder
        `work`, so that a run that was stopped goes on if all that decides the model is the same;
        the folder is gone at the end.
        """
        chosen = settings or ReorderingSettings()
        own = self.settings(set or {}, threads)
        facts = None if work is None else self._facts(events, chosen, own, classes)
        if work is not None:
            Path(work).parent.mkdir(parents=True, exist_ok=True)
        place = Workplace(work, None, facts, task="reorder", error=ReorderingError)
        try:
            model = self._train(events, chosen, own, classes, place, threads, told)
        except BaseException:
            place.abandon()
            raise
        place.remove()
        return model

    def _facts(
        self, events: Events, settings: ReorderingSettings, own: Any,
        classes: tuple[WordClasses, WordClasses] | None,
    ) -> Any:  # fmt: skip
        """All that decides a model, for the name of the work; None if events are not known."""
        known = events.facts()
        if known is None:
            return None
        words = [[list(each.words), digest_of(each.classes)] for each in classes or ()]
        return [self.name, known, settings.to_dict(), _told(own), words]

    def setting_names(self) -> list[str]:
        """What settings of the classifier are called."""
        return list(setting_names(self.settings_type))

    def settings(self, given: Mapping[str, Any], threads: int = 1) -> Any:
        """Settings of the classifier."""
        known = {each.name for each in settings_of(self.settings_type)}
        own = {"threads": threads} if "threads" in known else {}
        return self.settings_type.from_values({**own, **given})

    def _train(
        self, events: Events, settings: ReorderingSettings, own: Any, classes: Any,
        place: Workplace, threads: int, told: ProgressCallback | None,
    ) -> LinearReordering:  # fmt: skip
        names = [each.name for each in settings_of(EventFeatureSettings)]
        features = EventFeatureSettings(**{name: getattr(settings, name) for name in names})
        table = count_features(events, features, classes=classes, threads=threads, told=told)
        seen = len(table)
        if settings.select is not None:
            table = _selected(Work(events, table, place.folder, threads, told), settings.select)
        if len(table) == 0:
            if any(len(block) for block in events.blocks(threads)):
                reason = f"no feature is left of {seen}: lower min_count or select"
            else:
                reason = "there are no events to learn from"
            raise ReorderingError(reason, code="reordering.no-features", value=seen)
        found = self.fit(Work(events, table, place.folder, threads, told, place), own)
        fitted = [found[way] for way in events.directions]
        totals = [each.totals for each in fitted if each.totals is not None]
        return LinearReordering.make(
            table, np.concatenate([each.weights for each in fitted], axis=1), name=self.name,
            kind=events.kind, classes=events.classes, directions=events.directions,
            bias=np.concatenate([each.bias for each in fitted]).tolist(),
            totals=np.concatenate(totals).tolist() if totals else None, bits=settings.bits,
            step=settings.step,
            facts={
                "method": self.name,
                "settings": {**settings.to_dict(), **_told(own)},
                "features_seen": seen,
                "directions": {way: found[way].facts for way in events.directions},
            },
        )  # fmt: skip


def _told(settings: Any) -> dict[str, Any]:
    """Settings of a classifier that decide its result."""
    return {name: value for name, value in settings.to_dict().items() if name != "threads"}


def _selected(work: Work, threshold: float) -> FeatureTable:
    """The features with enough mutual information with the class of a direction."""
    ways = work.events.directions
    counts: dict[str, PresenceCounts] = {}
    done = 0
    for block in work.blocks():
        if not len(block):
            continue
        for way in ways:
            found = presence_counts(block, way, threads=work.threads)
            counts[way] = counts[way] + found if way in counts else found
        done += len(block)
        if work.told is not None:
            work.told("selecting features", done, None)
    mask = np.zeros(len(work.table), bool)
    for counted in counts.values():
        mask |= select_features(counted, threshold=threshold).mask
    return work.table.chosen(mask)
