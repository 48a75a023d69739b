"""Learning word classes: counts, a start, rounds of exchange, and going on after a stop."""

from __future__ import annotations

import io
import math
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.arrays import digest_of
from rosewood.corpus.clusters_settings import ClusterSettings
from rosewood.corpus.indexed import IndexedText
from rosewood.errors import CorpusError, DamagedFileError
from rosewood.folders import cut_words
from rosewood.output import whole_file
from rosewood.resources import check_threads
from rosewood.shared_types import PathName, ProgressCallback
from rosewood.work_folder import Workplace

_HOT, _COLD = 1.0, 0.1  # heat of the first and of the last round of annealing; measured
_PIECE = 4096  # words between reports of progress; blocks of words end there, at any speed


class Learned(NamedTuple):
    """Words, the most frequent first, their classes and counts, and how they were found."""

    words: list[str]
    classes: NDArray[np.int32]
    counts: NDArray[np.int64]
    num_classes: int
    facts: dict[str, Any]
    went_on: bool  # rounds had been done before


def learn(
    text: IndexedText,
    settings: ClusterSettings,
    *,
    threads: int = 1,
    work: PathName | None = None,
    told: ProgressCallback | None = None,
) -> Learned:
    """Put the words of a text into classes; see `WordClasses.learn`."""
    threads = check_threads(threads, CorpusError)
    if work is None:
        return _Learning(text, settings, threads, None, told).run()
    facts = [settings.to_dict(), digest_of(text.ids, text.start, text.word_bytes, text.word_start)]
    place = Workplace(work, None, facts, task="cluster", error=CorpusError)
    try:
        found = _Learning(text, settings, threads, place, told).run()
    except BaseException:
        place.abandon()
        raise
    place.remove()
    return found


def start_classes(counts: NDArray[np.int64], num_classes: int) -> NDArray[np.int32]:
    """Classes to start from, of words in the order of their counts, the largest first.

    Neighbours in that order share a class, and classes occur about equally often; the most frequent
    words have classes of their own, and no class is empty.
    """
    words = len(counts)
    classes = np.zeros(words, np.int32)
    left = int(counts.sum())
    begin = 0
    for number in range(1, num_classes + 1):
        most = words - (num_classes - number)  # each of the others needs a word
        goal = left / (num_classes - number + 1)
        end, inside = begin, 0
        while end < most and (end == begin or number == num_classes or inside < goal):
            inside += int(counts[end])
            end += 1
        classes[begin:end] = number
        left -= inside
        begin = end
    return classes


def _round(number: int, heat: float, moves: int, exchange: _core.ClassExchange) -> dict[str, Any]:
    return {"round": number, "heat": heat, "moves": moves, "objective": exchange.objective()}


@dataclass
class _Learning:
    text: IndexedText
    settings: ClusterSettings
    threads: int
    place: Workplace | None
    told: ProgressCallback | None

    def run(self) -> Learned:
        text, settings = self.text, self.settings
        self._tell("counting bigrams", 0, 1)
        counts = np.bincount(text.ids, minlength=text.num_types)
        kept = np.flatnonzero(counts >= settings.min_count)
        if not len(kept) and len(counts) and (most := int(counts.max())):
            reason = (
                f"no word occurs {settings.min_count} times, so all would be in class 0: min_count "
                f"(--min-count) can be at most {most} for this text"
            )
            raise CorpusError(
                reason, code="argument.range", argument="min_count", value=settings.min_count,
                expected=most,
            )  # fmt: skip
        order = kept[np.argsort(-counts[kept], kind="stable")]
        number_of = np.full(text.num_types, -1, np.int32)
        number_of[order] = np.arange(len(order), dtype=np.int32)
        bigrams = _core.WordBigrams(
            np.ascontiguousarray(text.ids), np.ascontiguousarray(text.start), number_of, len(order)
        )
        self._tell("counting bigrams", 1, 1)
        classes, history, went_on = self._rounds(bigrams, counts[order])
        every = cut_words(text.word_bytes, text.word_start)
        words = [every[place].decode() for place in order.tolist()]
        facts = self._facts(counts, order, bigrams, history)
        return Learned(words, classes, counts[order], facts["classes"], facts, went_on)

    def _rounds(
        self, bigrams: _core.WordBigrams, counts: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], list[dict[str, Any]], bool]:
        """Classes after the last round, the history, and whether rounds had been done before."""
        words = len(counts)
        if words == 0:
            return np.zeros(0, np.int32), [], False
        num_classes = min(self.settings.classes, words)
        history, classes = self._done()
        went_on = classes is not None
        start = start_classes(counts, num_classes) if classes is None else classes
        exchange = _core.ClassExchange(bigrams, start, num_classes)
        if not history:
            history = [_round(0, 0.0, 0, exchange)]
        while (heat := self._next_heat(history)) is not None:
            number, moves = len(history), 0
            for begin in range(0, words, _PIECE):
                self._tell(f"round {number}, words", begin, words)
                piece = begin, min(begin + _PIECE, words)
                if heat > 0:
                    seed = self.settings.seed << 32 | number
                    moves += exchange.anneal(*piece, heat, seed, self.threads)
                else:
                    moves += exchange.exchange(*piece, self.threads)
            history.append(_round(number, heat, moves, exchange))
            self._note(history, exchange.class_of())
            self._tell(f"round {number}, words", words, words)
        return exchange.class_of(), history, went_on

    def _next_heat(self, history: list[dict[str, Any]]) -> float | None:
        """The heat of the next round, 0 for exchange; None after the last one."""
        done, annealing = len(history) - 1, self.settings.annealing
        if done < annealing:
            return float(_HOT * (_COLD / _HOT) ** (done / max(annealing - 1, 1)))
        if done == annealing or (history[-1]["moves"] and done < annealing + self.settings.rounds):
            return 0.0
        return None

    def _done(self) -> tuple[list[dict[str, Any]], NDArray[np.int32] | None]:
        """The history and classes of rounds that were done before."""
        history: list[dict[str, Any]] = []
        crc32 = 0
        while self.place is not None and (found := self.place.result(f"round {len(history)}")):
            history.append(found["round"])
            crc32 = found["crc32"]
        if len(history) < 2:
            return [], None
        path = self._path(len(history) - 1)
        data = path.read_bytes()
        if zlib.crc32(data) != crc32:
            raise DamagedFileError("checksum mismatch", code="file.changed", file=path)
        return history, np.load(io.BytesIO(data))

    def _note(self, history: list[dict[str, Any]], classes: NDArray[np.int32]) -> None:
        """Record a finished round."""
        if self.place is None:
            return
        number = len(history) - 1
        stream = io.BytesIO()
        np.save(stream, classes)
        data = stream.getvalue()
        with whole_file(self._path(number)) as out:
            out.write(data)
        if number == 1:
            self.place.note("round 0", {"round": history[0], "crc32": 0})
        self.place.note(f"round {number}", {"round": history[-1], "crc32": zlib.crc32(data)})
        self._path(number - 1).unlink(missing_ok=True)

    def _path(self, number: int) -> Path:
        assert self.place is not None
        return self.place.folder / f"round-{number}.npy"

    def _facts(
        self,
        counts: NDArray[np.int64],
        order: NDArray[np.int64],
        bigrams: _core.WordBigrams,
        history: list[dict[str, Any]],
    ) -> dict[str, Any]:
        """How the classes were learned, for their file."""
        total, known = int(counts.sum()), int(counts[order].sum())
        objective = history[-1]["objective"] if history else 0.0
        units = [*counts[order].tolist(), total - known, bigrams.total - total]
        words = math.fsum(n * math.log(n) for n in units if n > 1)
        return {
            "settings": self.settings.to_dict(),
            "classes": min(self.settings.classes, len(order)),
            "sentences": bigrams.total - total,
            "words": total,
            "types": int((counts > 0).sum()),
            "rare_words": total - known,
            "rare_types": int((counts > 0).sum()) - len(order),
            "bigrams": bigrams.distinct,
            "objective": objective,
            "perplexity": math.exp(-(objective + words) / max(bigrams.total, 1)),
            "is_converged": not history or history[-1]["moves"] == 0,
            "history": history,
        }

    def _tell(self, what: str, done: int, total: int) -> None:
        if self.told is not None:
            self.told(what, done, total)
