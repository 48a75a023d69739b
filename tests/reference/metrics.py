"""Statistics and scores by loops: what the kernels of core/metrics compute, by their names.

A batch is a list of sentences; a sentence is a pair of its hypotheses and its references; a text is
a list of symbols.
"""

from __future__ import annotations

from collections import Counter
from math import exp, inf, log

Text = list
Sentence = tuple[list[Text], list[Text]]


def ngrams(text: Text, n: int) -> Counter[tuple]:
    return Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))


def bleu_statistics(
    batch: list[Sentence], orders: int, *, clip: bool = True, strict: bool = False
) -> list[list[float]]:
    """Words, reference words, matches of each order, n-grams of each order, words that count."""
    rows = []
    for hypotheses, references in batch:
        for text in hypotheses:
            near = min((abs(len(r) - len(text)), len(r)) for r in references)[1]
            matches, totals = [], []
            for n in range(1, orders + 1):
                own = ngrams(text, n)
                limit: Counter[tuple] = Counter()
                for reference in references:
                    limit |= ngrams(reference, n)
                matches.append(
                    sum(min(c, limit[g]) if clip else c for g, c in own.items() if g in limit)
                )
                totals.append(own.total())
            last = [min(len(text), near)] if strict else []
            rows.append([len(text), near, *matches, *totals, *last])
    return rows


def chrf_statistics(batch: list[tuple[list, list]], orders: tuple[int, int], beta, effective):
    """As `bleu_statistics`; a text is a pair of its characters and its words."""
    rows = []
    for hypotheses, references in batch:
        for text in hypotheses:
            best, row = -inf, []
            for reference in references:
                found = []
                for own, other, most in zip(text, reference, orders, strict=True):
                    for n in range(1, most + 1):
                        have, want = ngrams(own, n), ngrams(other, n)
                        total = have.total() if want else 0
                        found += [total, want.total(), (have & want).total()]
                score = chrf_score(found, beta, effective)
                if score > best:
                    best, row = score, found
            rows.append(row)
    return rows


def edit_distance(a: Text, b: Text) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y)))
    return row[-1]


def edit_statistics(batch: list[Sentence]) -> list[list[float]]:
    """Edits and length of the reference that needs the fewest; of equals, the longest."""
    rows = []
    for hypotheses, references in batch:
        for text in hypotheses:
            edits, length = min((edit_distance(text, r), -len(r)) for r in references)
            rows.append([edits, -length])
    return rows


def known_ngrams(references: list[Text], grams: list[Text]) -> list[int]:
    return [int(any(tuple(g) in ngrams(r, len(g)) or not g for r in references)) for g in grams]


def linear_loss(text: Text, references: list[Text], per_match, per_ngram) -> float:
    """-Σ over the n-grams of a text: what any of its order gains, and a match besides."""
    gain = 0.0
    for n, (match, every) in enumerate(zip(per_match, per_ngram, strict=True), start=1):
        known = {gram for reference in references for gram in ngrams(reference, n)}
        own = ngrams(text, n)
        gain += every * own.total() + match * sum(own[gram] for gram in own if gram in known)
    return -gain


# -- scores ----------------------------------------------------------------------------------------


def bleu_score(
    row, orders: int, smooth: str = "exp", value: float = 0.0, *, effective=False
) -> float:
    """BLEU of summed statistics; a last number beyond those of BLEU is the words that count."""
    matches, totals = row[2 : 2 + orders], row[2 + orders : 2 + 2 * orders]
    words = row[2 + 2 * orders] if len(row) > 2 + 2 * orders else row[0]
    if not matches[0]:
        return 0.0
    logs, halves = [], 1.0
    for n, (match, total) in enumerate(zip(matches, totals, strict=True)):
        if smooth == "add-k" and n:
            match, total = match + value, total + value
        if not total:
            break
        if not match and smooth == "exp":
            halves /= 2.0
            match = halves
        elif not match and smooth == "floor":
            match = value
        logs.append(log(match / total) if match else -inf)
    if len(logs) < orders and not effective:
        return 0.0
    penalty = min(0.0, 1.0 - row[1] / words) if words else -inf
    return 100.0 * exp(sum(logs) / len(logs) + penalty)


def chrf_score(row, beta: float, effective: bool) -> float:
    """chrF of summed statistics: of mean precision and recall, or the mean of each order's."""
    weight, triples = beta * beta, list(zip(row[::3], row[1::3], row[2::3], strict=True))
    if not effective:
        total = 0.0
        for own, other, match in triples:
            p, r = match / own if own else 1e-16, match / other if other else 1e-16
            total += (1 + weight) * p * r / (weight * p + r) if weight * p + r else 1e-16
        return 100.0 * total / len(triples)
    used = [(match / own, match / other) for own, other, match in triples if own and other]
    if not used:
        return 0.0
    p, r = (sum(x) / len(used) for x in zip(*used, strict=True))
    return 100.0 * ((1 + weight) * p * r / (weight * p + r)) if p + r else 0.0


def ratio_score(row, factor: float) -> float:
    if row[1]:
        return factor * row[0] / row[1]
    return factor if row[0] else 0.0


def metric_scores(kind: str, rows, **settings) -> list[float]:
    score = {"bleu": bleu_score, "chrf": chrf_score, "ratio": ratio_score}[kind]
    return [score(row, **settings) for row in rows]
