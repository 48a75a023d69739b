"""Figures of Liu, Zhao, Watanabe & Sumita (2013), table 1, as printed.

IWSLT 2008, Chinese to English: 30,000 training pairs, test sets of 2003, 2004 and 2008 with 16
references; a hierarchical decoder; 500,000 rule features.  BLEU of devtest and test, minutes of
tuning, active features and those of them in 1000-best lists of the test set.
"""

from __future__ import annotations

from typing import NamedTuple


class PaperRow(NamedTuple):
    """A row of the table."""

    devtest: float
    test: float
    active: int
    reused: int
    minutes: int


TABLE = {
    "mert": PaperRow(45.7, 40.6, 8, 8, 15),
    "pro_dev": PaperRow(46.3, 41.1, 8, 8, 34),
    "pro_train": PaperRow(42.8, 36.8, 8, 8, 834),
    "pro_dev_id": PaperRow(45.5, 40.2, 11081, 4534, 47),
    "l1_train_id": PaperRow(42.7, 36.9, 584, 71, 975),
    "l1_dev_id": PaperRow(46.2, 41.0, 443, 248, 39),
    "oscar": PaperRow(46.9, 41.8, 503, 425, 1256),
}
