"""The report's section on groups of features: how many by round, the largest, what is in them."""

from __future__ import annotations

from rosewood.page import table
from rosewood.pipeline.report_corpus import legend, shown
from rosewood.pipeline.report_facts import Facts
from rosewood.pipeline.report_plots import bar_row
from rosewood.plots import Curve, curves
from rosewood.svg_text import plural

_SHOWN = 10  # groups


def groups_part(tune: Facts) -> str:
    """Groups of features that share a weight; nothing where there are none."""
    groups = tune.part("groups")
    if not groups:
        return ""
    features = plural(groups.count("active"), "feature")
    count = plural(groups.count("groups"), "group")
    told = (
        f"<p>{features} in {count}, learnt from "
        f"{plural(tune.count('training_sentences'), 'training sentence')}. All features of a group "
        "share a weight, which was tuned on the development set; other sparse features have "
        "none.</p>"
    )
    return f"<h3>Groups of features</h3>{told}{_rounds(tune)}{_largest(groups)}"


def _rounds(tune: Facts) -> str:
    """How many groups and active features each round had."""
    rows, lines = [], []
    learnt = [row for row in tune.parts("history") if row.number("groups") is not None]
    for row in learnt:
        scores = (row.number(name) for name in ("score", "training_score"))
        counts = (row.count(name) for name in ("round", "pairs", "groups", "active", "reused"))
        cells = [f"{count:,}" for count in counts]
        rows.append([*cells, *("–" if score is None else f"{score:.2f}" for score in scores)])
    for name in ("groups", "active"):
        values = [float(row.count(name)) for row in learnt]
        if len(values) > 1:
            lines.append(Curve({"active": "features in groups"}.get(name, name), values, [], []))
    heads = ["round", "pairs", "groups", "features in them", "of these in development lists",
             "score of development set", "of training data"]  # fmt: skip
    drawn = ""
    if lines:
        names = legend([each.name for each in lines])
        drawn = f"{names}{curves(lines, metric='count', name='groups-by-round')}"
    return f"{table(heads, rows)}{drawn}" if rows else ""


def _largest(groups: Facts) -> str:
    found = groups.parts("largest")[:_SHOWN]
    most = max((each.count("size") for each in found), default=1)
    rows = []
    for each in found:
        examples = [shown(name, 120) for name in each.texts("examples")]
        more = each.count("size") - len(examples)
        if more > 0:
            examples.append(f'<span class="faint">and {more:,} more</span>')
        weight = each.number("weight") or 0.0
        rows.append([
            f'<span class="small">{"<br>".join(examples)}</span>', f"{each.count('size'):,}",
            bar_row(each.count("size"), most), f"{weight:+.3g}",
        ])  # fmt: skip
    return table(["the largest groups", "features", "", "weight"], rows) if rows else ""
