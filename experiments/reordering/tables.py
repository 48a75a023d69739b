"""Tables of the page, in Markdown: the papers' figures beside ours."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from experiments.markdown import joined, markdown
from experiments.reordering import papers
from experiments.reordering.classification import seconds_to
from experiments.reordering.translation import SYSTEMS

Results = Sequence[dict[str, Any]]

LABELS = {
    "majority": "always monotone",
    "lexicalized": "lexicalized",
    "bayes": "Bayes, MAP",
    "bayes_full": "Bayes, full inference",
    "primal": "MaxEnt, primal",
    "dual_0.01": "MaxEnt, dual, ε = 0.01",
    "dual_0.1": "MaxEnt, dual, ε = 0.1",
    "dual_1.0": "MaxEnt, dual, ε = 1.0",
    "dual_rosewood": "MaxEnt, dual, exact steps",
    "maxent": "MaxEnt, dual",
    "maxent_primal": "MaxEnt, primal",
    "none": "no reordering model",
    "both": "MaxEnt, dual, and lexicalized",
}
FEATURES = {"paper": "papers' features", "rosewood": "Rosewood's features"}
_PRIORS = {
    "*chosen: σ² of MaxEnt*": "sigma2",
    "*chosen: α of Bayes, MAP*": "alpha_map",
    "*chosen: α of full inference*": "alpha_full",
}
_ITERATIVE = ("primal", "dual_0.01", "dual_0.1", "dual_1.0", "dual_rosewood")
_SHOWN = (1, 2, 3, 5, 10, 20, 50, 100)  # passes


def percent(values: Sequence[float]) -> str:
    """The mean of shares and, of several, their standard deviation."""
    mean = f"{100 * statistics.mean(values):.2f}"
    return mean if len(values) < 2 else f"{mean} ± {100 * statistics.stdev(values):.2f}"


def having(found: Results, part: str) -> Results:
    """The corpora for which a part was run."""
    return [each for each in found if part in each]


def corpora(found: Results) -> str:
    """What the corpora are like."""
    rows = []
    for each in having(found, "events"):
        events = each["events"]["paper"]
        classes = " / ".join(f"{100 * share:.1f}" for share in events["classes"].values())
        sizes = events["sizes"]
        rows.append(
            [each["corpus"], each.get("commit") or "–", f"{each['pairs']:,}",
             f"{events['sentences']:,}", f"{events['events']:,}", classes, f"{sizes['pairs']:,}",
             f"{100 * events['unseen_pairs']:.1f} %",
             *(f"{each['events'][name]['sizes']['features']:,}" for name in FEATURES)]
        )  # fmt: skip
    head = ["corpus", "commit", "pairs", "used for events", "events",
            "mono / swap / disc., %", "phrase pairs",
            "held-out events with a new phrase pair", "papers' features",
            "Rosewood's features"]  # fmt: skip
    return markdown(head, rows)


def errors(found: Results) -> str:
    """Held-out errors of all models."""
    some = having(found, "events")
    columns = [(each, features) for each in some for features in FEATURES]
    head = ["held-out error, %", "papers"]
    head += [f"{each['corpus']}, {FEATURES[features]}" for each, features in columns]
    rows = []
    for name in LABELS:
        own = [each["events"][features]["models"].get(name) for each, features in columns]
        if not any(own):
            continue
        told = str(papers.ERROR.get(name, "–"))
        rows.append([LABELS[name], told, *(percent(row["error"]) if row else "–" for row in own)])
    for label, prior in _PRIORS.items():
        own = [each["events"][features]["priors"] for each, features in columns]
        rows.append([label, "–", *(", ".join(f"{one[prior]:g}" for one in row) for row in own)])
    return "## Held-out error\n\n" + markdown(head, rows)


def times(found: Results) -> str:
    """Training time at equal passes, and until the error is that of the best."""
    parts = ["## Training time\n"]
    for each in having(found, "events"):
        for features in FEATURES:
            parts.append(_times(each, features))
    return joined(parts)


def _times(each: dict[str, Any], features: str) -> str:
    events = each["events"][features]
    curves = events["curves"]
    best = min(row["error"] for name in curves for row in curves[name])
    last = max(curves[name][-1]["error"] for name in ("primal", "dual_0.1"))
    rows = []
    for name in _ITERATIVE:
        model = events["models"][name]
        spent = statistics.median(model["seconds"])
        primal = statistics.median(events["models"]["primal"]["seconds"])
        passes = statistics.median(model.get("passes", [events["passes"]]))
        rows.append(
            [LABELS[name], f"{papers.MINUTES[name]} min" if name in papers.MINUTES else "–",
             _times_faster(papers.MINUTES.get(name), papers.MINUTES["primal"]),
             f"{spent:.2f} s", f"{passes:.0f}", _times_faster(spent, primal),
             *(_reached(seconds_to(curves[name], error)) for error in (last, best))]
        )  # fmt: skip
    head = [
        f"{each['corpus']}, {FEATURES[features]}", "papers", "against primal",
        f"{events['passes']} passes at most", "passes made", "against primal",
        f"to equal error, {100 * last:.2f} %", f"to the lowest error, {100 * best:.2f} %",
    ]  # fmt: skip
    lexicalized, bayes = (
        statistics.median(events["models"][name]["seconds"]) for name in ("lexicalized", "bayes")
    )
    return markdown(head, rows) + (
        f"\nCounting for the lexicalized model took {lexicalized:.2f} s, for Bayes {bayes:.2f} s. "
        "*Equal error* is the higher one of those that the primal and the dual, ε = 0.1, end at. "
        "*To an error*: the fewest passes of 1, 2, 3, 5, 10, 20, 50, 100 that come within 0.1 "
        "points of it on the held-out events of the first repetition. The lowest error is the best "
        "of all numbers of passes on these same events, so it flatters whoever reaches it.\n"
    )


def _times_faster(spent: float | None, primal: float) -> str:
    return "–" if not spent else f"{primal / spent:.1f}×"


def _reached(row: dict[str, float] | None) -> str:
    return "never" if row is None else f"{row['seconds']:.2f} s, {row['passes']:.0f} passes"


def active(found: Results) -> str:
    """The share of active examples in each pass."""
    parts = [
        "## Active examples\n",
        "Percent of the training events that a pass visits (figure 1 of the EMNLP paper, where "
        "fewer than 1 % are left after a couple of passes). First repetition.\n",
    ]
    for each in having(found, "events"):
        rows = []
        for features in FEATURES:
            for name in _ITERATIVE[1:]:
                shares = each["events"][features]["models"][name]["active_share"]
                told = [f"{100 * shares[p - 1]:.2f}" if p <= len(shares) else "–" for p in _SHOWN]
                rows.append([f"{LABELS[name]}, {FEATURES[features]}", *told])
        parts.append(markdown([each["corpus"], *(f"pass {p}" for p in _SHOWN)], rows))
    return joined(parts)


def selection(found: Results) -> str:
    """What is kept by threshold, and errors by share of features."""
    some = having(found, "selection")
    if not some:
        return ""
    parts = ["## Feature selection\n"]
    for each in some:
        for features, own in each["selection"].items():
            rows = [
                [f"{100 * share:.0f} %", *(
                    percent([run[place] for run in own["errors"][name]]) for name in own["errors"]
                )]
                for place, share in enumerate(own["shares"])
            ]  # fmt: skip
            head = [f"{each['corpus']}, {FEATURES[features]}: share of features"]
            parts.append(
                markdown([*head, *(f"{LABELS[name]}, error %" for name in own["errors"])], rows)
            )
            kept = ", ".join(f"{t}: {100 * share:.1f} %" for t, share in own["kept"].items())
            parts.append(f"Features with normalised mutual information of at least {kept}.\n")
    return joined(parts)


def bleu(found: Results) -> str:
    """Translation quality, size and speed."""
    some = having(found, "bleu")
    if not some:
        return ""
    parts = ["## Translation\n"]
    for each in some:
        own = each["bleu"]
        rows = []
        for name in SYSTEMS:
            row = own["systems"].get(name)
            ours = ["not run", *["–"] * 7] if row is None else _system(name, row)
            theirs = papers.BLEU.get(name)
            told = "–" if theirs is None else f"{theirs[0]:.2f} / {theirs[1]:.2f}"
            rows.append([LABELS[name], told, *ours])
        head = [each["corpus"], "papers: MT06 / MT08", "BLEU", "p, all seeds", "p, each seed",
                "size", "papers", "ms a sentence", "papers", "trained in"]  # fmt: skip
        parts.append(markdown(head, rows))
        parts.append(
            f"{own['sentences']:,} test sentences, {own['references']} references, "
            f"{len(own['seeds'])} seeds of tuning: mean ± standard deviation of BLEU "
            f"({own['signature']}). *p* is against the lexicalized model. *Trained in*: wall "
            "seconds of the stage `reordering` with two threads; the lexicalized model is counted "
            "with the rules.\n"
        )
    return joined(parts)


def _system(name: str, row: dict[str, Any]) -> list[str]:
    spread = "" if row["spread"] is None else f" ± {row['spread']:.2f}"
    seconds = papers.SECONDS_A_SENTENCE.get(name)
    trained = row["training_seconds"] if name not in ("lexicalized", "none") else None
    return [
        f"{row['mean']:.2f}{spread}",
        f"{row['p']:.4f}" if "p" in row else "–",
        ", ".join(f"{p:.3f}" for p in row["p_each"]) if "p_each" in row else "–",
        "–" if row["bytes"] is None else f"{row['bytes'] / 1e6:.2f} MB",
        f"{papers.MEGABYTES[name]} MB" if name in papers.MEGABYTES else "–",
        f"{row['milliseconds']:.1f}",
        "–" if seconds is None else f"{1000 * seconds:.0f}",
        "–" if trained is None else f"{trained:.1f} s",
    ]
