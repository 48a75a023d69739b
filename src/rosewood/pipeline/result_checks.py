"""Checks of the scores of a trained model: near zero, or too good to be true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rosewood.corpus.text.languages import language_of
from rosewood.pipeline.findings import Finding
from rosewood.pipeline.input_parts import SETS

_ZERO = {"BLEU": 2.0, "chrF": 25.0}  # where all scores are below
_ZERO_UNSPACED = {"chrF": 8.0}  # BLEU of text without spaces is near zero anyway
_PERFECT = 95.0


def check_scores(
    scores: Sequence[Mapping[str, Any]], languages: Sequence[str | None]
) -> list[Finding]:
    """Findings about scores, as `Trained.scores` has them."""
    target = languages[1] if len(languages) == 2 else None
    low = _ZERO_UNSPACED if target and language_of(target).unspaced else _ZERO
    found = []
    for name, what in SETS.items():
        own = {str(each["name"]): float(each["value"]) for each in scores if each["on"] == name}
        told = ", ".join(f"{metric} {value:.1f}" for metric, value in own.items())
        compared = [
            value < limit for metric, value in own.items() for title, limit in low.items()
            if metric.startswith(title)
        ]  # fmt: skip
        if compared and all(compared):
            why = (
                f"{told} on the {what} is near zero: this happens if its sides are swapped, its "
                "lines do not belong together, it is in another language, or there is very little "
                "training data"
            )
            found.append(Finding("result.near-zero", why, argument=name, value=own))
        elif any(value > _PERFECT for value in own.values()):
            why = (
                f"{told} on the {what} is too good to be true: this happens if it is part of the "
                "training data, or if both sides have the same text"
            )
            found.append(Finding("result.too-good", why, argument=name, value=own))
    return found
