"""Word classes: each word has one class, learned from the words beside it.

    classes = WordClasses.learn(["the dog barks", "a cat sleeps"], 3)
    classes["dog"]; classes.of("unseen"); classes.numbers(["the", "cat"]); classes.words_of(1)
    classes.save("en.classes"); WordClasses.load("en.classes")
    classes.write_text("en.tsv"); WordClasses.read_text("en.tsv")      # word, tab, class

Numbers     classes are 1 .. num_classes; words that are not known have class 0 (UNKNOWN), and words
            with fewer than `min_count` occurrences are not known
Objective   F = sum over c, d of N(c,d) log N(c,d) - sum over c of N(c,.) log N(c,.)
                - sum over c of N(.,c) log N(.,c)
            in nats; N(c,d) counts bigrams of a word of class c and one of class d.  A sentence has
            a boundary before its first word and after its last one, which is a class of its own,
            as class 0 is one: no word moves in or out.  Sentences without words do not count.
Method      exchange (Kneser & Ney 1993; Martin, Liermann & Ney 1998), as mkcls has it: in each
            round every word, the most frequent first, moves to the class that raises F most, of
            equal ones to the first; F rises with every move.  It ends where no single move raises
            F by more than n log n is rounded by (about 1e-4), or after `rounds`.  Exchange starts
            from what `annealing` rounds have found, in which words are drawn to classes by chance,
            good ones more and more likely; and these from words cut by frequency into classes that
            occur equally often.
Native      core/corpus/clusters.hpp; specification: tests/reference/clusters.py
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rosewood.arguments import check_length, check_type, check_whole
from rosewood.arrays import freeze
from rosewood.corpus import clusters_files as files
from rosewood.corpus.clusters_learning import Learned, learn
from rosewood.corpus.clusters_settings import ClusterSettings
from rosewood.corpus.indexed import IndexedText
from rosewood.errors import CorpusError
from rosewood.shared_types import PathName, ProgressCallback

UNKNOWN = 0  # the class of words that are not known


@dataclass(frozen=True, eq=False)
class WordClasses:
    """Words and their classes; arrays are read-only."""

    words: tuple[str, ...] = field(repr=False)  # the most frequent first
    classes: NDArray[np.int32] = field(repr=False)  # of each word, from 1
    counts: NDArray[np.int64] = field(repr=False)  # of each word; zeros where nobody counted
    num_classes: int
    facts: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", tuple(self.words))
        for name, kind in (("classes", np.int32), ("counts", np.int64)):
            array = freeze(np.array(getattr(self, name), kind))
            check_length(name, array, len(self.words), "word", error=CorpusError)
            object.__setattr__(self, name, array)
        check_whole("num_classes", self.num_classes, low=0, error=CorpusError)
        if len(self.words) and not (self.classes.min() > 0 and self.counts.min() >= 0):
            reason = "classes must be from 1 on, counts from 0 on"
            raise CorpusError(reason, code="argument.range", argument="classes")
        if len(self.words) and self.classes.max() > self.num_classes:
            reason = f"there is a class {self.classes.max()}, expected 1 to {self.num_classes}"
            raise CorpusError(reason, code="argument.range", argument="classes")
        if len(self._numbers) < len(self.words):
            reason = "a word occurs twice"
            raise CorpusError(reason, code="argument.duplicate", argument="words")

    @classmethod
    def learn(
        cls,
        text: IndexedText | Iterable[str | Sequence[str]],
        classes: int = ClusterSettings.classes,
        *,
        rounds: int = ClusterSettings.rounds,
        annealing: int = ClusterSettings.annealing,
        seed: int = ClusterSettings.seed,
        min_count: int = ClusterSettings.min_count,
        threads: int = 1,
        work: PathName | None = None,
        told: ProgressCallback | None = None,
    ) -> Self:
        """Put the words of a text into classes; the same at any number of threads.

        The text is an IndexedText, or sentences: texts, or sequences of words.  With fewer words
        than `classes`, each has a class of its own.  After each round its result goes to the folder
        `work`, from which the same call goes on if it is stopped; the folder is gone at the end.
        """
        settings = ClusterSettings(
            classes=classes, rounds=rounds, annealing=annealing, seed=seed, min_count=min_count
        )
        if not isinstance(text, IndexedText):
            text = IndexedText.from_lines(text)
        return cls.of_learned(learn(text, settings, threads=threads, work=work, told=told))

    @classmethod
    def of_learned(cls, found: Learned) -> Self:
        """What `clusters_learning.learn` has found."""
        return cls(tuple(found.words), found.classes, found.counts, found.num_classes, found.facts)

    def of(self, word: str) -> int:
        """The class of a word; 0 where it is not known."""
        return self._numbers.get(word, UNKNOWN)

    __getitem__ = of

    def __contains__(self, word: object) -> bool:
        return word in self._numbers

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def numbers(self, words: Iterable[str]) -> NDArray[np.int32]:
        """The class of each word; 0 for those that are not known."""
        known = self._numbers
        return np.array([known.get(word, UNKNOWN) for word in words], np.int32)

    def words_of(self, number: int, most: int | None = None) -> tuple[str, ...]:
        """The words of a class, the most frequent first; all, or the first ones."""
        check_whole("number", number, low=1, high=self.num_classes, error=CorpusError)
        found = self._members[self._member_start[number - 1] : self._member_start[number]]
        return tuple(self.words[place] for place in found[:most])

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many words each class has, from class 1 on."""
        return np.diff(self._member_start)

    @property
    def occurrences(self) -> NDArray[np.int64]:
        """How often words of each class occur, from class 1 on."""
        found = np.zeros(self.num_classes + 1, np.int64)
        np.add.at(found, self.classes, self.counts)
        return found[1:]

    def largest(self, count: int | None = None) -> list[int]:
        """The classes whose words occur most often, or, where nobody counted, are most."""
        amounts = self.occurrences if self.counts.any() else self.sizes
        return [int(place) + 1 for place in np.argsort(-amounts, kind="stable")[:count]]

    @property
    def objective(self) -> float | None:
        """F of the text that the classes were learned from; None where they are from elsewhere."""
        return self.facts.get("objective")

    @property
    def history(self) -> list[dict[str, Any]]:
        """Of each round, which is 0 for the start: its number, heat, moves and objective.

        Rounds of exchange have no heat: from the first of them on, the objective never falls.
        """
        return [dict(each) for each in self.facts.get("history", ())]

    def save(self, path: PathName) -> None:
        """Write a file with checksums, which `load` reads; compressed as the name says."""
        check_type("path", path, files.PATHS, "a path", error=CorpusError)
        files.write(path, self.words, self.classes, self.counts, self.num_classes, self.facts)

    @classmethod
    def load(cls, path: PathName) -> Self:
        """What `save` wrote; a file that is damaged, or from a later release, is refused."""
        found = files.read(path)
        return cls(tuple(found.words), found.classes, found.counts, found.num_classes, found.facts)

    def write_text(self, path: files.Target) -> None:
        """Write a line `word<TAB>class` for each word, as mkcls does."""
        files.write_text(path, self.words, self.classes)

    @classmethod
    def read_text(cls, path: files.Source, file: PathName | None = None) -> Self:
        """Read lines `word class` of any program, separated by a tab or spaces.

        Classes get the numbers 1 .. num_classes in the order of their names: by value if all are
        whole numbers, else by text.  Errors call the source `file`.
        """
        words, classes, num_classes = files.read_text(path, file)
        return cls(tuple(words), classes, np.zeros(len(words), np.int64), num_classes)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return dict(zip(self.words, self.classes.tolist(), strict=True))

    @cached_property
    def _members(self) -> NDArray[np.int64]:
        """Places of words by class, then as they are."""
        return np.argsort(self.classes, kind="stable")

    @cached_property
    def _member_start(self) -> NDArray[np.int64]:
        sizes = np.bincount(self.classes, minlength=self.num_classes + 1)[1:]
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])

    def __reduce__(self) -> tuple[object, ...]:
        facts = dict(self.facts)
        return (WordClasses, (self.words, self.classes, self.counts, self.num_classes, facts))
