"""Figures of Li & Eisner (2009), table 5, as printed.

IWSLT 2005, Chinese to English: 40,000 training pairs; a hierarchical decoder; five features, and
21,000 more in the large model.  BLEU of the development and the test set.
"""

from __future__ import annotations

from typing import NamedTuple


class PaperRow(NamedTuple):
    """A row of the table."""

    dev: float
    test: float


TABLE = {
    "mert": PaperRow(42.6, 47.7),
    "mr_lists": PaperRow(40.8, 47.7),
    "mr_da_lists": PaperRow(41.6, 47.8),
    "mr_forests": PaperRow(41.3, 48.4),
    "mr_da_forests": PaperRow(41.9, 48.3),
    "large": PaperRow(42.3, 48.7),
}
