"""What a learner is: settings, and a `fit` from a tuning set and starting weights to weights.

    Mert(restarts=20).fit(tuning, start, seed=1).theta

Every learner is a frozen dataclass of settings, in a file of its own in `learners/`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosewood.arguments import check_choice, check_number
from rosewood.arrays import FloatArray, as_weight
from rosewood.errors import TuningError
from rosewood.forest import BoostedTrees, FeatureSpace
from rosewood.learn.candidates import Candidates, spread
from rosewood.learn.tuning_set import TuningSet
from rosewood.metrics.metric import Metric
from rosewood.settings import Settings
from rosewood.shared_types import Report

Normalization = Literal["l1", "l2", "none"]

EXPLODED = 1e12
# Forests whose best strings tell how much features vary, and n-gram precisions.  Of so many (some
# hundred thousand strings) both have an error below a percent, and more would take long to list.
SAMPLE = 2_000


@dataclass(frozen=True)
class Fit:
    """What a learner found."""

    theta: FloatArray
    score: float  # of the metric, on the tuning set
    history: list[dict[str, Any]]  # a row a round
    units: FloatArray | None = None  # 1 / how much each feature varies, where that was measured
    notes: tuple[str, ...] = ()  # what the user should know
    trees: BoostedTrees | None = None  # what adds to θ, where the learner makes trees
    facts: dict[str, Any] = field(default_factory=dict)  # for the history of a tuning loop

    def __post_init__(self) -> None:
        # A plain list: copies of dataclasses (asdict) make lists of the same type again.
        object.__setattr__(self, "history", list(self.history))


class Rounds(list[dict[str, Any]]):
    """The rows of a fit's history; `report` hears of each."""

    def __init__(self, report: Report | None) -> None:
        super().__init__()
        self._report = report

    def add(self, score: float, **facts: Any) -> None:
        """A round is over: the metric on the tuning set, and whatever the learner has to tell."""
        plain = {n: v.item() if isinstance(v, np.generic) else v for n, v in facts.items()}
        row = {"round": len(self) + 1, "score": float(score), **plain}
        self.append(row)
        if self._report is not None:
            self._report(row)


class Begun(NamedTuple):
    """Where a fit begins."""

    theta: FloatArray
    candidates: Candidates
    units: FloatArray  # what a weight is worth: 1 / how much its feature varies within lists
    varies: NDArray[np.bool_]  # features that any weight can make a difference to


# Indicators are many, and lists say little of each: with units as other features have, weights that
# fit them lose more on other text than they gain (decision 0019).
_INDICATOR_UNITS = 0.005


def with_indicators(varies: FloatArray, features: FeatureSpace) -> FloatArray:
    """How much features vary, dense ones first, and indicators so much that weights stay small."""
    found = varies.copy()
    found[: len(features.dense)][features.indicators] /= _INDICATOR_UNITS
    return found


def begin(
    tuning: TuningSet,
    start: ArrayLike,
    k: int,
    *,
    takes_unlabelled: bool = False,
    is_sample: bool = False,
) -> Begun:
    """The starting weights, the candidates under them (k of a forest), and units for weights.

    Unlabelled forests are refused unless they are taken.  A sample has candidates of some of very
    many forests, which is enough where things are only measured on them.
    """
    return begin_with_spread(
        tuning, start, k, takes_unlabelled=takes_unlabelled, is_sample=is_sample
    )[0]


def begin_with_spread(
    tuning: TuningSet,
    start: ArrayLike,
    k: int,
    *,
    takes_unlabelled: bool = False,
    is_sample: bool = False,
) -> tuple[Begun, FloatArray]:
    """The same, and how much each feature varies within lists, as learners are to see it."""
    if tuning.unlabelled is not None and not takes_unlabelled:
        raise no_unlabelled("this learner")
    theta = as_weight("start", start, len(tuning.features))
    if (bad := _first_not_finite(theta)) is not None:
        check_number(tuning.features.name(bad), float(theta[bad]), error=TuningError)
    candidates = tuning.candidates(theta, k, SAMPLE if is_sample else None)
    with np.errstate(over="ignore", invalid="ignore"):
        varies = spread(candidates)
    if len(candidates) < len(tuning):
        varies = _with_rare(varies, len(tuning.features.dense))
    if (bad := _first_not_finite(varies)) is not None:
        name = tuning.features.name(bad)
        reason = f"the values of feature {name!r} are too large to be compared"
        raise TuningError(reason, code="tuning.not-finite", argument=name)
    if not varies.any():
        reason = "no feature varies within any list: weights make no difference"
        raise TuningError(reason, code="tuning.no-variation")
    varies = with_indicators(varies, tuning.features)
    units = 1.0 / np.where(varies > 0, varies, 1.0)
    if not tuning.is_flat:  # what does not vary among the k best may vary elsewhere
        return Begun(theta, candidates, units, np.ones(len(theta), dtype=np.bool_)), varies
    # A weight without effect here would have one elsewhere, for no reason.
    return Begun(np.where(varies > 0, theta, 0.0), candidates, units, varies > 0), varies


def _with_rare(varies: FloatArray, dense: int) -> FloatArray:
    """How much features vary; sparse ones that a sample does not have, as its rarest ones."""
    sparse = varies[dense:]
    found = sparse[sparse > 0]
    if not found.size:
        return varies
    return np.concatenate([varies[:dense], np.where(sparse > 0, sparse, found.min())])


@dataclass(frozen=True)
class Learner(Settings, ABC):
    """Finds weights that make the best derivations of a tuning set good."""

    error = TuningError
    uses_training: ClassVar[bool] = False  # it learns from training data, too
    makes_trees: ClassVar[bool] = False  # its weights alone are not what it has learnt
    takes_forests: ClassVar[bool] = False  # it reads whole forests, not their best strings alone
    takes_unlabelled: ClassVar[bool] = False  # it learns from forests without references, too

    def check_forests(self, metric: Metric) -> None:
        """Refuse a metric for which whole forests cannot be learnt from: before any work."""

    def training(self, lists: Any, **options: Any) -> Any:
        """What a tuning loop asks in each round, made from lists of training sentences."""
        raise no_training(type(self).__name__)

    def with_training(self, training: Any, *, seed: int = 0) -> Any:
        """This learner with what it learns from a `TrainingSet`; it has `fit`."""
        raise no_training(type(self).__name__)

    @abstractmethod
    def fit(
        self, tuning: TuningSet, start: ArrayLike, *, seed: int = 0, report: Report | None = None
    ) -> Fit:
        """Weights for the features of `tuning`; `report` hears of each round.

        `start` is where a search begins that can end in different places; all of it may be zero,
        which the result must not be.  Maximise `tuning.gain`: some metrics are better when lower.
        """


def no_training(name: str) -> TuningError:
    """The error of a learner that does not learn from training data."""
    reason = f"{name} learns from one set of candidates: leave out the second one, or use oscar"
    return TuningError(reason, code="argument.conflict", argument="training", value=name)


def no_unlabelled(name: str) -> TuningError:
    """The error of a learner that needs references of all sentences."""
    from rosewood.learn.registry import LEARNERS

    known = ", ".join(each for each, kind in LEARNERS.working() if kind.takes_unlabelled)
    reason = f"{name} takes no sentences without references: leave them out, or use {known}"
    return TuningError(reason, code="argument.conflict", argument="unlabelled", value=name)


def check_weights(
    theta: FloatArray,
    names: Sequence[str] | FeatureSpace | None = None,
    units: FloatArray | None = None,
) -> None:
    """Refuse weights that are not finite, all zero or exploded; `names` are used in the error.

    With `units`, as a `Fit` has them, a weight is large that makes scores large: a feature of tiny
    values may well have a huge weight.
    """
    if (bad := _first_not_finite(theta)) is not None:
        reason = (
            f"the weight of feature {_name(names, bad)!r} is {theta[bad]}: the learner diverged; "
            "a smaller step or a stronger penalty may help"
        )
        raise TuningError(reason, code="tuning.diverged", argument=_name(names, bad))
    if not theta.any():
        raise TuningError(
            "all weights are zero: no candidate is preferred to any other; "
            "do the features vary within lists, and does the metric?",
            code="tuning.zero-weights",
        )
    size = np.abs(theta if units is None else theta / units)
    if size.max() > EXPLODED:
        place = int(size.argmax())
        reason = f"the weight of feature {_name(names, place)!r} has grown to {theta[place]:.3g}"
        raise TuningError(reason, code="tuning.exploded", argument=_name(names, place))


def _first_not_finite(values: FloatArray) -> int | None:
    places = np.flatnonzero(~np.isfinite(values))
    return int(places[0]) if places.size else None


def _name(names: Sequence[str] | FeatureSpace | None, place: int) -> str:
    if isinstance(names, FeatureSpace):
        return names.name(int(place))
    return names[place] if names else str(place)


def normalize(theta: FloatArray, how: Normalization, *, dense: int | None = None) -> FloatArray:
    """θ with Σ|θ| = 1 (l1), ‖θ‖ = 1 (l2), or as it is; the ranking stays the same.

    With `dense`, only the first so many weights count, unless all of them are zero: the number of
    sparse features, which changes from round to round, does not then change the other weights.
    """
    check_choice("normalization", how, get_args(Normalization), error=TuningError)
    if how == "none":
        return theta
    part = theta if dense is None or not theta[:dense].any() else theta[:dense]
    size = float(np.abs(part).sum()) if how == "l1" else float(np.sqrt((part**2).sum()))
    return theta / size if size > 0 else theta
