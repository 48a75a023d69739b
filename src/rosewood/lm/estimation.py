"""Estimating a back-off model from text: interpolated modified Kneser-Ney, as lmplz has it.

    found = estimate(["a rose is a rose", "a rose"], order=3)
    model = found.save("roses.rlm")
    with estimate_files(["news.en.gz"], order=5, work="news.work") as found:
        found.save("news.rlm", layout="small")

Discounts are those of Chen & Goodman (1998), from how many n-grams were counted once, twice and so
on.  Text that is small or made of characters may have none of some; then fixed ones are taken, and
the model says so (`fallbacks`).  Results are the same at any number of threads and any memory.
Native      core/lm/estimator.hpp; specification: tests/reference/lm_estimate.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from io import BufferedIOBase
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.errors import LanguageModelError
from rosewood.lm.settings import SmoothingSettings
from rosewood.lm.smoothing import Fallback, discounts
from rosewood.lm.table_ngrams import Ngram, ngrams
from rosewood.lm.text import NumberedText, Skipped, Source, name_of, number_files, number_sentences
from rosewood.lm.vocabulary import BEGIN, END, UNKNOWN, Words, words_of
from rosewood.resources import MAX_MEMORY, check_resources
from rosewood.shared_types import PathName, ProgressCallback
from rosewood.work_folder import Workplace

if TYPE_CHECKING:
    from rosewood.lm.files import Layout
    from rosewood.lm.model import Model

_ROWS = 1024  # that are sorted at a time, at least
_SPECIAL = 3  # words that every model has: <unk>, <s> and </s>


@dataclass(frozen=True, eq=False)
class Estimate:
    """A model that is not in a file yet; a context manager that removes its temporary files."""

    table: _core.NgramTable = field(repr=False)
    words: Words = field(repr=False)
    facts: dict[str, Any]
    skipped: Skipped
    max_memory: int
    threads: int
    went_on: bool  # steps had been done before
    _work: Workplace = field(repr=False)

    @property
    def fallbacks(self) -> list[Fallback]:
        return [Fallback(**each) for each in self.facts["fallbacks"]]

    def summary(self) -> dict[str, Any]:
        """Sizes of the text and of the model."""
        sizes = {name: self.facts[name] for name in ("sentences", "tokens", "types")}
        orders = range(1, len(self.facts["cutoffs"]) + 1)
        return {**sizes, "ngrams": [self.table.size(n) for n in orders]}

    def ngrams(self, n: int) -> Iterator[Ngram]:
        """The n-grams of an order with their numbers, by their last words."""
        return ngrams(self.table, self.words, n)

    def save(
        self, path: PathName, *, layout: Layout = "fast", quantise: int | None = None
    ) -> Model:
        """Write the model, and open it."""
        from rosewood.lm.files import write_model
        from rosewood.lm.model import Model

        write_model(
            path, self.table, self.words, layout=layout, quantise=quantise, facts=self.facts,
            threads=self.threads, max_memory=self.max_memory, temporary=self._work.folder,
        )  # fmt: skip
        return Model.open(path)

    def write_arpa(self, path: PathName) -> None:
        """Write the model as text, in the format that every program reads."""
        from rosewood.lm.arpa import write_arpa

        write_arpa(path, self.table, self.words, threads=self.threads)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._work.remove()
        else:
            self._work.abandon()


class EstimationKeywords(TypedDict, total=False):
    """Keywords of `estimate` and `estimate_files`, beside the order."""

    cutoffs: Sequence[int]  # drop n-grams that occur so often or less, for each order from 1 on
    max_vocabulary: int | None  # keep the most frequent words, others are <unk>
    vocabulary: Iterable[str] | None  # keep these words
    fallback: tuple[float, float, float]  # discounts of orders with too little text
    skip_bad: bool  # leave bad lines out and count them
    max_memory: int  # bytes; the rest is sorted in files
    temporary: PathName | None  # folder for files that are gone with the process
    threads: int
    told: ProgressCallback | None


def estimate(
    sentences: Iterable[str | Sequence[str]],
    order: int = SmoothingSettings.order,
    **keywords: Unpack[EstimationKeywords],
) -> Estimate:
    """A model of sentences, each a text or a sequence of words."""
    made = _begin(order, **keywords)
    return made.go(lambda: number_sentences(sentences, **made.reading))


def estimate_files(
    files: Sequence[Source],
    order: int = SmoothingSettings.order,
    *,
    work: PathName | None = None,
    **keywords: Unpack[EstimationKeywords],
) -> Estimate:
    """A model of files of lines, compressed or not, or of streams of bytes.

    What does not fit into `max_memory` bytes is sorted in the folder `work`, from which the same
    call goes on if it is stopped, or in one in `temporary` that is gone with the process.
    """
    if isinstance(files, str | PathLike):
        reason = "files is one path, expected a sequence of them"
        raise LanguageModelError(reason, code="argument.type", argument="files", value=files)
    sources = [_state(file) for file in files]
    made = _begin(order, work, sources, **keywords)
    total = sum(size for _, size, _ in filter(None, sources))

    def read() -> NumberedText:
        done = 0

        def step(count: int) -> None:
            nonlocal done
            done += count
            made.tell("reading bytes", done, max(total, done + 1))

        text = number_files(files, **made.reading, step=step)
        if text.num_sentences == 0:
            names = ", ".join(map(name_of, files))
            raise LanguageModelError(f"{names}: there are no sentences", code="lm.no-sentences")
        return text

    return made.go(read)


def _begin(
    order: int,
    work: PathName | None = None,
    sources: Sequence[tuple[str, int, int] | None] = (None,),
    *,
    vocabulary: Iterable[str] | None = None,
    skip_bad: bool = False,
    max_memory: int = MAX_MEMORY,
    temporary: PathName | None = None,
    threads: int = 1,
    told: ProgressCallback | None = None,
    **smoothing: Any,
) -> _Estimation:
    listed = None if vocabulary is None else tuple(dict.fromkeys(words_of(list(vocabulary))))
    if listed == ():
        reason = "the vocabulary must have at least one word"
        raise LanguageModelError(reason, code="argument.value", argument="vocabulary", value=())
    settings = SmoothingSettings(order, **smoothing)
    threads, max_memory = check_resources(threads, max_memory, LanguageModelError)
    # A stream cannot be read again, so there is nothing to go on from.
    facts = None if None in sources else [asdict(settings), listed, skip_bad, sources]
    place = Workplace(work, temporary, facts, task="lm", error=LanguageModelError)
    return _Estimation(settings, listed, place, max_memory, threads, told, skip_bad)


def _state(file: Source) -> tuple[str, int, int] | None:
    """What tells whether a file is the one it was; nothing for streams."""
    if isinstance(file, BufferedIOBase):
        return None
    status = Path(file).stat()
    return fspath(file), status.st_size, status.st_mtime_ns


@dataclass
class _Estimation:
    """Text, counts, orders: steps one after the other, those that were done before left out."""

    settings: SmoothingSettings
    vocabulary: tuple[str, ...] | None
    work: Workplace
    max_memory: int
    threads: int
    told: ProgressCallback | None
    skip_bad: bool

    @property
    def reading(self) -> dict[str, Any]:
        """Keywords of `number_files` and `number_sentences`."""
        folder, held = self.work.folder, self.max_memory // 8
        return {"skip_bad": self.skip_bad, "folder": folder, "held": held}

    def go(self, read: Callable[[], NumberedText]) -> Estimate:
        try:
            return self._go(read)
        except BaseException:
            self.work.abandon()
            raise

    def _go(self, read: Callable[[], NumberedText]) -> Estimate:
        order = self.settings.order
        self._check_order(2)
        counted = self.work.result("count")
        if counted is None:
            text = read()
            words, numbers = _chosen(text, self.settings, self.vocabulary)
            self._check_order(len(words.word_start))
            facts = self._facts(text, numbers)
            native = self._native(len(words.word_start) - 1)
            self._count(native, text, numbers)
            self._save_words(native, words, facts, text.skipped)
            skipped = text.skipped
            del text
        else:
            words, facts, skipped = self._saved_words(counted)
            native = self._native(len(words.word_start) - 1)
            done = max(
                (n for n in range(1, order + 1) if self.work.result(f"order {n}")), default=0
            )
            native.go_on([tuple(each) for each in counted["sizes"]], done)
        sizes = native.sizes()
        fallback = self.settings.fallback
        found = [
            discounts(n, row[2:], fallback) if row[0] else (fallback, None)
            for n, row in enumerate(sizes, 1)
        ]
        for n, (values, _) in enumerate(found, 1):
            self.tell("smoothing orders", n - 1, order)
            if self.work.result(f"order {n}") is None:
                native.smooth(n, list(values))
                if not native.is_in_memory:
                    self.work.note(f"order {n}", True)
        self.tell("smoothing orders", order, order)
        facts |= {
            "discounts": [list(values) for values, _ in found],
            "fallbacks": [asdict(reason) for _, reason in found if reason is not None],
        }
        return Estimate(
            native.finish(), words, facts, skipped, self.max_memory, self.threads,
            counted is not None, self.work,
        )  # fmt: skip

    def _check_order(self, words: int) -> None:
        """There must be room for some n-grams at least, however long they are."""
        needed = self.settings.order * words.bit_length() // 8 * _ROWS * 2
        if needed > self.max_memory:
            raise LanguageModelError(
                f"sorting n-grams of {self.settings.order:,} words takes {needed >> 20:,} MB of "
                f"memory, there are {self.max_memory >> 20:,}",
                code="lm.memory", argument="max_memory", value=self.max_memory, expected=needed,
            )  # fmt: skip

    def _native(self, words: int) -> _core.NgramEstimator:
        # Words with a count of the first cut-off or less are <unk> by now.
        cutoffs = [0, *(self.settings.cutoff(n) for n in range(2, self.settings.order + 1))]
        folder = str(self.work.folder)
        return _core.NgramEstimator(
            self.settings.order, words, cutoffs, folder, self.max_memory, self.threads
        )

    def _count(
        self, native: _core.NgramEstimator, text: NumberedText, numbers: NDArray[np.uint32]
    ) -> None:
        places = text.num_tokens + text.num_sentences
        native.expect(places)
        done = 0
        for ids, ends in text.parts():
            native.add(numbers[ids], ends)
            done += len(ids) + len(ends)
            self.tell("counting n-grams", min(done, places - 1), places)
        native.count()
        self.tell("counting n-grams", places, places)

    def _save_words(
        self, native: _core.NgramEstimator, words: Words, facts: dict[str, Any], skipped: Skipped
    ) -> None:
        if native.is_in_memory:
            return
        np.save(self.work.folder / "words.npy", words.word_bytes)
        np.save(self.work.folder / "word_start.npy", words.word_start)
        said = {"sizes": native.sizes(), "facts": facts, "skipped": asdict(skipped)}
        self.work.note("count", said)

    def _saved_words(self, counted: Any) -> tuple[Words, dict[str, Any], Skipped]:
        folder = self.work.folder
        words = Words(np.load(folder / "words.npy"), np.load(folder / "word_start.npy"))
        skipped = counted["skipped"]
        return words, counted["facts"], Skipped(skipped["count"], tuple(skipped["examples"]))

    def _facts(self, text: NumberedText, numbers: NDArray[np.uint32]) -> dict[str, Any]:
        """How a model was made, for its file."""
        settings = self.settings
        return {
            "method": "interpolated modified Kneser-Ney",
            "sentences": text.num_sentences,
            "tokens": text.num_tokens,
            "types": int((text.counts > 0).sum()),
            "unknown_tokens": int(text.counts[numbers == 0].sum()),
            "skipped_lines": text.skipped.count,
            "cutoffs": [settings.cutoff(n) for n in range(1, settings.order + 1)],
            "max_vocabulary": settings.max_vocabulary,
            "is_listed_vocabulary": self.vocabulary is not None,
        }

    def tell(self, what: str, done: int, total: int) -> None:
        if self.told is not None:
            self.told(what, done, total)


def _chosen(
    text: NumberedText, settings: SmoothingSettings, vocabulary: tuple[str, ...] | None
) -> tuple[Words, NDArray[np.uint32]]:
    """The words of the model, the most frequent first; and the number of each word of the text."""
    counts = text.counts.copy()
    counts[:_SPECIAL] = 0
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] > settings.cutoff(1)]
    unseen: list[str] = []
    if vocabulary is not None:
        known = {word: number for number, word in enumerate(text.words.list())}
        listed = [known.get(word) for word in vocabulary]
        order = order[np.isin(order, [number for number in listed if number is not None])]
        pairs = zip(vocabulary, listed, strict=True)
        unseen = [word for word, number in pairs if number is None or counts[number] == 0]
        unseen = [word for word in unseen if word not in (UNKNOWN, BEGIN, END)]
    order = np.concatenate([np.arange(_SPECIAL), order[: settings.max_vocabulary]])
    numbers = np.zeros(len(counts), np.uint32)
    numbers[order] = np.arange(len(order), dtype=np.uint32)
    room = None if settings.max_vocabulary is None else settings.max_vocabulary + _SPECIAL
    words = text.words.some(order)
    return words.with_more(unseen[: None if room is None else room - len(order)]), numbers
