"""Why a translation was chosen: the contribution of every feature to each of its rules.

    found = decoder.search("das haus ist klein")
    why = explain(found, decoder.weights)
    print(why.to_text())                                      # a row for each rule
    other = explain(found, decoder.weights, found.forest.k_best(weight, 2)[1])
    print(difference(why, other).to_text())                   # which features made the difference

Any derivation of the forest can be explained: the second best, what consensus decoding chose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rosewood.decode.derivation_tree import is_tree, symbols, tree_facts, tree_of
from rosewood.decode.explanation_table import HEADS, Table, aligned, row_cells, table_rows
from rosewood.decode.results import SearchResult, rules_of, translation_of
from rosewood.decode.source import Source
from rosewood.decode.translation import RuleUse, Span, Translation
from rosewood.errors import DecodingError
from rosewood.forest import Derivation, Forest
from rosewood.rules.rule import Symbol


@dataclass(frozen=True)
class ExplainedRule(RuleUse):
    """A rule with its words, its feature values, and their contributions to the score."""

    source: tuple[str, ...] = ()
    target: tuple[str, ...] = ()
    features: Mapping[str, float] = field(default_factory=dict)  # those that are not 0
    contributions: Mapping[str, float] = field(default_factory=dict)  # the same times weights
    source_symbols: tuple[Symbol, ...] = ()  # words and gaps
    target_symbols: tuple[Symbol, ...] = ()

    @property
    def score(self) -> float:
        """What the rule adds to the score of the translation."""
        return sum(self.contributions.values())

    @property
    def span_text(self) -> str:
        """Its source spans, as `0:2` or `0:1,3:4`."""
        return ",".join(f"{begin}:{end}" for begin, end in self.source_spans)

    @property
    def source_text(self) -> str:
        """Its source words, with [X,1] for a gap with a label, … for one without."""
        if self.label is not None:
            return " ".join(map(str, self.source_symbols))
        return _with_gaps(self.source, self.source_spans)

    @property
    def target_text(self) -> str:
        """Its target words, and gaps in the same way."""
        if self.label is not None:
            return " ".join(map(str, self.target_symbols))
        return _with_gaps(self.target, self.target_spans)

    @property
    def origin(self) -> str:
        """The id of its rule, or the kind where there is none."""
        return self.kind if self.rule is None else str(self.rule)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "source": self.source_text,
            "target": self.target_text,
            **super().to_dict(),
            "score": self.score,
            "features": dict(self.features),
            "contributions": dict(self.contributions),
        }


@dataclass(frozen=True)
class ExplainedGlue:
    """A part of a sentence put behind the parts before it: what that adds to the score."""

    span: Span  # source words of all these parts
    features: Mapping[str, float]
    contributions: Mapping[str, float]

    @property
    def score(self) -> float:
        """What it adds to the score of the translation."""
        return sum(self.contributions.values())

    @property
    def span_text(self) -> str:
        """Its source words, as `0:2`."""
        return f"{self.span[0]}:{self.span[1]}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "span": list(self.span),
            "score": self.score,
            "features": dict(self.features),
            "contributions": dict(self.contributions),
        }


@dataclass(frozen=True)
class Explanation:
    """A translation rule by rule: phrases in the order of the target, trees with children first.

    `ending` has the features of the end of the sentence: what language models say of `</s>`.
    """

    source: Source
    words: tuple[str, ...]
    rules: tuple[ExplainedRule, ...]
    ending: Mapping[str, float]
    weights: Mapping[str, float]  # of the features that occur
    descriptions: Mapping[str, str] = field(default_factory=dict)  # of sparse features
    help: Mapping[str, str] = field(default_factory=dict)  # of features, and of sparse templates
    glue: tuple[ExplainedGlue, ...] = ()  # of the parts of a tree, from left to right
    links: tuple[tuple[int, int], ...] = ()  # of the words of a tree

    @property
    def text(self) -> str:
        """The words joined by spaces."""
        return " ".join(self.words)

    @property
    def features(self) -> dict[str, float]:
        """The value of each feature: the sum of those of its rules, of glue and of the end."""
        parts = [each.features for each in self.rules] + [each.features for each in self.glue]
        parts.append(self.ending)
        return {name: sum(part.get(name, 0.0) for part in parts) for name in self.weights}

    @property
    def contributions(self) -> dict[str, float]:
        """What each feature adds to the score."""
        return {name: value * self.weights[name] for name, value in self.features.items()}

    @property
    def score(self) -> float:
        """The score of the translation: features times weights."""
        return sum(self.contributions.values())

    def with_words(self, source: Sequence[str], target: Sequence[str]) -> Explanation:
        """The same of other words in the same places: of values instead of their symbols."""
        rules = tuple(
            replace(rule, **words)
            for rule, words in zip(self.rules, _worded(self.rules, source, target), strict=True)
        )
        return replace(
            self, source=replace(self.source, words=tuple(source)), words=tuple(target), rules=rules
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "source": self.source.text,
            "target": self.text,
            "score": self.score,
            "phrases": [
                each.to_dict() | more
                for each, more in zip(self.rules, tree_facts(self.rules), strict=True)
            ],
            **({"glue": [each.to_dict() for each in self.glue]} if self.glue else {}),
            "ending": dict(self.ending),
            "weights": dict(self.weights),
            "descriptions": dict(self.descriptions),
            "features": self.features,
            "contributions": self.contributions,
        }

    def to_text(self) -> str:
        """A table: a row for each rule, a column for what each feature adds to the score.

        Features without any effect have no column; those of one template share one.  Rules with
        gaps are above what fills them, and lines show the tree.
        """
        return Table(self).to_text(self.score)

    def to_svg(self) -> str:
        """A picture: see `rosewood.decode.draw`."""
        from rosewood.decode.draw import to_svg

        return to_svg(self)

    def to_html(self) -> str:
        """The picture and the table, for a page."""
        from rosewood.decode.explanation_page import explanation_html

        return explanation_html(self)

    _repr_svg_ = to_svg
    _repr_html_ = to_html

    def __repr__(self) -> str:
        return f"Explanation({self.text!r}, score {self.score:.4f})"


def explain(
    search: SearchResult, weights: Mapping[str, float], derivation: Derivation | None = None
) -> Explanation:
    """The rules of a derivation of the search's forest; without one, of the best translation.

    `weights` are those of the decoder; features without one have weight 0.
    """
    forest = search.forest
    derivation = search.derivation if derivation is None else derivation
    if derivation is None:
        raise DecodingError("explain: the search found no translation", code="decoding.unreachable")
    if derivation.forest is not forest:
        reason = "explain: the derivation belongs to another forest than the search's"
        raise DecodingError(reason, code="argument.conflict", argument="derivation")
    edges = derivation.edges.tolist()
    words = tuple(derivation.words)
    used: dict[str, float] = {}
    features: dict[int, dict[str, float]] = {}
    for edge in reversed(edges):  # bottom-up, so that features come in the order of the sentence
        if edge not in features:
            features[edge] = {n: v for n, v in forest.edge_features(edge).items() if v}
            used |= {name: float(weights.get(name, 0.0)) for name in features[edge]}
    rules = rules_of(forest, edges, search.edge_rule)
    ending: dict[str, float] = {}
    glue: list[ExplainedGlue] = []
    for edge in (edge for edge in reversed(edges) if search.edge_rule(edge) is None):
        if is_glue(forest, edge):
            own = features[edge]
            adds = {name: value * used[name] for name, value in own.items()}
            glue.append(ExplainedGlue(_span(forest, edge), own, adds))
            continue
        for name, value in features[edge].items():
            ending[name] = ending.get(name, 0.0) + value
    explained = tuple(
        replace(
            rule,
            features=features[edge],
            contributions={name: value * used[name] for name, value in features[edge].items()},
        )
        for (edge, _), rule in zip(
            rules, with_words([use for _, use in rules], search.source.words, words), strict=True
        )
    )
    order = [name for name in forest.features.dense if name in used]
    sparse = [name for name in used if forest.features.dense_index(name) is None]
    return Explanation(
        search.source,
        words,
        explained,
        ending,
        {name: used[name] for name in [*order, *sparse]},
        {name: search.describe(name) for name in sparse},
        search.feature_help,
        tuple(glue),
        translation_of(search, derivation).links if is_tree(explained) else (),
    )


def is_glue(forest: Forest, edge: int) -> bool:
    """Whether an edge without a rule joins parts of a sentence: it is not its beginning or end."""
    return bool(forest.head[edge] != forest.root and len(forest.tails(edge)))


def _span(forest: Forest, edge: int) -> Span:
    if forest.span is None:
        return (0, 0)
    begin, end = forest.span[forest.head[edge]].tolist()
    return begin, end


def with_words(
    rules: Sequence[RuleUse], source: Sequence[str], target: Sequence[str]
) -> list[ExplainedRule]:
    """The rules of a derivation with their words and gaps, still without features."""
    return [
        ExplainedRule(**vars(use), **words)
        for use, words in zip(rules, _worded(rules, source, target), strict=True)
    ]


def _worded(
    rules: Sequence[RuleUse], source: Sequence[str], target: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """The words and symbols of each rule of a derivation."""
    for use, node in zip(rules, tree_of(rules), strict=True):
        yield {
            "source": tuple(source[place] for place in use.source_places),
            "target": tuple(target[place] for place in use.target_places),
            "source_symbols": symbols(node.source, source),
            "target_symbols": symbols(node.target, target),
        }


def derivation_text(translation: Translation) -> str:
    """The rules of a translation as lines for a terminal; those of a tree are drawn as one."""
    source = translation.source.words
    rows = table_rows(with_words(translation.rules, source, translation.words), len(source))
    return aligned([HEADS, *row_cells(rows)], right=[3])


def _with_gaps(words: Sequence[str], spans: Sequence[tuple[int, int]]) -> str:
    """The words of runs, with … between the runs."""
    parts, at = [], 0
    for begin, end in spans:
        parts.append(" ".join(words[at : at + end - begin]))
        at += end - begin
    return " … ".join(parts)
