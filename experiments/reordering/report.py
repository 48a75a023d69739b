"""The page docs/papers/reordering.md and its plots, from stored results alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments.markdown import joined
from experiments.reordering import claims, tables
from experiments.reordering.plots import write_plots
from experiments.reordering.translation import SYSTEMS
from experiments.stored_results import findings, read_results

_TEXT = Path(__file__).with_name("page.md")  # how it was done; the rest is made from results


def write_page(results: Path, output: Path) -> Path:
    """Write the page and its plots; returns the page."""
    found = read_results(results)
    output.mkdir(parents=True, exist_ok=True)
    page = output / "reordering.md"
    parts = [_TEXT.read_text("utf-8"), tables.corpora(found), "## What agrees with the papers\n"]
    parts += [claims.table(found), findings(results), tables.errors(found)]
    parts += [tables.times(found), tables.active(found)]
    parts += _pictures(write_plots(found, output))
    parts += [tables.selection(found), tables.bleu(found), _missing(found)]
    page.write_text(joined(parts), "utf-8")
    return page


def _pictures(names: dict[str, str]) -> list[str]:
    return [f"![{title}]({name})\n" for name, title in names.items()]


def _missing(found: list[dict[str, Any]]) -> str:
    """What was not run."""
    rows = []
    for each in found:
        absent = [part for part in ("events", "selection", "bleu") if part not in each]
        systems = each.get("bleu", {}).get("systems", SYSTEMS)
        absent += [f"bleu of {tables.LABELS[name]}" for name in SYSTEMS if name not in systems]
        if absent:
            rows.append(f"* {each['corpus']}: {', '.join(absent)}")
    if not rows:
        return ""
    return "## Not run\n\n" + "\n".join(rows) + "\n"
