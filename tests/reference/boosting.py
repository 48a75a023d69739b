"""Regression trees and gradient boosting in plain loops.

A row is an edge, or a whole hypothesis.  It stands for `weight` instances whose targets add up to
`target`; a tree is fitted to all instances by least squares.  With constant leaves a row of leaf k
has the value c_k, with linear ones c_k·x for one column x that all leaves share.
"""

from __future__ import annotations

import math


def sums(rows, target, weight, factor):
    """Σ y·x and Σ w·x² of rows; x is 1 where leaves are constant."""
    g = sum(target[r] * factor[r] for r in rows)
    h = sum(weight[r] * factor[r] ** 2 for r in rows)
    return g, h


def gain(rows, target, weight, factor, l2):
    """How much squared error the best coefficient takes away from these rows."""
    g, h = sums(rows, target, weight, factor)
    return g * g / (h + l2) if h + l2 > 0 else 0.0


def best_split(columns, rows, target, weight, factor, *, cuts, min_weight, l2):
    """The split with the largest gain: gain, column, number of its cut; None if there is none.

    Gains of the size of rounding errors are none.
    """
    best = None
    before = gain(rows, target, weight, factor, l2)
    for c, column in enumerate(columns):
        for k, threshold in enumerate(cuts[c]):
            left = [r for r in rows if column[r] <= threshold]
            right = [r for r in rows if column[r] > threshold]
            if min(sum(weight[r] for r in left), sum(weight[r] for r in right)) < min_weight:
                continue
            after = sum(gain(part, target, weight, factor, l2) for part in (left, right))
            if after - before > 1e-12 * after and (best is None or after - before > best[0]):
                best = after - before, c, k
    return best


def grow(columns, target, weight, factor=None, *, cuts, leaves, min_weight=1.0, l2=0.0):
    """A tree grown greedily: the split that gains most, wherever it is, until there are `leaves`.

    Returns the splits in the order they were made, (column, cut, gain, leaf that was split), the
    leaf of each row and the coefficients; the right side of a split is the new leaf.
    """
    factor = factor or [1.0] * len(target)
    leaf_of = [0] * len(target)
    splits = []
    while len(splits) + 1 < leaves:
        best = None
        for leaf in range(len(splits) + 1):
            rows = [r for r, own in enumerate(leaf_of) if own == leaf]
            found = best_split(
                columns, rows, target, weight, factor, cuts=cuts, min_weight=min_weight, l2=l2
            )
            if found is not None and (best is None or found[0] > best[0]):
                best = *found, leaf
        if best is None:
            break
        _, c, k, leaf = best
        splits.append((c, k, best[0], leaf))
        for r, own in enumerate(leaf_of):
            if own == leaf and columns[c][r] > cuts[c][k]:
                leaf_of[r] = len(splits)
    values = []
    for leaf in range(len(splits) + 1):
        rows = [r for r, own in enumerate(leaf_of) if own == leaf]
        g, h = sums(rows, target, weight, factor)
        values.append(g / (h + l2) if h + l2 > 0 else 0.0)
    return splits, leaf_of, values


def pairwise_loss(score, pairs):
    """Σ log(1 + exp(F(worse) − F(better))) over pairs (better, worse)."""
    return sum(math.log1p(math.exp(score[worse] - score[better])) for better, worse in pairs)


def pairwise_targets(score, pairs, members, rows):
    """−∂loss/∂F(row), and how many hypotheses have each row; `members` are rows of hypotheses."""
    slope = [0.0] * len(score)
    for better, worse in pairs:
        share = 1.0 / (1.0 + math.exp(score[better] - score[worse]))
        slope[better] += share
        slope[worse] -= share
    target, weight = [0.0] * rows, [0.0] * rows
    for hypothesis, own in enumerate(members):
        for row in own:
            target[row] += slope[hypothesis]
            weight[row] += 1.0
    return target, weight


def batch_risk(derivations, score, loss, scale=1.0):
    """E[loss] under p(d) ∝ exp(scale·F(d)), and its derivative by the score of each row.

    Derivations are lists of rows, each with its loss.
    """
    weight = [math.exp(scale * sum(score[r] for r in rows)) for rows in derivations]
    total = sum(weight)
    risk = sum(w * x for w, x in zip(weight, loss, strict=True)) / total
    slope = [0.0] * len(score)
    for w, x, rows in zip(weight, loss, derivations, strict=True):
        for r in rows:
            slope[r] += scale * w / total * (x - risk)
    return risk, slope
