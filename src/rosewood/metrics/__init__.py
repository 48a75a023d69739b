"""Metrics: additive statistics, scores with signatures, bounds, losses, significance."""

from typing import TYPE_CHECKING

from rosewood.lazy_names import lazy_names

if TYPE_CHECKING:
    from rosewood.metrics.evaluation import (
        Score,
        compare,
        corpus_statistics,
        evaluate,
        references_by_sentence,
    )
    from rosewood.metrics.kinds.bleu import Bleu
    from rosewood.metrics.kinds.bleu_sbp import BleuSbp
    from rosewood.metrics.kinds.cer import Cer
    from rosewood.metrics.kinds.chrf import Chrf
    from rosewood.metrics.kinds.column import Column
    from rosewood.metrics.kinds.exact import ExactMatch
    from rosewood.metrics.kinds.ter import Ter
    from rosewood.metrics.kinds.wer import Wer
    from rosewood.metrics.linear import LengthLoss, LinearLoss
    from rosewood.metrics.linear_bleu import LinearBleu
    from rosewood.metrics.linear_chrf import LinearChrf
    from rosewood.metrics.metric import Metric
    from rosewood.metrics.oracles import Bounds, bounds, oracle
    from rosewood.metrics.parse import parse_metric, parse_metrics
    from rosewood.metrics.pseudo import PseudoCorpus
    from rosewood.metrics.registry import METRICS
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
    "LengthLoss",
    "LinearBleu",
    "LinearChrf",
    "LinearLoss",
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

__getattr__, __dir__ = lazy_names(__name__)
