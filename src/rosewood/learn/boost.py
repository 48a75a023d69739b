"""Gradient boosting of trees over features (Toutanova & Ahn 2013, after Friedman 2000).

    theta = make_learner("pro").fit(tuning, start).theta
    found = boost_trees(tuning, theta, BoostSettings(leaves=2), select=dev_select)
    found.trees.save("trees.json")

F(h) = θ·Φ(h) + Σ ρ·h(x) over the rows x of a hypothesis.  In each round a tree is fitted to minus
the derivative of the loss by the score of each row, and ρ is the best step along it.  The loss is
that of sampled pairs, or the exact risk of whole forests; which round is the last one is decided on
another set, where there is one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import combinations_with_replacement
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.arrays import FloatArray, as_weight, rounded
from rosewood.errors import TuningError
from rosewood.forest.trees import MOST_LEAVES, BoostedTrees, Split, Tree
from rosewood.journal import Journal, fingerprint
from rosewood.learn.blas import one_thread
from rosewood.learn.boost_losses import BoostLoss, PairLoss, RiskLoss, Targets
from rosewood.learn.boost_rows import BoostRows, Hypotheses, all_edges, listed_rows
from rosewood.learn.learner import SAMPLE, Rounds
from rosewood.learn.losses import edge_losses
from rosewood.learn.pairs import gain_unit, ranking_gains, sample_hypothesis_pairs
from rosewood.learn.tuning_set import TuningSet
from rosewood.settings import Settings, setting
from rosewood.shared_types import Report

_NONE: FloatArray = np.empty(0)
_BITS = 24  # of numbers that are kept: those of all processors are the same
_ALIKE = 1e-10  # trees that explain no more than that are equal
_ROWS_SHOWN = 2000  # rows whose mean score shows the partial dependence


@dataclass(frozen=True)
class BoostSettings(Settings):
    """How trees are learnt."""

    error = TuningError

    rounds: int = setting(50, "Trees at most.", low=1)
    leaves: int = setting(2, "Leaves of a tree at most.", low=2, high=MOST_LEAVES)
    leaf: Literal["constant", "linear", "product"] = setting(
        "constant",
        "What leaves are: a number, a number times one column, or no tree but a product.",
    )
    degree: int = setting(2, "Columns of a product at most.", low=2, high=4)
    loss: Literal["pairs", "risk"] = setting(
        "pairs", "Loss: pairs of hypotheses, or the risk of forests."
    )
    l2: float = setting(1.0, "L2 penalty of each step, along values of root mean square 1.", low=0)
    shrinkage: float = setting(
        0.3, "Factor of each step; less takes more trees, and overfits less.", low=1e-6, high=1
    )
    min_weight: float = setting(20.0, "Minimum instances of a leaf.", low=0)
    min_share: float = setting(
        0.01, "Minimum share of a leaf in all instances: conditions that are rare are not learnt.",
        low=0, high=0.5,
    )  # fmt: skip
    patience: int = setting(10, "Rounds without a better score before it stops.", low=1)
    samples: int = setting(10_000, "Pairs sampled from each list.", low=1)
    keep: int = setting(100, "Pairs kept of each list.", low=1)
    threshold: float = setting(0.04, "Minimum difference in the metric (of 1).", low=0)
    smoothing: float = setting(1.0, "Added to the n-gram counts of sentence BLEU.", low=0)
    brevity: float = setting(
        1.0, "Added to the reference length in sentence BLEU; 0 makes translations short.", low=0
    )
    k: int = setting(500, "Strings of a forest from which pairs are sampled.", low=2)
    scale: float = setting(
        1.0, "Scale γ of the distribution, after that of the weights is chosen (risk).", low=1e-9
    )
    forest_edges: int = setting(
        4000, "Maximum edges of a forest; the best ones stay (risk).", low=1
    )
    max_edges: int = setting(
        10_000_000, "Maximum edges of a forest refined to n-gram states (risk).", low=1
    )


@dataclass(frozen=True)
class Boosted:
    """Weights, and the trees that add to them."""

    theta: FloatArray
    trees: BoostedTrees
    score: float  # of the metric, on what was tuned on
    selected: float | None  # on the set that chose the last round
    history: list[dict[str, Any]]


def boost_trees(
    tuning: TuningSet,
    theta: ArrayLike,
    settings: BoostSettings | None = None,
    *,
    select: TuningSet | None = None,
    lists: ArrayLike | None = None,
    seed: int = 0,
    journal: Journal | None = None,
    report: Report | None = None,
) -> Boosted:
    """Trees over the dense features of `tuning` that make its loss smaller than θ alone.

    With `select`, the trees are those up to the round with the best metric there.  `lists` are
    weights that choose the k best strings of each forest, those of the decoder that made it for
    instance; they are θ otherwise.  `journal` lets a run that was killed go on.
    """
    chosen = settings or BoostSettings()
    weights = as_weight("theta", theta, len(tuning.features))
    order = None if lists is None else as_weight("lists", lists, len(tuning.features))
    work = _Work(tuning, weights, chosen, order, seed)
    other = None if select is None else _Chooser.of(select, weights, chosen, order)
    record = Journal() if journal is None else journal
    by = (weights if order is None else order).tobytes()
    identity = fingerprint(tuning.identity(), asdict(chosen), weights.tobytes(), by, seed)
    history = Rounds(report)
    sign = tuning.metric.sign
    # Weights are as good at any length, but the loss is not: that of the least loss is taken.
    length = work.length()
    score = length * work.rows.base
    trees: list[Tree] = []
    before = work.value(score)
    first = None if other is None else other.metric(other.rows.base)
    best, best_round = (-np.inf if first is None else sign * first), 0
    added = None if other is None else length * other.rows.base
    for number in range(1, chosen.rounds + 1):
        key = fingerprint(identity, number)
        told = record.done(key, partial(work.next_tree, score))
        if told is None:  # nothing makes the loss smaller
            break
        tree = Tree.from_dict(told)
        trees.append(tree)
        score = score + tree.scale * work.values(tree)
        facts: dict[str, Any] = {"loss": work.value(score), "leaves": len(tree.values)}
        if other is not None and added is not None:
            added = added + tree.scale * other.values(tree)
            facts["selected"] = other.metric(added)
            if sign * facts["selected"] > best:
                best, best_round = sign * facts["selected"], number
        history.add(work.metric(score), **facts)
        if other is not None and number - best_round >= chosen.patience:
            break
    if other is None:
        best_round = len(trees)
    made = BoostedTrees(work.rows.columns, tuple(trees[:best_round])).scaled(1.0 / length)
    made = made.with_dependence(work.rows.sample(_ROWS_SHOWN))
    final = history[best_round - 1]["score"] if best_round else work.metric(work.rows.base)
    history.insert(0, {"round": 0, "score": work.metric(work.rows.base), "loss": before}
                   | ({} if first is None else {"selected": first}))  # fmt: skip
    selected = None if other is None else sign * best
    return Boosted(weights, made, final, selected, list(history))


class _Chooser:
    """Rows of a set, and the metric of what is best under their scores."""

    def __init__(self, tuning: TuningSet, rows: BoostRows, hypotheses: Hypotheses | None) -> None:
        self.tuning, self.rows, self.hypotheses = tuning, rows, hypotheses

    @classmethod
    def of(
        cls,
        tuning: TuningSet,
        theta: FloatArray,
        settings: BoostSettings,
        lists: FloatArray | None,
    ) -> _Chooser:
        if settings.loss == "risk" and not tuning.is_flat:
            return cls(tuning, all_edges(tuning, theta), None)
        return cls(tuning, *listed_rows(tuning, theta, settings.k, lists))

    def metric(self, score: FloatArray) -> float:
        """The metric, if the best hypothesis of each list is chosen (or derivation of a forest)."""
        metric = self.tuning.metric
        if self.hypotheses is not None:
            return metric.score(self.hypotheses.statistics[self.hypotheses.best(score)])
        rows: list[FloatArray] = []
        start = self.tuning.edge_start
        for i, forest in enumerate(self.tuning.each()):
            text = forest.best(score[start[i] : start[i + 1]]).text
            rows.append(self.tuning.statistics_of_texts(i, [text]))
        return metric.score(np.concatenate(rows))

    def values(self, tree: Tree) -> FloatArray:
        """h(x) of each row."""
        names = self.rows.columns
        column_of = {name: self.rows.column(names.index(name)) for name in tree.columns}
        return tree.value(column_of, len(self.rows))


class _Work(_Chooser):
    """What is tuned on: rows in bins, and the loss."""

    def __init__(
        self,
        tuning: TuningSet,
        theta: FloatArray,
        settings: BoostSettings,
        lists: FloatArray | None,
        seed: int,
    ) -> None:
        made = _Chooser.of(tuning, theta, settings, lists)
        super().__init__(tuning, made.rows, made.hypotheses)
        self._settings, self._threads = settings, tuning.threads
        self.loss = self._loss(theta, seed)
        self._bins = self.rows.native_bins(self._threads)
        self._known: dict[tuple[str, ...], _core.BinSums] = {}  # by the factors of leaves

    def _loss(self, theta: FloatArray, seed: int) -> BoostLoss:
        settings, tuning = self._settings, self.tuning
        if settings.loss == "risk":
            candidates = tuning.candidates(theta, min(settings.k, 100), SAMPLE)
            found = edge_losses(tuning, candidates, "auto", max_edges=settings.max_edges)
            return RiskLoss(
                found.batches, tuning.edge_start, scale=settings.scale, threads=self._threads
            )
        assert self.hypotheses is not None
        gains = ranking_gains(
            tuning.metric, self.hypotheses.statistics, smoothing=settings.smoothing,
            brevity=settings.brevity,
        )  # fmt: skip
        unit = gain_unit(gains, self.hypotheses.list_start, tuning.metric.name)
        pairs = sample_hypothesis_pairs(
            self.hypotheses.list_start, gains, samples=settings.samples, keep=settings.keep,
            threshold=settings.threshold * unit, accept=1.0 / unit,
            random=np.random.default_rng(seed),
        )  # fmt: skip
        return PairLoss(
            len(self.rows), self.hypotheses.start, self.hypotheses.row, pairs.better, pairs.worse
        )

    def length(self) -> float:
        """What the weights are to be multiplied with."""
        return _kept(self.loss.length(self.rows.base)) if self.rows.base.any() else 1.0

    def value(self, score: FloatArray) -> float:
        """The loss."""
        return _kept(self.loss.value(score))

    def next_tree(self, score: FloatArray) -> dict[str, Any] | None:
        """The next tree with its step, as JSON values; None where no step helps."""
        targets = self.loss.targets(score)
        with one_thread():
            found: tuple[float, Tree] | None = None
            for each in self._fitted(targets):  # of equal ones the first, whatever rounding says
                if each[0] > (0.0 if found is None else found[0] * (1.0 + _ALIKE)):
                    found = each
        if found is None:
            return None
        gain, tree = found
        # A step has a unit if values have one: their root mean square is 1.
        values = self.values(tree)
        size = math.sqrt(_core.dot(targets.weight * values, values) / targets.weight.sum())
        if size == 0.0:
            return None
        rho = self.loss.step(score, values / size, self._settings.l2) / size
        if rho == 0.0:
            return None
        scale = _kept(self._settings.shrinkage * rho)
        return replace(tree, scale=scale, gain=_kept(gain)).to_dict()

    def _fitted(self, targets: Targets) -> Iterator[tuple[float, Tree]]:
        """Trees with how much of the squares of targets each explains."""
        if self._settings.leaf == "product":
            yield from self._product(targets)
            return
        if self._settings.leaf == "constant":
            gain, tree = self._grown(targets.target, targets.weight, _NONE, ())
            if tree.splits:  # one constant for all says nothing
                yield gain, tree
            return
        weights = self._sums((), targets.weight)
        for place, name in enumerate(self.rows.columns):
            if len(self.rows.bins.cuts[place]) > 0:
                factor = self.rows.column(place)
                slope, curve = targets.target * factor, targets.weight * factor**2
                yield self._grown(slope, curve, targets.weight, (name,), weights)

    def _grown(
        self,
        slope: FloatArray,
        curve: FloatArray,
        weight: FloatArray,
        factors: tuple[str, ...],
        weights: _core.BinSums | None = None,
    ) -> tuple[float, Tree]:
        """A tree, with how much of the squares of targets it explains."""
        known = self._sums(factors, curve, weights)
        total = float((weight if len(weight) else curve).sum())
        least = max(self._settings.min_weight, self._settings.min_share * total)
        splits, values, instances, _, explained = _core.grow_tree(
            self._bins, slope, curve, weight, self._settings.leaves, least, 0.0, self._threads,
            known,
        )  # fmt: skip
        names, cuts = self.rows.columns, self.rows.bins.cuts
        return explained, Tree(
            tuple(
                Split(leaf, names[column], float(cuts[column][place]), _kept(gain))
                for leaf, column, place, gain in splits
            ),
            tuple(rounded(values, _BITS).tolist()),
            factors,
            weights=tuple(instances.tolist()),
        )

    def _sums(
        self, factors: tuple[str, ...], curve: FloatArray, weights: _core.BinSums | None = None
    ) -> _core.BinSums:
        """Sums of curves and weights by bin: instances of a row are the same in all rounds."""
        if factors not in self._known:
            self._known[factors] = _core.sum_curves(self._bins, curve, weights, self._threads)
        return self._known[factors]

    def _product(self, targets: Targets) -> Iterator[tuple[float, Tree]]:
        """The product of columns that fits best: the best two, and more while that is better."""
        width = len(self.rows.columns)
        slope, curve = np.zeros((width, width)), np.zeros((width, width))
        for part, x in self.rows.blocks():
            slope += x.T @ (targets.target[part, None] * x)
            curve += (x * x).T @ (targets.weight[part, None] * (x * x))
        pairs = list(combinations_with_replacement(range(width), 2))
        places = max(pairs, key=lambda pair: _ratio(slope[pair], curve[pair]))
        known = _ratio(slope[places], curve[places])
        factors: tuple[int, ...] = places
        numbers = slope[places], curve[places]
        while len(factors) < self._settings.degree:
            product = np.prod([self.rows.column(place) for place in factors], axis=0)
            more_slope, more_curve = np.zeros(width), np.zeros(width)
            for part, x in self.rows.blocks():
                more_slope += x.T @ (targets.target[part] * product[part])
                more_curve += (x * x).T @ (targets.weight[part] * product[part] ** 2)
            ratios = [_ratio(g, h) for g, h in zip(more_slope, more_curve, strict=True)]
            place = int(np.argmax(ratios))
            if ratios[place] <= known:
                break
            known, factors = ratios[place], (*factors, place)
            numbers = more_slope[place], more_curve[place]
        if known > 0.0:
            value = _kept(numbers[0] / numbers[1])
            yield known, Tree(
                (), (value,), tuple(self.rows.columns[place] for place in factors),
                weights=(float(targets.weight.sum()),),
            )  # fmt: skip


def _kept(value: float) -> float:
    return float(rounded(value, _BITS))


def _ratio(slope: Any, curve: Any) -> float:
    return float(slope * slope / curve) if curve > 0.0 else 0.0
