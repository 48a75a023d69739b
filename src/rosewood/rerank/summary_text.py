"""Results of tuning in plain sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosewood.svg_text import plural

if TYPE_CHECKING:
    from rosewood.rerank.heldout import Heldout
    from rosewood.rerank.tuning import Tuned


def places(*values: float) -> int:
    """Decimals: two for scores like BLEU, four for those up to about one."""
    return 2 if max(map(abs, values)) >= 5 else 4


def verdict(tuned: Tuned) -> str:
    """Does reranking help here or not, in one sentence."""
    if not tuned.heldout:
        return "Nothing could be held out: whether reranking helps is not known."
    judged = tuned.heldout[0]
    figures = places(judged.before, judged.after)
    change = f"{judged.metric} {judged.after - judged.before:+.{figures}f} on held-out sentences"
    chance = f"p = {judged.p_value:.3f}"
    if judged.verdict == "helps" and tuned.baseline_by_chance:
        return (
            f"Reranking helps here over random choices: {change} ({chance}); over a system is not "
            f"known, for {tuned.baseline} did no better than chance."
        )
    if judged.verdict == "helps":
        return f"Reranking helps here: {change} ({chance})."
    if judged.verdict == "hurts":
        return f"Reranking does NOT help here, it hurts: {change} ({chance})."
    return (
        f"Reranking does not help here, as far as can be told: {change}, "
        f"which cannot be told from chance ({chance})."
    )


def summary(tuned: Tuned) -> str:
    """The verdict, its figures, and a warning."""
    f = places(tuned.before, tuned.score)
    lines = [
        verdict(tuned),
        "",
        f"  {tuned.lists} lists, {tuned.candidates} candidates; {tuned.method}; {tuned.metric}"
        f" ({tuned.signature})",
    ]
    for judged in tuned.heldout:
        lines += _heldout(judged, tuned.baseline)
    if tuned.heldout and tuned.heldout[0].oracle != tuned.oracle:
        lines.append(f"  What the held-out lists hold: {_bounds(tuned.heldout[0], f)}")
    lines += [
        f"  On the lists it was tuned on: {tuned.before:.{f}f} -> {tuned.score:.{f}f}"
        f" {tuned.metric}",
        f"  What these lists hold: {_bounds(tuned, f)}",
    ]
    if len(tuned.replicates) > 1:
        scores = ", ".join(f"{each.score:.{f}f}" for each in tuned.replicates)
        lines.append(f"  Replicates, on the lists they were tuned on: {scores}")
    if tuned.trees is not None:
        lines.append(f"  Added to the weights: {plural(len(tuned.trees), 'tree')}")
    lines += [f"  Note: {note}" for note in tuned.notes]
    lines += [
        "",
        f"{tuned.metric} was tuned, so it overstates how much better the chosen candidates are: "
        "trust another metric, or people.",
    ]
    return "\n".join(lines)


def _bounds(held: Tuned | Heldout, f: int) -> str:
    return f"oracle {held.oracle:.{f}f}, random {held.random:.{f}f}, worst {held.worst:.{f}f}"


def _heldout(judged: Heldout, baseline: str) -> list[str]:
    low, high = judged.interval
    f = places(judged.before, judged.after)
    spread = ""
    if len(judged.replicates) > 1:
        least, most = min(judged.replicates), max(judged.replicates)
        spread = f"; replicates {least:.{f}f} to {most:.{f}f}"
    return [
        f"  Held out ({judged.how}, {judged.sentences} sentences): {judged.before:.{f}f} with "
        f"{baseline} -> {judged.after:.{f}f} {judged.metric}",
        f"    difference {judged.after - judged.before:+.{f}f}, 95 % of resamples "
        f"{low:+.{f}f} to {high:+.{f}f}, p = {judged.p_value:.3f}{spread}",
    ]
