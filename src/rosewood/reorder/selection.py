"""Feature selection by mutual information (Alrajeh & Niranjan, WMT 2014, eq. 15 and 16).

    scores, mask = select_features(X, y, threshold=0.01)
    model.fit(examples.with_features(mask))

How much does the presence of a feature tell about the class?  Counts of presence are all that is
needed, so that examples can be streamed: `presence_counts` adds them up, `mutual_information` is
the score.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.arguments import check_flag, check_number, check_shape
from rosewood.arrays import FloatArray
from rosewood.errors import ReorderingError
from rosewood.reorder.classifier import Data, Target, labelled


class PresenceCounts(NamedTuple):
    """Examples with each feature (a row) by class (a column), and all examples by class."""

    feature: FloatArray
    label: FloatArray

    def __add__(self, other: object) -> PresenceCounts:
        """The counts of two parts of the data."""
        if not isinstance(other, PresenceCounts):
            return NotImplemented
        check_shape("counts", other.feature, self.feature.shape, error=ReorderingError)
        return PresenceCounts(self.feature + other.feature, self.label + other.label)


class SelectedFeatures(NamedTuple):
    """The score of each feature, and which are kept."""

    scores: FloatArray
    mask: NDArray[np.bool_]


def presence_counts(X: Data, y: Target = None, *, threads: int = 1) -> PresenceCounts:
    """How many examples of each class have each feature."""
    examples, label, _, classes = labelled(X, y)
    count = np.zeros((examples.num_features, classes))
    _core.count_features(examples.native, label, classes, True, count.reshape(-1), threads)
    return PresenceCounts(count, np.bincount(label, minlength=classes).astype(float))


def mutual_information(counts: PresenceCounts, *, normalised: bool = True) -> FloatArray:
    """Of a feature's presence and the class, in nats; or its share of the smaller entropy."""
    total = counts.label.sum()
    if not total > 0:
        raise ReorderingError("expected at least one example", code="argument.shape", argument="X")
    present, absent = counts.feature, counts.label - counts.feature
    if present.min(initial=0) < 0 or absent.min(initial=0) < 0:
        reason = "features are present in more examples than there are"
        raise ReorderingError(reason, code="argument.range", argument="counts")
    of_class = _terms(counts.label / total).sum()
    share = present.sum(axis=1) / total
    of_feature = _terms(share) + _terms(1.0 - share)
    joint = (_terms(present / total) + _terms(absent / total)).sum(axis=1)
    found: FloatArray = np.maximum(of_feature + of_class - joint, 0.0)
    if not normalised:
        return found
    least = np.minimum(of_feature, of_class)
    shares: FloatArray = np.divide(found, least, out=np.zeros_like(found), where=least > 0)
    return shares


def select_features(
    X: Data | PresenceCounts,
    y: Target = None,
    *,
    threshold: float = 0.01,
    normalised: bool = True,
    threads: int = 1,
) -> SelectedFeatures:
    """Features whose mutual information with the class is at least `threshold`.

    X may be counts that were added up from a stream.
    """
    check_number("threshold", threshold, low=0, error=ReorderingError)
    check_flag("normalised", normalised, error=ReorderingError)
    counts = X if isinstance(X, PresenceCounts) else presence_counts(X, y, threads=threads)
    scores = mutual_information(counts, normalised=normalised)
    return SelectedFeatures(scores, scores >= threshold)


def _terms(p: FloatArray) -> FloatArray:
    """−p log p; 0 for 0."""
    return -p * np.log(p, out=np.zeros_like(p), where=p > 0)
