"""Why a translation was chosen: the contribution of every feature to each of its phrases.

    found = decoder.search("das haus ist klein")
    why = explain(found, decoder.weights)
    print(why.to_text())                                      # a row for each phrase
    other = explain(found, decoder.weights, found.forest.k_best(weight, 2)[1])
    print(difference(why, other).to_text())                   # which features made the difference

Any derivation of the forest can be explained: the second best, what consensus decoding chose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import floor, log10
from typing import Any

from rosewood import svg_text as say
from rosewood.decode.results import SearchResult, rules_of
from rosewood.decode.source import Source
from rosewood.decode.translation import RuleUse
from rosewood.errors import DecodingError
from rosewood.forest import Derivation


@dataclass(frozen=True)
class ExplainedRule(RuleUse):
    """A phrase with its words, its feature values, and their contributions to the score."""

    source: tuple[str, ...] = ()
    target: tuple[str, ...] = ()
    features: Mapping[str, float] = field(default_factory=dict)  # those that are not 0
    contributions: Mapping[str, float] = field(default_factory=dict)  # the same times weights

    @property
    def score(self) -> float:
        """What the phrase adds to the score of the translation."""
        return sum(self.contributions.values())

    @property
    def span_text(self) -> str:
        """Its source spans, as `0:2` or `0:1,3:4`."""
        return ",".join(f"{begin}:{end}" for begin, end in self.source_spans)

    @property
    def source_text(self) -> str:
        """Its source words, with … for gaps."""
        return _with_gaps(self.source, self.source_spans)

    @property
    def target_text(self) -> str:
        """Its target words, with … for gaps."""
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
class Explanation:
    """A translation phrase by phrase, in the order of the target.

    `ending` has the features of the end of the sentence: what language models say of `</s>`.
    """

    source: Source
    words: tuple[str, ...]
    rules: tuple[ExplainedRule, ...]
    ending: Mapping[str, float]
    weights: Mapping[str, float]  # of the features that occur
    descriptions: Mapping[str, str] = field(default_factory=dict)  # of sparse features
    help: Mapping[str, str] = field(default_factory=dict)  # of features, and of sparse templates

    @property
    def text(self) -> str:
        """The words joined by spaces."""
        return " ".join(self.words)

    @property
    def features(self) -> dict[str, float]:
        """The value of each feature: the sum of those of its phrases and of the end."""
        parts = [*(each.features for each in self.rules), self.ending]
        return {name: sum(part.get(name, 0.0) for part in parts) for name in self.weights}

    @property
    def contributions(self) -> dict[str, float]:
        """What each feature adds to the score."""
        return {name: value * self.weights[name] for name, value in self.features.items()}

    @property
    def score(self) -> float:
        """The score of the translation: features times weights."""
        return sum(self.contributions.values())

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "source": self.source.text,
            "target": self.text,
            "score": self.score,
            "phrases": [each.to_dict() for each in self.rules],
            "ending": dict(self.ending),
            "weights": dict(self.weights),
            "descriptions": dict(self.descriptions),
            "features": self.features,
            "contributions": self.contributions,
        }

    def to_text(self) -> str:
        """A table: a row for each phrase, a column for what each feature adds to the score.

        Features without any effect have no column; those of one template share one.
        """
        table = Table(self)
        rows = [["words", "source", "target", "rule", *table.columns, "score"]]
        for rule, values in zip(self.rules, table.rows, strict=False):
            cells = [rule.span_text, rule.source_text, rule.target_text or "–", rule.origin]
            rows.append([*cells, *map(table.cell, values), table.number(rule.score)])
        ending = table.rows[-1]
        rows.append(["", "", "end", "", *map(table.cell, ending), table.number(sum(ending))])
        rows.append(["", "", "sum", "", *map(table.cell, table.sums), table.number(self.score)])
        weights = ["" if weight is None else f"{weight:.4g}" for weight in table.weights]
        rows.append(["", "", "weight", "", *weights, ""])
        return aligned(rows, right=range(3, len(rows[0])))

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
    for edge in (edge for edge in reversed(edges) if search.edge_rule(edge) is None):
        for name, value in features[edge].items():
            ending[name] = ending.get(name, 0.0) + value
    explained = tuple(
        ExplainedRule(
            **vars(use),
            source=tuple(search.source.words[place] for place in use.source_places),
            target=tuple(words[place] for place in use.target_places),
            features=features[edge],
            contributions={name: value * used[name] for name, value in features[edge].items()},
        )
        for edge, use in rules
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
    )


def _with_gaps(words: Sequence[str], spans: Sequence[tuple[int, int]]) -> str:
    """The words of runs, with … between the runs."""
    parts, at = [], 0
    for begin, end in spans:
        parts.append(" ".join(words[at : at + end - begin]))
        at += end - begin
    return " … ".join(parts)


def signed(value: float) -> str:
    """What something adds: three places, or where that would be 0.000, two digits that tell."""
    return f"{value:+.3f}" if abs(value) >= 0.0005 or not value else f"{value:+.2g}"


# -- tables ---------------------------------------------------------------------------------------


class Table:
    """What features add to the score: columns are features, or templates of sparse ones.

    Features without any effect have no column.
    """

    def __init__(self, explained: Explanation) -> None:
        weights = explained.weights
        column = {name: _column(name) for name in weights}
        parts = [phrase.contributions for phrase in explained.rules]
        parts.append({name: value * weights[name] for name, value in explained.ending.items()})
        effective = {name for part in parts for name, value in part.items() if value}
        self.columns = list(dict.fromkeys(column[name] for name in weights if name in effective))
        self.rows: list[list[float]] = []  # of each phrase, and of the end
        for part in parts:
            total = dict.fromkeys(self.columns, 0.0)
            for name in effective & part.keys():
                total[column[name]] += part[name]
            self.rows.append(list(total.values()))
        self.sums = [sum(each) for each in zip(*self.rows, strict=True)]
        self.weights = [weights.get(name) for name in self.columns]
        # Weights are small where there are thousands of sparse ones: their sizes add up to 1.
        largest = max((abs(value) for row in self.rows for value in row), default=0.0)
        self._digits = 3 if largest >= 0.1 or not largest else min(9, 2 - floor(log10(largest)))

    def number(self, value: float) -> str:
        """A contribution or a score, with as many decimals as this table needs."""
        return f"{value:.{self._digits}f}"

    def cell(self, value: float) -> str:
        """A contribution; a dot where there is none."""
        return self.number(value) if value else "·"


def _column(name: str) -> str:
    template, colon, _ = name.partition(":")
    return f"{template}:…" if colon else name


def aligned(rows: Sequence[Sequence[str]], right: Sequence[int]) -> str:
    """Rows of a terminal, columns in line whatever the script; those of `right` are flush right."""
    wide = [max(map(say.columns, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            " " * (width - say.columns(cell)) + cell
            if place in right
            else cell + " " * (width - say.columns(cell))
            for place, (cell, width) in enumerate(zip(row, wide, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
