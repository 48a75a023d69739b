"""All metrics by name: files of `kinds/`, and entry points of other packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosewood.errors import MetricError
from rosewood.registry import Registry

if TYPE_CHECKING:
    from rosewood.metrics.metric import Metric

__all__ = ["METRICS"]

METRICS: Registry[type[Metric]] = Registry(
    "rosewood.metrics.kinds", "rosewood.metrics", "metric", MetricError
)
