"""The translation options of a sentence, from which features written in Python are computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.arrays import FloatArray, IdArray, LongArray
from rosewood.decode.results import EdgeRule
from rosewood.errors import DecodingError
from rosewood.lm import Model
from rosewood.rules.table import RuleTable

_LOG_OF_TEN = log(10.0)

GIVEN, UNKNOWN = 1, 2  # as core/decode/options.hpp numbers origins


class OptionFacts(NamedTuple):
    """A translation option as people look at it."""

    rule: EdgeRule
    source: tuple[str, ...]
    target: tuple[str, ...]
    score: float  # of the option by itself
    features: dict[str, float]


@dataclass(frozen=True, eq=False)
class TranslationOptions:
    """Translation options of the spans of a sentence.

    Option n is of words begin[n]:end[n]; it says the words target[target_start[n]:
    target_start[n+1]], by rule rule[n] of the table, or -1: a word that was copied, or a forced
    translation.  features[n] has the table's columns named in `names`.

    A rule with gaps is one option, however often it matches: begin[n] and end[n] are -1, gaps[n] is
    how many it has, and gap k of its target is the number -k.
    """

    words: tuple[str, ...]
    table: RuleTable
    names: tuple[str, ...]
    native: _core.SentenceOptions
    features_alone: tuple[str, ...] = ()  # features that do not depend on the hypothesis
    language_models: Mapping[str, Model] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.native)

    @cached_property
    def begin(self) -> IdArray:
        """The first word of each option's span; -1 if its rule has gaps."""
        return self.native.begin

    @cached_property
    def end(self) -> IdArray:
        """The end of each option's span; -1 if its rule has gaps."""
        return self.native.end

    @cached_property
    def rule(self) -> LongArray:
        """The number of its rule in the table, or -1; `table.ids` makes ids of them."""
        return self.native.rule

    @cached_property
    def rule_id(self) -> LongArray:
        """The id of its rule, which tables made of this one share; or -1."""
        ids = self.rule.copy()
        ids[ids >= 0] = self.table.ids(ids[ids >= 0])
        return ids

    @cached_property
    def is_unknown(self) -> NDArray[np.bool_]:
        """Whether its source word has no rule."""
        return np.equal(self.native.origin, UNKNOWN)

    @cached_property
    def is_forced(self) -> NDArray[np.bool_]:
        """Whether it was given with the sentence."""
        return np.equal(self.native.origin, GIVEN)

    @cached_property
    def target_start(self) -> LongArray:
        """Where its target begins."""
        return self.native.target_start

    @cached_property
    def target(self) -> IdArray:
        """The target words of all options, as numbers: see `word`."""
        return self.native.target

    @cached_property
    def gaps(self) -> LongArray:
        """The number of gaps of each option."""
        before = np.concatenate([[0], np.cumsum(self.target < 0)])
        return np.diff(before[self.target_start])

    @cached_property
    def features(self) -> FloatArray:
        """The table's columns for each option; 0 where it has no rule."""
        if not len(self):
            return np.zeros((0, len(self.names)))
        return self.native.features.reshape(len(self), -1)[:, : len(self.names)]

    @cached_property
    def _said(self) -> dict[int, tuple[str, ...]]:
        """Target words of options, filled on demand."""
        return {}

    @cached_property
    def _extra_words(self) -> list[str]:
        return [word.decode() for word in self.native.extra_words]

    def word(self, number: int) -> str:
        """The word of a number: those of the table, then those that only this sentence has."""
        known = len(self.table.target_words)
        if number < 0:
            return f"[{-number}]"  # a gap
        if number < known:
            return self.table.target_words.word(number)
        return self._extra_words[number - known]

    def has_gaps(self, option: int) -> bool:
        """Whether its rule has gaps."""
        return bool(self.begin[option] < 0)

    def source_words(self, option: int) -> tuple[str, ...]:
        """The words that an option translates; a rule with gaps has them as [X,1]."""
        if self.has_gaps(option):
            return tuple(map(str, self.table[int(self.rule[option])].source))
        return self.words[self.begin[option] : self.end[option]]

    def target_words(self, option: int) -> tuple[str, ...]:
        """The target words of an option, and its gaps as [1]."""
        said = self._said.get(option)
        if said is None:
            start, end = self.target_start[option : option + 2]
            said = self._said[option] = tuple(map(self.word, self.target[start:end].tolist()))
        return said

    def links(self, option: int) -> tuple[tuple[int, int], ...]:
        """Links of an option's words, counted from the beginning of its phrases.

        Where no rule tells, a word is linked to its one translation.
        """
        rule = int(self.rule[option])
        if rule >= 0:
            return tuple(self.table[rule].links)
        is_one = self.end[option] - self.begin[option] == 1 == len(self.target_words(option))
        return ((0, 0),) if is_one else ()

    def edge_rule(self, option: int) -> EdgeRule:
        """An option as the rule of a hyperedge; one with gaps has no spans yet."""
        rule = int(self.rule_id[option])
        span = int(self.begin[option]), int(self.end[option])
        return EdgeRule(
            () if self.has_gaps(option) else (span,),
            None if rule < 0 else rule,
            bool(self.is_unknown[option]),
            bool(self.is_forced[option]),
        )

    @cached_property
    def places(self) -> tuple[IdArray, IdArray, IdArray]:
        """Where options may be used: the option, the begin and the end of each place."""
        return np.arange(len(self), dtype=np.int32), self.begin, self.end

    def edge_places(self, edge_option: IdArray, span: IdArray | None) -> LongArray:
        """The place of each edge of a forest, whose heads are over these spans; -1: none."""
        return edge_option.astype(np.int64)

    def described(self, weights: Mapping[str, float]) -> list[OptionFacts]:
        """Every option with the features that it has by itself, and what they add to the score.

        Language models score each run of its words without context.
        """
        if not len(self):
            return []
        rows = self.native.features.reshape(len(self), -1)
        names = self.features_alone
        words = [self.target_words(n) for n in range(len(self))]
        owner, runs = self._runs()
        alone = {
            name: np.bincount(
                owner,
                _LOG_OF_TEN * model.score_batch(runs, begin=False, end=False),
                minlength=len(self),
            )
            for name, model in self.language_models.items()
        }
        scores = rows @ np.array([weights[name] for name in names])
        for name, values in alone.items():
            scores = scores + weights[name] * values
        return [
            OptionFacts(
                self.edge_rule(n),
                self.source_words(n),
                words[n],
                float(scores[n]),
                dict(zip(names, rows[n].tolist(), strict=True))
                | {name: float(values[n]) for name, values in alone.items()},
            )
            for n in range(len(self))
        ]

    def _runs(self) -> tuple[list[int], list[list[str]]]:
        """The runs of target words between gaps, and which option each is of."""
        owner: list[int] = []
        runs: list[list[str]] = []
        for option in range(len(self)):
            start, end = self.target_start[option : option + 2]
            for is_gap, run in groupby(self.target[start:end].tolist(), lambda symbol: symbol < 0):
                if not is_gap:
                    owner.append(option)
                    runs.append(list(map(self.word, run)))
        return owner, runs

    def __reduce__(self) -> tuple[object, ...]:
        reason = "options belong to their search: forests and translations are pickled"
        raise DecodingError(reason, code="decoding.pickle")

    def __repr__(self) -> str:
        return f"TranslationOptions({len(self):,} options of {len(self.words)} words)"
