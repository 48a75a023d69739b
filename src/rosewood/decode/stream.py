"""Lines in, translations out, in their order: the loop of the command, of Python and of servers.

    for line in translator.stream(lines, threads=2):
        print(line.text)

    lines = (InputLine(text, reference) for text, reference in pairs)
    for line in translator.stream(lines, forests=True, errors="keep", file="in.de", live=True):
        print("" if line.error else line.text, flush=line.is_pause)
        line.search.forest

Lines are prepared one by one and searched together, as many as the decoder likes; nothing else is
read ahead, so that any number of lines may come.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from os import fspath
from queue import Empty, Queue
from threading import Thread
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, TypeVar

from rosewood.arguments import check_choice, check_list
from rosewood.corpus.lines import at
from rosewood.decode.readings import best_readings
from rosewood.errors import DecodingError, RosewoodError
from rosewood.resources import check_threads
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.decode.results import SearchResult
    from rosewood.decode.text import PreparedText, TextTranslator, TranslatedText
    from rosewood.decode.translation import Translation
    from rosewood.memory import MemoryMatch

LINES_PER_THREAD = 64  # read ahead at most, where lines are taken as they arrive
T = TypeVar("T")


class InputLine(NamedTuple):
    """A line to translate, where it is more than its text.

    `reference` restricts the search to what says that.  `number` is that of the line in its file,
    where it is not its place in the stream.  A line that could not be read has an `error` instead.
    """

    text: str
    reference: str | None = None
    number: int | None = None
    error: RosewoodError | None = None


@dataclass(frozen=True)
class TranslatedLine:
    """A line with its best translation.

    A line with an `error` was searched as an empty one, and so was one that a translation memory
    has, where no forests are kept or it is said so.  `is_pause` is true where no other line is
    ready: output should be flushed.
    """

    number: int
    prepared: PreparedText
    translator: TextTranslator
    error: RosewoodError | None
    best: Translation
    search: SearchResult | None  # with its forest, where forests are kept
    is_pause: bool

    def translated(self) -> TranslatedText:
        """The best translation as text, with the placeholders that it lacks; an exact match of a
        translation memory comes first."""
        return self.translator.answer_of(self.best, self.prepared)

    @property
    def match(self) -> MemoryMatch | None:
        """What a translation memory has for the line."""
        return self.prepared.match

    @property
    def text(self) -> str:
        """The text of the best translation; empty where there is an error."""
        return "" if self.error is not None else self.translated().text


def stream(
    translator: TextTranslator,
    lines: Iterable[str | InputLine],
    *,
    threads: int = 1,
    forests: bool = False,
    errors: Literal["raise", "keep"] = "raise",
    file: PathName | None = None,
    live: bool = False,
    skip_known: bool = False,
) -> Iterator[TranslatedLine]:
    """Translate lines, in their order.

    forests   keep the forest of each line in `search`: takes longer
    errors    what happens to lines that cannot be prepared: "raise" ends the stream, "keep" yields
              them with their error; errors of the search always end it
    file      name of the source of the lines in errors
    live      translate what has arrived instead of filling batches: for pipes and connections;
              another thread reads the lines, and is not waited for
    skip_known  do not search lines that a translation memory has, though forests are kept: their
              forest is that of an empty line
    """
    check_list("lines", lines, "a list of str", error=DecodingError)
    check_choice("errors", errors, ("raise", "keep"), error=DecodingError)
    threads = check_threads(threads, DecodingError)
    jobs = _jobs(translator, lines, errors == "keep", file)
    return _stream(translator, jobs, threads, forests, live, skip_known or not forests)


class _Job(NamedTuple):
    number: int
    prepared: PreparedText
    error: RosewoodError | None


def _stream(
    translator: TextTranslator,
    jobs: Iterator[_Job],
    threads: int,
    forests: bool,
    live: bool,
    skip_known: bool,
) -> Iterator[TranslatedLine]:
    waiting: deque[_Job] = deque()
    nothing = translator.prepare("")

    def texts(batch: Iterable[_Job]) -> Iterator[PreparedText]:
        for job in batch:
            waiting.append(job)
            yield nothing if skip_known and job.prepared.is_answered else job.prepared

    batches = Arriving(jobs, LINES_PER_THREAD * threads) if live else [jobs]
    for batch in batches:
        left = len(batch) if isinstance(batch, list) else -1
        for prepared, best, search in best_readings(
            translator.decoder, texts(batch), forests=forests, threads=threads
        ):
            job, left = waiting.popleft(), left - 1
            if prepared is nothing:
                prepared = job.prepared
            yield TranslatedLine(
                job.number, prepared, translator, job.error, best, search, left == 0
            )


def _jobs(
    translator: TextTranslator,
    lines: Iterable[str | InputLine],
    keeps: bool,
    file: PathName | None,
) -> Iterator[_Job]:
    for place, each in enumerate(lines, 1):
        line = each if isinstance(each, InputLine) else InputLine(each)
        number, error = line.number or place, line.error
        if error is None:
            try:
                with nullcontext() if file is None else at(fspath(file), number):
                    prepared = translator.prepare(line.text, line.reference)
            except RosewoodError as bad:
                error = bad
        if error is not None:
            if not keeps:
                raise error
            prepared = translator.prepare("", line.reference)
        yield _Job(number, prepared, error)


class Arriving(Generic[T]):
    """Batches of the items that are there, which a thread reads as they arrive.

    A line that is written into a pipe is answered before the next; many are searched together.
    """

    def __init__(self, items: Iterable[T], most: int) -> None:
        self._most = most
        self._queue: Queue[T | BaseException | None] = Queue(most)
        self._is_over = False
        # It may wait for input that never comes, so nobody waits for it.
        Thread(target=self._read, args=(items,), daemon=True).start()

    def _read(self, items: Iterable[T]) -> None:
        try:
            for item in items:
                self._queue.put(item)
        except BaseException as error:
            self._queue.put(error)
        else:
            self._queue.put(None)

    def __iter__(self) -> Iterator[list[T]]:
        """All available items, at least one, up to a limit; an error comes after earlier items."""
        while not self._is_over:
            batch: list[T] = []
            error: BaseException | None = None
            while len(batch) < self._most and not self._is_over:
                try:
                    item = self._queue.get(block=not batch)
                except Empty:
                    break
                self._is_over = item is None or isinstance(item, BaseException)
                if isinstance(item, BaseException):
                    error = item
                elif item is not None:
                    batch.append(item)
            if batch:
                yield batch
            if error is not None:
                raise error
