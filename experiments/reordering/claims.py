"""What the papers found, and whether it is so here: computed from the results."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

from experiments.reordering.tables import FEATURES, Results, markdown

_POINT = 0.001  # of error: smaller differences are none


Judge = Callable[[dict[str, Any], str], str | None]


def table(found: Results) -> str:
    """A row for each finding of the papers, a column for each corpus and set of features."""
    columns = [(each, features) for each in found for features in FEATURES]
    rows = []
    for (claim, theirs), judge in _CLAIMS.items():
        rows.append([claim, theirs, *(judge(*column) or "–" for column in columns)])
    head = [f"{each['corpus']}, {FEATURES[features]}" for each, features in columns]
    return markdown(["finding", "papers", *head], rows)


def _errors(one: str, other: str, is_lower: bool) -> Judge:
    """Whether a model has less (or more) held-out error than another one, in every repetition."""

    def judge(each: dict[str, Any], features: str) -> str | None:
        if "events" not in each:
            return None
        models = each["events"][features]["models"]
        own, base = models[one]["error"], models[other]["error"]
        changes = [a - b for a, b in zip(own, base, strict=True)]
        means = f"{100 * statistics.mean(own):.2f} against {100 * statistics.mean(base):.2f} %"
        if abs(statistics.mean(changes)) <= _POINT or min(changes) * max(changes) <= 0:
            return f"no clear difference: {means}"
        return f"{'yes' if (changes[0] < 0) == is_lower else 'no'}: {means}"

    return judge


def _lower(one: str, other: str) -> Judge:
    return _errors(one, other, True)


def _more(one: str, other: str) -> Judge:
    return _errors(one, other, False)


def _faster(each: dict[str, Any], features: str) -> str | None:
    if "events" not in each:
        return None
    models = each["events"][features]["models"]
    own, base = (statistics.median(models[name]["seconds"]) for name in ("dual_0.1", "primal"))
    return f"{'yes' if own < base else 'no'}: {base / own:.1f}×"


def _inactive(each: dict[str, Any], features: str) -> str | None:
    if "events" not in each:
        return None
    shares = each["events"][features]["models"]["dual_0.1"]["active_share"]
    first = next((place for place, share in enumerate(shares, 1) if share < 0.01), None)
    return "no: never within the passes" if first is None else f"from pass {first} on"


def _half(each: dict[str, Any], features: str) -> str | None:
    if "selection" not in each:
        return None
    own = each["selection"][features]
    place = own["shares"].index(0.5)
    half, whole = (
        statistics.mean(run[where] for run in own["errors"]["bayes_full"]) for where in (place, -1)
    )
    return (
        f"{'yes' if half <= whole + _POINT else 'no'}: {100 * half:.2f} against {100 * whole:.2f} %"
    )


def _systems(each: dict[str, Any], features: str) -> dict[str, Any]:
    """Decoders have Rosewood's features: the papers' column has no systems."""
    systems: dict[str, Any] = each.get("bleu", {}).get("systems", {})
    return systems if features == "rosewood" else {}


def _bleu(name: str) -> Judge:
    def judge(each: dict[str, Any], features: str) -> str | None:
        systems = _systems(each, features)
        if name not in systems or "p" not in systems[name]:
            return None
        change = systems[name]["mean"] - systems["lexicalized"]["mean"]
        clear = systems[name]["p"] < 0.05
        word = "no clear difference" if not clear else "yes" if change > 0 else "no"
        return f"{word}: {change:+.2f}, p = {systems[name]['p']:.3f}"

    return judge


def _ratio(key: str) -> Judge:
    """Bayes (MAP where full inference was not run) against the lexicalized model."""

    def judge(each: dict[str, Any], features: str) -> str | None:
        systems = _systems(each, features)
        name = "bayes_full" if "bayes_full" in systems else "bayes"
        if name not in systems or not systems.get("lexicalized", {}).get(key):
            return None
        return f"{systems[name][key] / systems['lexicalized'][key]:.2f}×"

    return judge


_CLAIMS: dict[tuple[str, str], Judge] = {
    ("Bayes, MAP, has less error than the lexicalized model", "19.53 against 25.2 %"): _lower(
        "bayes", "lexicalized"
    ),
    ("Full inference has less error than MAP", "no: 20.13 against 19.53 %"): _lower(
        "bayes_full", "bayes"
    ),
    ("MaxEnt has less error than Bayes, MAP", "17.81 against 19.53 %"): _lower("primal", "bayes"),
    ("The dual, ε = 0.1, has more error than the primal", "no: 17.95 against 17.81 %"): _more(
        "dual_0.1", "primal"
    ),
    ("The dual, ε = 1.0, has more error than ε = 0.1", "21.13 against 17.95 %"): _more(
        "dual_1.0", "dual_0.1"
    ),
    ("The dual, ε = 0.1, is faster than the primal, 100 passes", "3.8×"): _faster,
    ("Fewer than 1 % of events are active, ε = 0.1", "after a couple of passes"): _inactive,
    ("Half of the features are as good as all (full inference)", "yes"): _half,
    ("Bayes, MAP, has a better BLEU than the lexicalized model", "+0.35, +0.50, p < 0.05"): _bleu(
        "bayes"
    ),
    ("MaxEnt, dual, has a better BLEU than the lexicalized model", "+0.50, +0.65, p < 0.05"): _bleu(
        "maxent"
    ),
    ("Both together have a better BLEU than the lexicalized model", "not tried"): _bleu("both"),
    ("Size of Bayes against the lexicalized model", "0.03×"): _ratio("bytes"),
    ("Decoding time with Bayes against the lexicalized model", "1.18×"): _ratio("milliseconds"),
}
