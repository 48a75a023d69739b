"""Translation memories beside a search: which match a text gets, and what it tells the search.

    lookup = MemoryLookup((Memory.open("memory", german),), fuzzy=0.7)
    lookup.best("Das ist ein Haus.")            # a MemoryMatch, or None

Exact matches are the translation of a text.  Fuzzy ones are offered beside it, and their matching
parts may be given to the search (fuzzy_constraints.py).  That makes translations better where the
model was not trained on the memory, and worse where it was (docs/memory.md has figures).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from rosewood.arguments import check_choice, check_list, check_number, check_type
from rosewood.corpus import Corpus, TextProcessor
from rosewood.errors import DecodingError
from rosewood.memory import Memory, MemoryMatch
from rosewood.memory.match import LOWEST
from rosewood.shared_types import PathName

Constrain = Literal["auto", "on", "off"]


@dataclass(frozen=True)
class MemoryLookup:
    """Memories that are asked in their order: the first exact match, or the best fuzzy one.

    The model was trained on the last one, if it `has_own`.
    """

    memories: tuple[Memory, ...]
    fuzzy: float | None = 0.7  # the lowest score of fuzzy matches; None or 1: there are none
    constrain: Constrain = "auto"  # auto: by matches of memories that are not the model's
    has_own: bool = False

    def __post_init__(self) -> None:
        check_list("memories", self.memories, "a list of Memory", error=DecodingError)
        for each in self.memories:
            check_type("memories", each, Memory, "a list of Memory", error=DecodingError)
        if self.fuzzy is not None:
            check_number("fuzzy", self.fuzzy, low=LOWEST, high=1, error=DecodingError)
        check_choice("constrain", self.constrain, get_args(Constrain), error=DecodingError)

    def best(self, text: str, words: Sequence[str] | None = None) -> MemoryMatch | None:
        """The match of a text; `words` are those of its processor, where they are known."""
        return self.find(text, words)[0]

    def exact(self, text: str) -> MemoryMatch | None:
        """The first exact match of a text, without placeholders replaced."""
        found = (memory.exact(text) for memory in self.memories)
        return next((each for each in found if each is not None), None)

    def find(
        self, text: str, words: Sequence[str] | None = None
    ) -> tuple[MemoryMatch | None, bool]:
        """The match of a text, and whether its parts are given to the search."""
        if (found := self.exact(text)) is not None:
            return found, False
        for memory in self.memories:
            if (found := memory.near_exact(text)) is not None:
                return found, False
        best, constrains = None, False
        if self.fuzzy is not None and self.fuzzy < 1:
            for number, memory in enumerate(self.memories, 1):
                for each in memory.fuzzy(text, self.fuzzy, words=words):
                    if best is None or each.score > best.score:
                        is_own = self.has_own and number == len(self.memories)
                        best = each
                        constrains = self.constrain == "on" or not is_own
        return best, constrains and self.constrain != "off"

    def __len__(self) -> int:
        return sum(map(len, self.memories))


def read_memory(
    files: Sequence[PathName],
    processor: TextProcessor | None,
    languages: tuple[str | None, str | None] = (None, None),
) -> Memory:
    """The memory of corpus files: TMX, PO, XLIFF, tables, or two text files in a row."""
    corpus = Corpus.read(*files, source_language=languages[0], target_language=languages[1])
    memory = Memory.build(corpus, processor)
    if not len(memory):
        told = ", ".join(map(str, files))
        reason = f"there are no translated sentences in {told}"
        raise DecodingError(reason, code="file.empty", argument="memory_file", value=told)
    return memory


def open_lookup(
    bundle: Any,
    memory: str = "auto",
    files: Sequence[PathName] = (),
    fuzzy: float | None = 0.7,
    constrain: Constrain = "auto",
) -> MemoryLookup | None:
    """The memory of a model and those of files; None where there is nothing to look into."""
    if constrain == "on" and (fuzzy is None or fuzzy >= 1):
        reason = (
            "parts of fuzzy matches cannot guide the search, since fuzzy is none or 1: set it to a "
            "number below 1 (--fuzzy 0.7), or leave fuzzy_constrain (--fuzzy-constrain) at auto"
        )
        raise DecodingError(reason, code="argument.conflict", argument="fuzzy_constrain")
    found: list[Memory] = []
    processor = bundle.source_text
    if files:
        found.append(read_memory(files, processor, tuple(bundle.manifest["languages"])))
    own = None if memory == "off" else bundle.memory
    if own is not None:
        found.append(own.with_processor(processor))
    elif memory == "on":
        reason = (
            "the model has no translation memory: train it with memory on (rosewood train "
            "--memory on), or give the memory as a file (--memory-file)"
        )
        raise DecodingError(reason, code="model.no-memory", argument="memory", file=bundle.folder)
    if constrain == "on" and not found:
        reason = (
            "there is no translation memory whose fuzzy matches could guide the search: give one "
            "(--memory-file), use a model with a memory (rosewood train --memory on; not --memory "
            "off), or leave fuzzy_constrain (--fuzzy-constrain) at auto"
        )
        raise DecodingError(reason, code="argument.conflict", argument="fuzzy_constrain")
    return MemoryLookup(tuple(found), fuzzy, constrain, own is not None) if found else None
