"""What tuning found, on one page of HTML that needs nothing else: no network, no scripts.

write_report(tuned, "report.html")
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rosewood import __version__
from rosewood.output import whole_file
from rosewood.page import differences, facts_list, page, sentence, signed, table, text
from rosewood.plots import Curve, axis, curves, weight_row
from rosewood.rerank.summary_text import places, verdict
from rosewood.shared_types import PathName
from rosewood.svg_text import clean
from rosewood.tree_plots import trees_section

if TYPE_CHECKING:
    from rosewood.rerank.effects import FeatureEffect
    from rosewood.rerank.tuning import Tuned

_HEADLINES = {
    "helps": "Reranking helps here.",
    "hurts": "Reranking does not help here: it hurts.",
    "unclear": "Reranking does not help here, as far as can be told.",
    "unknown": "Whether reranking helps is not known.",
    "chance": "Reranking helps here over random choices.",
}
_ROUNDS = {"mert": "climb"}  # what a round of a learner is called


def write_report(tuned: Tuned, path: PathName, *, command: str | None = None) -> None:
    """The page as a file, which appears whole or not at all; `command` is how to do it again."""
    whole = report_html(tuned, command=command).encode()
    with whole_file(path) as out:
        out.write(whole)


def report_html(tuned: Tuned, *, command: str | None = None) -> str:
    """The page as a text."""
    parts = [
        _head(tuned),
        _scores(tuned),
        _warning(tuned),
        _rounds(tuned),
        _weights(tuned),
        "" if tuned.trees is None else trees_section(tuned.trees),
        _effects(tuned),
        _how(tuned, command),
    ]
    return page(f"{_HEADLINES[_kind(tuned)]} Rosewood, tuning", parts)


def _kind(tuned: Tuned) -> str:
    """The verdict; what helps over a choice by chance need not help over a system."""
    return "chance" if tuned.verdict == "helps" and tuned.baseline_by_chance else tuned.verdict


def _head(tuned: Tuned) -> str:
    return "\n".join(
        [
            f'<header><p class="kicker">Rosewood · {tuned.lists:,} lists, '
            f"{tuned.candidates:,} candidates · {text(tuned.method)} · {text(tuned.metric)}</p>",
            f'<h1 class="{_kind(tuned)}">{text(_HEADLINES[_kind(tuned)])}</h1>',
            f'<p class="lead">{text(_evidence(tuned))}</p></header>',
        ]
    )


def _evidence(tuned: Tuned) -> str:
    """The sentence below the headline."""
    if not tuned.heldout:
        return verdict(tuned)
    judged = tuned.heldout[0]
    figures = places(judged.before, judged.after)
    told = (
        f"On {judged.sentences:,} sentences that were not tuned on, {judged.metric} goes from "
        f"{judged.before:.{figures}f} ({tuned.baseline}) to {judged.after:.{figures}f}"
    )
    chance = f"p = {judged.p_value:.3f}"
    if judged.verdict == "unclear":
        return f"{told}: a difference that chance explains ({chance})."
    if _kind(tuned) == "chance":
        return f"{told} ({chance}), but {tuned.baseline} was no better than a random choice."
    return f"{told}: a difference that chance hardly explains ({chance})."


# -- scores ---------------------------------------------------------------------------------------


def _scores(tuned: Tuned) -> str:
    parts = ["<section><h2>Before and after</h2>"]
    if tuned.heldout:
        judged = tuned.heldout[0]
        parts += [
            f"<p>{text(judged.metric)} of held-out sentences ({text(judged.how)}), between the "
            "worst and the best (the oracle) that choosing from these lists could reach; better "
            "is to the right. Small dots are the replicates.</p>",
            axis(
                clean(judged.metric),
                worst=_known(judged.worst),
                random=_known(judged.random),
                before=judged.before,
                after=judged.after,
                oracle=_known(judged.oracle),
                replicates=judged.replicates if len(judged.replicates) > 1 else (),
                places=places(judged.before, judged.after),
            ),
        ]
    else:
        parts.append("<p>There was nothing to hold out: these are scores of what was tuned on.</p>")
    return "\n".join([*parts, _score_table(tuned), "</section>"])


def _known(value: float | None) -> float:
    return 0.0 if value is None else value


def _score_table(tuned: Tuned) -> str:
    """A column for each metric on held-out sentences, and one for the tuning set."""
    heads: list[str] = []
    columns: list[dict[str, str]] = []
    for judged in tuned.heldout:
        figures = places(judged.before, judged.after)
        low, high = judged.interval
        heads.append(f"{text(judged.metric)}, held out")
        columns.append(
            {
                "before": f"{judged.before:.{figures}f}",
                "after": f"{judged.after:.{figures}f}",
                "difference": signed(f"{judged.after - judged.before:+.{figures}f}"),
                "interval": signed(f"{low:+.{figures}f} to {high:+.{figures}f}"),
                "p": f"{judged.p_value:.3f}",
                "replicates": f"{min(judged.replicates):.{figures}f} to "
                f"{max(judged.replicates):.{figures}f}",
            }
        )
        if judged.oracle is not None:
            columns[-1] |= {
                name: f"{getattr(judged, name):.{figures}f}"
                for name in ("oracle", "random", "worst")
            }
    figures = places(tuned.before, tuned.score)
    ends = [each.score for each in tuned.replicates]
    heads.append(f"{text(tuned.metric)}, tuned on: too good")
    columns.append(
        {
            "before": f"{tuned.before:.{figures}f}",
            "after": f"{tuned.score:.{figures}f}",
            "difference": signed(f"{tuned.score - tuned.before:+.{figures}f}"),
            "replicates": f"{min(ends):.{figures}f} to {max(ends):.{figures}f}",
            "oracle": f"{tuned.oracle:.{figures}f}",
            "random": f"{tuned.random:.{figures}f}",
            "worst": f"{tuned.worst:.{figures}f}",
        }
    )
    rows = [
        ("before", f"before: {tuned.baseline}"), ("after", "after: tuned weights"),
        ("difference", "difference"), ("interval", "95 % of resamples"), ("p", "p-value"),
        ("replicates", f"{len(ends)} replicates" if len(ends) > 1 else "1 replicate"),
        ("oracle", "oracle: the best choices"), ("random", "random choices"),
        ("worst", "the worst choices"),
    ]  # fmt: skip
    cells = [[text(name), *(column.get(key, "–") for column in columns)] for key, name in rows]
    return table(["", *heads], cells, strong=(1, 2))


def _warning(tuned: Tuned) -> str:
    notes = "".join(f"<p>{text(sentence(note))}</p>" for note in tuned.notes)
    return (
        f'<section class="warning"><h2>Before you believe it</h2><p>{text(tuned.metric)} was '
        "tuned, so it overstates how much better the chosen candidates are: trust another metric, "
        f"or people.</p>{notes}</section>"
    )


# -- rounds and weights ---------------------------------------------------------------------------


def _rounds(tuned: Tuned) -> str:
    series = [Curve.of(f"seed {each.seed}", each.history) for each in tuned.replicates]
    series = [each for each in series if each.line]
    if not series:
        return ""
    if all(each[1:] == series[0][1:] for each in series[1:]):  # chance has no part in it
        series = [series[0]._replace(name=f"all {len(series)} fits" if series[1:] else "the fit")]
    unit = _ROUNDS.get(tuned.method, "round")
    told = f"{text(tuned.metric)} on the lists that it was tuned on, after each {unit}."
    if any(each.dots for each in series):
        told = (
            f"{text(tuned.metric)} on the lists that it was tuned on. Dots are where each {unit} "
            "ended, lines the best so far."
        )
    legend = "".join(
        f'<li class="s{i % 6}"><i></i>{text(each.name)}</li>' for i, each in enumerate(series)
    )
    return "\n".join(
        [
            f"<section><h2>Score by {unit}</h2><p>{told}</p>",
            f'<ul class="legend">{legend}</ul>',
            curves(series, metric=clean(tuned.metric), unit=unit),
            "</section>",
        ]
    )


def _weights(tuned: Tuned) -> str:
    shown = tuned.features
    if not shown:
        return ""
    reach = [
        (each.weight * each.spread, tuned.deviations.get(each.name, 0.0) * each.spread)
        for each in shown
    ]
    low = min(0.0, *(value - deviation for value, deviation in reach))
    high = max(0.0, *(value + deviation for value, deviation in reach))
    rows = []
    for each, (value, deviation) in zip(shown, reach, strict=True):
        told = _plus_minus(each.weight, tuned.deviations.get(each.name, 0.0))
        rows.append(
            f'<tr><th scope="row">{text(each.name)}</th><td>{told}</td>'
            f'<td class="picture">{weight_row(value, deviation, low, high)}</td></tr>'
        )
    rest = len(tuned.weights) - len(shown)
    more = f" {rest:,} more have no weight or less say." if rest > 0 else ""
    return "\n".join(
        [
            "<section><h2>Weights</h2><p>The features with the most say first. The picture shows "
            "each weight times how much its feature varies within a list, so that features of "
            "different size can be compared; the bar is one standard deviation over all fits, "
            f"those of folds as well. A bar across zero: not even the sign is sure.{more}</p>",
            '<table class="weights"><thead><tr><th scope="col">feature</th>'
            '<th scope="col">weight</th><th scope="col"></th></tr></thead><tbody>',
            *rows,
            "</tbody></table></section>",
        ]
    )


def _plus_minus(value: float, spread: float) -> str:
    """A weight and its deviation, which has two digits; the weight has as many decimals."""
    if not spread > 0:
        return signed(f"{value:.4g}")
    digits = min(12, max(0, 1 - math.floor(math.log10(spread))))
    return f"{signed(f'{value:.{digits}f}')} ± {spread:.{digits}f}"


# -- features and choices -------------------------------------------------------------------------


def _effects(tuned: Tuned) -> str:
    if not tuned.features:
        return ""
    figures = places(tuned.before, tuned.score)
    blocks = [
        _effect(tuned, each, figures, is_first=not number)
        for number, each in enumerate(tuned.features)
    ]
    return "\n".join(
        [
            "<section><h2>Which feature changes which choices</h2>",
            "<p>If a feature’s weight were zero and all others stayed, this many lists would "
            f"choose another candidate, with this {text(tuned.metric)} on the tuned lists. "
            "In the examples, <ins>underlined words</ins> come with the feature, <del>struck "
            "words</del> without it.</p>",
            *blocks,
            "</section>",
        ]
    )


def _effect(tuned: Tuned, each: FeatureEffect, figures: int, *, is_first: bool) -> str:
    share = 100.0 * each.changed / max(1, tuned.lists)
    loss = each.score_without - tuned.score
    parts = [
        f'<div class="feature"><h3>{text(each.name)}</h3>',
        f"<p>{each.changed:,} of {tuned.lists:,} lists ({share:.0f} %); without it "
        f"{each.score_without:.{figures}f} ({signed(f'{loss:+.{figures}f}')})</p>",
        f'<div class="bar" aria-hidden="true"><b style="width:{share:.1f}%"></b></div>',
    ]
    if each.examples:
        many = f"{len(each.examples)} examples" if len(each.examples) > 1 else "an example"
        parts.append(f"<details{' open' if is_first else ''}><summary>{many}</summary>")
        parts += [_example(**told) for told in each.examples]
        parts.append("</details>")
    return "".join([*parts, "</div>"])


def _example(list: str, chosen: str, without: str, reference: str | None = None) -> str:
    own, other = differences(chosen, without)
    wanted = ""
    if reference is not None:
        wanted = f'<p dir="auto" class="faint">{text(reference)} <i>(reference)</i></p>'
    return (
        f'<div class="example"><p class="faint">list {text(list)}</p>'
        f'<p dir="auto">{own}</p><p dir="auto">{other}</p>{wanted}</div>'
    )


# -- how ------------------------------------------------------------------------------------------


def _how(tuned: Tuned, command: str | None) -> str:
    facts: list[tuple[str, Any]] = [
        ("method", tuned.method),
        ("settings", ", ".join(f"{k}={v}" for k, v in tuned.settings.items()) or "none"),
        ("metric", f"{tuned.metric} ({tuned.signature})"),
        ("baseline", tuned.baseline),
        ("judged by", tuned.heldout[0].how if tuned.heldout else "nothing"),
        (
            "significance",
            "approximate randomisation, of the replicate in the middle; intervals by bootstrap",
        ),
        ("normalisation", _NORMS.get(tuned.normalization, tuned.normalization)),
        ("replicates", f"{len(tuned.replicates)}, the one with the best score is kept"),
        ("seed", tuned.seed),
        ("version", f"rosewood {__version__}"),
    ]
    again = "" if command is None else f"<h3>Do it again</h3><pre>{text(command)}</pre>"
    return f"<section><h2>How it was done</h2>{facts_list(facts)}{again}</section>"


_NORMS = {
    "l1": "l1: absolute weights sum to one",
    "l2": "l2: squared weights sum to one",
    "none": "none: as the learner left them",
}
