"""Metrics: additive statistics, scores with signatures, significance."""

from rosewood.metrics.bleu import Bleu, BleuSbp
from rosewood.metrics.column import Column
from rosewood.metrics.metric import Metric
from rosewood.metrics.parse import METRICS, parse_metric

__all__ = ["METRICS", "Bleu", "BleuSbp", "Column", "Metric", "parse_metric"]
