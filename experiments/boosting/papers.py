"""Figures of Toutanova & Ahn (2013), table 2, as printed.

BLEU-SBP of Dev-Train and Test, reranking 500-best lists of a phrase decoder.  Chinese to English: a
million training pairs, NIST sets with several references.  Finnish to English: 2.2 million pairs
of software manuals; the boosted models have 24 trees of two constant leaves, and 25 trees of two
linear leaves.
"""

from __future__ import annotations

from typing import NamedTuple


class PaperRow(NamedTuple):
    """A row of the table."""

    zh_dev: float
    zh_test: float
    fi_dev: float
    fi_test: float


TABLE = {
    "base_mert": PaperRow(31.3, 30.76, 49.8, 51.31),
    "base_pro": PaperRow(31.1, 31.16, 49.7, 51.56),
    "large_pro": PaperRow(31.8, 31.44, 49.8, 51.77),
    "boost_global": PaperRow(31.8, 31.30, 50.0, 51.87),
    "boost_local": PaperRow(31.8, 31.44, 50.1, 51.95),
}
