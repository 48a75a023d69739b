"""A table of rules in a folder, mapped: opened at once, shared by processes, looked up by source.

    table = RuleTable.build("rules/", rules)          # a few; `rosewood extract` makes millions
    table = RuleTable.open("rules/")
    table.lookup("das haus")                          # [Rule, …], best first
    table.options("das haus ist klein", limit=20)     # of all its spans, as arrays
    table.matches("das haus ist klein")               # of rules with gaps, too
    table.filter(sentences, "small/")                 # what these sentences can use
    len(table); table[17]; table[:3]; table.by_id(17); "das haus" in table
    table.ids(options.rule)                           # of arrays of rules

Rules have numbers, by their sources; and ids, which stay the same when a table is filtered.
Native      core/rules/table.hpp, table_search.hpp; layout: core/rules/table_layout.hpp
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from os import fspath
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosewood import _core
from rosewood.arguments import check_list, check_whole
from rosewood.arrays import as_array
from rosewood.errors import DamagedFileError, ForestError, RosewoodError, RuleError
from rosewood.rules import table_files as files
from rosewood.rules.rule import Gap, Rule, Symbol
from rosewood.rules.table_build import build_table, parsed_source
from rosewood.rules.table_words import TableWords, sentence_bytes
from rosewood.sequences import LazySequence
from rosewood.shared_types import CountCallback, PathName

_LINES = 4096  # sentences filtered by at a time
_LINKS_KEPT = 1 << 16  # rules whose linked words are kept in memory
_ALL = 2**62


@dataclass(frozen=True, eq=False)
class _Found:
    """What was found for spans of a sentence, words begin[n]:end[n]."""

    begin: NDArray[np.int32]
    end: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.begin)

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"{name}({len(self):,} {name.lower()})"


@dataclass(frozen=True, eq=False, repr=False)
class Options(_Found):
    """What phrases may stand for spans of a sentence, best first for each span.

    Option n is of words begin[n]:end[n], by rule rule[n], with the words
    target[target_start[n]:target_start[n+1]] and the features features[n].  Rules are numbers in
    this table; their ids, which other tables share, are table.ids(rule).
    """

    rule: NDArray[np.int64]
    target_start: NDArray[np.int64]
    target: NDArray[np.int32]
    features: NDArray[np.float32]


@dataclass(frozen=True, eq=False, repr=False)
class Matches(_Found):
    """Which sources match spans of a sentence, and where their gaps are.

    Match n is of words begin[n]:end[n]; its rules are first[n]:last[n], its gaps, in the order of
    the source, gap_begin[k]:gap_end[k] for k in gap_start[n]:gap_start[n+1].
    """

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    gap_start: NDArray[np.int64]
    gap_begin: NDArray[np.int32]
    gap_end: NDArray[np.int32]

    @cached_property
    def rule_start(self) -> NDArray[np.int64]:
        """The rules of match n, one by one, are rule[rule_start[n]:rule_start[n+1]]."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self.last - self.first)])

    @cached_property
    def rule(self) -> NDArray[np.int64]:
        """The rules of all matches; their ids are table.ids(rule)."""
        starts, count = self.rule_start, self.last - self.first
        return np.arange(starts[-1]) + np.repeat(self.first - starts[:-1], count)


class RuleTable(LazySequence[Rule]):
    """Rules by their sources.  Made by `open` and `build`; pickled by its path."""

    def __init__(self, folder: Path, manifest: dict[str, Any], native: _core.RuleTable) -> None:
        self.folder = folder
        self._place = folder.absolute()  # wherever the process goes
        self.native = native  # for other native code
        self._manifest = manifest

    @classmethod
    def open(cls, folder: PathName) -> Self:
        """Map a table; nothing is read before it is asked for."""
        place = Path(folder)
        return cls(place, *files.open_table(place))

    @classmethod
    def build(
        cls,
        folder: PathName,
        rules: Iterable[Rule],
        *,
        labels: Sequence[str] | None = None,
        features: Sequence[str] | None = None,
        groups: Sequence[Sequence[str]] = (),
        facts: dict[str, Any] | None = None,
    ) -> Self:
        """Write a table of rules that fit into memory, and open it.

        Rules of the same source are listed as they come.  Labels and features are those of the
        rules, in the order in which they come, or these.
        """
        build_table(folder, rules, labels, features, groups, facts or {})
        return cls.open(folder)

    @property
    def labels(self) -> tuple[str, ...]:
        """Of left-hand sides and gaps; the first is that of phrases."""
        return tuple(self._manifest["labels"])

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the rules' features."""
        return tuple(self._manifest["features"])

    @property
    def is_grammar(self) -> bool:
        """Whether it was made for hierarchical search: it has glue, or labels of several kinds."""
        return "glue" in self.features or len(self.labels) > 1

    @property
    def facts(self) -> dict[str, Any]:
        """How the table was made."""
        return dict(self._manifest["facts"])

    @property
    def num_ids(self) -> int:
        """Ids are below this, in this table and in the one it is a part of."""
        return self.native.num_ids

    @property
    def size(self) -> int:
        """How many bytes its files have."""
        return sum(entry["bytes"] for entry in self._manifest["files"].values())

    @cached_property
    def source_words(self) -> TableWords:
        """The words of sources, and their numbers."""
        return TableWords(self.folder, self.native, is_target=False)

    @cached_property
    def target_words(self) -> TableWords:
        """The words of targets, and their numbers."""
        return TableWords(self.folder, self.native, is_target=True)

    def __len__(self) -> int:
        return len(self.native)

    def _item(self, number: int) -> Rule:
        return self._rule(number, self._named_source(self._read_source(number)))

    def by_id(self, rule_id: int) -> Rule:
        """The rule of an id; a KeyError if the table does not have it."""
        rule = self.native.rule_of(rule_id) if 0 <= rule_id < self.num_ids else len(self)
        if rule == len(self):
            raise KeyError(rule_id)
        return self[rule]

    def linked_words(self, rule_id: int) -> tuple[int, ...]:
        """The source words of a rule that are linked, by their places: faster than by_id."""
        return self._linked_words(rule_id)

    @cached_property
    def _linked_words(self) -> Callable[[int], tuple[int, ...]]:
        def read(rule_id: int) -> tuple[int, ...]:
            number = self.native.rule_of(rule_id)
            linked = sorted({i for i, _ in self.native.rule(number)[2]})
            symbols = self._read_source(number)
            if min(symbols) >= 0:
                return tuple(linked)
            words, count = [], 0  # gaps are symbols, but not words
            for symbol in symbols:
                words.append(count)
                count += symbol >= 0
            return tuple(words[place] for place in linked)

        return lru_cache(maxsize=_LINKS_KEPT)(read)

    def ids(self, rules: ArrayLike) -> NDArray[np.int64]:
        """The ids of many rules, given by their numbers, as in `Options` and `Matches`."""
        return self.native.ids(_numbers(rules))

    def feature_rows(self, rules: ArrayLike) -> NDArray[np.float32]:
        """The features of many rules, given by their numbers: a row each."""
        numbers = _numbers(rules)
        return self.native.feature_rows(numbers).reshape(len(numbers), len(self.features))

    def __contains__(self, source: object) -> bool:
        """Whether there are rules of a source, as `lookup` takes it; or this very Rule."""
        try:
            if isinstance(source, Rule):
                return source in self.lookup(source.source)
            return bool(self._find(parsed_source(cast("str", source), self.labels)))
        except RuleError:  # no source at all
            return False

    def __iter__(self) -> Iterator[Rule]:
        rule = 0
        while rule < len(self):
            symbols = self._read_source(rule)
            source = self._named_source(symbols)
            first, last = self.native.find(symbols)
            if not first == rule < last:
                reason = "its sources are damaged"
                raise DamagedFileError(
                    reason, file=self.folder, code="file.damaged", argument="sources"
                )
            for number in range(first, last):
                yield self._rule(number, source)
            rule = last

    def lookup(self, source: str | Sequence[Symbol]) -> list[Rule]:
        """All rules of a source, best first; gaps are written as `[X,1]`, or are Gaps."""
        symbols = parsed_source(source, self.labels)
        return [self._rule(rule, symbols) for rule in self._find(symbols)]

    def _find(self, source: tuple[Symbol, ...]) -> range:
        """The numbers of the rules of a source."""
        numbers = []
        for symbol in source:
            number = (
                -1 - self._label(symbol.label)
                if isinstance(symbol, Gap)
                else self.source_words.id(symbol)
            )
            if number is None:
                return range(0)
            numbers.append(number)
        return range(*self.native.find(numbers))

    def options(
        self,
        sentence: str | Sequence[str],
        *,
        max_span: int | None = None,
        limit: int | None = None,
    ) -> Options:
        """The phrases for all spans of a sentence, of up to `max_span` words, and for each the
        first `limit` ones.  Rules with gaps are not among them; see `matches`."""
        span, most = _count("max_span", max_span, 1), _count("limit", limit, 0)
        found = self.native.options(sentence_bytes(sentence), span, most)
        features = found[5].reshape(len(found[2]), len(self._manifest["features"]))
        return Options(*found[:5], features)

    def matches(
        self, sentence: str | Sequence[str], *, max_span: int | None = None, min_gap: int = 1
    ) -> Matches:
        """All sources, with and without gaps, that match spans of up to `max_span` words.

        A source is there once for every way in which its gaps, of `min_gap` words or more, can
        lie.
        """
        span, gap = _count("max_span", max_span, 1), _count("min_gap", min_gap, 1)
        return Matches(*self.native.matches(sentence_bytes(sentence), span, gap))

    def filter(
        self,
        sentences: Iterable[str],
        folder: PathName,
        *,
        limit: int | None = None,
        threads: int = 1,
        step: CountCallback | None = None,
    ) -> RuleTable:
        """A table of the rules that these sentences can use, in another folder.

        Kept are all rules whose source matches one of them, with one word or more in every gap; of
        each source the first `limit` ones.  Ids stay the same.
        """
        most, threads = _count("limit", limit, 1), _count("threads", threads, 1)
        if Path(folder).resolve() == self._place.resolve():
            reason = f"{self.folder}: a table cannot be filtered into itself"
            raise RuleError(reason, code="argument.conflict", argument="folder", file=folder)
        found = _core.TableFilter(self.native)
        each = iter(check_list("sentences", sentences, error=RuleError))
        count = 0
        with files.new_table(
            folder, self.labels, self.features, self._manifest["groups"]
        ) as writer:
            while some := list(islice(each, _LINES)):
                lines = [_line(sentence, count + n) for n, sentence in enumerate(some, 1)]
                found.add(np.frombuffer(b"".join(lines), np.uint8), threads)
                count += len(some)
                if step is not None:
                    step(len(some))
            try:
                found.write(writer.native, most)
            except RuleError as error:
                raise _damaged(error, self.folder) from error
            writer.seal({**self.facts, "filtered": {"sentences": count, "limit": limit}})
        return RuleTable.open(folder)

    def verify(self) -> None:
        """Check every byte of the folder; the first thing wrong is a DamagedFileError."""
        files.verify(self._place)

    def __repr__(self) -> str:
        return f"RuleTable({len(self):,} rules, {fspath(self.folder)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return (RuleTable.open, (self._place,))  # mapped again over there, not copied

    def _read_source(self, rule: int) -> list[int]:
        try:
            return self.native.source(rule)
        except RuleError as error:
            raise _damaged(error, self.folder) from error

    def _named_source(self, symbols: list[int]) -> tuple[Symbol, ...]:
        gaps = 0
        named: list[Symbol] = []
        for symbol in symbols:
            if symbol < 0:
                gaps += 1
                named.append(Gap(self._label_name(-1 - symbol), gaps))
            else:
                named.append(self._word(self.source_words, symbol))
        return tuple(named)

    def _rule(self, number: int, source: tuple[Symbol, ...]) -> Rule:
        left, target, links, counts, features, sentence, rule_id = self.native.rule(number)
        gaps = [symbol for symbol in source if isinstance(symbol, Gap)]
        named: list[Symbol] = []
        for symbol in target:
            if symbol >= 0:
                named.append(self._word(self.target_words, symbol))
            elif symbol >= -len(gaps):
                named.append(gaps[-1 - symbol])
            else:
                reason = f"rule {number} has other gaps"
                raise DamagedFileError(
                    reason, file=self.folder, code="file.damaged", argument="gaps", value=number
                )
        return Rule(
            source,
            tuple(named),
            self._label_name(left),
            tuple(links),
            dict(zip(self.features, features, strict=True)),
            *counts,
            None if sentence < 0 else sentence,
            rule_id,
        )

    def _word(self, words: TableWords, number: int) -> str:
        try:
            return words.word(number)
        except IndexError as error:
            raise DamagedFileError(
                str(error), code="file.damaged", argument="word", value=number, file=self.folder
            ) from error

    def _label(self, name: str) -> int:
        if name not in self.labels:
            reason = f"the table has no label {name!r}"
            raise RuleError(reason, code="rules.label", argument="label", value=name)
        return self.labels.index(name)

    def _label_name(self, number: int) -> str:
        return self.labels[number]


def _line(sentence: str, number: int) -> bytes:
    try:
        return sentence_bytes(sentence).tobytes() + b"\n"
    except RuleError as error:
        raise error.restated(f"sentence {number}: {error}", line=number) from None


def _count(name: str, value: int | None, least: int) -> int:
    """A whole number; None is as many as there are."""
    return (
        _ALL if value is None else check_whole(name, value, low=least, high=_ALL, error=RuleError)
    )


def _numbers(rules: ArrayLike) -> NDArray[np.int64]:
    try:
        return as_array("rules", rules, np.int64)
    except ForestError as error:
        raise error.restated(str(error), RuleError) from None


def _damaged(error: RuleError, folder: Path) -> RosewoodError:
    return error.restated(str(error), DamagedFileError, code="file.damaged", file=folder)
