"""Items that a thread reads ahead, taken as many as there are: for input that comes as it likes."""

from __future__ import annotations

from collections.abc import Iterator
from queue import Empty, Queue
from threading import Thread
from typing import Generic, TypeVar

__all__ = ["Ahead"]

_T = TypeVar("_T")


class Ahead(Generic[_T]):
    """Whoever writes a line into a pipe and waits for its translation gets it; whoever writes many
    gets them translated together."""

    def __init__(self, items: Iterator[_T], most: int) -> None:
        self._most = most
        self._queue: Queue[_T | BaseException | None] = Queue(most)
        self._is_over = False
        # It may wait for input that never comes, so nobody waits for it.
        Thread(target=self._read, args=(items,), daemon=True).start()

    def _read(self, items: Iterator[_T]) -> None:
        try:
            for item in items:
                self._queue.put(item)
        except BaseException as error:
            self._queue.put(error)
        else:
            self._queue.put(None)

    def __iter__(self) -> Iterator[list[_T]]:
        """All that is there, one at least, up to a limit; errors come behind what came before."""
        while not self._is_over:
            batch: list[_T] = []
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
