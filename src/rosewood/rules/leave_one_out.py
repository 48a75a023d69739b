"""Rules of a sentence pair as if it were not in the corpus: leave one out.

    rest = LeaveOneOut(table, corpus, links)       # the corpus the table was extracted from
    one, other = rest.of([17, 42])                 # pairs 17 and 42
    decoder.search(Source(words, left_out=one))    # translates pair 17 without what only it knows

A rule that was seen in this pair alone is left out; copies of the pair are left out with it.  The
scores of its other rules are those of the counts without it: to log c/c_s is added what makes it
log (c - n)/(c_s - n_s), where n and n_s are what the pair contributes, and likewise given the
target.  Smoothing and lexical weights stay as they are.
Native      core/rules/leave_one_out.hpp; checked against extraction from the rest of a corpus
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.arguments import check_shape
from rosewood.arrays import FloatArray, LongArray
from rosewood.corpus.indexed import IndexedCorpus
from rosewood.errors import RuleError
from rosewood.resources import check_threads
from rosewood.rules.extraction import gap_settings
from rosewood.rules.pair_checks import check_pairs
from rosewood.rules.settings import ExtractionSettings
from rosewood.rules.table import RuleTable

if TYPE_CHECKING:
    from rosewood.align.alignment import Links

SCORES = ("phrase_ef", "phrase_fe")  # that depend on counts


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Rules by their numbers in a table, ascending, and what is added to both of `SCORES`;
    -infinity leaves a rule out."""

    rules: LongArray
    added: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", np.ascontiguousarray(self.rules, np.int64))
        object.__setattr__(self, "added", np.ascontiguousarray(self.added, np.float64))
        check_shape("added", self.added, (len(self.rules), len(SCORES)), error=RuleError)

    @property
    def is_removed(self) -> NDArray[np.bool_]:
        """Which rules were seen in the pair alone."""
        is_removed: NDArray[np.bool_] = np.asarray(np.isneginf(self.added).any(axis=1))
        return is_removed


class LeaveOneOut:
    """A table and the corpus that it was extracted from."""

    def __init__(self, table: RuleTable, corpus: IndexedCorpus, links: Links) -> None:
        check_pairs(corpus, links)
        settings = table.facts.get("settings")
        if not settings:
            reason = f"{table.folder}: the table was not extracted from a corpus"
            raise RuleError(reason, code="rules.other-corpus", file=table.folder)
        own = {name: settings[name] for name in _KEPT if name in settings}
        chosen = ExtractionSettings(**own)
        for is_target, side in enumerate((corpus.source, corpus.target)):
            name = "target" if is_target else "source"
            words = (table.folder / f"{name}.words").read_bytes()
            if words != np.ascontiguousarray(side.word_bytes).tobytes():
                reason = f"{table.folder}: the table was extracted from another corpus"
                raise RuleError(reason, code="rules.other-corpus", file=table.folder)
        self._copies = _copies(corpus, links)
        self._table, self._max_phrase, self._gaps = table, chosen.max_phrase, gap_settings(chosen)
        self._corpus = _core.AlignedCorpus(
            corpus.source.ids, corpus.source.start, corpus.target.ids, corpus.target.start,
            links.start, links.source, links.target, corpus.source.num_types,
            corpus.target.num_types,
        )  # fmt: skip

    def of(self, pairs: Sequence[int] | LongArray, *, threads: int = 1) -> list[LeftOut]:
        """The rules of some sentence pairs, by their numbers from 0."""
        threads = check_threads(threads, RuleError)
        numbers = np.ascontiguousarray(pairs, np.int64)
        is_known = (numbers >= 0) & (numbers < len(self._copies))
        copies = np.where(is_known, self._copies[np.where(is_known, numbers, 0)], 1)
        start, rules, added = _core.rules_of_pairs(
            self._corpus, self._table.native, self._max_phrase, self._gaps, numbers, copies, threads
        )
        rows = added.reshape(-1, len(SCORES))
        return [
            LeftOut(rules[first:last], rows[first:last]) for first, last in pairwise(start.tolist())
        ]


def _copies(corpus: IndexedCorpus, links: Links) -> LongArray:
    """How often each sentence pair is in the corpus with the same links, by hashes of 64 bits."""
    both = links.source.astype(np.uint64) << np.uint64(32) | links.target.astype(np.uint64)
    keys = np.zeros(len(corpus), np.uint64)
    for values, start in (
        (corpus.source.ids, corpus.source.start),
        (corpus.target.ids, corpus.target.start),
        (both, links.start),
    ):
        keys = keys * np.uint64(_MIX) + _hashes(values, np.asarray(start, np.int64))
    _, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
    found: LongArray = counts[place.reshape(-1)].astype(np.int64)
    return found


def _hashes(values: NDArray[Any], start: LongArray) -> NDArray[np.uint64]:
    """A hash of the numbers from start[i] to start[i+1], in their order and with their count."""
    lengths = np.diff(start)
    place = np.arange(start[0], start[-1]) - np.repeat(start[:-1], lengths)
    each = (values[start[0] : start[-1]].astype(np.uint64) + np.uint64(1)) * np.uint64(_MIX)
    each ^= each >> np.uint64(29)
    each *= (place.astype(np.uint64) + np.uint64(1)) * np.uint64(_MORE) | np.uint64(1)
    each ^= each >> np.uint64(32)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(each, dtype=np.uint64)])
    found: NDArray[np.uint64] = sums[start[1:] - start[0]] - sums[start[:-1] - start[0]]
    return found * np.uint64(_MORE) + lengths.astype(np.uint64)


_MIX, _MORE = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9  # odd numbers with bits all over
_KEPT = (
    "max_phrase", "hierarchical", "max_span", "max_symbols", "max_gaps", "min_gap",
    "adjacent_gaps", "unlinked_rules", "loose", "tight_gaps", "whole_counts",
)  # fmt: skip
