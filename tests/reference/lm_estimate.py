"""Interpolated modified Kneser-Ney, as Chen & Goodman (1998) define it, over plain dictionaries.

An n-gram is a tuple of words; sentences are padded with one <s> and one </s>.  Lower orders count
in how many ways an n-gram continues to the left; n-grams that begin with <s> cannot, and keep
their counts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import log10

Ngram = tuple[str, ...]
FALLBACK = (0.5, 1.0, 1.5)


def raw_counts(sentences: Sequence[Sequence[str]], order: int) -> Counter[Ngram]:
    """How often each n-gram of up to `order` words occurs; <s> alone is not counted."""
    counts: Counter[Ngram] = Counter()
    for sentence in sentences:
        padded = ("<s>", *sentence, "</s>")
        for end in range(1, len(padded)):
            for begin in range(max(0, end - order + 1), end + 1):
                counts[padded[begin : end + 1]] += 1
    return counts


def adjusted_counts(raw: Mapping[Ngram, int], order: int) -> dict[Ngram, int]:
    """What each order is estimated from."""
    before: defaultdict[Ngram, set[str]] = defaultdict(set)
    for ngram in raw:
        before[ngram[1:]].add(ngram[0])
    return {
        ngram: count if len(ngram) == order or ngram[0] == "<s>" else len(before[ngram])
        for ngram, count in raw.items()
    }


def discounts(counts: Sequence[int]) -> tuple[tuple[float, float, float], bool]:
    """For counts 1, 2, and 3 or more; and whether they had to be made up.

    A discount of nothing is none: contexts could leave nothing to words they have not seen.
    """
    n = [sum(1 for count in counts if count == k) for k in range(5)]
    if not counts:
        return FALLBACK, False  # they are of no use
    if 0 in n[1:4]:
        return FALLBACK, True
    y = n[1] / (n[1] + 2 * n[2])
    found = tuple(k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3))
    if any(not 0 < d <= k for k, d in enumerate(found, 1)):
        return FALLBACK, True
    return found, False


def estimate(
    sentences: Sequence[Sequence[str]], order: int, cutoffs: Sequence[int] = ()
) -> tuple[dict[Ngram, tuple[float, float | None]], list[tuple[tuple[float, float, float], bool]]]:
    """log10 p and log10 back-off (None where no longer n-gram begins so), and discounts by order.

    `cutoffs` are for each order from 2 on: n-grams that occur so often or less are left out, and
    what they had goes to the words of shorter contexts.
    """
    raw = raw_counts(sentences, order)
    counts = adjusted_counts(raw, order)
    words = {ngram[0] for ngram in counts if len(ngram) == 1} | {"<unk>"}
    limit = {
        n: cutoffs[min(n - 2, len(cutoffs) - 1)] if cutoffs else 0 for n in range(2, order + 1)
    }
    limit[1] = 0
    kept = {ngram for ngram in counts if raw[ngram] > limit[len(ngram)]}
    found = [
        discounts([count for ngram, count in counts.items() if len(ngram) == n])
        for n in range(1, order + 1)
    ]

    def discount(ngram: Ngram) -> float:
        return found[len(ngram) - 1][0][min(counts[ngram], 3) - 1]

    after: defaultdict[Ngram, list[Ngram]] = defaultdict(list)
    for ngram in counts:
        after[ngram[:-1]].append(ngram)
    total = {context: sum(counts[n] for n in group) for context, group in after.items()}
    gamma = {
        context: sum(discount(n) if n in kept else counts[n] for n in group) / total[context]
        for context, group in after.items()
    }
    p: dict[Ngram, float] = {}
    for ngram in sorted(kept, key=len):
        context = ngram[:-1]
        lower = p[ngram[1:]] if context else 1 / len(words)
        p[ngram] = (counts[ngram] - discount(ngram)) / total[context] + gamma[context] * lower
    if ("<unk>",) not in p:
        p[("<unk>",)] = gamma.get((), 1.0) / len(words)
    p[("<s>",)] = 1.0
    extended = {ngram[:-1] for ngram in kept}
    model = {
        ngram: (log10(value), log10(gamma[ngram]) if ngram in extended else None)
        for ngram, value in p.items()
    }
    return model, found
