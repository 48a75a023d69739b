"""Hypergraphs that Joshua 1 to 4 keep on disk: a file of items and a file of rules.

Items   #SENT: 0 7 2 3                      sentence, its length, number of items, number of edges
        #I 1 0 2 X 1 ST nullstate           item, source span, category, number of edges, state
        -1.2500 0 17                        best log score, number of tails, tails, rule
        #I 2 0 7 S 2 ST a -S- b
        -2.5000 1 1 18
        -3.0000 1 1 0 S word                rule 0: an unknown word, its category and itself
Rules   17 pt -LZF- [X] ||| la casa ||| the house ||| 1.63 2.56

Item = node, the last one the goal; tails stand in the order of the source side's [X,1], [X,2].  An
edge with rule -1 says its tails in order.

Read          many sentences; a line of model scores after each edge, as Joshua writes it where it
              is told to (numbers with a decimal point, in all sentences or in none)
Features      `transition`, the score of the edge without its tails: the best score minus those of
              the tails' best edges, to the four decimals of the file; `tm_OWNER_0`, `tm_OWNER_1`…
              from the rules; `model_0`, `model_1`… from the lines of model scores
Not kept      states and categories of items, source sides
Not read      packed grammars; what Joshua 5 and 6 write is read by `read_joshua_dump`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Unpack

from rosewood.corpus import lines
from rosewood.errors import ForestError, FormatError
from rosewood.forest.forest import Forest
from rosewood.forest.formats._draft import DraftEdge, DraftOptions, ForestDraft, shared
from rosewood.forest.formats._fields import check_slots, fields, parse_target
from rosewood.shared_types import PathName

_SENTENCE = "#SENT:"
_ITEM = "#I"
_NO_RULE, _UNKNOWN_WORD = -1, 0


class _Rule(NamedTuple):
    says: list[str | int]
    values: dict[str, float]


class _Place(NamedTuple):
    line: int
    text: str


def read_joshua_disk(
    items: lines.Source,
    rules: lines.Source,
    *,
    model_names: Sequence[str] | None = None,
    file: PathName | None = None,
    rules_file: PathName | None = None,
    **options: Unpack[DraftOptions],
) -> Iterator[tuple[int, Forest]]:
    """The sentences of a file of items: the number of each and its forest, one at a time.

    `model_names` are the features of the lines of model scores; `file` and `rules_file` are names
    for errors.  Items in no derivation of the goal are an error, or left out with
    `drop_unreachable`.
    """
    name = lines.file_name(items, file)
    table = _read_rules(rules, lines.file_name(rules, rules_file))
    named = shared(options)
    reader = _Items(items, name, table, model_names)
    while reader.next is not None:
        sentence, draft, goal, line = reader.sentence()
        yield sentence, draft.build(goal, line, **named)


def _read_rules(source: lines.Source, file: str | None) -> dict[int, _Rule]:
    rules: dict[int, _Rule] = {}
    for line, text in lines.read_lines(source, file):
        if not text.strip(" \t"):
            continue
        with lines.at(file, line):
            head, mark, body = text.partition(" -LZF- ")
            header, sides = lines.split(head), fields(body)
            if not mark or len(header) != 2 or len(sides) != 4:
                reason = "a rule is `number owner -LZF- category ||| source ||| target ||| scores`"
                raise ForestError(reason, code="line.fields", argument="rule")
            rule = lines.whole("the rule's number", header[0], 1)
            if rule in rules:
                raise lines.given_twice("rule", rule)
            values: dict[str, float] = {}
            for k, score in enumerate(sides[3]):
                lines.add_feature(values, f"tm_{header[1]}_{k}", lines.number("a score", score))
            rules[rule] = _Rule(parse_target(sides[2]), values)
    return rules


class _Items:
    """Reads a file of items, one line ahead."""

    def __init__(
        self,
        source: lines.Source,
        file: str | None,
        rules: dict[int, _Rule],
        model_names: Sequence[str] | None,
    ) -> None:
        self.file, self.rules, self.model_names = file, rules, model_names
        self.scored: bool | None = None  # whether model scores follow each edge
        self.seen: set[int] = set()
        self._lines = lines.read_lines(source, file)
        self._line = 0
        self.next: _Place | None = None
        self._advance()

    def _advance(self) -> None:
        self.next = None
        for line, text in self._lines:
            self._line = line
            if text.strip(" \t"):
                self.next = _Place(line, text)
                return

    def take(self, want: str) -> _Place:
        found = self.next
        if found is None:
            reason = f"the file ends where {want} should be"
            raise FormatError(
                reason, file=self.file, line=self._line or None, code="file.damaged", argument=want
            )
        self._advance()
        return found

    def sentence(self) -> tuple[int, ForestDraft, int, int]:
        """Number, draft, goal and line of the next sentence."""
        line, text = self.take("a sentence")
        with lines.at(self.file, line):
            parts = lines.split(text)
            if parts[0] != _SENTENCE or len(parts) != 5:
                reason = f"expected `{_SENTENCE} number length items edges`, not {text[:40]!r}"
                raise ForestError(reason, code="line.fields", argument="sentence")
            sentence = lines.whole("the sentence's number", parts[1])
            lines.whole("the sentence's length", parts[2])
            items, edges = (lines.whole("a number of items or edges", f) for f in parts[3:])
            if sentence in self.seen:
                raise lines.given_twice("sentence", sentence)
            if not items:
                reason = f"sentence {sentence} has no items"
                raise ForestError(reason, code="forest.empty", value=sentence)
            self.seen.add(sentence)
        draft = ForestDraft(self.file, "item", "derivation of the goal, the last item")
        best: dict[int, float] = {}
        count = goal = 0
        for _ in range(items):
            goal, added = self.item(draft, best)
            count += added
        if count != edges:
            reason = f"sentence {sentence} has {count} edges, its line tells {edges}"
            with lines.at(self.file, line):
                raise ForestError(reason, code="file.mismatch", value=count, expected=edges)
        return sentence, draft, goal, line

    def item(self, draft: ForestDraft, best: dict[int, float]) -> tuple[int, int]:
        """Add an item and its edges to the draft; its node and the number of its edges."""
        line, text = self.take("an item")
        with lines.at(self.file, line):
            head, state, _ = text.partition(" ST ")
            parts = lines.split(head)
            if parts[0] != _ITEM or len(parts) != 6 or not state:
                raise ForestError(
                    f"expected `{_ITEM} item begin end category edges ST state`, not {text[:40]!r}",
                    code="line.fields", argument="item",
                )  # fmt: skip
            item = lines.whole("the item's number", parts[1])
            span = lines.whole("the begin", parts[2]), lines.whole("the end", parts[3])
            if span[0] > span[1]:
                reason = f"the item covers source words {span[0]} to {span[1]}"
                raise ForestError(reason, code="line.value", argument="span", value=span)
            if item in draft:
                raise lines.given_twice("item", item)
            count = lines.whole("the number of edges", parts[5])
        node = draft.node(item, line, span)
        scores = [self.edge(draft, item, node, best) for _ in range(count)]
        best[item] = max(scores, default=0.0)
        return node, count

    def edge(self, draft: ForestDraft, item: int, head: int, best: dict[int, float]) -> float:
        """Add an edge; its best score."""
        line, text = self.take(f"an edge of item {item}")
        with lines.at(self.file, line):
            parts = lines.split(text)
            if len(parts) < 3:
                reason = f"expected `score tails… rule`, not {text[:40]!r}"
                raise ForestError(reason, code="line.fields", argument="edge")
            score = lines.number("the best score", parts[0])
            arity = lines.whole("the number of tails", parts[1])
            if len(parts) < 3 + arity:
                reason = f"the edge has fewer fields than {arity} tails and a rule"
                raise ForestError(reason, code="line.fields", argument="tails", expected=arity)
            tails = [lines.whole("a tail", field) for field in parts[2 : 2 + arity]]
            transition = score
            for tail in tails:
                if tail not in best:
                    reason = f"item {item} has tail {tail}, which is not before it"
                    raise ForestError(reason, code="line.order", argument="item", value=tail)
                transition -= best[tail]
            rule = lines.whole("the rule", parts[2 + arity], _NO_RULE)
            values = {"transition": transition}
            says = self.says(rule, parts[3 + arity :], arity, values)
        self.model_scores(values)
        nodes = [draft.node(tail) for tail in tails]
        draft.edges.append(DraftEdge(head, nodes, says, values, line, rule))
        return score

    def says(
        self, rule: int, rest: list[str], arity: int, values: dict[str, float]
    ) -> list[str | int] | None:
        if rule == _UNKNOWN_WORD:
            if arity or len(rest) < 2:
                reason = "rule 0 is an unknown word: no tails, its category and itself"
                raise ForestError(reason, code="line.fields", argument="unknown word")
            return list(rest[1:])
        if rest:
            reason = f"there is more after the rule: {rest[0][:40]!r}"
            raise ForestError(reason, code="line.fields", argument="rule")
        if rule == _NO_RULE:
            return None
        if rule not in self.rules:
            reason = f"rule {rule} is not in the file of rules"
            raise ForestError(reason, code="line.unknown", argument="rule", value=rule)
        found = self.rules[rule]
        check_slots(found.says, arity, rule)
        for name, value in found.values.items():
            lines.add_feature(values, name, value)
        return found.says

    def model_scores(self, values: dict[str, float]) -> None:
        """The line of model scores after an edge, if the file has them."""
        parts = [] if self.next is None else lines.split(self.next.text)
        scored = bool(parts) and all("." in f and f[0] != "#" for f in parts)
        if self.scored is None:
            self.scored = scored
        if not self.scored:
            return  # a stray line of scores is then no item and no edge, and is refused as such
        line, text = self.take("a line of model scores")
        with lines.at(self.file, line):
            if not scored:
                reason = f"expected a line of model scores, not {text[:40]!r}"
                raise ForestError(reason, code="line.fields", argument="scores")
            names = self.model_names
            if names is None:
                names = [f"model_{k}" for k in range(len(parts))]
            if len(names) != len(parts):
                reason = f"there are {len(parts)} model scores and {len(names)} names"
                raise ForestError(reason, code="line.fields", argument="names", value=len(parts))
            for name, field in zip(names, parts, strict=True):
                lines.add_feature(values, name, lines.number("a model score", field))
