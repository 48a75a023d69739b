"""Hierarchical search, by definition: every tree of rules over a sentence.  Native:
core/decode/chart_search.hpp.

A tree is a use of a rule, with a tree for each of its gaps; a derivation is a sequence of trees
over neighbouring spans, which glue joins.  Features are of a finished derivation as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby, product
from typing import Any

from rosewood.lm import chart_score
from rosewood.rules import Rule
from rosewood.rules.rule import Gap
from tests.reference.phrase_search import LOG_OF_TEN
from tests.reference.rule_tables import ways

UNKNOWN_PENALTY = -100.0


@dataclass(frozen=True)
class Tree:
    """A rule over the words begin:end, and what fills its gaps, in the order of the source."""

    begin: int
    end: int
    rule: Rule
    children: tuple[Tree, ...] = ()
    is_unknown: bool = False
    is_forced: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        said: list[str] = []
        for symbol in self.rule.target:
            if isinstance(symbol, Gap):
                said += self.children[symbol.number - 1].words
            else:
                said.append(symbol)
        return tuple(said)

    def __iter__(self) -> Iterator[Tree]:
        for child in self.children:
            yield from child
        yield self


Derivation = tuple[Tree, ...]


@dataclass
class ChartProblem:
    """A sentence and what there is for it; without limits but for the span of rules.

    `forced` are spans with their translations: nothing else touches the words of one.
    """

    words: Sequence[str]
    rules: Sequence[Rule]
    labels: Sequence[str]  # the first is that of words without a rule
    language_models: Mapping[str, Any]
    weights: Mapping[str, float]
    max_span: int | None = None
    drops_unknown: bool = False
    forced: Mapping[tuple[int, int], Sequence[tuple[str, ...]]] = field(default_factory=dict)
    joined: Sequence[str] | None = None  # labels that glue joins; None: all
    sentence: str | None = None  # a label that a sentence may begin with, besides those
    _trees: dict[tuple[int, int, str], list[Tree]] = field(default_factory=dict)

    def trees(self, begin: int, end: int, label: str) -> list[Tree]:
        """All trees of a span whose topmost rule makes this label."""
        key = begin, end, label
        if key not in self._trees:
            self._trees[key] = list(self._find(begin, end, label))
        return self._trees[key]

    def _find(self, begin: int, end: int, label: str) -> Iterator[Tree]:
        if label == self.labels[0]:
            yield from self._without_rule(begin, end)
        if end - begin > (self.max_span or len(self.words)):
            return
        for rule in self.rules:
            if rule.left != label:
                continue
            for sizes in ways(rule.source, self.words[begin:end], 1):
                places = list(accumulate(sizes, initial=begin))
                if self._may_match(rule, places):
                    gaps = [
                        self.trees(places[i], places[i + 1], symbol.label)
                        for i, symbol in enumerate(rule.source)
                        if isinstance(symbol, Gap)
                    ]
                    for children in product(*gaps):
                        yield Tree(begin, end, rule, children)

    def _may_match(self, rule: Rule, places: Sequence[int]) -> bool:
        own = [p for p, symbol in zip(places, rule.source, strict=False) if isinstance(symbol, str)]
        return not any(first <= place < last for first, last in self.forced for place in own)

    def _without_rule(self, begin: int, end: int) -> Iterator[Tree]:
        for target in self.forced.get((begin, end), ()):
            yield Tree(begin, end, Rule(("?",), target), is_forced=True)
        is_forced = any(first < end and begin < last for first, last in self.forced)
        word = self.words[begin]
        has_rule = any(rule.source == (word,) for rule in self.rules)
        if end == begin + 1 and not is_forced and not has_rule:
            target = () if self.drops_unknown else (word,)
            yield Tree(begin, end, Rule((word,), target), is_unknown=True)

    def derivations(self, end: int | None = None) -> Iterator[Derivation]:
        """All derivations of the first `end` words."""
        end = len(self.words) if end is None else end
        if end == 0:
            yield ()
        for begin in range(end):
            labels = self.labels if self.joined is None else self.joined
            if begin == 0 and self.joined is not None and self.sentence is not None:
                labels = [*labels, self.sentence]
            last = [tree for label in labels for tree in self.trees(begin, end, label)]
            if last:
                for before in self.derivations(begin):
                    for tree in last:
                        yield (*before, tree)

    def features(self, derivation: Derivation) -> dict[str, float]:
        """Those that are not 0."""
        words = yield_of(derivation)
        used = [tree for top in derivation for tree in top]
        values: dict[str, float] = {
            "word_penalty": -float(len(words)),
            "phrase_penalty": float(len(used)),
            "unknown_penalty": UNKNOWN_PENALTY * sum(tree.is_unknown for tree in used),
            "glue": float(len(derivation)),
        }
        for tree in used:
            for name, value in tree.rule.features.items():
                values[name] = values.get(name, 0.0) + value
        for name, model in self.language_models.items():
            values[name] = LOG_OF_TEN * model.score(words)
        return {name: value for name, value in values.items() if value}

    def score(self, values: Mapping[str, float]) -> float:
        return sum(self.weights[name] * value for name, value in values.items())

    def best_score(self) -> float:
        return max(self.score(self.features(each)) for each in self.derivations())


@dataclass
class Packed:
    """Derivations with their common parts told apart by nothing but what matters to others.

    A node is a span, a label, the states of language models on both sides and, if `boundary_words`
    is not 0, so many words on each side; nodes that begin the sentence know their last words only.
    """

    problem: ChartProblem
    boundary_words: int = 0
    nodes: set[Any] = field(default_factory=lambda: {"root"})
    edges: set[Any] = field(default_factory=set)

    def __post_init__(self) -> None:
        for derivation in self.problem.derivations():
            before = self._node(None, 0, (), begins=True)
            self.edges.add((before, None, ()))
            for place, tree in enumerate(derivation, 1):
                said = yield_of(derivation[:place])
                node = self._node(None, tree.end, said, begins=True)
                self.edges.add((node, None, (before, self._tree(tree))))
                before = node
            self.edges.add(("root", None, (before,)))

    def _tree(self, tree: Tree) -> Any:
        tails = tuple(map(self._tree, tree.children))
        node = self._node((tree.begin, self._label(tree)), tree.end, tree.words, begins=False)
        self.edges.add((node, (tree.rule.source, tree.rule.target), tails))
        return node

    def _label(self, tree: Tree) -> str:
        has_rule = not (tree.is_unknown or tree.is_forced)
        return tree.rule.left if has_rule else self.problem.labels[0]

    def _node(self, where: Any, end: int, words: tuple[str, ...], *, begins: bool) -> Any:
        models = self.problem.language_models.values()
        states = tuple(chart_score(model, words, begin=begins)[1] for model in models)
        node = where, end, states, self._boundary(words, begins)
        self.nodes.add(node)
        return node

    def _boundary(self, words: tuple[str, ...], begins: bool) -> Any:
        most = self.boundary_words
        if not most:
            return None
        if begins:
            return words[-most:]
        return words if len(words) < most else (words[:most], words[-most:])


def best_rules(
    rules: Sequence[Rule],
    limit: int | None,
    language_models: Mapping[str, Any],
    weights: Mapping[str, float],
) -> list[Rule]:
    """The rules of each source that are looked at; equals in the order in which they come."""

    def estimate(rule: Rule) -> float:
        """What a rule is worth, as far as can be told before its gaps are filled."""
        score = sum(weights[name] * value for name, value in rule.features.items())
        score += weights["phrase_penalty"]
        for is_gap, run in groupby(rule.target, lambda symbol: isinstance(symbol, Gap)):
            words = list(run)
            if is_gap:
                continue
            score -= weights["word_penalty"] * len(words)
            for name, model in language_models.items():
                score += weights[name] * LOG_OF_TEN * chart_score(model, words)[0]
        return score

    found: list[Rule] = []
    for source in dict.fromkeys(rule.source for rule in rules):
        own = [rule for rule in rules if rule.source == source]
        found += sorted(own, key=estimate, reverse=True)[:limit]
    return found


def yield_of(derivation: Derivation) -> tuple[str, ...]:
    """What a derivation says."""
    return tuple(word for tree in derivation for word in tree.words)
