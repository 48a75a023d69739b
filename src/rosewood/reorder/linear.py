"""A trained reordering model: weights of features, in a folder that is mapped.

    model = LinearReordering.open("maxent")
    PhraseDecoder(table, lm, reorder=model)
    model.log_probabilities(options); model.classify(events); model.explain(...)

MaxEnt and Bayes models are the same once they are trained: the log odds of an event are sums over
its features (core/reorder/linear_model.hpp).  Decoders evaluate them in native code, once for each
translation option.

Folder      slots, rows     features by their hash, and weights, a column for each direction and
                            class; floats, or 16 or 8 bits
            source.words, target.words, …word_start     words of features
            source.class, target.class                  their classes, if features have classes
            reordering.json                             everything else, and checksums
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.arrays import FloatArray
from rosewood.errors import DamagedFileError, ReorderingError
from rosewood.folders import FolderKind, cut_words, joined_words
from rosewood.output import whole_folder
from rosewood.reorder.event_features import FeatureTable, feature_maker, templates_of
from rosewood.reorder.events import Events, KeyArray
from rosewood.reorder.model import OptionsInContext
from rosewood.reorder.settings import EventFeatureSettings
from rosewood.rules.settings import DIRECTIONS, EVENT_CLASSES, KINDS, EventClasses, Kind
from rosewood.rules.table import RuleTable
from rosewood.shared_types import PathName

MANIFEST = "reordering.json"
PRIOR = "(prior)"  # the reason that stands for how often classes occur
_TYPES = {"8": "|i1", "16": "<i2", "32": "<f4"}
KIND = FolderKind(
    MANIFEST, "rosewood reordering model", 1,
    {
        "slots": "<u8", "rows": "|u1", "source.words": "|u1", "source.word_start": "<i8",
        "target.words": "|u1", "target.word_start": "<i8", "source.class": "<i4",
        "target.class": "<i4",
    },
)  # fmt: skip


@dataclass(frozen=True)
class Reason:
    """A feature of an event and its weight for each class, in one direction."""

    feature: str
    weights: dict[str, float]


class LinearReordering:
    """Log probabilities of orientations from features; a `ReorderingModel`."""

    def __init__(
        self, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], folder: Path | None
    ) -> None:
        """Use `open` or `make`."""
        self.facts, self.folder = dict(facts), folder
        self._arrays = dict(arrays)
        self.name = str(facts["name"])
        self.kind: Kind = facts["kind"]
        self.classes: EventClasses = facts["classes"]
        self.directions = tuple(facts["directions"])
        self.features = EventFeatureSettings(**facts["features"])
        self.native = self._native()

    def _native(self) -> _core.LinearReordering:
        facts, arrays = self.facts, self._arrays
        return _core.LinearReordering(
            directions=len(self.directions), classes=len(EVENT_CLASSES[self.classes]),
            slots=arrays["slots"], rows=arrays["rows"], bits=int(facts["bits"]),
            offset=facts["offset"], scale=facts["scale"], bias=facts["bias"],
            totals=facts["totals"], rounded=self._rounded, step=float(facts["step"]),
            templates=templates_of(self.features),
            source_bytes=arrays["source.words"], source_start=arrays["source.word_start"],
            target_bytes=arrays["target.words"], target_start=arrays["target.word_start"],
            source_class=arrays["source.class"], target_class=arrays["target.class"],
            unknown_source=facts["unknown_class"][0], unknown_target=facts["unknown_class"][1],
        )  # fmt: skip

    # -- files -------------------------------------------------------------------------------------

    @classmethod
    def make(
        cls,
        table: FeatureTable,
        weights: NDArray[np.floating[Any]],
        *,
        name: str,
        kind: Kind,
        classes: EventClasses,
        directions: Sequence[str],
        bias: Sequence[float] | None = None,
        totals: Sequence[float] | None = None,
        bits: str = "16",
        step: float = 0.0,
        facts: Mapping[str, Any] | None = None,
    ) -> LinearReordering:
        """From a row of weights for each feature: classes of one direction after the other."""
        width = len(directions) * len(EVENT_CLASSES[classes])
        if weights.shape != (len(table.key), width):
            reason = f"weights have shape {weights.shape}, expected {(len(table.key), width)}"
            raise ReorderingError(reason, code="argument.shape", argument="weights")
        used = np.ones(len(weights), np.bool_)
        if totals is None:
            used &= (weights != 0).any(axis=1)
        table, weights = table.only(used), weights[used]
        offset, scale, codes = _quantised(weights, bits)
        slots, slot_of_key = _core.plan_feature_slots(table.key)
        rows = np.zeros((len(slots), width), _TYPES[bits])
        rows[slot_of_key] = codes
        arrays: dict[str, NDArray[Any]] = {"slots": slots, "rows": rows.reshape(-1).view(np.uint8)}
        for side, words, classes_of in (
            ("source", table.source_words, table.source_class),
            ("target", table.target_words, table.target_class),
        ):
            arrays[f"{side}.words"], arrays[f"{side}.word_start"] = joined_words(words)
            arrays[f"{side}.class"] = classes_of
        told = {
            "name": name,
            "kind": kind,
            "classes": classes,
            "directions": list(directions),
            "features": table.settings.to_dict(),
            "bits": bits,
            "step": step,
            "offset": offset.tolist(),
            "scale": scale.tolist(),
            "bias": [0.0] * width if bias is None else [float(each) for each in bias],
            "totals": [] if totals is None else [float(each) for each in totals],
            "unknown_class": list(table.unknown_class),
            "size": len(table.key),
            "facts": dict(facts or {}),
        }
        return cls(told, arrays, None)

    def save(self, folder: PathName) -> None:
        """Write the model to a folder, which appears whole or not at all."""
        with whole_folder(folder, marker=MANIFEST) as aside:
            KIND.write(aside, self._arrays, {"model": self.facts})

    @classmethod
    def open(cls, folder: PathName) -> LinearReordering:
        """Map the model of a folder."""
        place = Path(folder)
        table, arrays = KIND.open(place)
        try:
            _check_facts(table["model"])
            return cls(table["model"], arrays, place)
        except ReorderingError as error:
            raise DamagedFileError(str(error), code="file.damaged", file=place) from error
        except (KeyError, TypeError, ValueError) as error:
            reason = f"its facts are damaged: {error!r}"
            raise DamagedFileError(reason, code="file.damaged", file=place / MANIFEST) from error

    def verify(self) -> None:
        """Check every byte against its checksum."""
        if self.folder is not None:
            KIND.verify(self.folder)
            KIND.verify_manifest(self.folder)

    @property
    def size(self) -> int:
        """Bytes of its arrays."""
        return sum(array.nbytes for array in self._arrays.values())

    def __len__(self) -> int:
        """Features that have weights."""
        return int(self.facts["size"])

    def __repr__(self) -> str:
        return f"LinearReordering({self.name}, {len(self):,} features, {self.classes})"

    def __reduce__(self) -> tuple[object, ...]:
        if self.folder is not None:
            return LinearReordering.open, (self.folder,)
        return LinearReordering, (self.facts, self._arrays, None)

    # -- as decoders use it ------------------------------------------------------------------------

    def columns(self, table: RuleTable) -> None:
        """No column of a rule table has them: they are computed for each option."""
        return

    def log_probabilities(self, options: OptionsInContext) -> FloatArray:
        """A row for each option, from its words and the words beside them."""
        start, keys = [0], []
        sentence = self.native.source_numbers(list(options.words))
        for n in range(len(options)):
            keys.append(self._option_keys(options, n, sentence))
            start.append(start[-1] + len(keys[-1]))
        rows = self._rows(np.array(start, np.int64), np.concatenate([_NO_KEYS, *keys]))
        step, first = float(self.facts["step"]), rows.shape[1] - self._rounded
        if step:
            rows = rows.copy()
            rows[:, first:] = np.rint(rows[:, first:] / step) * step
        return rows

    @property
    def _rounded(self) -> int:
        """Columns at the end that decoders round: those of forward orientations."""
        return len(EVENT_CLASSES[self.classes]) if self.directions[-1] == "forward" else 0

    def _option_keys(
        self, options: OptionsInContext, n: int, sentence: NDArray[np.int32]
    ) -> KeyArray:
        links = options.links(n)
        target = self.native.target_numbers(list(options.target_words(n)))
        begin = int(options.begin[n])
        return self._keys(
            sentence, begin, int(options.end[n]), target,
            [(int(sentence[begin + i]), int(target[j])) for i, j in links],
        )  # fmt: skip

    def _keys(
        self, sentence: NDArray[np.int32], begin: int, end: int, target: NDArray[np.int32],
        pairs: Sequence[tuple[int, int]],
    ) -> KeyArray:  # fmt: skip
        """The features of one phrase pair; word numbers are the model's."""
        linked = np.array(pairs, np.int32).reshape(-1, 2)
        source_begin, source_end, target_begin = (
            np.array([each], np.int32) for each in (begin, end, 0)
        )
        _, keys = self._maker.keys(
            np.zeros(1, np.int64), source_begin, source_end, target_begin,
            np.array([max(1, len(target))], np.int32), np.array([0, len(linked)], np.int64),
            np.ascontiguousarray(linked[:, 0]), np.ascontiguousarray(linked[:, 1]),
            sentence, target if len(target) else np.array([-1], np.int32),
            np.array([0, len(sentence)], np.int64),
            np.array([0, max(1, len(target))], np.int64), 1,
        )  # fmt: skip
        return keys

    @cached_property
    def _maker(self) -> _core.EventFeatureMaker:
        return feature_maker(
            self.features, self._arrays["source.class"], self._arrays["target.class"],
            self.facts["unknown_class"],
        )  # fmt: skip

    def _rows(self, start: NDArray[np.int64], keys: KeyArray) -> FloatArray:
        width = len(self.directions) * len(EVENT_CLASSES[self.classes])
        return self.native.log_probabilities(start, keys).reshape(len(start) - 1, width)

    # -- as people use it --------------------------------------------------------------------------

    def classify(self, events: Events, threads: int = 1) -> Iterator[tuple[FloatArray, Any]]:
        """Log probabilities of events of text or of a corpus, and their labels, block by block."""
        source = target = np.zeros(0, np.int32)
        for block in events.blocks(threads):
            words, partners = events.words()  # of text, more and more
            new = self.native.source_numbers(list(words[len(source) :]))
            source = np.append(source, new)
            new = self.native.target_numbers(list(partners[len(target) :]))
            target = np.append(target, new)
            start, keys = block.renumbered(source, target).keys(self._maker, threads)
            yield self._rows(start, keys), block.labels

    def explain(
        self,
        words: Sequence[str],
        begin: int,
        end: int,
        target: Sequence[str],
        links: Sequence[tuple[int, int]],
        direction: str,
    ) -> tuple[dict[str, float], list[Reason]]:
        """Probabilities of the classes of a phrase pair in its sentence, and what they come from.

        Reasons are its features with their weights in a direction and, if the model has them,
        `(prior)`.  `links` are places in the source and target phrase.  Nothing is rounded.
        """
        names = EVENT_CLASSES[self.classes]
        first = self.directions.index(direction) * len(names)
        sentence = self.native.source_numbers(list(words))
        numbers = self.native.target_numbers(list(target))
        pairs = [(int(sentence[begin + i]), int(numbers[j])) for i, j in links]
        keys = self._keys(sentence, begin, end, numbers, pairs)
        row = self._rows(np.array([0, len(keys)], np.int64), keys)[0, first : first + len(names)]
        found = []
        bias = self.facts["bias"][first : first + len(names)]
        if any(bias):
            found.append(Reason(PRIOR, dict(zip(names, bias, strict=True))))
        for key in dict.fromkeys(keys.tolist()):
            weights = self.native.weights(key)
            if weights:
                own = np.array(weights[first : first + len(names)]) - self._log_totals(first)
                found.append(Reason(self._name(key), dict(zip(names, own.tolist(), strict=True))))
        return dict(zip(names, np.exp(row).tolist(), strict=True)), found

    def _log_totals(self, first: int) -> FloatArray:
        """What a feature of a Dirichlet-multinomial model is divided by, for each class."""
        size = len(EVENT_CLASSES[self.classes])
        totals = self.facts["totals"]
        if not totals:
            return np.zeros(size)
        found: FloatArray = np.log(np.array(totals[first : first + size]))
        return found

    def strongest(self, limit: int = 10, direction: str | None = None) -> list[Reason]:
        """The features whose weights differ most between classes, in a direction."""
        names = EVENT_CLASSES[self.classes]
        first = self.directions.index(direction or self.directions[0]) * len(names)
        used = self._arrays["slots"] != np.uint64(2**64 - 1)
        keys = self._arrays["slots"][used]
        rows = self._arrays["rows"].view(_TYPES[self.facts["bits"]]).reshape(len(used), -1)[used]
        if self.facts["bits"] != "32":
            rows = np.array(self.facts["offset"]) + np.array(self.facts["scale"]) * rows
        rows = rows[:, first : first + len(names)] - self._log_totals(first)
        order = np.argsort(-np.ptp(rows, axis=1), kind="stable")[:limit]
        return [
            Reason(self._name(int(keys[n])), dict(zip(names, rows[n].tolist(), strict=True)))
            for n in order
        ]

    @cached_property
    def _table(self) -> FeatureTable:
        source, target = (self._words(side) for side in ("source", "target"))
        return FeatureTable(
            _NO_KEYS, np.zeros(0, np.int64), self.features, source, target,
            self._arrays["source.class"], self._arrays["target.class"],
            tuple(self.facts["unknown_class"]),
        )  # fmt: skip

    def _words(self, side: str) -> list[str]:
        name = f"{side}.words"
        words = cut_words(self._arrays[name], self._arrays[f"{side}.word_start"])
        try:
            return [word.decode() for word in words]
        except UnicodeDecodeError as error:
            file = name if self.folder is None else self.folder / name
            reason = f"its words are damaged: {error}"
            raise DamagedFileError(reason, code="file.damaged", file=file) from error

    def _name(self, key: int) -> str:
        """A feature for people."""
        try:
            return self._table.name(key)
        except (ReorderingError, IndexError) as error:
            file = "slots" if self.folder is None else self.folder / "slots"
            reason = f"{key} is not a feature"
            raise DamagedFileError(reason, code="file.damaged", file=file) from error


_NO_KEYS: KeyArray = np.zeros(0, np.uint64)


def _quantised(
    weights: NDArray[np.floating[Any]], bits: str
) -> tuple[FloatArray, FloatArray, NDArray[Any]]:
    """Offsets and scales of columns, and weights as the numbers that are stored."""
    if bits == "32":
        return np.zeros(0), np.zeros(0), weights.astype(np.float32)
    most = 2 ** (int(bits) - 1) - 1
    if len(weights) == 0:
        width = weights.shape[1]
        return np.zeros(width), np.ones(width), weights.astype(_TYPES[bits])
    low, high = weights.min(axis=0), weights.max(axis=0)
    offset = (low + high) / 2
    scale = np.maximum((high - low) / 2, 1e-30) / most
    return offset, scale, np.rint((weights - offset) / scale).astype(_TYPES[bits])


def _check_facts(facts: Mapping[str, Any]) -> None:
    ways = facts["directions"]
    is_good = (
        facts["kind"] in KINDS
        and facts["classes"] in EVENT_CLASSES
        and isinstance(ways, list)
        and 0 < len(ways) == len(set(ways))
        and set(ways) <= set(DIRECTIONS)
        and facts["bits"] in _TYPES
        and len(facts["unknown_class"]) == 2
    )
    if not is_good:
        raise ReorderingError("its facts are damaged", code="file.damaged")
