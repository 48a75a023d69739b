"""Learners' kernels as plain loops over lists of forests, under the kernels' names.

Where a kernel walks a forest, the loop enumerates its derivations: forests must be small.
"""

from __future__ import annotations

from itertools import pairwise
from math import exp, inf, log

import numpy as np

from rosewood.forest import HULL, Forest, breakpoints
from tests.reference import forest as plain
from tests.reference.expectation import Table


def batch_scores(forests: list[Forest], theta) -> list[float]:
    return [x for forest in forests for x in plain.edge_scores(forest, theta)]


def _cut(forests: list[Forest], values) -> list[list[float]]:
    """One list of numbers for each forest from one for all."""
    out, place = [], 0
    for forest in forests:
        out.append(list(values[place : place + forest.num_edges]))
        place += forest.num_edges
    return out


def batch_best(forests: list[Forest], score) -> list[tuple[int, ...]]:
    """The derivation of each forest that follows the best edges, the first among equals."""
    from tests.reference.search import follow

    return [
        follow(forest, plain.viterbi(forest, weight)[1])
        for forest, weight in zip(forests, _cut(forests, score), strict=True)
    ]


def batch_objective(forests: list[Forest], theta, loss, target, terms) -> tuple[float, ...]:
    """Risk, entropy and log loss summed over forests, from tables of all derivations."""
    scale = terms[0]
    risk = entropy = log_loss = 0.0
    for forest, losses, wanted in zip(
        forests, _cut(forests, loss), _cut(forests, target), strict=True
    ):
        weight = [scale * x for x in plain.edge_scores(forest, theta)]
        table = Table(forest, weight)
        for derivation, p in zip(table.derivations, table.probability, strict=True):
            risk += p * sum(losses[e] for e in derivation)
            entropy -= p * log(p) if p > 0 else 0.0
        chosen = [x + t for x, t in zip(weight, wanted, strict=True)]
        log_loss += plain.inside_log(forest, weight)[-1] - plain.inside_log(forest, chosen)[-1]
    return risk, entropy, log_loss


def upper_envelopes(forests: list[Forest], intercept, slope) -> list[list[tuple[float, tuple]]]:
    """For each forest, where each line of the envelope begins and its derivation's edges."""
    found = []
    for forest, high, steep in zip(
        forests, _cut(forests, intercept), _cut(forests, slope), strict=True
    ):
        hull = plain.inside(forest, HULL.weights(steep, high), HULL)[-1]
        begins = [-inf, *breakpoints(hull)]
        found.append([(x, line.back) for x, line in zip(begins, hull, strict=True)])
    return found


def line_search(lines, statistics, gain, lower: float, upper: float) -> float:
    """The best gain on the line: every interval between breakpoints is tried.

    `lines` has, for each sentence, pairs of where a line begins and its row of statistics.
    """
    places = sorted({x for sentence in lines for x, _ in sentence if lower < x < upper})
    ends = [lower, *places, upper]
    best = -inf
    for left, right in pairwise(ends):
        x = left + (right - left) / 2
        rows = [[row for begin, row in sentence if begin <= x][-1] for sentence in lines]
        best = max(best, gain(np.sum([statistics[row] for row in rows], axis=0)))
    return best


def mira_pass(start, rows, statistics, gain, order, settings, theta, background):
    """θ, the sum over steps of θ *before* each later one, and the pseudo-corpus after a pass."""
    step, decay, scale = settings
    theta, background = np.array(theta), np.array(background)
    path, moved = [], 0
    for number in order:
        best = []
        for c in range(start[number], start[number + 1]):
            total = background + statistics[c]
            best.append((float(theta @ rows[c]), scale * gain(total) * total[1], c))
        hope = max(best, key=lambda b: (b[0] + b[1], -b[2]))
        fear = max(best, key=lambda b: (b[0] - b[1], -b[2]))
        apart = rows[hope[2]] - rows[fear[2]]
        loss = (hope[1] - fear[1]) - (hope[0] - fear[0])
        norm = float(apart @ apart)
        if loss > 0 and norm > 0:
            theta = theta + min(step, loss / norm) * apart
            moved += 1
        background = decay * background + statistics[hope[2]]
        path.append(theta)
    return theta, np.array(path), background, moved


def hope_and_fear(forest: Forest, edge_map, rows: list[float], gain, scale: float):
    """The derivations with the best score plus and less gain, as rows of features.

    Edge e has the score rows[edge_map[e]]; among equals, the derivation with the first edges.
    """
    from tests.reference.search import follow

    found = []
    for sign in (1.0, -1.0):
        weight = [rows[k] + sign * scale * g for k, g in zip(edge_map, gain, strict=True)]
        edges = follow(forest, plain.viterbi(forest, weight)[1])
        found.append([edge_map[e] for e in edges])
    return found


def feature_difference(forest: Forest, more, less) -> dict[str, float]:
    """Features of the edges `more` less those of the edges `less`, by name."""
    total: dict[str, float] = {}
    for sign, edges in ((1.0, more), (-1.0, less)):
        for e in edges:
            for name, value in forest.edge_features(int(e)).items():
                total[name] = total.get(name, 0.0) + sign * value
    return total


def l1_pass(rows, dense: int, order, hinge: bool, settings, theta):
    """One pass of descent with the cumulative penalty: dense weights are charged at every step,
    others when their feature is there, and all at the end."""
    penalty, rate, decay = settings
    theta = np.array(theta, dtype=float)
    owed, total, paid = 0.0, 0.0, np.zeros(len(theta))
    for steps, row in enumerate(order):
        eta = rate * decay ** (steps / len(order))
        owed += eta * penalty
        margin = float(theta @ rows[row])
        if hinge:
            total += max(0.0, 1.0 - margin)
            pull = 1.0 if margin < 1.0 else 0.0
        else:
            total += log(1.0 + exp(-margin))
            pull = 1.0 / (1.0 + exp(margin))
        theta = theta + eta * pull * rows[row]
        for i in range(len(theta)):
            if i < dense or rows[row][i] != 0.0 or steps == len(order) - 1:
                before = theta[i]
                if theta[i] > 0:
                    theta[i] = max(0.0, theta[i] - (owed + paid[i]))
                elif theta[i] < 0:
                    theta[i] = min(0.0, theta[i] + (owed - paid[i]))
                paid[i] += theta[i] - before
    return theta, total, owed
