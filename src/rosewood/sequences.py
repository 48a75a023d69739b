"""Sequences whose items are made when they are asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import SupportsIndex, TypeVar, overload

T = TypeVar("T")


class LazySequence(Sequence[T]):
    """A sequence that makes an item each time it is read; slices are lists."""

    @abstractmethod
    def _item(self, number: int) -> T:
        """Item `number`, from 0 to the length."""

    @overload
    def __getitem__(self, index: SupportsIndex) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> T | list[T]:
        try:
            numbers = range(len(self))[index]
        except IndexError:
            raise IndexError(f"there is no item {index}, there are {len(self)}") from None
        return (
            [self._item(n) for n in numbers] if isinstance(numbers, range) else self._item(numbers)
        )
