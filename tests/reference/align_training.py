"""Training of models of word alignment, written for reading: rounds of EM, and those of `best`.

`model` is whatever has the settings of rosewood.align.models.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from operator import mul
from typing import Any

from tests.reference import align_words as words
from tests.reference.align import (
    Expected,
    Model,
    Placement,
    Row,
    SentencePair,
    align_expect,
    diagonal_weights,
    distance,
)

Positions = dict[tuple[int, int, int], float]  # observed words, places, position: how many links


def first_jumps(reach: int) -> Row:
    """The next word is likeliest."""
    weights = [exp(-0.3 * abs(size - 1)) + 0.01 for size in range(-reach, reach + 1)]
    return [weight / sum(weights) for weight in weights]


def pairs_of(bitext: Sequence[SentencePair]) -> set[words.Pair]:
    """Words that occur together."""
    return {(s, t) for source, target in bitext for s in source for t in target}


def start(bitext: Sequence[SentencePair], sizes: tuple[int, int], model: Any) -> Model:
    """Where training begins: all words are as likely as each other."""
    pairs = pairs_of(bitext)
    how = Placement(
        "uniform",
        model.null,
        getattr(model, "tension", 0.0),
        first_jumps(getattr(model, "reach", 1)),
    )
    source, target = (words.single(1 / size) for size in sizes)
    return Model(
        (dict.fromkeys(pairs, target), dict.fromkeys(pairs, source)),
        ([target] * sizes[1], [source] * sizes[0]),
        (how, how),
    )


def em_round(
    bitext: Sequence[SentencePair], state: Model, model: Any, placing: str, agreement: bool
) -> tuple[Model, Expected]:
    """Expectation and maximisation."""
    state = placed(state, placing)._replace(agreement=agreement)
    expected = align_expect(bitext, state)
    sizes = len(state.null_word[1]), len(state.null_word[0])
    totals = words.count_totals(expected.count, sizes)
    partners = words.count_partners(state.word[0], sizes)
    found = state._replace(
        word=words.maximise_words(state.word[0], expected.count, totals, partners, model.prior),
        null_word=(
            words.null_words(expected.null[0], model.prior),
            words.null_words(expected.null[1], model.prior),
        ),
    )
    return learned(found, expected, learn_tension=getattr(model, "learn_tension", False)), expected


def placed(state: Model, placing: str) -> Model:
    """The same model with another way of choosing places."""
    forward, backward = (how._replace(kind=placing) for how in state.placement)
    return state._replace(placement=(forward, backward))


def learned(state: Model, expected: Expected, *, learn_tension: bool) -> Model:
    """Better jumps or a better tension."""
    made = []
    for d, how in enumerate(state.placement):
        if how.kind == "jumps":
            how = how._replace(jump=better_jumps(how.jump, expected.jump[d], expected.chance[d]))
        elif how.kind == "diagonal" and learn_tension:
            best = best_tension(expected.distance[d], expected.placed[d])
            how = how._replace(tension=how.tension + 0.1 * (best - how.tension))
        made.append(how)
    return state._replace(placement=(made[0], made[1]))


def with_nulls(state: Model, bitext: Sequence[SentencePair], expected: Expected) -> Model:
    """Half way between words that say they have no partner and words without an agreed link."""
    linked = sum(expected.count[0].values())
    made = []
    for d, how in enumerate(state.placement):
        observed = sum(len(pair[1 - d]) for pair in bitext)
        share = (sum(expected.null[d]) + observed - linked) / (2 * max(1, observed))
        made.append(how._replace(null=min(max(share, 0.02), 0.3)))
    return state._replace(placement=(made[0], made[1]))


def train(
    bitext: Sequence[SentencePair], sizes: tuple[int, int], model: Any
) -> tuple[Model, list[Expected]]:
    """All rounds of a model that is trained by EM."""
    state, history = start(bitext, sizes, model), []
    stages = [("uniform", False)] * model.warm_up
    for placing, agreement in stages + [(model.placing, model.agreement)] * model.iterations:
        state, expected = em_round(bitext, state, model, placing, agreement)
        history.append(expected)
    return placed(state, model.placing)._replace(agreement=model.agreement), history


def train_collapsed(
    bitext: Sequence[SentencePair], texts: tuple[Sequence[str], Sequence[str]], model: Any
) -> tuple[Model, list[Expected]]:
    """All rounds of `best`: after Model 1, the links of a sentence are left out of its own counts.

    The first round of its own has nothing to leave out yet.
    """
    sizes = len(texts[0]), len(texts[1])
    state, history = start(bitext, sizes, model), []
    for _ in range(model.model1):
        state, expected = em_round(bitext, state, model, "uniform", agreement=False)
        history.append(expected)
    pairs = pairs_of(bitext)
    occurring = [[0] * size for size in sizes]
    for pair in bitext:
        for side, sentence in enumerate(pair):
            for word in sentence:
                occurring[side][word] += 1
    stems = (
        words.stems_of(texts[0], occurring[0], model.stem),
        words.stems_of(texts[1], occurring[1], model.stem),
    )
    like = words.spell(pairs, *texts)
    priors = words.Priors(
        model.pair_prior, model.null_prior, model.spelling, model.stem_weight, model.stem_prior
    )
    state = placed(state, "jumps")._replace(agreement=True)
    for _ in range(model.iterations):
        expected = align_expect(bitext, state, keep=True)
        history.append(expected)
        collapsed = words.Collapsed(expected.count[0], expected.null, like, stems, priors)
        state = state._replace(
            word=words.maximise_collapsed(pairs, collapsed),
            null_word=collapsed.null_words(),
            collapsed=collapsed,
            kept=expected.kept,
        )
        state = learned(state, expected, learn_tension=False)
        if model.learn_null:
            state = with_nulls(state, bitext, expected)
    return state, history


# -- where partners stand --------------------------------------------------------------------------


def better_jumps(jump: Sequence[float], count: Row, chance: Row, prior: float = 0.5) -> Row:
    """Jumps under which expected jumps are likelier, by a step that cannot overshoot.

    A jump's probability is its weight over all weights that could be chosen, log w - log Z; below
    -log Z lies its tangent, -Z/Z', which gives each weight a price of its own.  Before any is seen,
    each size was seen `prior` times where all sizes could be chosen.
    """
    made = [
        max(1e-12, (seen + prior) / (price + prior * len(jump) / sum(jump)))
        for seen, price in zip(count, chance, strict=True)
    ]
    return [weight / sum(made) for weight in made]


def tension_likelihood(tension: float, far: float, links: Positions) -> float:
    """The log probability of links that are `far` from the diagonal altogether."""
    how = Placement("diagonal", 0.0, tension)
    return -tension * far - sum(
        count * log(how.all_weights(o, observed, places, -1))
        for (observed, places, o), count in links.items()
    )


def tension_slope(tension: float, far: float, links: Positions) -> float:
    """How fast that rises with the tension: how far links should be, less how far they are."""
    slope = -far
    for (observed, places, o), count in links.items():
        weights = diagonal_weights(tension, o, observed, places)
        far_of = [distance(o, observed, s, places) for s in range(places)]
        slope += count * sum(map(mul, weights, far_of)) / sum(weights)
    return slope


def best_tension(far: float, links: Positions, low: float = 0.1, high: float = 100.0) -> float:
    """Where the slope is 0, by halving; it falls all the way."""
    if tension_slope(low, far, links) <= 0:
        return low
    if tension_slope(high, far, links) >= 0:
        return high
    while high - low > 1e-10:
        middle = (low + high) / 2
        if tension_slope(middle, far, links) > 0:
            low = middle
        else:
            high = middle
    return low
