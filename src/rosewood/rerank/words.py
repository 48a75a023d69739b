"""What tuning found, said plainly."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rosewood.rerank.tuning import Heldout, Tuned

__all__ = ["summary", "verdict"]


def _signed(difference: float) -> str:
    return f"{difference:+.2f}"


def verdict(tuned: Tuned) -> str:
    """Does reranking help here or not, in one sentence."""
    if not tuned.heldout:
        return "Nothing could be held out: whether reranking helps is not known."
    judged = tuned.heldout[0]
    change = f"{judged.metric} {_signed(judged.after - judged.before)} on held-out sentences"
    chance = f"p = {judged.p_value:.3f}"
    if judged.verdict == "helps":
        return f"Reranking helps here: {change} ({chance})."
    if judged.verdict == "hurts":
        return f"Reranking does NOT help here, it hurts: {change} ({chance})."
    return (
        f"Reranking does not help here, as far as can be told: {change}, "
        f"which chance explains ({chance})."
    )


def summary(tuned: Tuned) -> str:
    """The verdict, the figures behind it, and a warning."""
    lines = [
        verdict(tuned),
        "",
        f"  {tuned.lists} lists, {tuned.candidates} candidates; {tuned.method}; {tuned.metric}"
        f" ({tuned.signature})",
    ]
    for judged in tuned.heldout:
        lines += _heldout(judged, tuned.baseline)
    lines += [
        f"  On the lists it was tuned on: {tuned.before:.2f} -> {tuned.score:.2f} {tuned.metric}",
        f"  What these lists hold: oracle {tuned.oracle:.2f}, random {tuned.random:.2f},"
        f" worst {tuned.worst:.2f}",
    ]
    if len(tuned.replicates) > 1:
        scores = ", ".join(f"{each.score:.2f}" for each in tuned.replicates)
        lines.append(f"  Replicates, on the lists they were tuned on: {scores}")
    lines += [f"  Note: {note}" for note in tuned.notes]
    lines += [
        "",
        f"{tuned.metric} was tuned, so it overstates how much better the translations are: "
        "trust another metric, or people.",
    ]
    return "\n".join(lines)


def _heldout(judged: Heldout, baseline: str) -> list[str]:
    low, high = judged.interval
    spread = ""
    if len(judged.replicates) > 1:
        spread = f"; replicates {min(judged.replicates):.2f} to {max(judged.replicates):.2f}"
    return [
        f"  Held out ({judged.how}, {judged.sentences} sentences): {judged.before:.2f} with "
        f"{baseline} -> {judged.after:.2f} {judged.metric}",
        f"    difference {_signed(judged.after - judged.before)}, 95 % of resamples "
        f"{_signed(low)} to {_signed(high)}, p = {judged.p_value:.3f}{spread}",
    ]
