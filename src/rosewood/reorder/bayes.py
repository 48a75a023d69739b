"""Naive Bayes over features that are counted (Alrajeh & Niranjan, WMT 2014).

    model = MultinomialBayes(alpha=2.0).fit(X, y)
    model = MultinomialBayes(num_features=670_154, classes=3)
    for block in blocks: model.partial_fit(block)          # memory does not grow with examples

Counts n_km of features by class are all that is learned, in one pass.

map    q_km = (α − 1 + n_km) / (M(α − 1) + n_k), eq. 10; α is above 1
full   the Dirichlet-multinomial predictive probability, eq. 11: a product of ratios of Gamma
       functions, computed as sums of logarithms, of which tables have all but those of repeats
Both with the prior N_k / N: a class that was never seen has probability 0.
Native       core/reorder/counts.hpp; specification: tests/reference/classifiers.py
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.arguments import check_number
from rosewood.arrays import FloatArray
from rosewood.errors import ReorderingError
from rosewood.reorder.classifier import Classifier, Data, Target, labelled
from rosewood.reorder.dual import DualSettings
from rosewood.reorder.examples import Examples
from rosewood.settings import Settings, setting, setting_of


@dataclass(frozen=True, kw_only=True)
class BayesSettings(Settings):
    """Settings of `MultinomialBayes`."""

    error = ReorderingError

    alpha: float = setting(
        2.0, "Parameter α of the Dirichlet prior; above 1 for map.", low=1e-12, high=1e12
    )
    inference: Literal["map", "full"] = setting(
        "map", "Point estimate (map) or Dirichlet-multinomial (full)."
    )
    threads: int = setting_of(DualSettings, "threads")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.inference == "map":
            check_number("alpha", float(self.alpha), low=1.0 + 1e-12, error=ReorderingError)


class MultinomialBayes(Classifier):
    """Naive Bayes with a Dirichlet prior.

    After `fit`: `feature_count_` (a row for each feature, a column for each class) and
    `class_count_`.
    """

    def __init__(self, **settings: Any) -> None:
        self.settings = BayesSettings(**settings)
        self.threads = self.settings.threads or 1
        self._tables: tuple[FloatArray, FloatArray, FloatArray] | None = None

    def fit(self, X: Data, y: Target = None) -> Self:
        """Learn from examples, and forget others."""
        examples, label, names, classes = labelled(X, y)
        self._begin(names, classes, examples.num_features)
        self._add(examples, label)
        return self

    def partial_fit(self, X: Data, y: Target = None, *, classes: Any = None) -> Self:
        """Learn from more examples; `classes` are all labels, if the first ones do not have all."""
        if hasattr(self, "classes_"):
            if not isinstance(X, Examples):
                X, y = Examples.of(X, num_classes=self._classes), self._numbers(y)
        elif classes is not None and not isinstance(X, Examples):
            names = np.unique(np.asarray(classes))
            X = Examples.of(X)
            self._begin(names, max(2, len(names)), X.num_features)
            y = self._numbers(y)
        examples, label, names, found = labelled(X, y)
        if not hasattr(self, "classes_"):
            self._begin(names, found, examples.num_features)
        if examples.num_features != self.num_features_ or found > self._classes:
            reason = (
                f"X has {examples.num_features} features and {found} classes, expected "
                f"{self.num_features_} and {self._classes}"
            )
            raise ReorderingError(reason, code="argument.shape", argument="X")
        self._add(examples, label)
        return self

    def _numbers(self, y: Target) -> NDArray[np.int64]:
        given = np.asarray(y)
        number = np.searchsorted(self.classes_, given)
        known = number < len(self.classes_)
        known[known] = self.classes_[number[known]] == given[known]
        if not known.all():
            reason = f"y has labels that are not among the {len(self.classes_)} classes"
            raise ReorderingError(reason, code="argument.unknown", argument="y")
        return number

    def _begin(self, names: NDArray[Any], classes: int, features: int) -> None:
        self.classes_, self.num_features_, self._classes = names, features, classes
        self.feature_count_: FloatArray = np.zeros((features, classes))
        self.class_count_: FloatArray = np.zeros(classes)

    def _add(self, examples: Examples, label: NDArray[np.uint8]) -> None:
        if examples.count is not None and examples.count.min(initial=0) < 0:
            reason = "X has counts below 0"
            raise ReorderingError(reason, code="argument.range", argument="X")
        _core.count_features(
            examples.native, label, self._classes, False, self.feature_count_.reshape(-1),
            self.threads,
        )  # fmt: skip
        self.class_count_ += np.bincount(label, minlength=self._classes)
        self._tables = None

    def _log_probabilities(self, examples: Examples) -> FloatArray:
        if examples.count is not None and examples.count.min(initial=0) < 0:
            reason = "X has counts below 0"
            raise ReorderingError(reason, code="argument.range", argument="X")
        if self._tables is None:
            self._tables = self._find_tables()
        weight, prior, totals = self._tables
        is_full = self.settings.inference == "full"
        counts = self.feature_count_.reshape(-1) if is_full else np.zeros(0)
        out = np.empty((len(examples), self._classes))
        _core.bayes_log_probabilities(
            examples.native, weight, prior, counts, totals, self.settings.alpha, out, self.threads
        )
        return out

    def _find_tables(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Log weights of features, log priors, and sums of α + n_km by class."""
        alpha = self.settings.alpha
        with np.errstate(divide="ignore"):
            prior = np.log(self.class_count_ / self.class_count_.sum())
        rows = np.zeros((self.num_features_, _core.row_width(self._classes)))
        inside = rows[:, : self._classes]
        if self.settings.inference == "full":
            np.log(alpha + self.feature_count_, out=inside)
        elif self.num_features_:
            added = alpha - 1.0
            sums = added * self.num_features_ + self.feature_count_.sum(axis=0)
            np.log((added + self.feature_count_) / sums, out=inside)
        return rows.reshape(-1), prior, self.totals_

    @property
    def totals_(self) -> FloatArray:
        """Σ α + n_km over features, by class."""
        totals: FloatArray = self.settings.alpha * self.num_features_ + self.feature_count_.sum(
            axis=0
        )
        return totals

    @property
    def coef_(self) -> FloatArray:
        """log q of the point estimate, or log(α + n): a row for each class."""
        if self._tables is None:
            self._tables = self._find_tables()
        rows = self._tables[0].reshape(self.num_features_, -1)
        return np.ascontiguousarray(rows[:, : self._classes].T)
