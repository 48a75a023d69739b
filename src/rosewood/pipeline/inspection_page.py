"""An inspection as one page of HTML that needs nothing else: no network, no scripts.

`page` is a whole document, `body` the part that a notebook shows.  Words are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from rosewood import __version__
from rosewood.decode.explanation_page import explanation_html
from rosewood.pipeline.inspection import LIKELY, Inspection, SpanOption
from rosewood.pipeline.rule_source import RuleSource, parts_of
from rosewood.svg_text import clean

_PAPER = (
    ":root{color-scheme:light dark} body{margin:0;background:#fbf8f4} "
    "main{max-width:76rem;margin:0 auto;padding:1.2rem 1rem 3rem} "
    "@media(prefers-color-scheme:dark){body{background:#191615}}"
)


def page(seen: Inspection) -> str:
    """The whole document."""
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{_text(seen.reply.source)} – Rosewood</title>",
            f"<style>{_PAPER}</style></head><body><main>",
            body(seen),
            "</main></body></html>",
            "",
        ]
    )


def body(seen: Inspection) -> str:
    """What is known of the sentence, with its style."""
    style = Path(__file__).with_name("inspection.css").read_text(encoding="utf-8")
    parts = [
        f"<style>\n{style}</style>",
        '<div class="inspection">',
        _head(seen),
        _section("Why", "What every feature adds to the score, rule by rule.",
                 explanation_html(seen.explanation)),
        _alternatives(seen),
        _moves(seen),
        _boosted(seen),
        _rules(seen),
        _options(seen),
        _section("The forest", f"{seen.size}. What the translation uses stands out; the likelier "
                 "an edge, the darker its line. A box has the words of an edge; [0], [1], … are "
                 "where those of the nodes below it go. +27 are edges that are not drawn.",
                 f'<div class="scroll">{seen.forest_svg}</div>'),
        *(f'<p class="faint">{_text(note)}</p>' for note in seen.notes),
        f'<p class="faint">Made by Rosewood {__version__}.</p></div>',
    ]  # fmt: skip
    return "\n".join(part for part in parts if part)


def _text(text: object) -> str:
    return escape(clean(str(text)))


def _section(title: str, told: str, inside: str) -> str:
    return f'<section><h2>{_text(title)}</h2><p class="faint">{_text(told)}</p>{inside}</section>'


def _head(seen: Inspection) -> str:
    reply = seen.reply
    words = [
        f'<span style="border-color:rgb(var(--sure) / {sure:.2f})" title="{sure:.3f}">'
        f"{_text(word)}</span>"
        for word, sure in zip(reply.words, reply.word_confidence, strict=True)
    ]
    unknown = ""
    if seen.unknown:
        unknown = (
            f'<p>No rule translates <b class="unknown">{_text(" ".join(seen.unknown))}</b>.</p>'
        )
    numbers = "".join(f"<p>Offered as {kind}: {_text(what)}.</p>" for kind, what in seen.localised)
    match = reply.match
    memory = ""
    if match is not None:
        memory = (
            f'<p>Translation memory: {_text(match.text)}:<br><span dir="auto">'
            f'{_text(match.source)}</span><br><b dir="auto">{_text(match.translation)}</b></p>'
        )
    return (
        f'<p class="faint" dir="auto">{_text(reply.source)}</p>'
        f'<h1 dir="auto">{_text(reply.translation) or "–"}</h1>'
        f'<p class="words" dir="auto">{"".join(words)}</p>'
        f'<p class="faint">Confidence {reply.confidence:.3f}: the mean of its words, less what it '
        "leaves out. Words are underlined the more strongly the surer they are: of words with 0.8, "
        "eight in ten were in the reference when this was fitted. Its probability as a whole is "
        f"{reply.posterior:.3f}, and a score of {reply.score:.3f}.</p>{unknown}{numbers}{memory}"
    )


def _alternatives(seen: Inspection) -> str:
    if not seen.reply.alternatives:
        return ""
    rows = ["<tr><th>probability</th><th>translation</th><th></th></tr>"]
    for each in seen.reply.alternatives:
        mark = "chosen" if each.words == seen.reply.words else ""
        text = f'<td dir="auto">{_text(each.translation)}</td><td>{mark}</td>'
        rows.append(f"<tr><td>{each.posterior:.3f}</td>{text}</tr>")
    table = f'<div class="scroll"><table class="list">{"".join(rows)}</table></div>'
    told = "The best translations that say different things, the most probable first."
    return _section("What could be said", told, table)


def _moves(seen: Inspection) -> str:
    moved = [each for each in seen.moves if each.orientation != "monotone"]
    if not moved:
        return ""
    heads = ("phrase", "model", "moved", "p", "rather than", "for", "against")
    rows = [
        (
            f"{each.source} → {each.target}", f"{each.model} {each.direction}", each.orientation,
            f"{each.probability:.3f}", each.otherwise, ", ".join(each.supporting) or "–",
            ", ".join(each.opposing) or "–",
        )
        for each in moved
    ]  # fmt: skip
    told = (
        "Phrases that are not in the order of the source: the probability of what they do, and the "
        "features for and against it, compared with the most probable other orientation. The "
        "decoder rounds the probabilities of forward orientations; here they are not rounded."
    )
    return _section("Why phrases moved", told, _table(heads, rows))


def _boosted(seen: Inspection) -> str:
    if not seen.boosted:
        return ""
    rows = [(each.text, f"{each.value:+.3g}", "; ".join(each.told)) for each in seen.boosted]
    told = (
        "What boosted trees add to the score of each phrase, and the strongest of them with the "
        "conditions that the phrase meets."
    )
    return _section("What trees add", told, _table(("phrase", "boost", "strongest trees"), rows))


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts."""
    lines = ["<tr>" + "".join(f"<th>{head}</th>" for head in heads) + "</tr>"]
    for row in rows:
        lines.append("<tr>" + "".join(f'<td dir="auto">{_text(c)}</td>' for c in row) + "</tr>")
    return f'<div class="scroll"><table class="list">{"".join(lines)}</table></div>'


def _rules(seen: Inspection) -> str:
    if not seen.rules:
        return ""
    told = "The rules of the translation, and a sentence pair of the training text for each."
    return _section("Where it came from", told, "".join(map(_rule, seen.rules)))


def _rule(each: RuleSource) -> str:
    rule = each.rule
    source, target = (_text(" ".join(map(str, side))) for side in (rule.source, rule.target))
    lines = [
        f'<p><b dir="auto">{source} → {target or "–"}</b> '
        f'<span class="faint">rule {rule.id}, {_text(each.counts)}'
        f"{'' if each.origin is None else f' · {_text(each.origin)}'}</span></p>"
    ]
    for words, spans in ((each.source, each.source_spans), (each.target, each.target_spans)):
        if words:
            lines.append(f'<p dir="auto">{_marked(words, spans)}</p>')
    if each.note:
        lines.append(f'<p class="faint">{_text(each.note)}</p>')
    return f'<div class="rule">{"".join(lines)}</div>'


def _marked(words: Sequence[str], spans: Sequence[tuple[int, int]]) -> str:
    return " ".join(
        f"<mark>{_text(text)}</mark>" if is_own else _text(text)
        for text, is_own in parts_of(words, spans)
    )


# -- options --------------------------------------------------------------------------------------


def _options(seen: Inspection) -> str:
    """A column for each source word; spans that do not overlap share a row."""
    if not seen.options:
        return ""
    width = len(seen.reply.source_words)
    head = "".join(f'<th dir="auto">{_text(word)}</th>' for word in seen.reply.source_words)
    rows = [f"<tr>{head}</tr>"]
    by_span = seen.spans()
    for spans in packed_spans(list(by_span)):
        cells, at = [], 0
        for begin, end in spans:
            cells += ["<td></td>"] * (begin - at)
            inside = "".join(_option(each, seen.has_gaps(each)) for each in by_span[begin, end])
            cells.append(f'<td class="span" colspan="{end - begin}">{inside}</td>')
            at = end
        cells += ["<td></td>"] * (width - at)
        rows.append(f"<tr>{''.join(cells)}</tr>")
    table = f'<div class="scroll"><table class="options">{"".join(rows)}</table></div>'
    told = (
        "What the words may become, each with the probability that a translation uses it; what the "
        "translation uses is framed. Resting on an option tells its features."
    )
    if any(map(seen.has_gaps, seen.options)):
        told += " Of rules with gaps, which have both sides, only likely ones are here."
    return _section("Options", told, table)


def packed_spans(spans: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Rows of spans that do not overlap: short ones first, each as high as there is room."""
    rows: list[list[tuple[int, int]]] = []
    for span in sorted(spans, key=lambda s: (s[1] - s[0], s[0])):
        for row in rows:
            if all(span[1] <= begin or end <= span[0] for begin, end in row):
                row.append(span)
                break
        else:
            rows.append([span])
    return [sorted(row) for row in rows]


def _option(each: SpanOption, has_gaps: bool) -> str:
    facts = [f"{each.kind}" if each.rule is None else f"rule {each.rule}"]
    facts.append(f"score {each.score:.3f} by itself")
    facts += [f"{name} {value:.4g}" for name, value in each.features.items() if value]
    used = ' class="used"' if each.is_used else ""
    shade = f"background:rgb(var(--sure) / {0.5 * each.posterior:.2f})"
    share = f"{each.posterior:.2f}" if each.posterior >= LIKELY else "·"
    target = _text(" ".join(each.target)) or "–"
    said = f'<span dir="auto">{target}</span>'
    if has_gaps:
        said = f"<span><bdi>{_text(' '.join(each.source))}</bdi> → <bdi>{target}</bdi></span>"
    return (
        f'<div{used} style="{shade}" title="{_text(chr(10).join(facts)).replace("␊", "&#10;")}">'
        f"{said}<small>{share}</small></div>"
    )
