"""Metrics: additive statistics, scores with signatures, significance."""

from rosewood.metrics.bleu import Bleu, BleuSbp
from rosewood.metrics.chrf import Chrf
from rosewood.metrics.column import Column
from rosewood.metrics.edits import Cer, ExactMatch, Ter, Wer
from rosewood.metrics.metric import Metric
from rosewood.metrics.parse import METRICS, parse_metric

__all__ = [
    "METRICS",
    "Bleu",
    "BleuSbp",
    "Cer",
    "Chrf",
    "Column",
    "ExactMatch",
    "Metric",
    "Ter",
    "Wer",
    "parse_metric",
]
