"""A translation memory: built from a corpus, kept in a folder, asked for exact and fuzzy matches.

    memory = Memory.build(Corpus.read("memory.tmx"), TextProcessor())
    memory.save("memory"); Memory.open("memory", processor)
    memory.exact("Das ist ein Haus.")              # MemoryMatch, or None
    memory.fuzzy("Das ist ein Boot.", 0.7)         # the most similar sentences, the best first

A memory has one row for each distinct source; of several translations it keeps the most frequent,
of equally frequent ones the latest.  Its words, which fuzzy matches compare, are those of its text
processor: placeholders are one word, tags none.  Without a processor words stand between spaces.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from os import fspath
from pathlib import Path
from typing import Any, NamedTuple

from rosewood import _core
from rosewood.arguments import check_number, check_text, check_type, check_whole
from rosewood.corpus import SentencePair, TextProcessor
from rosewood.corpus.lines import split
from rosewood.corpus.text.tags import Found
from rosewood.errors import CorpusError, DamagedFileError
from rosewood.folders import check_offsets
from rosewood.memory.arrays import KIND, Arrays, hash_of, make_arrays
from rosewood.memory.match import LOWEST, MatchKind, MemoryMatch
from rosewood.memory.slots import exact_form, slot_form, with_values_of
from rosewood.output import whole_folder
from rosewood.shared_types import PathName

BELOW_EXACT = 0.99  # the score of texts with the same words, but other tags, spaces or letters
_STARTS = {"source_start": "source", "target_start": "target", "name_start": "names",
           "word_start": "words", "id_start": "ids", "posting_start": "postings"}  # fmt: skip


class MemoryPair(NamedTuple):
    """A row of a memory."""

    source: str
    target: str
    place: str | None  # file:line
    others: int  # other translations of the source


class Memory:
    """Sentences with their translations; immutable, and safe to use from several threads."""

    def __init__(
        self,
        arrays: Mapping[str, Any],
        processor: TextProcessor | None = None,
        folder: Path | None = None,
    ) -> None:
        """Use `Memory.build` or `Memory.open`."""
        self.processor = processor
        self.folder = folder
        self._arrays = arrays

    @classmethod
    def build(cls, pairs: Iterable[SentencePair], processor: TextProcessor | None = None) -> Memory:
        """The memory of a corpus, or of other pairs."""
        check_type("processor", processor, TextProcessor | None, "a TextProcessor",
                   error=CorpusError)  # fmt: skip
        memory = cls({}, processor)
        memory._arrays = make_arrays(pairs, memory.words_of, memory._find)
        return memory

    @classmethod
    def open(cls, folder: PathName, processor: TextProcessor | None = None) -> Memory:
        """Map a folder that `save` wrote; `processor` is the one that the memory was built with."""
        place = Path(folder)
        arrays = KIND.open(place)[1]
        _check_sizes(place, arrays)
        return cls(arrays, processor, place)

    def save(self, folder: PathName) -> None:
        """Write a folder, which appears whole or not at all."""
        with whole_folder(folder, marker=KIND.manifest) as aside:
            KIND.write(aside, self._arrays, {})

    @staticmethod
    def verify(folder: PathName) -> None:
        """Compare every byte of a folder with its checksum, and check that rows and words exist."""
        place = Path(folder)
        KIND.verify(place)
        KIND.verify_manifest(place)
        arrays = KIND.open(place)[1]
        _check_sizes(place, arrays)
        for start, values in _STARTS.items():
            check_offsets(place / start, arrays[start], len(arrays[values]))
        sizes = {"key_row": "source", "slot_row": "source", "postings": "source", "ids": "word"}
        for name, of in sizes.items():
            _check_range(place / name, arrays[name], len(arrays[f"{of}_start"]) - 1)
        _check_range(place / "file", arrays["file"], len(arrays["name_start"]) - 1, low=-1)

    def with_processor(self, processor: TextProcessor | None) -> Memory:
        """The same memory with the processor that it was built with."""
        return Memory(self._arrays, processor, self.folder)

    # -- its pairs ---------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._arrays["source_start"]) - 1

    def __getitem__(self, row: int) -> MemoryPair:
        if not 0 <= row < len(self):
            raise IndexError(row)
        return MemoryPair(
            self._text("source", row), self._text("target", row), self._place(row),
            int(self._arrays["others"][row]),
        )  # fmt: skip

    def __iter__(self) -> Iterator[MemoryPair]:
        return map(self.__getitem__, range(len(self)))

    def words_of(self, text: str) -> Sequence[str]:
        """The words of a source as fuzzy matches compare them."""
        return split(text) if self.processor is None else self.processor.encode(text).words

    def _text(self, name: str, row: int) -> str:
        start = self._arrays[f"{name}_start"]
        found = self._arrays[name][start[row] : start[row + 1]].tobytes()
        try:
            text: str = found.decode()
        except UnicodeDecodeError as error:
            raise self._damaged(name, f"row {row} is not UTF-8", row) from error
        return text

    def _place(self, row: int) -> str | None:
        file, line = int(self._arrays["file"][row]), int(self._arrays["line"][row])
        if file < 0:
            return None
        if file >= len(self._arrays["name_start"]) - 1:
            raise self._damaged("file", f"row {row} has file number {file}", row)
        start = self._arrays["name_start"]
        name = self._arrays["names"][start[file] : start[file + 1]].tobytes()
        told: str = name.decode(errors="replace")
        return told if line < 0 else f"{told}:{line}"

    # -- matches -----------------------------------------------------------------------------------

    def exact(self, text: str) -> MemoryMatch | None:
        """The translation of a text that is in the memory, whatever its white space."""
        form = exact_form(check_text("text", text, error=CorpusError))
        for row in self._rows("key", "key_row", form):
            pair = self[row]
            if exact_form(pair.source) == form:
                return _match("exact", 1.0, pair)
        return None

    def near_exact(self, text: str) -> MemoryMatch | None:
        """The translation of a text that is in the memory with other placeholders or tags."""
        if not len(self._arrays["slot_key"]):
            return None
        form = slot_form(check_text("text", text, error=CorpusError), self._find)
        if form is None:
            return None
        for row in self._rows("slot_key", "slot_row", form.key):
            pair = self[row]
            old = slot_form(pair.source, self._find)
            if old is None or old.key != form.key:
                continue
            made = with_values_of(old, form, pair.target, self._find)
            if made is not None:
                return _match("near-exact", 1.0, pair._replace(target=made))
        return None

    def fuzzy(
        self,
        text: str,
        threshold: float = 0.7,
        most: int = 1,
        *,
        words: Sequence[str] | None = None,
    ) -> list[MemoryMatch]:
        """Up to `most` of the most similar sentences, the best first.

        The score is 1 - word edit distance / words of the longer sentence; it is at least
        `threshold`.  `words` are those of `words_of(text)`, where they are known.
        """
        check_text("text", text, error=CorpusError)
        threshold = check_number("threshold", threshold, low=LOWEST, high=1, error=CorpusError)
        most = check_whole("most", most, low=1, error=CorpusError)
        words = self.words_of(text) if words is None else words
        try:
            hits = self._index.find(list(words), threshold, most)
        except CorpusError as error:
            raise error.restated(str(error), DamagedFileError, file=self.folder) from error
        form = exact_form(text)
        found = []
        for row, _, score in hits:
            pair = self[row]
            if exact_form(pair.source) == form:
                found.append(_match("exact", 1.0, pair))
            else:
                found.append(_match("fuzzy", min(score, BELOW_EXACT), pair))
        return found

    def best(self, text: str, threshold: float = 0.7) -> MemoryMatch | None:
        """An exact match, a near-exact one, or the best fuzzy match; None where there is none."""
        found = self.exact(text) or self.near_exact(text)
        return found or next(iter(self.fuzzy(text, threshold)), None)

    @cached_property
    def _index(self) -> Any:
        names = ("words", "word_start", "ids", "id_start", "postings", "posting_start")
        return _core.FuzzyIndex(*(self._arrays[name] for name in names))

    def _find(self, text: str) -> Sequence[Found]:
        return () if self.processor is None else self.processor.protected(text)

    def _rows(self, keys: str, rows: str, form: str) -> Iterator[int]:
        """The rows whose key has the hash of a form."""
        wanted, array = hash_of(form), self._arrays[keys]
        place = bisect_left(array, wanted)
        while place < len(array) and int(array[place]) == wanted:
            row = int(self._arrays[rows][place])
            if not 0 <= row < len(self):
                raise self._damaged(rows, f"there is no row {row}", row)
            yield row
            place += 1

    def _damaged(self, name: str, reason: str, value: int) -> DamagedFileError:
        file = None if self.folder is None else self.folder / name
        told = f"the translation memory is damaged: {reason}"
        return DamagedFileError(told, code="file.damaged", value=value, file=file)

    def __repr__(self) -> str:
        where = "" if self.folder is None else f", {fspath(self.folder)!r}"
        return f"Memory({len(self):,} sentences{where})"


def _match(kind: MatchKind, score: float, pair: MemoryPair) -> MemoryMatch:
    return MemoryMatch(kind, score, pair.source, pair.target, pair.place, pair.others)


def _check_sizes(folder: Path, arrays: Arrays) -> None:
    """Refuse arrays that do not fit together; their content is checked where it is used."""
    rows, words = len(arrays["source_start"]), len(arrays["word_start"])
    keys, slots = len(arrays["key"]), len(arrays["slot_key"])
    expected = {
        "target_start": rows, "id_start": rows, "file": rows - 1, "line": rows - 1,
        "others": rows - 1, "key_row": keys, "slot_row": slots, "posting_start": words,
    }  # fmt: skip
    for name, size in expected.items():
        if len(arrays[name]) != size or size < 0:
            raise DamagedFileError(
                f"it has {len(arrays[name])} entries, expected {size}",
                code="file.damaged", value=len(arrays[name]), expected=size, file=folder / name,
            )  # fmt: skip


def _check_range(path: Path, values: Any, end: int, *, low: int = 0) -> None:
    if len(values) and not (int(values.min()) >= low and int(values.max()) < end):
        reason = f"it has numbers that are not in {low} to {end - 1}"
        raise DamagedFileError(reason, code="file.damaged", file=path)
