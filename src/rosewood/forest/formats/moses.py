"""Search graphs of Moses' phrase-based decoder: -output-search-graph and its extended form.

    0 hyp=0 stack=0
    0 hyp=5 stack=1 back=0 score=-1.2 transition=-1.2 forward=9 fscore=-5 covered=0-1 out=a b
    0 hyp=7 stack=1 back=0 score=-2 transition=-2 recombined=5 forward=9 fscore=-5 covered=0-1 out=a

One line for each hypothesis, many sentences in a file, each in one piece.  A hypothesis that was
recombined is another way into the one that it names; forward=-1 marks those that end a translation.
Node = hypothesis that was not recombined, and one for the end; edge = line, with one tail, its
`back`; the rule of an edge is the number of its hypothesis.

Read          out= to the end of the line; in the extended form (-osgx) out="source|target" and
              scores="core=(1,2) name=3 …", or of older releases scores=[ d: 0 lm: -5 tm: 1 2 ]; the
              `, pC=…, c=…` after the words that the oldest releases write; the lines
              `7 _EMPTYSEARCHGRAPH_` of moses-parallel, which give an empty forest
Features      `transition`, what the hypothesis adds to the score of `back`; the scores: `core_0`,
              `core_1`… (the file does not name them) and sparse ones by name, older ones `lm`, or
              `tm_0`, `tm_1`… where a name has several values; `pC` and `c`
Checked only  stack, score, fscore, covered; score and fscore are sums of transitions along paths
Dead ends     hypotheses that lead to no complete translation, which Moses writes with
              -unpruned-search-graph, are left out unless `drop_unreachable` is False
Not read      the chart decoder's graphs, factors in the extended form, protocol buffers
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Unpack

from rosewood.corpus import lines
from rosewood.errors import ForestError
from rosewood.forest.forest import Forest
from rosewood.forest.formats._draft import DraftEdge, DraftOptions, ForestDraft, shared
from rosewood.forest.formats._fields import next_field
from rosewood.shared_types import PathName

_EMPTY = "_EMPTYSEARCHGRAPH_"
_KEY = re.compile(r"[ \t]*([A-Za-z-]+)=")
_SPACE = re.compile(r"[ \t]|\Z")
_NUMBERS = ("score", "transition", "fscore")
_WHOLES = {"hyp": 0, "stack": 0, "back": 0, "recombined": 0, "forward": -1}
_OLDEST = re.compile(r"(.*), pC=([^ ]+), c=([^ ]+)", re.DOTALL)


class _Hypothesis(NamedTuple):
    line: int
    back: int | None  # None: the first one
    recombined: int | None
    final: bool
    words: list[str]
    values: dict[str, float]


def read_moses_graphs(
    source: lines.Source,
    *,
    core_names: Sequence[str] | None = None,
    allow_empty: bool = False,
    file: PathName | None = None,
    **options: Unpack[DraftOptions],
) -> Iterator[tuple[int, Forest]]:
    """The sentences of a file, or of lines: the number of each and its forest, one at a time.

    `core_names` are the features of the scores in `core=(…)`.  A sentence without a complete
    translation is an error, or with `allow_empty` the empty forest.  Hypotheses on no path are
    left out, or an error with `drop_unreachable=False`.
    """
    name = lines.file_name(source, file)
    named = shared({"drop_unreachable": True, **options})
    sentence, start = -1, 0
    seen: set[int] = set()
    graph: dict[int, _Hypothesis] = {}
    empty = False

    def finish() -> Forest:
        if empty or (allow_empty and not any(h.final for h in graph.values())):
            return Forest.empty(features=named["features"], vocabulary=named["vocabulary"])
        return _forest(graph, name, start, named)

    for line, text in lines.read_lines(source, name):
        if not text.strip(" \t"):
            continue
        with lines.at(name, line):
            first, _, rest = text.strip(" \t").partition(" ")
            this = lines.whole("the sentence's number, the first field,", first)
        if this != sentence:
            if sentence >= 0:
                yield sentence, finish()
            if this in seen:
                reason = f"sentence {this} goes on after other sentences"
                with lines.at(name, line):
                    raise ForestError(reason, code="line.order", argument="sentence", value=this)
            seen.add(this)
            sentence, start, graph, empty = this, line, {}, False
        with lines.at(name, line):
            if empty or (rest.strip(" \t") == _EMPTY and graph):
                reason = f"sentence {this} has hypotheses and is marked as empty"
                raise ForestError(reason, code="line.value", argument="sentence", value=this)
            if rest.strip(" \t") == _EMPTY:
                empty = True
                continue
            hyp, found = _hypothesis(_fields(rest), line, core_names)
            if hyp in graph:
                raise lines.given_twice("hyp", hyp)
            graph[hyp] = found
    if sentence >= 0:
        yield sentence, finish()


def _fields(text: str) -> dict[str, str]:
    """name=value …; `scores` is in quotes or brackets, `out` goes to the end of the line."""
    fields: dict[str, str] = {}
    place = 0
    while text[place:].strip(" \t"):
        match = next_field(_KEY, text, place)
        key, place = match.group(1), match.end()
        if key in fields:
            raise lines.given_twice(f"{key}=")
        if key == "out":
            end = len(text)
        elif key == "scores" and text[place : place + 1] in ('"', "["):
            mark = '"' if text[place] == '"' else "]"
            end = (text + " ").find(mark + " ", place + 1) + 1
            if end == 0:
                reason = f"scores={text[place]} has no closing {mark}"
                raise ForestError(reason, code="line.value", argument="scores")
        else:
            end = next(m.start() for m in _SPACE.finditer(text, place))
        fields[key] = text[place:end]
        place = end
    return fields


def _hypothesis(
    fields: dict[str, str], line: int, core_names: Sequence[str] | None
) -> tuple[int, _Hypothesis]:
    whole_fields: dict[str, int] = {}
    values: dict[str, float] = {}
    for key, text in fields.items():
        if key in _WHOLES:
            whole_fields[key] = lines.whole(f"{key}=", text, _WHOLES[key])
        elif key in _NUMBERS:
            value = lines.number(f"{key}=", text)
            if key == "transition":
                values[key] = value
        elif key == "covered":
            if not re.fullmatch(r"[0-9]{1,9}-[0-9]{1,9}", text):
                reason = f"covered= is {text[:40]!r}, expected first-last"
                raise ForestError(reason, code="line.value", argument="covered", value=text)
        elif key not in ("scores", "out"):
            reason = f"{key}= is not a field of a search graph"
            raise ForestError(reason, code="line.unknown", argument=key)
    if "hyp" not in whole_fields:
        raise ForestError("the line has no hyp=", code="line.fields", argument="hyp")
    hyp, final = whole_fields["hyp"], whole_fields.get("forward") == -1
    if "back" not in whole_fields:
        if hyp:
            reason = f"hypothesis {hyp} has no back=; only the first one, hyp=0, has none"
            raise ForestError(reason, code="line.fields", argument="back", value=hyp)
        return hyp, _Hypothesis(line, None, None, final, [], {})
    for key in ("transition", "forward", "out"):
        if key not in fields:
            reason = f"hypothesis {hyp} has no {key}="
            raise ForestError(reason, code="line.fields", argument=key, value=hyp)
    out = fields["out"].strip(" \t")
    if "scores" in fields:
        _add_scores(values, fields["scores"], core_names)
        out = _target(out)
    elif oldest := _OLDEST.fullmatch(out):
        out = oldest.group(1)
        for key, text in zip(("pC", "c"), oldest.groups()[1:], strict=True):
            lines.add_feature(values, key, lines.number(f"{key}=", text))
    return hyp, _Hypothesis(
        line, whole_fields["back"], whole_fields.get("recombined"), final, lines.split(out), values
    )


def _target(out: str) -> str:
    """The target side of out="source|target"; older releases write no quotes."""
    if len(out) > 1 and out[0] == out[-1] == '"':
        out = out[1:-1]
    sides = out.split("|")
    if len(sides) != 2:
        reason = f"out= is {out[:40]!r}, expected source|target (several factors are not supported)"
        raise ForestError(reason, code="line.value", argument="out", value=out)
    return sides[1]


def _add_scores(values: dict[str, float], text: str, core_names: Sequence[str] | None) -> None:
    if text.startswith("["):
        named: dict[str, list[float]] = {}
        group: list[float] | None = None
        for field in lines.split(text[1:-1]):
            if field.endswith(":"):
                group = named.setdefault(field[:-1], [])
            elif group is None:
                reason = f"scores= begins with {field[:40]!r}, expected a name and a colon"
                raise ForestError(reason, code="line.value", argument="scores", value=field)
            else:
                group.append(lines.number("a score", field))
        for name, group in named.items():
            for k, value in enumerate(group):
                lines.add_feature(values, name if len(group) == 1 else f"{name}_{k}", value)
        return
    match = re.fullmatch(r'"core=\(([^)]*)\)(.*)"', text, re.DOTALL)
    if match is None:
        reason = f'scores= is {text[:40]!r}, expected "core=(…) …" or [ name: … ]'
        raise ForestError(reason, code="line.value", argument="scores", value=text)
    core = match.group(1).split(",") if match.group(1) else []
    if core_names is not None and len(core_names) != len(core):
        reason = f"core=(…) has {len(core)} scores, but {len(core_names)} names are given"
        raise ForestError(reason, code="line.fields", argument="core_names", value=len(core))
    names = [f"core_{k}" for k in range(len(core))] if core_names is None else core_names
    for name, score in zip(names, core, strict=True):
        lines.add_feature(values, name, lines.number("a score in core=(…)", score))
    for field in lines.split(match.group(2)):
        name, equals, score = field.rpartition("=")
        if not equals:
            reason = f"a sparse score is name=value, not {field[:40]!r}"
            raise ForestError(reason, code="line.value", argument="scores", value=field)
        lines.add_feature(values, name, lines.number(f"the sparse score {name[:40]!r}", score))


def _winners(graph: dict[int, _Hypothesis], file: str | None) -> dict[int, int]:
    """The hypothesis that each one was recombined into, in the end; itself where it was not."""
    winner: dict[int, int] = {}
    for hyp, at_first in graph.items():
        chain: dict[int, None] = {}
        this = hyp
        while this not in winner:
            found = graph.get(this)
            if found is None or this in chain:
                reason = f"hypothesis {hyp} is recombined with {this}, " + (
                    "which is not in the graph" if found is None else "and so with itself"
                )
                with lines.at(file, at_first.line):
                    raise ForestError(reason, code="line.unknown", argument="recombined")
            chain[this] = None
            if found.recombined is None:
                winner[this] = this
            else:
                this = found.recombined
        for passed in chain:
            winner[passed] = winner[this]
    return winner


def _forest(
    graph: dict[int, _Hypothesis], file: str | None, line: int, options: DraftOptions
) -> Forest:
    winner = _winners(graph, file)
    draft = ForestDraft(file, "hypothesis", "path from hyp=0 to a hypothesis with forward=-1")
    for hyp, found in graph.items():
        if winner[hyp] == hyp:
            draft.node(hyp, found.line)
    end = draft.node("end", line)
    ends: set[int] = set()
    for hyp, found in graph.items():
        head = draft.node(winner[hyp])
        if found.back is None:
            draft.edges.append(DraftEdge(head, (), [], line=found.line))
        elif found.back not in winner:
            reason = f"hypothesis {hyp} has back={found.back}, which is not in the graph"
            with lines.at(file, found.line):
                raise ForestError(reason, code="line.unknown", argument="back", value=found.back)
        else:
            tail = draft.node(winner[found.back])
            says: list[str | int] = [0, *found.words]
            draft.edges.append(DraftEdge(head, [tail], says, found.values, found.line, hyp))
        if found.final and head not in ends:
            ends.add(head)
            draft.edges.append(DraftEdge(end, [head], [0], line=found.line))
    return draft.build(end, line, **options)
