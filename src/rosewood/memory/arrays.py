"""The arrays of a translation memory, and how they are made from sentence pairs.

Rows        one for each distinct source (`exact_form`), in the order in which they first occur.  Of
            several translations the most frequent one is kept, of equally frequent ones the latest
Texts       source and target of row k are bytes start[k]:start[k+1]; `file` and `line` tell where
            the pair stood (-1: unknown), `others` how many other translations there were
Exact       `key`: sorted 64-bit hashes of the sources, `key_row` their rows; `slot_key`, `slot_row`
            the same of sources with placeholders or tags, which are marks there
Fuzzy       the words of all rows: word w is bytes word_start[w]:word_start[w+1], in bytewise order;
            row k has ids id_start[k]:id_start[k+1]; word w is in rows
            postings[posting_start[w]:posting_start[w+1]], ascending
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosewood.corpus.fingerprints import fingerprint
from rosewood.corpus.pairs import SentencePair
from rosewood.disk_arrays import Growing
from rosewood.folders import FolderKind, joined_words
from rosewood.memory.slots import FindValues, exact_form, slot_form, with_values_of

Arrays = dict[str, NDArray[Any]]

KIND = FolderKind(
    "memory.json",
    "rosewood translation memory",
    1,
    {
        "source": "|u1", "source_start": "<i8", "target": "|u1", "target_start": "<i8",
        "file": "<i4", "line": "<i8", "others": "<i4", "names": "|u1", "name_start": "<i8",
        "key": "<u8", "key_row": "<i4", "slot_key": "<u8", "slot_row": "<i4",
        "words": "|u1", "word_start": "<i8", "ids": "<i4", "id_start": "<i8",
        "postings": "<i4", "posting_start": "<i8",
    },
)  # fmt: skip


def hash_of(form: str) -> int:
    """The key of a text in the arrays."""
    return int.from_bytes(fingerprint(form), "little")


class _Rows:
    """Pairs by their sources.  Most sources have one pair, which is all that is kept of them."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}  # rows by the exact forms of their sources
        self._pairs: list[SentencePair] = []
        self._several: dict[int, list[SentencePair]] = {}  # of rows with more than one

    def add(self, form: str, pair: SentencePair) -> None:
        number = self.numbers.setdefault(form, len(self._pairs))
        if number == len(self._pairs):
            self._pairs.append(pair)
        else:
            self._several.setdefault(number, [self._pairs[number]]).append(pair)

    def chosen(self) -> Iterator[tuple[SentencePair, int, int]]:
        """Of each row the pair with the most frequent translation, of several the latest; how often
        it occurs, and how many other translations there are."""
        for number, pair in enumerate(self._pairs):
            pairs = self._several.get(number)
            if pairs is None:
                yield pair, 1, 0
                continue
            forms = [exact_form(each.target) for each in pairs]
            counts = Counter(forms)
            last = {form: place for place, form in enumerate(forms)}
            best = max(counts, key=lambda form: (counts[form], last[form]))
            yield pairs[last[best]], counts[best], len(counts) - 1


def make_arrays(
    pairs: Iterable[SentencePair], words_of: Callable[[str], Iterable[str]], find: FindValues
) -> Arrays:
    """The arrays of a memory of these pairs; pairs with an empty side are left out."""
    rows = _Rows()
    for pair in pairs:
        form = exact_form(pair.source)
        if form and pair.target and not pair.target.isspace():
            rows.add(form, pair)
    decided = list(rows.chosen())
    chosen = [pair for pair, _, _ in decided]
    names: dict[str, int] = {}
    places = [_place(pair, names) for pair in chosen]
    source, source_start = joined_words(pair.source for pair in chosen)
    target, target_start = joined_words(pair.target for pair in chosen)
    name_bytes, name_start = joined_words(names)
    arrays: Arrays = {
        "source": source, "source_start": source_start,
        "target": target, "target_start": target_start,
        "file": np.array([file for file, _ in places], np.int32),
        "line": np.array([line for _, line in places], np.int64),
        "others": np.array([others for _, _, others in decided], np.int32),
        "names": name_bytes, "name_start": name_start,
    }  # fmt: skip
    arrays |= _keys("key", "key_row", rows.numbers.items())
    arrays |= _keys("slot_key", "slot_row", _slots(decided, find))
    return arrays | _word_arrays(words_of(pair.source) for pair in chosen)


def _place(pair: SentencePair, names: dict[str, int]) -> tuple[int, int]:
    origin = pair.origin
    if origin is None:
        return -1, -1
    line = -1 if origin.line is None else origin.line
    return names.setdefault(origin.file, len(names)), line


def _slots(
    decided: list[tuple[SentencePair, int, int]], find: FindValues
) -> Iterator[tuple[str, int]]:
    """Forms with slots, each with the row whose translation is the most frequent, or the latest."""
    best: dict[str, tuple[int, int]] = {}
    for number, (pair, count, _) in enumerate(decided):
        form = slot_form(pair.source, find)
        if form is None or with_values_of(form, form, pair.target, find) is None:
            continue
        rank = count, number
        best[form.key] = max(best.get(form.key, rank), rank)
    for key, (_, number) in best.items():
        yield key, number


def _keys(key: str, row: str, forms: Iterable[tuple[str, int]]) -> Arrays:
    """Hashes in order, and the rows that they are of."""
    pairs = sorted((hash_of(form), number) for form, number in forms)
    return {
        key: np.array([each for each, _ in pairs], np.uint64),
        row: np.array([number for _, number in pairs], np.int32),
    }


def _word_arrays(sentences: Iterable[Iterable[str]]) -> Arrays:
    """The words of sentences as numbers, and the sentences of each word."""
    numbers: dict[str, int] = {}
    first = Growing(np.int32)
    start = [0]
    for sentence in sentences:
        words = [numbers.setdefault(word, len(numbers)) for word in sentence]
        first.append(np.array(words, np.int32))
        start.append(start[-1] + len(words))
    order = sorted(numbers)  # as their bytes are
    rank = np.zeros(len(numbers), np.int32)
    rank[[numbers[word] for word in order]] = np.arange(len(numbers), dtype=np.int32)
    ids = rank[first.array()]
    row = np.repeat(np.arange(len(start) - 1, dtype=np.int64), np.diff(start))
    pairs = np.unique(ids.astype(np.int64) * max(1, len(start) - 1) + row)
    word = pairs // max(1, len(start) - 1)
    word_bytes, word_start = joined_words(order)
    posting_start = np.searchsorted(word, np.arange(len(numbers) + 1))
    return {
        "words": word_bytes,
        "word_start": word_start,
        "ids": ids,
        "id_start": np.array(start, np.int64),
        "postings": (pairs % max(1, len(start) - 1)).astype(np.int32),
        "posting_start": posting_start.astype(np.int64),
    }
