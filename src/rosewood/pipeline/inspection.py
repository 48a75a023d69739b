"""Everything about one sentence: its derivation, its options, its forest, where its rules are from.

    seen = translator.inspect("ein satz")
    print(seen.to_text()); Path("satz.html").write_text(seen.to_html()); seen.to_dict()

An option's `posterior` is the probability that a translation drawn from the forest uses it; its
`score` is what it adds by itself, its words in no context.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Protocol

import numpy as np

from rosewood.corpus import IndexedCorpus
from rosewood.corpus.text.value_symbols import is_value_symbol
from rosewood.decode import Decoder, Explanation, PreparedText, SearchResult, TextTranslator
from rosewood.decode import explain as explained
from rosewood.decode.explanation_table import aligned
from rosewood.decode.number_options import NumberOption
from rosewood.forest import Distribution
from rosewood.forest.draw import to_svg
from rosewood.model.confidence import Confidence
from rosewood.pipeline.moves import Move, moves_of, moves_text
from rosewood.pipeline.reply import Reply, reply_of
from rosewood.pipeline.rule_source import RuleSource, parts_of
from rosewood.pipeline.tree_shares import BoostedPhrase, boosted_phrases, shares_text
from rosewood.svg_text import clean, plural

_EDGES_DRAWN = 60
LIKELY = 0.005  # a posterior that is written, and not a dot


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
    moves: tuple[Move, ...] = ()  # how phrases lie to each other, by trained reordering models
    boosted: tuple[BoostedPhrase, ...] = ()  # what boosted trees add to each phrase
    numbers: tuple[NumberOption, ...] = ()  # options in the notation of the target language

    @property
    def unknown(self) -> tuple[str, ...]:
        """The words that no rule translates, where the translation had to do without."""
        words = self.reply.source_words
        return tuple(words[use.begin] for use in self.reply.rules if use.is_unknown)

    @property
    def localised(self) -> list[tuple[str, str]]:
        """The kinds of the options for numbers, and what becomes what."""
        words = self.reply.source_words
        return [
            (kind, clean(f"{' '.join(words[each.begin : each.end])} → {' '.join(said)}"))
            for each, kind in self.numbers
            for said in each.translations
        ]

    def spans(self) -> dict[tuple[int, int], list[SpanOption]]:
        """The options of each span; those with gaps only where they are likely or used."""
        found: dict[tuple[int, int], list[SpanOption]] = {}
        for each in self.options:
            if each.is_used or each.posterior >= LIKELY or not self.has_gaps(each):
                found.setdefault((each.begin, each.end), []).append(each)
        return found

    def has_gaps(self, option: SpanOption) -> bool:
        """Whether an option translates only some of the words of its span."""
        return option.source != self.reply.source_words[option.begin : option.end]

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
            "moves": [each.to_dict() for each in self.moves],
            "boosted": [each.to_dict() for each in self.boosted],
            "numbers": [
                {
                    "begin": each.option.begin,
                    "end": each.option.end,
                    "target": [" ".join(words) for words in each.option.translations],
                    "kind": each.kind,
                    "is_exclusive": each.option.exclusive,
                }
                for each in self.numbers
            ],
            "notes": list(self.notes),
        }

    def to_text(self) -> str:
        """For a terminal."""
        parts = [self._heading(), self.explanation.to_text(), moves_text(self.moves)]
        parts += [shares_text(self.boosted), self._others(), self._origins()]
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
        if reply.match is not None:
            rows.append(["memory", reply.match.text])
            if reply.match.kind != "exact":
                rows.append(["", clean(reply.match.source)])
            rows.append(["", clean(reply.match.translation)])
        if self.unknown:
            rows.insert(2, ["unknown", " ".join(self.unknown)])
        rows += map(list, self.localised)
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
        rows = [["probability", "what could be said", ""]]  # one number, by which they are sorted
        for each in self.reply.alternatives:
            mark = "chosen" if each.words == self.reply.words else ""
            rows.append([f"{each.posterior:.3f}", clean(each.translation), mark])
        return aligned(rows, right=range(1))

    def _origins(self) -> str:
        lines = []
        for each in self.rules:
            source, target = (" ".join(map(str, s)) for s in (each.rule.source, each.rule.target))
            lines.append(f"rule {each.rule.id}: {source} → {target or '–'}, {each.counts}")
            if each.origin is not None:
                lines.append(f"  {each.origin}")
            for words, spans in (
                (each.source, each.source_spans),
                (each.target, each.target_spans),
            ):
                if words:
                    lines.append(f"    {_marked(words, spans)}")
            if each.note:
                lines.append(f"    ({each.note})")
        return "\n".join(lines)

    def _options(self) -> str:
        rows = [["words", "source", "target", "posterior", "score", ""]]
        for each in chain.from_iterable(self.spans().values()):
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
    how, said = bundle.confidence, translator.text.text_of(found.best, prepared)
    weight = how.scale * found.forest.score(decoder.theta())
    rules, notes = _rules(found, bundle)
    why = explained(found, decoder.weights)
    listed = _options(decoder, found, weight, options)
    return Inspection(
        # What is explained is the search; a match of a translation memory is shown beside it.
        reply_of(translator.text, prepared, found, how, nbest=nbest, chosen=said),
        prepared.shown(why, found.best),
        tuple(_with_values(each, prepared) for each in listed),
        0 if found.options is None else len(found.options.places[0]),
        rules,
        {
            "nodes": found.forest.num_nodes,
            "edges": found.forest.num_edges,
            "derivations": found.forest.num_derivations(),
        },
        to_svg(
            found.forest,
            weight=weight,
            highlight=found.derivation,
            labels=found.node_labels,
            max_edges=_EDGES_DRAWN,
        ),
        notes,
        moves_of(decoder, found, why),
        boosted_phrases(getattr(decoder, "trees", None), why),
        prepared.numbers,
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
    options, facts = found.options, found.options.described(decoder.weights)
    option, begin, end = (column.tolist() for column in options.places)
    uses = Distribution(found.forest, weight).edge_posteriors()
    span = found.forest.span
    heads = None if span is None else span[found.forest.head]
    place = options.edge_places(found.edge_option, heads)
    is_placed = place >= 0
    posterior = np.bincount(place[is_placed], weights=uses[is_placed], minlength=len(option))
    used = set(place[found.best_edges].tolist())

    def rank(n: int) -> tuple[Any, ...]:
        return begin[n], end[n], n not in used, -posterior[n], -facts[option[n]].score, n

    listed: list[SpanOption] = []
    taken: dict[tuple[int, int], int] = {}
    for n in sorted(range(len(option)), key=rank):
        words = begin[n], end[n]
        taken[words] = taken.get(words, 0) + 1
        if taken[words] > most:
            continue
        each = facts[option[n]]
        target = each.target
        if options.has_gaps(option[n]):  # with their labels, as in the source
            target = tuple(map(str, options.table[int(options.rule[option[n]])].target))
        listed.append(
            SpanOption(
                *words,
                each.source,
                target,
                each.rule.kind,
                each.rule.rule,
                each.score,
                min(1.0, float(posterior[n])),
                n in used,
                each.features,
            )
        )
    return listed


def _with_values(option: SpanOption, prepared: PreparedText) -> SpanOption:
    """An option with the value of its span instead of the symbol."""
    source = prepared.source.words[option.begin : option.end]
    values = [prepared.words[option.begin + n] for n, w in enumerate(source) if is_value_symbol(w)]
    if option.source != source or len(values) != 1:
        return option  # without values, or with gaps, where it does not tell which one it has
    target = tuple(values[0] if is_value_symbol(word) else word for word in option.target)
    return replace(option, source=prepared.words[option.begin : option.end], target=target)


def _marked(words: Sequence[str], spans: Sequence[tuple[int, int]]) -> str:
    """Words of a line, those of spans in brackets."""
    return " ".join(f"[{text}]" if is_own else text for text, is_own in parts_of(words, spans))


def _each_with(words: Sequence[str], values: Sequence[float]) -> str:
    return "  ".join(f"{w} {v:.2f}" for w, v in zip(words, values, strict=True)) or "–"
