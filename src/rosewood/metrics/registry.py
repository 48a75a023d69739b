"""All metrics by name: files of `kinds/`, and entry points of other packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosewood.errors import MetricError
from rosewood.registry import Registry

if TYPE_CHECKING:
    from rosewood.metrics.metric import Metric

METRICS: Registry[type[Metric]] = Registry(
    "rosewood.metrics.kinds",
    "rosewood.metrics",
    "metric",
    MetricError,
    subclass_of="rosewood.metrics.metric:Metric",
)
PRESETS = {"chrf++": ("chrf", {"word_order": "2"})}


def all_metric_names() -> tuple[str, ...]:
    """All names that `parse_metric` takes.  Nothing is imported."""
    return (*METRICS.names(), *PRESETS)


def metric_names() -> str:
    """All names that `parse_metric` takes, for help.  Nothing is imported."""
    return ", ".join(all_metric_names())
