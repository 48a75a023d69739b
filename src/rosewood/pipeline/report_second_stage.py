"""The report's section on the second stage: how much n-grams count, and the largest weights."""

from __future__ import annotations

from rosewood.page import section, signed, table, text
from rosewood.pipeline.report_corpus import shown
from rosewood.pipeline.report_facts import Facts
from rosewood.pipeline.report_plots import bar_row
from rosewood.svg_text import plural


def second_stage_part(second: Facts) -> str:
    """How n-grams of whole translations were learnt; nothing where there is no second stage."""
    scores = second.weighed("heldout")
    if not scores:
        return ""
    told = (
        f"<p>{plural(second.count('features'), 'n-gram')} of the training translations; their "
        "weights were learnt by minimum risk on "
        f"{plural(second.count('sentences'), 'training sentence')}, translated as if they were "
        "not in the corpus. Every fifth one was held out to choose how much n-grams count beside "
        "the score of the decoder.</p>"
    )
    chosen = second.text("factor")
    rows = [
        [text(f"× {factor}"), f"{score:.2f}", "chosen" if factor == chosen else ""]
        for factor, score in scores
    ]
    metric = text(second.text("metric", "score").partition(":")[0])
    heads = ["weights of n-grams", f"{metric} of held-out sentences", ""]
    return section("second-stage", "Second stage", told, table(heads, rows), _strongest(second))


def _strongest(second: Facts) -> str:
    found = second.weighed("strongest")
    most = max((abs(value) for _, value in found), default=0.0)
    rows = [
        [shown(ngram, 120), signed(f"{value:+.3f}"), bar_row(abs(value), most)]
        for ngram, value in found
    ]
    return f"<h3>The largest weights</h3>{table(['n-gram', 'weight', ''], rows)}" if rows else ""
