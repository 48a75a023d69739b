"""Plots of the page: active examples by pass, error by share of features, ranked information."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.plots import Panel, chart

from experiments.reordering.classification import SHRINK
from experiments.reordering.tables import FEATURES, LABELS, having

_PASSES = 20  # as figure 1 of the paper


def write_plots(found: Sequence[dict[str, Any]], folder: Path) -> dict[str, str]:
    """Write all plots there are results for; titles by file name."""
    made = {
        "reordering-active.svg": ("Active examples by pass", _active(found)),
        "reordering-selection.svg": ("Held-out error by share of features", _selection(found)),
        "reordering-information.svg": (
            "Normalised mutual information of features, from lowest to highest",
            _information(found),
        ),
    }
    for name, (_, picture) in made.items():
        if picture is not None:
            (folder / name).write_text(picture, "utf-8")
    return {name: title for name, (title, picture) in made.items() if picture is not None}


def _active(found: Sequence[dict[str, Any]]) -> str | None:
    panels = []
    for each in having(found, "events"):
        models = each["events"]["paper"]["models"]
        lines = {
            f"ε = {shrink}": [
                (float(number + 1), 100 * share)
                for number, share in enumerate(models[f"dual_{shrink}"]["active_share"][:_PASSES])
            ]
            for shrink in SHRINK
        }
        panels.append(Panel(f"{each['corpus']}: active, %", lines))
    return (
        chart("Active examples of the dual, papers' features", "pass", panels) if panels else None
    )


def _selection(found: Sequence[dict[str, Any]]) -> str | None:
    panels = []
    for each in having(found, "selection"):
        for features, own in each["selection"].items():
            lines = {
                LABELS[name]: [
                    (100 * share, 100 * sum(run[place] for run in runs) / len(runs))
                    for place, share in enumerate(own["shares"])
                ]
                for name, runs in own["errors"].items()
                if runs
            }
            panels.append(Panel(f"{each['corpus']}, {FEATURES[features]}: error, %", lines))
    if not panels:
        return None
    return chart(
        "Held-out error with the most informative features", "share of features, %", panels
    )


def _information(found: Sequence[dict[str, Any]]) -> str | None:
    panels = []
    for each in having(found, "selection"):
        lines = {
            FEATURES[features]: [
                (100 * rank / own["features"], score) for rank, score in own["ranked"]
            ]
            for features, own in each["selection"].items()
        }
        panels.append(Panel(f"{each['corpus']}: normalised information", lines))
    return chart("Ranked normalised mutual information", "features, %", panels) if panels else None
