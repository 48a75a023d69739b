"""Expectations under p(d) ∝ exp(weight of d), and their gradients (Li & Eisner 2009).

`weight` is one log weight per edge (-inf is weight zero), `Forest.score(θ)` for a log-linear model.
Gradients are with respect to θ, for weights that are scale·θ·φ; `scale` is the paper's γ.  Each
costs a few passes over the forest and one over the non-zero features: the lifting trick (§4.3) in
terms of conditional edge probabilities, so that nothing underflows.
Native      core/forest/expectation.hpp; specification: tests/reference/expectation.py
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.arguments import check_shape
from rosewood.arrays import FloatArray, as_scale, as_weight
from rosewood.errors import ForestError
from rosewood.forest.automaton import Automaton
from rosewood.forest.forest import Forest
from rosewood.forest.refinement import refine
from rosewood.forest.search import num_derivations
from rosewood.forest.transform import MAX_EDGES, intersect, select_edges


class Gradient:
    """The value of a function and its derivatives with respect to θ and to the scale γ."""

    def __init__(self, value: float, theta: FloatArray, by_scale: Callable[[], float]) -> None:
        self.value = value
        self.theta = theta
        self._by_scale = by_scale

    @cached_property
    def scale(self) -> float:
        """The derivative with respect to γ; a pass over the edges when it is first asked for."""
        return self._by_scale()

    def __repr__(self) -> str:
        return f"Gradient({self.value:.6g}, {len(self.theta)} features)"


class Distribution:
    """p(d) ∝ exp(weight of d) over the derivations of a forest: log Z and conditionals, once.

    The functions of this module make one of these and ask it one thing; make it yourself to ask
    several things of one weighting.
    """

    __slots__ = ("conditional", "forest", "log_partition", "weight")

    def __init__(self, forest: Forest, weight: ArrayLike) -> None:
        self.forest = forest
        self.weight = as_weight("weight", weight, forest.num_edges)
        self.conditional: FloatArray = np.empty(forest.num_edges)  # p(edge | its head)
        self.log_partition: float = _core.edge_conditionals(
            forest.view, self.weight, self.conditional
        )

    def edge_posteriors(self) -> FloatArray:
        """E[number of times each edge is used]: its probability, where it is used at most once."""
        count = np.empty(self.forest.num_edges)
        _core.edge_counts(self.forest.view, self.conditional, count)
        return count

    def expectation(self, local: ArrayLike) -> FloatArray | float:
        """E[Σ of `local` over the edges of a derivation]; `local` is [E] or [E, n]."""
        values = _local("local", local, self.forest.num_edges)
        return _totals(self.edge_posteriors(), values)

    def edge_covariances(self, local: ArrayLike) -> tuple[float, FloatArray]:
        """E[r] and, for each edge, Cov(times it is used, r); r(d) is the sum of `local` over d."""
        values = as_weight("local", local, self.forest.num_edges)
        out = np.empty(self.forest.num_edges)
        mean = _core.edge_covariances(self.forest.view, self.conditional, values, out)
        return mean, out

    def centred(self, local: ArrayLike) -> FloatArray:
        """Other local values that add up to r(d) - E[r]: no large numbers that cancel."""
        values = as_weight("local", local, self.forest.num_edges)
        out = np.empty(self.forest.num_edges)
        _core.centre_local(self.forest.view, self.conditional, values, out)
        return out

    def entropy(self) -> float:
        """-E[log p(d)], in nats: a sum of entropies of choices, so never below zero."""
        return 0.0 - _core.dot(self.edge_posteriors(), self.log_conditional())

    def log_conditional(self) -> FloatArray:
        """log p(edge | its head); any number where that is log 0.  log p(d) is its sum over d."""
        logs = np.maximum(self.conditional, np.finfo(np.float64).tiny)
        return np.log(logs, out=logs)


def _local(name: str, value: ArrayLike, edges: int) -> FloatArray:
    array = np.ascontiguousarray(value, dtype=np.float64)
    check_shape(name, array, (edges,) if array.ndim == 1 else (edges, "n"), error=ForestError)
    return array


def _totals(coefficient: FloatArray, values: FloatArray) -> FloatArray | float:
    """Σ_e coefficient[e]·values[e] for each column; an edge of coefficient zero has no say."""
    if values.ndim == 1:
        total = _core.dot(coefficient, values)
        if not np.isfinite(total):
            edge = int(np.argmax((coefficient != 0) & ~np.isfinite(values)))
            reason = f"the local value of edge {edge} is {values[edge]}, expected a finite number"
            raise ForestError(reason, code="forest.overflow", value=edge)
        return total
    return np.array([_totals(coefficient, np.ascontiguousarray(c)) for c in values.T])


# -- zeroth and first order ------------------------------------------------------------------------


def log_partition(forest: Forest, weight: ArrayLike) -> float:
    """log Z = log Σ_d exp(weight of d); -inf where there is no derivation."""
    return float(forest.inside(weight)[-1])


def edge_posteriors(forest: Forest, weight: ArrayLike) -> FloatArray:
    """E[number of times each edge is used]."""
    return Distribution(forest, weight).edge_posteriors()


def expectation(forest: Forest, weight: ArrayLike, local: ArrayLike) -> FloatArray | float:
    """E[r], r(d) the sum of `local` ([E] or [E, n]) over the edges of d."""
    return Distribution(forest, weight).expectation(local)


def feature_expectations(forest: Forest, weight: ArrayLike, *, threads: int = 1) -> FloatArray:
    """E[Φ(d)]; also the gradient of log Z with respect to θ (times the scale)."""
    return forest.combine_features(edge_posteriors(forest, weight), threads=threads)


def expected_length(forest: Forest, weight: ArrayLike) -> float:
    """E[number of words of the string]."""
    words = np.bincount(
        np.repeat(np.arange(forest.num_edges), np.diff(forest.yield_start)),
        weights=forest.yield_symbol >= 0,
        minlength=forest.num_edges,
    )
    return float(expectation(forest, weight, words))


def expected_ngram_counts(
    forest: Forest,
    weight: ArrayLike,
    n: int,
    *,
    begin: str | None = None,
    end: str | None = None,
    max_edges: int = MAX_EDGES,
) -> dict[tuple[str, ...], float]:
    """E[number of times each n-gram of 1 to n words occurs in the string].

    `begin` and `end` are put around the string; `begin` alone is not counted.
    """
    refined = refine(forest, n, begin=begin, end=end, max_edges=max_edges)
    weights = as_weight("weight", weight, forest.num_edges)[refined.edge_map]
    totals = refined.ngrams.gram_totals(edge_posteriors(refined.forest, weights))
    word = refined.forest.word
    return {
        tuple(word(w) for w in refined.ngrams.words(gram)): float(total)
        for gram, total in enumerate(totals)
    }


def bayes_risk(forest: Forest, weight: ArrayLike, loss: ArrayLike) -> float:
    """E[loss of d] (eq. 9), for a loss that is a sum over edges."""
    return float(expectation(forest, weight, as_weight("loss", loss, forest.num_edges)))


def entropy(forest: Forest, weight: ArrayLike) -> float:
    """H(p) = -E[log p(d)], in nats."""
    return Distribution(forest, weight).entropy()


def cross_entropy(forest: Forest, weight: ArrayLike, other: ArrayLike) -> float:
    """H(p, q) = -E_p[log q(d)] of two weightings of one forest (eq. 6), in nats.

    It is infinite where q gives zero to a derivation that p does not.
    """
    p = Distribution(forest, weight)
    q = Distribution(forest, other)
    if _leaves_out(p, q):
        return np.inf
    return q.log_partition - float(p.expectation(q.weight))


def _leaves_out(p: Distribution, q: Distribution) -> bool:
    """Whether q gives zero to a derivation that p does not, however small p's weight of it."""
    forbidden = q.weight == -np.inf
    if not forbidden.any():
        return False
    used = select_edges(p.forest, p.weight > -np.inf).edge_map
    return bool(forbidden[used].any())


def kl_divergence(forest: Forest, weight: ArrayLike, other: ArrayLike) -> float:
    """KL(p ‖ q) of two weightings of one forest, in nats."""
    p = Distribution(forest, weight)
    q = Distribution(forest, other)
    if _leaves_out(p, q):
        return np.inf
    posterior = p.edge_posteriors()
    # A sum of divergences of choices: no difference of two large numbers.
    used = (posterior > 0) & (q.conditional > 0)
    if not used[posterior > 0].all():
        return q.log_partition - float(p.expectation(q.weight)) - p.entropy()
    ratio = np.log(p.conditional[used]) - np.log(q.conditional[used])
    return max(0.0, _core.dot(posterior[used], ratio))


def cross_entropy_to_automaton(
    forest: Forest, weight: ArrayLike, automaton: Automaton, *, max_edges: int = MAX_EDGES
) -> float:
    """-E_p[log q(string of d)], q a deterministic automaton's weight of the string (eq. 6).

    q is taken as it is, not normalised over the forest.  Infinite where q does not accept the
    string of a derivation that p gives a weight above zero.
    """
    if not automaton.is_deterministic:
        reason = "cross-entropy needs a deterministic automaton: one path for a string"
        raise ForestError(reason, code="argument.value", argument="automaton")
    p = Distribution(forest, weight)
    both = intersect(forest, automaton, max_edges=max_edges)
    possible = p.weight > -np.inf
    if num_derivations(forest, possible) != num_derivations(both.forest, possible[both.edge_map]):
        return np.inf
    return -float(expectation(both.forest, p.weight[both.edge_map], both.weight))


def kl_divergence_to_automaton(
    forest: Forest, weight: ArrayLike, automaton: Automaton, *, max_edges: int = MAX_EDGES
) -> float:
    """E_p[log p(d) - log q(string of d)], in nats: cross-entropy to the automaton less H(p).

    p is over derivations and q over strings; the two agree where each string has one derivation.
    With p fixed, what minimises this over q minimises the divergence of the strings too.
    """
    cross = cross_entropy_to_automaton(forest, weight, automaton, max_edges=max_edges)
    return cross - entropy(forest, weight)


# -- second order ----------------------------------------------------------------------------------


def covariance(
    forest: Forest, weight: ArrayLike, first: ArrayLike, second: ArrayLike | None = None
) -> FloatArray | float:
    """Cov(r, s), r(d) and s(d) sums of local values over the edges of d.

    `first` is [E] or [E, n], `second` (the same again if left out) [E] or [E, m]; the result is
    [n, m], without the axes of those that are [E].
    """
    p = Distribution(forest, weight)
    r = _local("first", first, forest.num_edges)
    s = r if second is None else _local("second", second, forest.num_edges)
    # One pass for each column of the narrower side, one product for the other (footnote 11).
    turned = r.ndim == 2 and (s.ndim == 1 or s.shape[1] < r.shape[1])
    few, many = (s, r) if turned else (r, s)
    narrow = [few] if few.ndim == 1 else list(few.T)
    wide = [p.centred(c) for c in ([many] if many.ndim == 1 else list(many.T))]
    passes = [p.edge_covariances(c)[1] for c in narrow]
    rows = np.array([[_core.dot(each, c) for c in wide] for each in passes])
    if many.ndim == 1:
        rows = rows[:, 0]
    result = rows[0] if few.ndim == 1 else rows
    if turned and result.ndim == 2:
        result = result.T
    return float(result) if result.ndim == 0 else result


def variance(forest: Forest, weight: ArrayLike, local: ArrayLike) -> FloatArray | float:
    """Var(r) for each column of `local` ([E] or [E, n])."""
    values = _local("local", local, forest.num_edges)
    if values.ndim == 1:
        return float(covariance(forest, weight, values))
    p = Distribution(forest, weight)
    return np.array([_core.dot(p.edge_covariances(c)[1], p.centred(c)) for c in values.T])


# -- gradients -------------------------------------------------------------------------------------


def _gradient(
    p: Distribution, value: float, coefficient: FloatArray, scale: float, threads: int
) -> Gradient:
    """From derivatives with respect to the log weights of edges to those with respect to θ, γ."""
    scale = as_scale(scale)
    theta = p.forest.combine_features(coefficient, threads=threads)
    if scale != 1.0:
        theta *= scale
    # weight = γ·score, so ∂/∂γ = Σ_e coefficient·score (footnote 16 without θ).  Log conditionals
    # add up to the same but for log Z, which has no say: small numbers instead of large ones.
    return Gradient(value, theta, lambda: _core.dot(coefficient, p.log_conditional()) / scale)


def risk_gradient(
    forest: Forest, weight: ArrayLike, loss: ArrayLike, *, scale: float = 1.0, threads: int = 1
) -> Gradient:
    """Bayes risk and its gradient (eq. 11): ∇R = γ Σ_e Cov(#e, loss) φ_e."""
    p = Distribution(forest, weight)
    risk, coefficient = p.edge_covariances(loss)
    return _gradient(p, risk, coefficient, scale, threads)


def entropy_gradient(
    forest: Forest, weight: ArrayLike, *, scale: float = 1.0, threads: int = 1
) -> Gradient:
    """Entropy and its gradient (eq. 10): ∇H = -γ Σ_e Cov(#e, log p) φ_e."""
    p = Distribution(forest, weight)
    # log p(d) as a sum of log conditionals: small numbers, whatever the size of the weights.
    mean, coefficient = p.edge_covariances(p.log_conditional())
    return _gradient(p, 0.0 - mean, -coefficient, scale, threads)


def cross_entropy_gradient(
    forest: Forest, weight: ArrayLike, other: ArrayLike, *, scale: float = 1.0, threads: int = 1
) -> Gradient:
    """H(p, q) and its gradient with respect to the parameters of q, where other = γ·θ·φ.

    With p fixed this is likelihood training: ∇H(p, q) = γ(E_q[Φ] - E_p[Φ]).
    """
    value = cross_entropy(forest, weight, other)
    q = Distribution(forest, other)
    difference = q.edge_posteriors() - edge_posteriors(forest, weight)
    return _gradient(q, value, difference, scale, threads)
