"""Explanations for a page: the picture, and what features add to the score in shaded tables.

What helps is green, what hurts is red, the more the darker.  There is no script, and styles are in
the elements themselves, so that a notebook and a report show them alike; words are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from statistics import median

from rosewood.decode.comparison import Difference
from rosewood.decode.draw import to_svg
from rosewood.decode.explanation import Explanation
from rosewood.decode.explanation_table import Table, signed
from rosewood.svg_text import clean, scrolling

_FONT = "font-family:system-ui,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif;font-size:13px"
_TABLE = "border-collapse:collapse;font-variant-numeric:tabular-nums;margin:8px 0"
_LEFT = "padding:3px 9px;text-align:left;white-space:nowrap"
_RIGHT = "padding:3px 9px;text-align:right;white-space:nowrap"
_BOLD = ";font-weight:600"
_HEADS = ("words", "source", "target", "score", "rule")  # of the table of an explanation
_RULE = ";border-top:1px solid #cdbfae"


def explanation_html(explained: Explanation) -> str:
    """The picture, and below it the table of its phrases."""
    table = Table(explained)
    dark = _dark(value for row in table.rows for value in row)
    # The score stands beside the words: behind many features it would be out of sight.
    heads = [_head(name, name in ("words", "source", "target")) for name in _HEADS]
    for name in table.columns:
        heads.append(_head(name, False, explained.help.get(name.removesuffix(":…"), "")))
    rows = [_row(heads)]
    for part, values in zip(table.parts, table.rows, strict=True):
        score = table.number(part.score)
        if not part.words:  # the end of the sentence
            cells = _label(part.target, score)
        else:
            cells = [_plain(part.words, indent=part.depth or 0)]
            cells += [_plain(part.source), _plain(part.target), _number(score, _BOLD)]
            cells.append(_number(part.origin))
        for name, value in zip(table.columns, values, strict=True):
            local = part.features.get(name)
            about = "" if local is None else f"{local:.4g} × {explained.weights[name]:.4g}"
            cells.append(_shaded(value, table.number(value), dark, about))
        rows.append(_row(cells))
    sums = [_number(table.number(value), _RULE) for value in table.sums]
    rows.append(_row([*_label("sum", table.number(explained.score), _RULE), *sums]))
    weights = [_number("" if weight is None else f"{weight:.4g}") for weight in table.weights]
    rows.append(_row([*_label("weight", ""), *weights]))
    return f'<div style="{_FONT}">{scrolling(to_svg(explained))}{scrolling(_table(rows))}</div>'


def difference_html(compared: Difference) -> str:
    """Both pictures, the verdict, and the features that differ."""
    dark = _dark(c.contribution for c in compared.changes)
    names = ["feature", "weight", "first", "second", "adds"]
    rows = [_row(_head(name, number == 0) for number, name in enumerate(names))]
    for c in compared.changes:
        values = [_number(f"{value:.4g}") for value in (c.weight, c.first, c.second)]
        rows.append(
            _row([_plain(c.title), *values, _shaded(c.contribution, f"{c.contribution:.3f}", dark)])
        )
    scores = [f"{compared.first.score:.3f}", f"{compared.second.score:.3f}"]
    last = ["", *scores, signed(compared.margin)]
    rows.append(_row([_plain("score", _RULE), *(_number(text, _RULE) for text in last)]))
    return (
        f'<div style="{_FONT}">{scrolling(to_svg(compared.first))}'
        f'<div style="height:8px"></div>{scrolling(to_svg(compared.second))}'
        f'<p style="margin:8px 0">{escape(clean(compared.verdict()))}</p>'
        f"{scrolling(_table(rows))}</div>"
    )


def page_section(number: int, source: str, target: str, explained: Explanation) -> str:
    """A sentence of a page of many: its line, its text and its translation, and why."""
    return (
        f'<h3 style="{_FONT};font-size:16px;margin:28px 0 2px" dir="auto">'
        f'<span style="opacity:0.5">{number}</span> {escape(clean(source))}</h3>\n'
        f'<p style="{_FONT};font-size:15px;margin:2px 0 10px" dir="auto">'
        f"{escape(clean(target))}</p>\n"
        f"{explanation_html(explained)}"
    )


def _table(rows: Sequence[str]) -> str:
    return f'<table style="{_TABLE}">{"".join(rows)}</table>'


def _row(cells: Iterable[str]) -> str:
    return f"<tr>{''.join(cells)}</tr>"


def _head(name: str, left: bool, about: str = "") -> str:
    """A heading; long names may break after _, so that more columns fit."""
    title = f' title="{escape(clean(about))}"' if about else ""
    style = f"{_LEFT if left else _RIGHT}{_BOLD};white-space:normal;vertical-align:bottom"
    return f'<th style="{style}"{title}>{escape(clean(name)).replace("_", "_<wbr/>")}</th>'


def _plain(text: str, more: str = "", indent: int = 0) -> str:
    if indent:
        more += f";padding-left:{9 + 14 * indent}px"
    return f'<td style="{_LEFT}{more}" dir="auto">{escape(clean(text))}</td>'


def _number(text: str, more: str = "") -> str:
    return f'<td style="{_RIGHT}{more}">{escape(text)}</td>'


def _label(text: str, score: str, more: str = "") -> list[str]:
    """A row without a phrase: empty cells, a label, and its score."""
    empty = _plain("", more)
    return [empty, empty, _plain(text, more), _number(score, _BOLD + more), empty]


def _dark(values: Iterable[float]) -> float:
    """The value of the darkest shade; not the maximum, which one unknown word would dominate."""
    sizes = [abs(value) for value in values if value]
    return 5 * median(sizes) if sizes else 1.0


def _shaded(value: float, text: str, dark: float, about: str = "") -> str:
    if not value:
        return f'<td style="{_RIGHT};opacity:0.4">·</td>'
    colour = "47 125 80" if value > 0 else "194 22 74"
    shade = 0.05 + 0.45 * min(1.0, abs(value) / dark)
    title = f' title="{escape(about)}"' if about else ""
    style = f"{_RIGHT};background:rgb({colour} / {shade:.2f})"
    return f'<td style="{style}"{title}>{text}</td>'
