"""Translation options with gaps: rules that match spans of a sentence, each at several places."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rosewood import _core
from rosewood.arrays import IdArray, LongArray
from rosewood.decode.options import TranslationOptions


@dataclass(frozen=True, eq=False)
class HieroOptions(TranslationOptions):
    """Rules for a sentence; begin[n] and end[n] are -1 if option n has gaps: it has `places`."""

    native: _core.ChartOptions

    @cached_property
    def places(self) -> tuple[IdArray, IdArray, IdArray]:
        """Where options may be used: the option, the begin and the end of each place."""
        found = sorted(
            {
                (option, begin, end)
                for begin, end, first, last, _ in self.native.matches
                for option in range(first, last)
            }
        )
        rows = np.array(found, np.int32).reshape(-1, 3)
        option, begin, end = (np.ascontiguousarray(column) for column in rows.T)
        return option, begin, end

    def edge_places(self, edge_option: IdArray, span: IdArray | None) -> LongArray:
        """The place of each edge of a forest, whose heads are over these spans; -1: none."""
        none = np.full(len(edge_option), -1, np.int64)
        if span is None or not len(self.places[0]):
            return none
        keys = self._keys(*self.places)
        wanted = self._keys(edge_option, span[:, 0], span[:, 1])
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where((edge_option >= 0) & (keys[place] == wanted), place, none)

    def _keys(self, option: IdArray, begin: IdArray, end: IdArray) -> LongArray:
        """A number for each place, in their order."""
        width = len(self.words) + 1
        return (option.astype(np.int64) * width + begin) * width + end
