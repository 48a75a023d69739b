"""Metrics by name: `bleu`, `bleu:tokenize=none,lowercase=true`, `column:comet,higher=false`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from functools import partial
from typing import Any

from rosewood.errors import MetricError
from rosewood.metrics.bleu import Bleu, BleuSbp
from rosewood.metrics.chrf import Chrf
from rosewood.metrics.column import Column
from rosewood.metrics.edits import Cer, ExactMatch, Ter, Wer
from rosewood.metrics.metric import Metric

__all__ = ["METRICS", "parse_metric", "parse_metrics"]

METRICS: dict[str, Callable[..., Metric]] = {
    "bleu": Bleu,
    "bleu-sbp": BleuSbp,
    "chrf": Chrf,
    "chrf++": partial(Chrf, word_order=2),
    "ter": Ter,
    "wer": Wer,
    "cer": Cer,
    "exact": ExactMatch,
    "column": Column,
}

_YES = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def parse_metric(text: str) -> Metric:
    """The metric that a text asks for: `name`, or `name:key=value,key=value`.

    A setting without a key is the first one: `column:comet`.
    """
    if not isinstance(text, str):
        raise MetricError(f"a metric is {text!r}, want its name")
    name, _, rest = text.strip().partition(":")
    make = METRICS.get(name)
    if make is None:
        raise MetricError(f"there is no metric {name!r}; there are {', '.join(METRICS)}")
    kind: Any = getattr(make, "func", make)  # of a preset, what it presets
    known = {field.name: field for field in fields(kind)}
    settings: dict[str, Any] = {}
    for place, part in enumerate(rest.split(",") if rest else ()):
        key, equals, value = part.partition("=")
        key, value = key.strip(), value.strip()
        if not equals and place == 0:
            key, value = next(iter(known)), key
        if key not in known or not (equals or place == 0):
            raise MetricError(f"{text!r}: {name} has no setting {key!r}; it has {', '.join(known)}")
        if key in settings:
            raise MetricError(f"{text!r}: {key} is set twice")
        settings[key] = _value(text, known[key], value)
    missing = [key for key, field in known.items() if _is_missing(field) and key not in settings]
    if missing:
        raise MetricError(f"{text!r}: {name} needs its {missing[0]}: {name}:{missing[0].upper()}")
    return make(**settings)


def parse_metrics(text: str) -> list[Metric]:
    """Several metrics with commas between them: `bleu,chrf`, `bleu:tokenize=none,lowercase=1,ter`.

    A part like `lowercase=1` belongs to the metric before it.
    """
    if not isinstance(text, str):
        raise MetricError(f"metrics are {text!r}, want their names")
    asked: list[str] = []
    for part in text.split(","):
        key, equals, _ = part.partition("=")
        if asked and equals and ":" not in key:
            asked[-1] += f",{part}"
        else:
            asked.append(part)
    found = [parse_metric(each) for each in asked]
    for number, metric in enumerate(found):
        if any(metric.signature == other.signature for other in found[:number]):
            raise MetricError(f"{text!r}: {asked[number].strip()} is asked for twice")
    return found


def _is_missing(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _value(text: str, field: Field[Any], value: str) -> object:
    kind = str(field.type).removesuffix(" | None")
    try:
        if kind == "bool":
            return _YES[value.lower()]
        return {"int": int, "float": float, "str": str}[kind](value)
    except (KeyError, ValueError):
        want = {"bool": "true or false", "int": "a whole number", "float": "a number"}[kind]
        raise MetricError(f"{text!r}: {field.name} is {value!r}, want {want}") from None
