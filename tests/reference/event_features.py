"""Features of orientation events by their names, and reordering models by their formulas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import exp, lgamma, log

BEGIN, END = "<s>", "</s>"


def feature_names(
    source: Sequence[str],
    begin: int,
    end: int,
    target: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    settings,
    classes: tuple[Mapping[str, int], Mapping[str, int]] | None = None,
    unknown: tuple[int, int] = (-1, -1),
) -> Counter[str]:
    """The features of words begin:end of a sentence, translated as `target`, with linked words."""
    found: Counter[str] = Counter()

    def class_of(word: str, side: int) -> str:
        assert classes is not None
        return str(classes[side].get(word, unknown[side]))

    def symbols() -> Iterator[bool]:
        if settings.symbols != "classes":
            yield False
        if settings.symbols != "words":
            yield True

    for is_class in symbols():
        kind = "_class" if is_class else ""

        def told(word: str, side: int, is_class: bool = is_class) -> str:
            return class_of(word, side) if is_class else word

        for f, e in pairs:
            found[f"pair{kind}:{told(f, 0)}&{told(e, 1)}"] += 1
        for d in range(1, settings.window + 1):
            for side, place in (("left", begin - d), ("right", end + d - 1)):
                name = f"{side}{d if d > 1 else ''}" if settings.sides else "context"
                if 0 <= place < len(source):
                    found[f"{name}{kind}:{told(source[place], 0)}"] += 1
        for name, words, side, wanted in (
            ("source", source[begin:end], 0, settings.source_edges),
            ("target", target, 1, settings.target_edges),
        ):
            if wanted and words:
                found[f"{name}{kind}_first:{told(words[0], side)}"] += 1
                found[f"{name}{kind}_last:{told(words[-1], side)}"] += 1
    if settings.boundaries:
        for d in range(1, settings.window + 1):
            suffix = d if d > 1 else ""
            if begin - d == -1:
                found[f"left{suffix}:{BEGIN}" if settings.sides else f"context:{BEGIN}"] += 1
            if end + d - 1 == len(source):
                found[f"right{suffix}:{END}" if settings.sides else f"context:{END}"] += 1
    return found


def normalised(scores: Sequence[float]) -> list[float]:
    """Log probabilities that are proportional to exp of scores."""
    most = max(scores)
    total = most + log(sum(exp(score - most) for score in scores))
    return [score - total for score in scores]


def linear_log_probabilities(
    features: Counter[str], weights: Mapping[str, Sequence[float]], bias: Sequence[float]
) -> list[float]:
    """One direction: sums of weights; features without weights do not count."""
    scores = list(bias)
    for name, count in features.items():
        for k, weight in enumerate(weights.get(name, [0.0] * len(bias))):
            scores[k] += count * weight
    return normalised(scores)


def dirichlet_log_probabilities(
    features: Counter[str],
    counts: Mapping[str, Sequence[float]],
    alpha: float,
    prior: Sequence[float],
) -> list[float]:
    """Bayes with full inference, by gamma functions: p(k) times the probability of the features."""
    known = {name: count for name, count in features.items() if name in counts}
    scores = []
    for k, share in enumerate(prior):
        total = sum(alpha + row[k] for row in counts.values())
        score = log(share) + lgamma(total) - lgamma(total + sum(known.values()))
        for name, count in known.items():
            own = alpha + counts[name][k]
            score += lgamma(own + count) - lgamma(own)
        scores.append(score)
    return normalised(scores)
