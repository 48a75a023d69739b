"""Metrics by name: `bleu`, `bleu:tokenize=none,lowercase=true`, `column:comet,higher=false`."""

from __future__ import annotations

from dataclasses import MISSING

from rosewood.arguments import check_known, check_text
from rosewood.errors import MetricError
from rosewood.metrics.metric import Metric
from rosewood.metrics.registry import METRICS, PRESETS, all_metric_names
from rosewood.settings import settings_of


def parse_metric(text: str) -> Metric:
    """The metric that a text asks for: `name`, or `name:key=value,key=value`.

    A setting without a key is the first one: `column:comet`.
    """
    name, _, rest = check_text("metric", text, error=MetricError).strip().partition(":")
    check_known("metric", [name], all_metric_names(), error=MetricError)
    name, preset = PRESETS.get(name, (name, {}))
    kind = METRICS[name]
    try:
        values = {**preset, **_values(kind, rest)}
        for each in settings_of(kind):
            if each.default is MISSING and not values.get(each.name):
                reason = f"{each.name} is missing: {name}:{each.name.upper()}"
                raise MetricError(reason, code="argument.missing", argument=each.name)
        return kind.from_values(values)
    except MetricError as error:
        raise error.restated(f"metric {text!r}: {error}") from error


def _values(kind: type[Metric], text: str) -> dict[str, str]:
    """Settings as they are typed, by name."""
    values: dict[str, str] = {}
    for place, part in enumerate(text.split(",") if text else ()):
        key, equals, value = (each.strip() for each in part.partition("="))
        if not equals and place == 0:
            key, value = settings_of(kind)[0].name, key
        elif not equals:
            reason = f"setting {key!r} has no value, expected {key}=VALUE"
            raise MetricError(reason, code="argument.unknown", argument="setting", value=key)
        if key in values:
            reason = f"{key} is set twice"
            raise MetricError(reason, code="argument.duplicate", argument=key)
        values[key] = value
    return values


def parse_metrics(text: str) -> list[Metric]:
    """Several metrics with commas between them: `bleu,chrf`, `bleu:tokenize=none,lowercase=1,ter`.

    A part like `lowercase=1` belongs to the metric before it.
    """
    asked: list[str] = []
    for part in check_text("metrics", text, error=MetricError).split(","):
        key, equals, _ = part.partition("=")
        if asked and equals and ":" not in key:
            asked[-1] += f",{part}"
        else:
            asked.append(part)
    found = [parse_metric(each) for each in asked]
    for number, metric in enumerate(found):
        if any(metric.signature == other.signature for other in found[:number]):
            reason = f"metrics {text!r}: {asked[number].strip()} is given twice"
            raise MetricError(reason, code="argument.duplicate", argument="metrics")
    return found
