"""Translation options of a sentence, by definition: rules, forced translations, unknown words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from rosewood.rules import Rule
from tests.reference.phrase_search import LOG_OF_TEN, Option, Reordering
from tests.reference.rules import Link, spans

UNKNOWN_PENALTY = -100.0


@dataclass(frozen=True)
class Forced:
    """Source words that have these translations; if exclusive, no others."""

    begin: int
    end: int
    targets: tuple[str, ...]
    exclusive: bool = True

    def touches(self, begin: int, end: int) -> bool:
        return begin < self.end and self.begin < end


Unknown = Callable[[str], Sequence[str]]  # a word's translations, each words between spaces
Features = Callable[[Option, Rule | None], Mapping[str, float]]
Row = Callable[[Option, Rule | None], tuple[float, ...]]


def copied(word: str) -> Sequence[str]:
    return [word]


def dropped(word: str) -> Sequence[str]:
    return [""]


def table_row(model: Reordering, option: Option, rule: Rule | None) -> tuple[float, ...]:
    """The log probabilities that the rules of a table have as columns; 0 for what is no rule."""
    if rule is None:
        return (0.0,) * model.width
    return tuple(v for name, v in rule.features.items() if name.startswith("orientation_"))


@dataclass(frozen=True)
class OptionMaker:
    """How options are made of rules; in `rules` those of the same source stand as in their table.

    There is a row of each reordering model, made by the function beside it; features that users
    add are functions of an option and its rule.
    """

    rules: Sequence[Rule]
    language_models: Mapping[str, Any]
    weights: Mapping[str, float]
    reorderings: Mapping[Reordering, Row] = field(default_factory=dict)
    features: Sequence[Features] = ()
    unknown: Unknown = copied
    option_limit: int | None = None
    max_phrase: int | None = None

    def options(self, words: Sequence[str], forced: Sequence[Forced] = ()) -> Iterator[Option]:
        """All options of a sentence."""
        exclusive = [one for one in forced if one.exclusive]
        forced = exclusive + [
            one
            for one in forced
            if not one.exclusive
            and not any(other.touches(one.begin, one.end) for other in exclusive)
        ]
        translated = {one.begin for one in forced if one.end == one.begin + 1}
        for begin, end in spans(len(words), self.max_phrase or len(words)):
            if not any(one.touches(begin, end) for one in exclusive):
                for rule in self.best_rules(tuple(words[begin:end])):
                    if end == begin + 1:
                        translated.add(begin)
                    yield self._of_rule(begin, end, rule)
        for one in forced:
            for target in one.targets:
                yield self._without_rule(one.begin, one.end, target.split(), {})
        for place, word in enumerate(words):
            is_free = not any(one.touches(place, place + 1) for one in exclusive)
            if is_free and place not in translated:
                penalty = {"unknown_penalty": UNKNOWN_PENALTY}
                for target in self.unknown(word):
                    yield self._without_rule(place, place + 1, target.split(), penalty)

    def best_rules(self, source: tuple[str, ...]) -> list[Rule]:
        """The rules of a source that are looked at; equals in the order of the table."""
        own = [rule for rule in self.rules if rule.source == source]
        return sorted(own, key=self.estimate, reverse=True)[: self.option_limit]

    def estimate(self, rule: Rule) -> float:
        """What a rule is worth, as far as can be told before its neighbours are known."""
        values = self._columns(rule)
        values["word_penalty"] = -len(rule.target)
        values["phrase_penalty"] = 1.0
        for name, model in self.language_models.items():
            state, total = model.no_context, 0.0
            for word in rule.target:
                score, state = model.advance(state, word)
                total += LOG_OF_TEN * score
            values[name] = total
        return sum(self.weights.get(name, 0.0) * value for name, value in values.items())

    def _columns(self, rule: Rule) -> dict[str, float]:
        """The features of a table that are those of options, too."""
        return {
            name: value
            for name, value in rule.features.items()
            if name != "rule_penalty" and not name.startswith("orientation_")
        }

    def _of_rule(self, begin: int, end: int, rule: Rule) -> Option:
        target = tuple(map(str, rule.target))
        bare = Option(begin, end, target, self._columns(rule), links=frozenset(rule.links))
        return self._finished(bare, rule)

    def _without_rule(
        self, begin: int, end: int, target: Sequence[str], values: Mapping[str, float]
    ) -> Option:
        links: frozenset[Link] = frozenset(product(range(end - begin), range(len(target))))
        return self._finished(Option(begin, end, tuple(target), values, links=links), None)

    def _finished(self, option: Option, rule: Rule | None) -> Option:
        rows = tuple(row(option, rule) for row in self.reorderings.values())
        values = dict(option.features)
        for feature in self.features:
            values.update(feature(option, rule))
        return Option(option.begin, option.end, option.target, values, rows, option.links)
