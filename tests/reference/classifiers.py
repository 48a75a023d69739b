"""Classifiers of orientations in plain NumPy: rows of X are examples, y are class numbers.

Written from the formulas of Alrajeh & Niranjan (EMNLP 2014, WMT 2014), one example at a time.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

MASK = (1 << 64) - 1


# -- logistic regression ---------------------------------------------------------------------------


def log_softmax(scores):
    scores = np.asarray(scores, float)
    most = scores.max(axis=-1, keepdims=True)
    return scores - most - np.log(np.exp(scores - most).sum(axis=-1, keepdims=True))


def primal(w, X, y, sigma2):
    """Eq. 6: w has a row for each class."""
    return (w**2).sum() / (2 * sigma2) - log_softmax(X @ w.T)[np.arange(len(y)), y].sum()


def primal_gradient(w, X, y, sigma2):
    """Eq. 7."""
    empirical = np.eye(len(w))[y]
    return w / sigma2 - (empirical - np.exp(log_softmax(X @ w.T))).T @ X


def weights(alpha, X, y, sigma2):
    """Eq. 10."""
    return sigma2 * (np.eye(alpha.shape[1])[y] - alpha).T @ X


def dual(alpha, X, y, sigma2):
    """Eq. 9."""
    w = weights(alpha, X, y, sigma2)
    return (w**2).sum() / (2 * sigma2) + (alpha * np.log(alpha)).sum()


def dual_gradient(alpha, X, y, sigma2, i):
    """Eq. 12, of the α of example i."""
    scores = weights(alpha, X, y, sigma2) @ X[i]
    return 1 + np.log(alpha[i]) + scores[y[i]] - scores


def start(y, classes, epsilon):
    """Eq. 15."""
    alpha = np.full((len(y), classes), epsilon / (classes - 1))
    alpha[np.arange(len(y)), y] = 1 - epsilon
    return alpha


def halving_step(alpha, w, x, sigma2, trials):
    """Lines 10-18 of alg. 1 for one example: its new α, or None if no step makes the dual fall."""
    scores = w @ x
    eta = 0.5
    for _ in range(trials):
        new = np.exp(log_softmax((1 - eta) * np.log(alpha) + eta * scores))
        change = (
            (new * np.log(new) - alpha * np.log(alpha)).sum()
            - (new - alpha) @ scores
            + sigma2 / 2 * (x @ x) * ((new - alpha) ** 2).sum()
        )
        if change <= 0:
            return new
        eta *= 0.5
    return None


def exact_step(alpha, w, x, sigma2):
    """The α of one example that make the dual smallest, by nested bisection."""
    scores, c = w @ x, sigma2 * (x @ x)
    target = scores + c * alpha

    def inverse(value):  # u with u + c·exp(u) = value
        low, high = min(value - c * math.exp(min(value, 0.0)) - 1, value - 1), min(value, 50.0)
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if middle + c * math.exp(middle) < value else (low, middle)
        return (low + high) / 2

    low, high = target.min() - c - 100, target.max() + 100
    for _ in range(200):
        shift = (low + high) / 2
        total = sum(math.exp(inverse(each - shift)) for each in target)
        low, high = (shift, high) if total > 1 else (low, shift)
    return np.exp([inverse(each - low) for each in target])


class SplitMix:
    def __init__(self, state):
        self.state = state & MASK

    def __call__(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)


def shuffled(items, seed, pass_number, part):
    """The random order of a pass: one seed for each place."""
    mixed = SplitMix(seed)
    mixed.state = mixed() ^ (pass_number & MASK)
    mixed.state = mixed() ^ (part & MASK)
    random, items = SplitMix(mixed()), list(items)
    for n in range(len(items), 1, -1):
        j = ((random() >> 32) * n) >> 32
        items[n - 1], items[j] = items[j], items[n - 1]
    return items


def dual_passes(X, y, classes, *, sigma2, shrink, passes, trials, epsilon, seed, step="halving"):
    """Alg. 1 on data of one block: α, active examples, and how many were active in each pass."""
    alpha = start(y, classes, epsilon)
    w = weights(alpha, X, y, sigma2)
    active, counts = list(range(len(y))), []
    for number in range(passes):
        if not active:
            break
        counts.append(len(active))
        for i in shuffled(active, seed, number, 0):
            gradient = np.log(alpha[i]) - w @ X[i]
            if gradient.max() - gradient.min() <= shrink:
                active.remove(i)
                continue
            if step == "exact":
                new = exact_step(alpha[i], w, X[i], sigma2)
            else:
                new = halving_step(alpha[i], w, X[i], sigma2, trials)
            if new is not None:
                w -= sigma2 * np.outer(new - alpha[i], X[i])  # eq. 14
                alpha[i] = new
    return alpha, active, counts


# -- naive Bayes -----------------------------------------------------------------------------------


def class_priors(y, classes):
    with np.errstate(divide="ignore"):
        return np.log(np.bincount(y, minlength=classes) / len(y))


def bayes_map(X, y, classes, alpha, rows):
    """Eq. 10 of the WMT paper: log probabilities of the classes of `rows`."""
    n = np.array([X[y == k].sum(axis=0) for k in range(classes)])
    q = (alpha - 1 + n) / (X.shape[1] * (alpha - 1) + n.sum(axis=1, keepdims=True))
    return log_softmax(class_priors(y, classes) + rows @ np.log(q).T)


def bayes_full(X, y, classes, alpha, rows):
    """Eq. 11: the Dirichlet-multinomial predictive probability."""
    n = alpha + np.array([X[y == k].sum(axis=0) for k in range(classes)])
    scores = np.empty((len(rows), classes))
    for r, x in enumerate(rows):
        for k in range(classes):
            total = math.lgamma(n[k].sum()) - math.lgamma((n[k] + x).sum())
            parts = sum(math.lgamma(a + c) - math.lgamma(a) for a, c in zip(n[k], x, strict=True))
            scores[r, k] = total + parts
    return log_softmax(class_priors(y, classes) + scores)


# -- feature selection -----------------------------------------------------------------------------


def entropy(counts):
    p = np.asarray(counts, float) / np.sum(counts)
    return -sum(each * math.log(each) for each in p if each > 0)


def mutual_information(present, y, classes, *, normalised):
    """Eq. 15 and 16: of a feature's presence and the class."""
    joint = np.array([[((present == v) & (y == k)).sum() for k in range(classes)] for v in (0, 1)])
    of_feature, of_class = entropy(joint.sum(axis=1)), entropy(joint.sum(axis=0))
    found = of_feature + of_class - entropy(joint.reshape(-1))
    least = min(of_feature, of_class)
    return found if not normalised else found / least if least > 0 else 0.0


# -- examples --------------------------------------------------------------------------------------


def ordered_examples(start, feature, value, num_features):
    """Rows with ascending features; those that a row has several times are added up.

    No values are ones: none come back unless a feature occurs twice.
    """
    begin, features, values = [0], [], []
    for first, behind in itertools.pairwise(start):
        row: dict[int, float] = {}
        for n in range(first, behind):
            row[feature[n]] = row.get(feature[n], 0.0) + (value[n] if len(value) else 1.0)
        assert all(0 <= number < num_features for number in row)
        features += sorted(row)
        values += [row[number] for number in sorted(row)]
        begin.append(len(features))
    return begin, features, values


def good_examples(start, feature, num_features):
    """Whether rows are in order, and features ascend in each of them."""
    return (
        start[0] == 0
        and start[-1] == len(feature)
        and all(
            first <= behind
            and all(a < b for a, b in itertools.pairwise(feature[first:behind]))
            and all(0 <= number < num_features for number in feature[first:behind])
            for first, behind in itertools.pairwise(start)
        )
    )


def good_labels(label, classes):
    """Whether all are numbers of classes."""
    return all(0 <= each < classes for each in label)


def plan_feature_slots(keys, first_slot):
    """Open addressing: each key goes to the first free slot from first_slot(key, slots) on."""
    slots: list = [None] * (len(keys) + len(keys) // 4 + 1)
    places = []
    for key in keys:
        place = first_slot(key, len(slots))
        while slots[place] is not None:
            place = (place + 1) % len(slots)
        slots[place] = key
        places.append(place)
    return slots, places
