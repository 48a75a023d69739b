"""Everything about one sentence: its derivation, its options, its forest, where its rules are from.

    seen = translator.inspect("ein satz")
    print(seen.to_text()); Path("satz.html").write_text(seen.to_html()); seen.to_dict()

An option's `posterior` is the probability that a translation drawn from the forest uses it; its
`score` is what it adds by itself, its words in no context.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Protocol

import numpy as np

from rosewood.corpus import IndexedCorpus
from rosewood.decode import Decoder, Explanation, PreparedText, SearchResult, TextTranslator
from rosewood.decode import explain as explained
from rosewood.decode.explanation_table import aligned
from rosewood.forest import Distribution
from rosewood.forest.draw import to_svg
from rosewood.model.confidence import Confidence
from rosewood.pipeline.reply import Reply, reply_of
from rosewood.rules.rule import Rule
from rosewood.svg_text import clean, plural

_EDGES_DRAWN = 60


class Keeper(Protocol):
    """What is asked of a model bundle."""

    @property
    def corpus(self) -> IndexedCorpus | None: ...
    @property
    def confidence(self) -> Confidence: ...
    def origin(self, sentence: int) -> str | None: ...


class Asked(Protocol):
    """What is asked of a `Translator`."""

    @property
    def bundle(self) -> Keeper: ...
    @property
    def text(self) -> TextTranslator: ...
    def search(self, text: str) -> tuple[PreparedText, SearchResult]: ...


@dataclass(frozen=True)
class SpanOption:
    """A translation of some words: what the search could choose from."""

    begin: int
    end: int
    source: tuple[str, ...]
    target: tuple[str, ...]
    kind: str  # "rule", "unknown" or "forced"
    rule: int | None  # its id
    score: float
    posterior: float
    is_used: bool  # by the translation
    features: Mapping[str, float]  # those that are known without neighbours

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "begin": self.begin,
            "end": self.end,
            "source": " ".join(self.source),
            "target": " ".join(self.target),
            "kind": self.kind,
            "rule": self.rule,
            "score": self.score,
            "posterior": self.posterior,
            "is_used": self.is_used,
            "features": dict(self.features),
        }


@dataclass(frozen=True)
class RuleSource:
    """A rule that the translation uses, and a sentence pair of the training corpus that has it."""

    rule: Rule
    origin: str | None = None  # file and line
    source: tuple[str, ...] = ()  # the words of the pair; none where the model keeps no corpus
    target: tuple[str, ...] = ()

    @property
    def source_span(self) -> tuple[int, int] | None:
        """Where the words of the rule stand in the source."""
        return self._spans[0]

    @property
    def target_span(self) -> tuple[int, int] | None:
        """Where they stand in the target."""
        return self._spans[1]

    @cached_property
    def _spans(self) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
        """Where both sides stand: if there are several places, those that lie most alike."""
        places = (_places(self.rule.source, self.source), _places(self.rule.target, self.target))
        if not all(places):
            first, second = (each[0] if each else None for each in places)
            return first, second

        def apart(pair: tuple[tuple[int, int], tuple[int, int]]) -> float:
            one, other = pair
            return abs(sum(one) / len(self.source) - sum(other) / len(self.target))

        return min(product(*places), key=apart)

    @property
    def counts(self) -> str:
        """How often it was seen, and its sides were, in words."""
        rule = self.rule
        if not rule.count:
            return "not counted"
        return (
            f"seen {_times(rule.count)}; its source {_times(rule.source_count)}, its target "
            f"{_times(rule.target_count)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        rule = self.rule
        return {
            "rule": rule.id,
            "source": " ".join(map(str, rule.source)),
            "target": " ".join(map(str, rule.target)),
            "links": [list(link) for link in rule.links],
            "count": rule.count,
            "source_count": rule.source_count,
            "target_count": rule.target_count,
            "features": dict(rule.features),
            "sentence": rule.sentence,
            "origin": self.origin,
            "sentence_source": " ".join(self.source) if self.source else None,
            "sentence_target": " ".join(self.target) if self.target else None,
            "source_span": self.source_span,
            "target_span": self.target_span,
        }


@dataclass(frozen=True)
class Inspection:
    """What is known of a sentence and its translations."""

    reply: Reply
    explanation: Explanation
    options: tuple[SpanOption, ...]  # by span, those of a span the likeliest first
    num_options: int  # that there were
    rules: tuple[RuleSource, ...]  # of the translation, in its order
    forest: Mapping[str, int]  # its nodes, edges and derivations
    forest_svg: str  # its likeliest part
    notes: tuple[str, ...] = ()

    @property
    def unknown(self) -> tuple[str, ...]:
        """The words that no rule translates, where the translation had to do without."""
        words = self.reply.source_words
        return tuple(words[use.begin] for use in self.reply.rules if use.is_unknown)

    def spans(self) -> dict[tuple[int, int], list[SpanOption]]:
        """The options of each span."""
        found: dict[tuple[int, int], list[SpanOption]] = {}
        for each in self.options:
            found.setdefault((each.begin, each.end), []).append(each)
        return found

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            **self.reply.to_dict(),
            "unknown": list(self.unknown),
            "explanation": self.explanation.to_dict(),
            "rules": [each.to_dict() for each in self.rules],
            "options": [each.to_dict() for each in self.options],
            "num_options": self.num_options,
            "forest": dict(self.forest),
            "notes": list(self.notes),
        }

    def to_text(self) -> str:
        """For a terminal."""
        parts = [self._heading(), self.explanation.to_text(), self._others(), self._origins()]
        if self.options:
            parts.append(self._options())
        return "\n\n".join(part for part in [*parts, "\n".join(self.notes)] if part)

    def to_html(self) -> str:
        """One page, which needs nothing else."""
        from rosewood.pipeline.inspection_page import page

        return page(self)

    def _heading(self) -> str:
        reply = self.reply
        sure = f"{reply.confidence:.3f}, the whole of it {reply.posterior:.3f}"
        rows = [
            ["source", clean(reply.source)],
            ["translation", clean(reply.translation)],
            ["confidence", sure],
            ["words", _each_with(reply.words, reply.word_confidence)],
            ["forest", self.size],
        ]
        if self.unknown:
            rows.insert(2, ["unknown", " ".join(self.unknown)])
        return aligned(rows, right=())

    @property
    def size(self) -> str:
        """How much the search found, in words."""
        facts = [plural(self.forest[name], name[:-1]) for name in ("nodes", "edges")]
        derivations = self.forest["derivations"]
        told = f"about 10^{len(str(derivations)) - 1} derivations"
        if derivations < 10**9:
            told = plural(derivations, "derivation")
        return ", ".join([plural(self.num_options, "option"), *facts, told])

    def _others(self) -> str:
        if not self.reply.alternatives:
            return ""
        rows = [["posterior", "confidence", "score", "what else could be said"]]
        for each in self.reply.alternatives:
            numbers = (f"{each.posterior:.3f}", f"{each.confidence:.3f}", f"{each.score:.3f}")
            rows.append([*numbers, clean(each.translation)])
        return aligned(rows, right=range(3))

    def _origins(self) -> str:
        lines = []
        for each in self.rules:
            source, target = (" ".join(map(str, s)) for s in (each.rule.source, each.rule.target))
            lines.append(f"rule {each.rule.id}: {source} → {target or '–'}, {each.counts}")
            if each.origin is not None:
                lines.append(f"  {each.origin}")
            for words, span in (
                (each.source, each.source_span),
                (each.target, each.target_span),
            ):
                if words:
                    lines.append(f"    {_marked(words, span)}")
        return "\n".join(lines)

    def _options(self) -> str:
        rows = [["words", "source", "target", "posterior", "score", ""]]
        for each in self.options:
            span, said = f"{each.begin}:{each.end}", " ".join(each.target) or "–"
            mark = "used" if each.is_used else ""
            numbers = [f"{each.posterior:.3f}", f"{each.score:.3f}"]
            rows.append([span, " ".join(each.source), said, *numbers, mark])
        return aligned(rows, right=range(3, 5))

    def _repr_html_(self) -> str:
        from rosewood.pipeline.inspection_page import body

        return body(self)

    def __repr__(self) -> str:
        return f"Inspection({self.reply.source!r} → {self.reply.translation!r})"


def inspect(translator: Asked, text: str, *, options: int = 5, nbest: int = 5) -> Inspection:
    """Searches a text and looks at what there is: up to so many `options` of each span, and the
    `nbest` translations."""
    decoder, bundle = translator.text.decoder, translator.bundle
    prepared, found = translator.search(text)
    how = bundle.confidence
    weight = how.scale * found.forest.score(decoder.theta())
    rules, notes = _rules(found, bundle)
    return Inspection(
        reply_of(translator.text, prepared, found, how, nbest=nbest),
        explained(found, decoder.weights),
        tuple(_options(decoder, found, weight, options)),
        0 if found.options is None else len(found.options),
        rules,
        {
            "nodes": found.forest.num_nodes,
            "edges": found.forest.num_edges,
            "derivations": found.forest.num_derivations(),
        },
        to_svg(found.forest, weight=weight, highlight=found.derivation, max_edges=_EDGES_DRAWN),
        notes,
    )


def _rules(found: SearchResult, bundle: Keeper) -> tuple[tuple[RuleSource, ...], tuple[str, ...]]:
    used = dict.fromkeys(use.rule for use in found.best.rules if use.rule is not None)
    table, corpus = found.best.table, bundle.corpus
    told = []
    for rule in [] if table is None else map(table.by_id, used):
        where = rule.sentence
        if where is None:
            told.append(RuleSource(rule))
            continue
        source: Sequence[str] = ()
        target: Sequence[str] = ()
        if corpus is not None and where < len(corpus):
            source, target = corpus.source.words(where), corpus.target.words(where)
        told.append(RuleSource(rule, bundle.origin(where), tuple(source), tuple(target)))
    if corpus is None and told:
        return tuple(told), (
            "The model keeps no corpus (--no-keep-corpus): the sentences that its rules came from "
            "cannot be shown.",
        )
    return tuple(told), ()


def _options(decoder: Decoder, found: SearchResult, weight: Any, most: int) -> list[SpanOption]:
    """Options of each span, the likeliest first; those that are used are among them.

    There are none where the decoder does not search with options.
    """
    if found.options is None or found.edge_option is None or not most:
        return []
    options = found.options.described(decoder.weights)
    uses = Distribution(found.forest, weight).edge_posteriors()
    has_option = found.edge_option >= 0
    posterior = np.bincount(
        found.edge_option[has_option], weights=uses[has_option], minlength=len(options)
    )
    used = set(found.edge_option[found.best_edges].tolist())

    def rank(n: int) -> tuple[Any, ...]:
        span = options[n].rule.source_spans[0]
        return (*span, n not in used, -posterior[n], -options[n].score, n)

    listed: list[SpanOption] = []
    taken: dict[tuple[int, int], int] = {}
    for n in sorted(range(len(options)), key=rank):
        each = options[n]
        span = each.rule.source_spans[0]
        taken[span] = taken.get(span, 0) + 1
        if taken[span] > most:
            continue
        listed.append(
            SpanOption(
                *span,
                each.source,
                each.target,
                each.rule.kind,
                each.rule.rule,
                each.score,
                min(1.0, float(posterior[n])),
                n in used,
                each.features,
            )
        )
    return listed


def _places(wanted: Sequence[object], words: Sequence[str]) -> list[tuple[int, int]]:
    """Where some words stand among others."""
    size = len(wanted)
    return [
        (begin, begin + size)
        for begin in (range(len(words) - size + 1) if size else ())
        if tuple(words[begin : begin + size]) == tuple(wanted)
    ]


def _marked(words: Sequence[str], span: tuple[int, int] | None) -> str:
    """Words of a line, those of a span in brackets."""
    if span is None:
        return " ".join(words)
    begin, end = span
    return " ".join([*words[:begin], f"[{' '.join(words[begin:end])}]", *words[end:]])


def _each_with(words: Sequence[str], values: Sequence[float]) -> str:
    return "  ".join(f"{w} {v:.2f}" for w, v in zip(words, values, strict=True)) or "–"


def _times(count: float) -> str:
    return "once" if count == 1 else f"{count:,g} times"
