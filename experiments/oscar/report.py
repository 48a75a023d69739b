"""The page docs/papers/oscar.md and its plots, from stored results alone."""

from __future__ import annotations

import math
import statistics
from pathlib import Path
from typing import Any

from benchmarks.plots import Panel, chart

from experiments.markdown import DECODERS, about_sets, joined, markdown, not_run, number, score
from experiments.oscar.papers import TABLE
from experiments.oscar.systems import OSCAR, ROWS
from experiments.stored_results import findings, read_results

_TEXT = Path(__file__).with_name("page.md")  # how it was done; the rest is made from results


def write_page(results: Path, output: Path) -> Path:
    """Write the page and its plots; returns the page."""
    found = read_results(results)
    output.mkdir(parents=True, exist_ok=True)
    page = output / "oscar.md"
    parts = [_TEXT.read_text("utf-8"), findings(results), "## Table 1\n", _paper()]
    for each in found:
        for decoder, label in DECODERS.items():
            if decoder in each:
                parts.append(f"### {each['corpus']}, {label}\n")
                parts += [_about(each[decoder]), _table(each[decoder])]
    parts += _choices(found)
    pictures = {"oscar-lambda.svg": _lambda_plot(found), "oscar-sizes.svg": _sizes_plot(found)}
    titles = {
        "oscar-lambda.svg": "BLEU of chosen candidates on devtest by λ2",
        "oscar-sizes.svg": "Sizes of groups",
    }
    for name, picture in pictures.items():
        if picture is not None:
            (output / name).write_text(picture, "utf-8")
            parts.append(f"![{titles[name]}]({name})\n")
    parts.append(_missing(found))
    page.write_text(joined(parts), "utf-8")
    return page


_HEAD = ["method", "tuned on", "features", "active", "reused", "devtest", "test", "minutes"]


def _paper() -> str:
    rows = [
        [ROWS[name].label, ROWS[name].tuned_on, ROWS[name].features, f"{row.active:,}",
         f"{row.reused:,}", f"{row.devtest:.1f}", f"{row.test:.1f}", f"{row.minutes:,}"]
        for name, row in TABLE.items()
    ]  # fmt: skip
    told = "The paper: IWSLT 2008, Chinese to English, 16 references, a hierarchical decoder.\n"
    return f"{told}\n{markdown(_HEAD, rows)}"


def _about(found: dict[str, Any]) -> str:
    rounds = f"up to {found['rounds']} rounds"
    return about_sets(found, [f"{found['sentences_a_round']:,} training sentences a round", rounds])


def _table(found: dict[str, Any]) -> str:
    rows = []
    for name, row in ROWS.items():
        own = found["systems"].get(name)
        if own is None:
            continue
        p = "" if "p" not in own else f"{own['p']:.3f}"
        rows.append(
            [row.label, row.tuned_on, row.features, _count(own["active"]), _count(own["reused"]),
             score(own["devtest"]), score(own["test"]), number(own["minutes"], 1), p,
             ", ".join(found["settings"].get(name, [])) or "–"]
        )  # fmt: skip
    return markdown([*_HEAD, "p, OSCAR and this", "chosen settings"], rows)


def _count(values: list[float]) -> str:
    return f"{statistics.median(values):,.0f}"


def _choices(found: list[dict[str, Any]]) -> list[str]:
    """What sweeps found."""
    rows = []
    for each in found:
        for decoder in DECODERS:
            for name, tried in each.get(decoder, {}).get("sweeps", {}).items():
                good = [one for one in tried if one.get("score") is not None]
                for one in sorted(good, key=lambda one: -one["score"]):
                    told = ", ".join(f"{key}={value}" for key, value in one["settings"].items())
                    rows.append([each["corpus"], decoder, name, told, f"{one['score']:.2f}",
                                 f"{one['tuned']:.2f}"])  # fmt: skip
    if not rows:
        return []
    head = ["corpus", "decoder", "row", "settings", "devtest", "tuned on"]
    return ["## Settings that were tried\n", markdown(head, rows)]


def _lambda_plot(found: list[dict[str, Any]]) -> str | None:
    panels = []
    for each in found:
        lines: dict[str, list[tuple[float, float]]] = {}
        for decoder in DECODERS:
            for one in each.get(decoder, {}).get("sweeps", {}).get(OSCAR, []):
                if one.get("score") is not None:
                    name = f"{decoder}, l2 = {one['settings'].get('l2', '–')}"
                    place = math.log10(float(one["settings"]["lambda2"]))
                    lines.setdefault(name, []).append((place, float(one["score"])))
        shown = {name: sorted(points) for name, points in sorted(lines.items()) if len(points) > 1}
        if shown:
            panels.append(Panel(f"{each['corpus']}: BLEU on devtest", shown))
    return chart("BLEU of chosen candidates by λ2", "log10 λ2", panels) if panels else None


def _sizes_plot(found: list[dict[str, Any]]) -> str | None:
    panels = []
    for each in found:
        lines = {}
        for decoder, label in DECODERS.items():
            sizes = each.get(decoder, {}).get("systems", {}).get(OSCAR, {}).get("sizes", [])
            if len(sizes) > 1:
                ordered = sorted(sizes, reverse=True)[:200]
                lines[label] = [(float(i + 1), float(size)) for i, size in enumerate(ordered)]
        if lines:
            panels.append(Panel(f"{each['corpus']}: features in a group", lines, is_log=True))
    return chart("Groups from the largest to the smallest", "group", panels) if panels else None


def _missing(found: list[dict[str, Any]]) -> str:
    return not_run(
        (f"{each['corpus']}, {label}", [
            f"{row.label} {row.tuned_on} {row.features}"
            for name, row in ROWS.items()
            if name not in each.get(decoder, {}).get("systems", {})
        ])
        for each in found
        for decoder, label in DECODERS.items()
    )  # fmt: skip
