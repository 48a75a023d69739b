"""What all classifiers of orientations share: data in, predictions out.

model = DualMaxEnt(sigma2=1.0).fit(X, y)         # a SciPy matrix and any labels
model = DualMaxEnt(sigma2=1.0).fit(examples)     # `Examples`, or fit(examples, "backward")
model.predict(X); model.predict_proba(X); model.score(X, y); model.error(X, y)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosewood import _core
from rosewood.arguments import check_shape
from rosewood.arrays import FloatArray
from rosewood.errors import ReorderingError
from rosewood.reorder.examples import MOST_CLASSES, Examples, SparseMatrix, as_label

Data = Examples | SparseMatrix | ArrayLike
Target = ArrayLike | str | None


def labelled(data: Data, y: Target) -> tuple[Examples, NDArray[np.uint8], NDArray[Any], int]:
    """Examples, their class numbers, the names of the classes, and how many there are."""
    if isinstance(data, Examples):
        if y is None or isinstance(y, str):
            label, classes = data.label(y), data.num_classes
        else:
            label = as_label(y, len(data))
            classes = max(data.num_classes, int(label.max(initial=0)) + 1)
        return _some(data), label, np.arange(classes), classes
    if y is None or isinstance(y, str):
        reason = "expected a label for each row of X"
        raise ReorderingError(reason, code="argument.type", argument="y", value=y)
    examples = Examples.of(data)
    given = np.asarray(y)
    check_shape("y", given, (len(examples),), error=ReorderingError)
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        raise ReorderingError("y has NaN or infinity", code="argument.value", argument="y")
    names, number = np.unique(given, return_inverse=True)
    if len(names) > MOST_CLASSES:
        reason = f"y has {len(names)} classes, expected at most {MOST_CLASSES}"
        raise ReorderingError(reason, code="argument.range", argument="y", value=len(names))
    return _some(examples), number.astype(np.uint8), names, max(2, len(names))


def _some(examples: Examples) -> Examples:
    if len(examples) == 0:
        raise ReorderingError("expected at least one example", code="argument.shape", argument="X")
    return examples


class Classifier(ABC):
    """Predictions of a model, whatever it learned."""

    classes_: NDArray[Any]
    num_features_: int

    @abstractmethod
    def fit(self, X: Data, y: Target = None) -> Self:
        """Learn from examples."""

    @abstractmethod
    def _log_probabilities(self, examples: Examples) -> FloatArray:
        """A row for each example, a column for each class."""

    def predict_log_proba(self, X: Data) -> FloatArray:
        """Log probabilities: a row for each example, a column for each class."""
        if not hasattr(self, "classes_"):
            reason = f"{type(self).__name__} must be fitted first"
            raise ReorderingError(reason, code="reordering.not-fitted")
        examples = X if isinstance(X, Examples) else Examples.of(X)
        if examples.num_features != self.num_features_:
            reason = f"X has {examples.num_features} features, expected {self.num_features_}"
            raise ReorderingError(
                reason, code="argument.shape", argument="X", value=examples.num_features,
                expected=self.num_features_,
            )  # fmt: skip
        found = self._log_probabilities(examples)
        if len(self.classes_) < found.shape[1]:  # only one class was ever seen
            return np.zeros((len(examples), len(self.classes_)))
        return found

    def predict_proba(self, X: Data) -> FloatArray:
        """Probabilities: a row for each example, a column for each class."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Data) -> NDArray[Any]:
        """The most probable class of each example; the first one of equal ones."""
        best = self.predict_log_proba(X).argmax(axis=1)
        named: NDArray[Any] = self.classes_[best]
        return named

    def score(self, X: Data, y: Target = None) -> float:
        """The share of examples whose class is predicted."""
        if isinstance(X, Examples) and (y is None or isinstance(y, str)):
            y = X.label(y)
        found = self.predict(X)
        given = np.asarray(y)
        check_shape("y", given, found.shape, error=ReorderingError)
        return float((found == given).mean())

    def error(self, X: Data, y: Target = None) -> float:
        """The share of examples whose class is not predicted."""
        return 1.0 - self.score(X, y)


class LinearClassifier(Classifier):
    """Class probabilities are proportional to exp(w_k · φ)."""

    coef_: FloatArray  # a row for each class, a column for each feature
    objective_: float  # |w|² / 2σ² plus the log loss of all examples
    threads: int = 1

    def _log_probabilities(self, examples: Examples) -> FloatArray:
        classes = max(2, len(self.classes_))
        out = np.empty((len(examples), classes))
        _core.linear_log_probabilities(
            examples.native, rows_of(self.coef_, classes), classes, out, self.threads
        )
        return out


def rows_of(coef: FloatArray, classes: int) -> FloatArray:
    """Weights as kernels take them: a padded row for each feature."""
    rows = np.zeros((coef.shape[1], _core.row_width(classes)))
    rows[:, : len(coef)] = coef.T
    return rows.reshape(-1)


def coef_of(rows: FloatArray, classes: int) -> FloatArray:
    """A row for each class of weights as kernels have them."""
    width = _core.row_width(classes)
    return np.ascontiguousarray(rows.reshape(-1, width)[:, :classes].T)
