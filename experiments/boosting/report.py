"""The page docs/papers/boosting.md and its plots, from stored results alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.plots import Panel, chart

from experiments.boosting.lists import PARTS
from experiments.boosting.papers import TABLE
from experiments.boosting.rows import ROWS
from experiments.markdown import joined, markdown
from experiments.stored_results import findings, read_results
from rosewood.forest import BoostedTrees

_TEXT = Path(__file__).with_name("page.md")  # how it was done; the rest is made from results
_PLOT = "boosting-rounds.svg"
_TREES_SHOWN = 3


def write_page(results: Path, output: Path) -> Path:
    """Write the page and its plot; returns the page."""
    found = read_results(results)
    output.mkdir(parents=True, exist_ok=True)
    page = output / "boosting.md"
    parts = [_TEXT.read_text("utf-8"), findings(results), "## Table 2\n", _paper()]
    for each in found:
        parts += [f"### {each['corpus']}\n", _about(each["phrase"]), _table(each["phrase"])]
    parts += _choices(found)
    picture = _plot(found)
    if picture is not None:
        (output / _PLOT).write_text(picture, "utf-8")
        parts += ["## Rounds\n", f"![BLEU-SBP on Dev-Select by number of trees]({_PLOT})\n"]
    parts += _trees(found)
    parts.append(_missing(found))
    page.write_text(joined(parts), "utf-8")
    return page


def _paper() -> str:
    rows = [
        [ROWS[name].features, ROWS[name].tuned, *(f"{value:.2f}" for value in row)]
        for name, row in TABLE.items()
    ]
    head = ["features", "tuned by", "zh–en Dev-Train", "Test", "fi–en Dev-Train", "Test"]
    return f"The paper, BLEU-SBP of 500-best lists that are reranked:\n\n{markdown(head, rows)}"


def _about(found: dict[str, Any]) -> str:
    counts = ", ".join(f"{PARTS[part]} {count:,}" for part, count in found["sentences"].items())
    several = f", {found['references']} references" if found["references"] > 1 else ""
    return f"Sentences: {counts}{several}; commit {found.get('commit') or '–'}.\n"


def _table(found: dict[str, Any]) -> str:
    rows = []
    for name, row in ROWS.items():
        own = found["systems"].get(name)
        if own is None:
            continue
        trees = "" if own["trees"] is None else str(len(own["trees"]["trees"]))
        p = "" if "p" not in own else f"{own['p']:.3f}"
        where = "inside the decoder" if row.is_inside else "500-best lists"
        rows.append([row.features, row.tuned, where, *(f"{own[part]:.2f}" for part in PARTS),
                     p, trees, _told(own["settings"])])  # fmt: skip
    head = ["features", "tuned by", "used in", *PARTS.values(), "p", "trees", "chosen settings"]
    return markdown(head, rows)


def _told(settings: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in settings.items()) or "–"


def _choices(found: list[dict[str, Any]]) -> list[str]:
    """What was tried on Dev-Select."""
    rows = []
    for each in found:
        for name, own in each["phrase"]["systems"].items():
            for one in own["tried"] if len(own["tried"]) > 1 else []:
                rows.append([each["corpus"], ROWS[name].features, _told(one["settings"]),
                             f"{one['selected']:.2f}", str(one.get("trees", ""))])  # fmt: skip
    if not rows:
        return []
    head = ["corpus", "features", "settings", "Dev-Select", "trees"]
    return ["## Settings that were tried\n", markdown(head, rows)]


def _plot(found: list[dict[str, Any]]) -> str | None:
    """The metric on Dev-Select after each round, of the settings that were chosen."""
    panels = []
    for each in found:
        lines = {}
        for name, own in each["phrase"]["systems"].items():
            chosen = [one for one in own["tried"] if one["settings"] == own["settings"]]
            if chosen and "history" in chosen[0]:
                lines[ROWS[name].features] = [
                    (float(row["round"]), float(row["selected"])) for row in chosen[0]["history"]
                ]
        if lines:
            panels.append(Panel(f"{each['corpus']}: Dev-Select", lines))
    return chart("BLEU-SBP by number of trees", "trees", panels) if panels else None


def _trees(found: list[dict[str, Any]]) -> list[str]:
    """The first trees of each corpus as text."""
    parts = []
    for each in found:
        told = each["phrase"]["systems"].get("boost_local", {}).get("trees")
        if told and told["trees"]:
            trees = BoostedTrees.from_dict(told)
            some = BoostedTrees(trees.columns, trees.trees[:_TREES_SHOWN])
            parts += [f"### {each['corpus']}, boost-local\n", f"```\n{some.text().rstrip()}\n```\n"]
    return ["## First trees\n", *parts] if parts else []


def _missing(found: list[dict[str, Any]]) -> str:
    rows = []
    for each in found:
        absent = [
            f"{row.features} ({'inside the decoder' if row.is_inside else '500-best lists'})"
            for name, row in ROWS.items()
            if name not in each["phrase"]["systems"]
        ]
        if absent:
            rows.append(f"* {each['corpus']}: {', '.join(absent)}")
    return "## Not run\n\n" + "\n".join(rows) + "\n" if rows else ""
