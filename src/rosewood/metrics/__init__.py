"""Metrics: additive statistics, scores with signatures, bounds, losses, significance."""

from rosewood.metrics.bleu import Bleu, BleuSbp
from rosewood.metrics.bounds import Bounds, bounds, oracle
from rosewood.metrics.chrf import Chrf
from rosewood.metrics.column import Column
from rosewood.metrics.edits import Cer, ExactMatch, Ter, Wer
from rosewood.metrics.evaluate import (
    Score,
    compare,
    corpus_statistics,
    evaluate,
    references_by_sentence,
)
from rosewood.metrics.linear import LinearBleu
from rosewood.metrics.metric import Metric
from rosewood.metrics.parse import METRICS, parse_metric, parse_metrics
from rosewood.metrics.pseudo import PseudoCorpus
from rosewood.metrics.significance import Comparison, paired_bootstrap, paired_randomisation

__all__ = [
    "METRICS",
    "Bleu",
    "BleuSbp",
    "Bounds",
    "Cer",
    "Chrf",
    "Column",
    "Comparison",
    "ExactMatch",
    "LinearBleu",
    "Metric",
    "PseudoCorpus",
    "Score",
    "Ter",
    "Wer",
    "bounds",
    "compare",
    "corpus_statistics",
    "evaluate",
    "oracle",
    "paired_bootstrap",
    "paired_randomisation",
    "parse_metric",
    "parse_metrics",
    "references_by_sentence",
]
