"""The page docs/papers/minimum-risk.md and its plots, from stored results alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.plots import Panel, chart

from experiments.markdown import DECODERS, about_sets, joined, markdown, not_run, number, score
from experiments.minrisk.papers import TABLE
from experiments.minrisk.systems import COMPARED, ROWS
from experiments.stored_results import findings, read_results

_TEXT = Path(__file__).with_name("page.md")  # how it was done; the rest is made from results
_CURVES = "minimum-risk-curves.svg"


def write_page(results: Path, output: Path) -> Path:
    """Write the page and its plots; returns the page."""
    found = read_results(results)
    output.mkdir(parents=True, exist_ok=True)
    page = output / "minimum-risk.md"
    parts = [_TEXT.read_text("utf-8"), findings(results), "## Table 5\n", _paper()]
    tables = [
        (each["corpus"], decoder, each[decoder])
        for each in found
        for decoder in DECODERS
        if decoder in each
    ]
    for corpus, decoder, own in tables:
        parts.append(f"### {corpus}, {DECODERS[decoder]}\n")
        parts += [_about(own), _table(own), _forests(own)]
    parts += ["## Differences on test\n", _differences(tables)]
    parts += _consensus(tables)
    parts += _annealing(tables)
    if (picture := _plot(tables)) is not None:
        (output / _CURVES).write_text(picture, "utf-8")
        parts.append(f"![Expected linear BLEU by iteration]({_CURVES})\n")
    parts.append(_missing(found))
    page.write_text(joined(parts), "utf-8")
    return page


_Tables = list[tuple[str, str, dict[str, Any]]]  # corpus, decoder, what was found
_HEAD = ["method", "learns from", "features", "dev", "devtest", "test"]


def _paper() -> str:
    rows = [[*_label(name), f"{row.dev:.1f}", "", f"{row.test:.1f}"] for name, row in TABLE.items()]
    told = "The paper: IWSLT 2005, Chinese to English, a hierarchical decoder.\n"
    return f"{told}\n{markdown(_HEAD, rows)}"


def _label(name: str) -> list[str]:
    row = ROWS[name]
    return [row.label, row.tuned_on, row.features]


def _about(found: dict[str, Any]) -> str:
    return about_sets(found, [f"{found['features']} features", f"up to {found['rounds']} rounds"])


def _table(found: dict[str, Any]) -> str:
    against = {each["system"]: each for each in found["compared"] if each["baseline"] == "mert"}
    rows = []
    for name, own in found["systems"].items():
        p = f"{against[name]['p']:.3f}" if name in against else ""
        rows.append([*_label(name), *(score(own[part]) for part in ("dev", "devtest", "test")), p,
                     number(own["minutes"], 1), str(len(own["rounds"]) - 1)])  # fmt: skip
    return markdown([*_HEAD, "p, against MERT", "minutes", "rounds"], rows)


def _forests(found: dict[str, Any]) -> str:
    """What pruning changed in the last round of the rows of forests."""
    told = []
    for name, own in found["systems"].items():
        last = next((row for row in reversed(own["rounds"]) if row.get("edges")), None)
        if last is not None:
            change = number(last["risk_change"], 2)
            told.append(
                f"{' '.join(_label(name)[:2])}: {last['edges']:,} edges kept and "
                f"{last['dropped']:,} dropped, {100 * last['kept']:.0f} % of the probability kept, "
                f"the risk changed by {change} points"
            )
    return f"Pruning in the last round: {'; '.join(told)}.\n" if told else ""


def _differences(tables: _Tables) -> str:
    """All comparisons of rows, a column for each table."""
    rows = []
    for one, other in COMPARED:
        cells = []
        for _, _, found in tables:
            own = [each for each in found["compared"]
                   if (each["system"], each["baseline"]) == (one, other)]  # fmt: skip
            cells.append(f"{own[0]['difference']:+.2f} (p = {own[0]['p']:.3f})" if own else "–")
        if any(cell != "–" for cell in cells):
            known = one in TABLE and other in TABLE
            paper = f"{TABLE[one].test - TABLE[other].test:+.1f}" if known else "–"
            names = " and ".join(" ".join(_label(name)) for name in (one, other))
            rows.append([names, paper, *cells])
    head = [f"{corpus}, {decoder}" for corpus, decoder, _ in tables]
    return markdown(["rows", "the paper", *head], rows) if rows else ""


def _consensus(tables: _Tables) -> list[str]:
    parts, rows = [], []
    for corpus, decoder, found in tables:
        if (own := found.get("consensus")) is None:
            continue
        for one in own["methods"]:
            p = f"{one['p']:.3f}" if "p" in one else ""
            scale = "" if one["scale"] is None else f"{one['scale']:g}"
            rows.append([f"{corpus}, {decoder}", one["method"], scale, f"{one['devtest']:.2f}",
                         f"{one['test']:.2f}", p, f"{one['seconds']:.1f}"])  # fmt: skip
        scales = list(dict.fromkeys(one["scale"] for one in own["tried"]))
        score_of = {(one["method"], one["scale"]): one["devtest"] for one in own["tried"]}
        methods = list(dict.fromkeys(method for method, _ in score_of))
        parts.append((corpus, decoder, scales, score_of, methods))
    if not rows:
        return []
    head = ["corpus, decoder", "method", "scale", "devtest", "test", "p, against best", "seconds"]
    tried = [
        [f"{corpus}, {decoder}", method, *(f"{score_of[method, scale]:.2f}" for scale in scales)]
        for corpus, decoder, scales, score_of, methods in parts
        for method in methods
    ]
    columns = [f"{scale:g}" for scale in parts[0][2]]
    return [
        "## Consensus at test time\n",
        markdown(head, rows),
        "BLEU on devtest by scale:\n",
        markdown(["corpus, decoder", "method", *columns], tried),
    ]


def _annealing(tables: _Tables) -> list[str]:
    rows = []
    for corpus, decoder, found in tables:
        for one in found.get("curves", {}).get("runs", []):
            # The last iterate at γ = 1, at which both methods have the same objective.
            plain = [row for row in one["iterations"] if not row["stage"].startswith("γ")]
            rows.append([f"{corpus}, {decoder}", one["start"], one["method"],
                         f"{plain[-1]['gain']:.2f}", f"{one['iterations'][-1]['gain']:.2f}",
                         f"{one['score']:.2f}", str(len(one["iterations"]))])  # fmt: skip
    if not rows:
        return []
    head = ["corpus, decoder", "start", "method", "expected, γ = 1", "expected, end", "BLEU",
            "iterations"]  # fmt: skip
    return ["## With and without annealing\n", markdown(head, rows)]


def _plot(tables: _Tables) -> str | None:
    """Expected linear BLEU of each iterate."""
    panels = []
    for corpus, decoder, found in tables:
        lines = {
            f"{one['method']}, {one['start']}": [
                (float(i + 1), row["gain"]) for i, row in enumerate(one["iterations"])
            ]
            for one in found.get("curves", {}).get("runs", [])
        }
        if lines:
            panels.append(Panel(f"{corpus}, {decoder}: expected linear BLEU", lines))
    return chart("Expected linear BLEU by iteration", "iteration", panels) if panels else None


def _missing(found: list[dict[str, Any]]) -> str:
    return not_run(
        (f"{each['corpus']}, {label}", [
            " ".join(_label(name))
            for name in ROWS
            if name not in each.get(decoder, {}).get("systems", {})
        ])
        for each in found
        for decoder, label in DECODERS.items()
    )  # fmt: skip
