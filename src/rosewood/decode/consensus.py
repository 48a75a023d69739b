"""Consensus decoding: strings that agree with all of a forest, not only with its best derivation.

p(d) ∝ exp(scale · weight of d) is the evidence.  Scores of tuned weights say which translation is
better, not how sure that is: weights that add up to 1, as other programs give them, make everything
about equally likely, and want a scale of 5 to 15.  Choose it on held-out text.

`mbr`           of the k best strings, the one with the highest expected metric against the others
`forest_mbr`    of all strings, the one with the highest expected linear BLEU (Tromble et al. 2008)
`variational`   of all strings, the most probable one under the n-gram model that is nearest to the
                distribution of strings (Li, Eisner & Khudanpur 2009)

All are exact: posteriors of strings and of n-grams are sums over every derivation.  Nodes must know
their boundary words for that (`rosewood.forest.refine`); where this makes too many edges, `margin`
looks only at derivations that are so near to the best, in log score, and results tell how many
edges that left out.
Native      core/forest/occurrence.hpp; specification: tests/reference/consensus.py
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rosewood import _core
from rosewood.arguments import check_choice, check_number
from rosewood.arrays import FloatArray, LongArray, as_count, as_scale, as_weight
from rosewood.decode.posteriors import number_posteriors
from rosewood.errors import EmptyForestError, ForestError
from rosewood.forest import (
    Derivation,
    Derivations,
    Distribution,
    Forest,
    Ngrams,
    Refined,
    prune,
    refine,
    select_edges,
)
from rosewood.forest.transform import MAX_EDGES
from rosewood.metrics import Bleu, LinearBleu, Metric

_BEGIN, _END = (
    " <s>",
    " </s>",
)  # edges of strings: a text may have words like <s>, but none with a space


class _Evidence:
    """The part of a forest that is looked at, its scaled weights, and the way back."""

    def __init__(
        self, forest: Forest, weight: ArrayLike, scale: float, margin: float | None
    ) -> None:
        self.whole = forest
        self.given = as_weight("weight", weight, forest.num_edges)
        if margin is not None:
            check_number("margin", margin, low=0, error=ForestError)
        if margin is None:
            left = select_edges(forest, self.given > -np.inf)
        else:
            left = prune(forest, self.given, beam=margin)
        if left.forest.is_empty:
            reason = "consensus: no derivation of the forest has a weight above zero"
            raise EmptyForestError(reason, code="forest.empty")
        self.forest, self.edge_map = left.forest, left.edge_map
        self.unscaled: FloatArray = self.given[left.edge_map]
        self.weight: FloatArray = as_scale(scale) * self.unscaled
        self.left_out = forest.num_edges - left.forest.num_edges

    def derivation(self, edges: LongArray) -> Derivation:
        """A derivation of this part, as one of the whole forest with its own score."""
        whole = self.edge_map[edges]
        return Derivation(self.whole, whole, float(self.given[whole].sum()))

    def best(self, refined: Refined, gains: FloatArray) -> tuple[Derivation, int, float]:
        """What gains most after refinement, how many edges were left out, and the gain."""
        found = refined.forest.best(gains)
        return self.derivation(refined.edge_map[found.edges]), self.left_out, found.score


@dataclass(frozen=True)
class _Consensus:
    """What is found, as a derivation of the forest that was given, with the score it has there."""

    derivation: Derivation
    left_out: int  # edges of weight zero, or beyond the margin

    @property
    def words(self) -> list[str]:
        return self.derivation.words

    @property
    def text(self) -> str:
        """The words joined by spaces."""
        return self.derivation.text


# -- the k best strings ---------------------------------------------------------------------------


@dataclass(frozen=True)
class MbrCandidate(_Consensus):
    """A string: its posterior in the whole forest, and its expected metric (higher is better)."""

    posterior: float
    gain: float


def mbr(
    forest: Forest,
    weight: ArrayLike,
    k: int = 100,
    *,
    metric: Metric | None = None,
    scale: float = 1.0,
    margin: float | None = None,
    max_edges: int = MAX_EDGES,
) -> list[MbrCandidate]:
    """The k best distinct strings, those with the highest expected metric first.

    A string's posterior is that of all its derivations in the forest, not only of those that a list
    would hold; the expectation is over the k strings, in proportion to it.  The metric is taken
    sentence by sentence as learners take it: BLEU of the words as they are, smoothed, if none is
    given.  Equal gains stay in the order of scores.
    """
    metric = Bleu(tokenize="none") if metric is None else metric
    evidence = _Evidence(forest, weight, scale, margin)
    # Unscaled, so that rounding does not break ties in another way than `k_best` does.
    listed = evidence.forest.k_best(evidence.unscaled, as_count("k", k, 1), distinct=True)
    posterior = number_posteriors(evidence.forest, evidence.weight, _said(listed), max_edges)
    texts = listed.texts()
    # Against each string in turn: rows of one reference after those of another.
    rows = metric.statistics_many([texts] * len(texts), [[text] for text in texts])
    gains = metric.sentence_gains(rows).reshape(len(texts), len(texts))
    expected = (posterior / posterior.sum()) @ gains
    return [
        MbrCandidate(
            evidence.derivation(listed[i].edges),
            evidence.left_out,
            float(posterior[i]),
            float(expected[i]),
        )
        for i in np.argsort(-expected, kind="stable").tolist()
    ]


def _said(listed: Derivations) -> list[list[int]]:
    """The words of each derivation, as numbers."""
    forest = listed.forest
    start, symbol = _core.derivation_yields(
        forest.view, forest.yield_start, forest.yield_symbol, listed.start, listed.edge
    )
    return [symbol[a:b].tolist() for a, b in pairwise(start.tolist())]


# -- linear BLEU ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class ForestMbr(_Consensus):
    """The string of the highest expected linear BLEU, and the n-grams it was chosen by."""

    gain: float
    ngrams: Ngrams = field(repr=False)
    posterior: FloatArray = field(repr=False)  # of each of the n-grams

    def posteriors(self) -> dict[tuple[str, ...], float]:
        """The posterior of each n-gram of the forest, by its words."""
        return _by_words(self.derivation.forest, self.ngrams, self.posterior)


def forest_mbr(
    forest: Forest,
    weight: ArrayLike,
    *,
    order: int = 4,
    precision: float = 0.8,
    ratio: float = 0.6,
    scale: float = 1.0,
    posterior: Literal["exact", "expected"] = "exact",
    margin: float | None = None,
    max_edges: int = MAX_EDGES,
) -> ForestMbr:
    """The string of the highest gain Σ_n θ_n Σ_w #_w(y) p(w) + θ_0 |y| among all of the forest's.

    w are n-grams of 1 to `order` words, #_w(y) says how often y has w, p(w) is the probability
    that a string of the forest has w at least once.  θ_0 = -1 and θ_n = 1/(N p r^(n-1)), with
    `precision` p of single words and `ratio` r of each order's precision to the one before, as in
    `LinearBleu`.  With posterior="expected", p(w) is how often w is expected, which is quicker and
    more where a string has w twice.
    """
    _check_posterior(posterior)
    order = as_count("order", order, 1, 1000)
    evidence = _Evidence(forest, weight, scale, margin)
    refined = refine(evidence.forest, order, max_edges=max_edges)
    share = _posteriors(refined, evidence.weight, posterior)
    theta = LinearBleu(precision, ratio, length=1.0, orders=order).coefficients
    orders = refined.ngrams.order()
    value = theta[orders] * share + np.where(orders == 1, theta[0], 0.0)
    gains = refined.ngrams.edge_totals(value)
    return ForestMbr(*evidence.best(refined, gains), refined.ngrams, share)


def ngram_posteriors(
    forest: Forest,
    weight: ArrayLike,
    n: int,
    *,
    scale: float = 1.0,
    posterior: Literal["exact", "expected"] = "exact",
    margin: float | None = None,
    max_edges: int = MAX_EDGES,
) -> dict[tuple[str, ...], float]:
    """The probability that each n-gram of 1 to n words occurs in the string at least once."""
    _check_posterior(posterior)
    evidence = _Evidence(forest, weight, scale, margin)
    refined = refine(evidence.forest, n, max_edges=max_edges)
    return _by_words(forest, refined.ngrams, _posteriors(refined, evidence.weight, posterior))


def _check_posterior(kind: str) -> None:
    check_choice("posterior", kind, ("exact", "expected"), error=ForestError)


def _posteriors(refined: Refined, weight: FloatArray, kind: str) -> FloatArray:
    """Of each n-gram, the probability that it occurs, or how often it is expected to."""
    p = Distribution(refined.forest, weight[refined.edge_map])
    ngrams = refined.ngrams
    if kind == "expected":
        return ngrams.gram_totals(p.edge_posteriors())
    out = np.empty(len(ngrams))
    _core.occurrence_probabilities(
        refined.forest.view, p.conditional, ngrams.start, ngrams.gram, out, refined.forest.span
    )
    return out


def _by_words(forest: Forest, ngrams: Ngrams, value: FloatArray) -> dict[tuple[str, ...], float]:
    words = [forest.word(number) for number in ngrams.word.tolist()]
    grams = (tuple(words[a:b]) for a, b in pairwise(ngrams.word_start.tolist()))
    return dict(zip(grams, value.tolist(), strict=True))


# -- n-gram models of the forest ------------------------------------------------------------------


@dataclass(frozen=True)
class Variational(_Consensus):
    """The best string under n-gram models of the forest.

    `value` is what it maximises.  `divergence` has, for each order, E[log p(d) - log q(string)] in
    nats: the divergence of the strings, less how uncertain derivations are once their
    string is known.  Of all n-gram models of that order, q has the smallest.
    """

    value: float
    divergence: dict[int, float]


def variational(
    forest: Forest,
    weight: ArrayLike,
    *,
    order: int = 2,
    mixture: Mapping[int, float] | None = None,
    viterbi: float = 0.0,
    scale: float = 1.0,
    margin: float | None = None,
    max_edges: int = MAX_EDGES,
) -> Variational:
    """The string with the highest log q(y), q the n-gram model that is nearest to the forest.

    q(word | n-1 words before) is the ratio of expected counts, `<s>` before and `</s>` behind the
    string.  `mixture` has weights of several orders, whose log probabilities are added up: {1: 0.5,
    2: 0.5} instead of {order: 1}.  `viterbi` times the scaled weight of the derivation comes on
    top, which breaks ties between derivations, and draws towards the best of them.
    """
    weights = {order: 1.0} if mixture is None else dict(mixture)
    _check_mixture(weights, viterbi)
    evidence = _Evidence(forest, weight, scale, margin)
    refined = refine(evidence.forest, max(weights), begin=_BEGIN, end=_END, max_edges=max_edges)
    scores: FloatArray = evidence.weight[refined.edge_map]
    p = Distribution(refined.forest, scores)
    counts = refined.ngrams.gram_totals(p.edge_posteriors())
    model = _Model(refined.ngrams, evidence.forest)
    entropy = p.entropy()
    value = np.zeros(len(counts))
    divergence = {}
    for n, share in sorted(weights.items()):
        log_q = model.log_probabilities(counts, n)
        seen = counts > 0
        divergence[n] = -float(counts[seen] @ log_q[seen]) - entropy
        value += share * log_q
    totals = refined.ngrams.edge_totals(value)
    if viterbi:
        totals += viterbi * scores
    return Variational(*evidence.best(refined, totals), divergence)


def _check_mixture(weights: Mapping[int, float], viterbi: float) -> None:
    if not weights:
        reason = "variational: the mixture has no orders"
        raise ForestError(reason, code="argument.missing", argument="mixture")
    for n, share in weights.items():
        as_count("order", n, 1, 1000)
        if not 0 < share < np.inf:
            raise ForestError(
                f"variational: order {n} weighs {share}, expected a number above 0",
                code="argument.range",
                argument="mixture",
                value=share,
                expected="a number above 0",
            )
    if not 0 <= viterbi < np.inf:
        raise ForestError(
            f"variational: viterbi is {viterbi}, expected a finite number from 0",
            code="argument.range",
            argument="viterbi",
            value=viterbi,
            expected="a finite number from 0",
        )


class _Model:
    """n-grams with their histories, as n-gram models of any order take them."""

    def __init__(self, ngrams: Ngrams, forest: Forest) -> None:
        begin = -1 if forest.vocabulary is None else forest.vocabulary.get(_BEGIN)
        self.order = ngrams.order()
        self.at_begin = ngrams.word[ngrams.word_start[:-1]] == begin
        words, start = ngrams.word.tolist(), ngrams.word_start.tolist()
        histories = [tuple(words[a : b - 1]) for a, b in pairwise(start)]
        numbers = {history: i for i, history in enumerate(dict.fromkeys(histories))}
        self.history = np.array([numbers[history] for history in histories], dtype=np.int64)

    def log_probabilities(self, counts: FloatArray, n: int) -> FloatArray:
        """log q(last word | those before) of the n-grams a model of order n reads, 0 of others.

        A model reads n-grams of n words, and shorter ones at the beginning of the string.
        """
        read = (self.order == n) | (self.at_begin & (self.order < n))
        own = np.where(read, counts, 0.0)
        total = np.bincount(self.history, weights=own)[self.history]
        out: FloatArray = np.where(read, -np.inf, 0.0)
        seen = own > 0
        out[seen] = np.minimum(np.log(own[seen]) - np.log(total[seen]), 0.0)
        return out
