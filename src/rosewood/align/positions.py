"""Where partners stand: jumps of the HMM and the tension of the diagonal, and how to learn them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.align.lexicon import Lexicon
from rosewood.align.models import AlignmentModel
from rosewood.corpus import IndexedCorpus

NullWords = tuple[NDArray[np.float32], NDArray[np.float32]]  # of target, of source words
Jumps = NDArray[np.float64]  # weights of jumps -reach .. reach, which sum to one
_JUMP_PRIOR = 0.5  # jumps of each size seen before any is
_TENSIONS = (0.1, 100.0)
_NULLS = (0.02, 0.3)  # more often words without a partner only look as if they had none


@dataclass(frozen=True, eq=False)
class Positions:
    """Parameters of both directions: forward (target words choose source words) and backward."""

    jump: tuple[Jumps, Jumps]
    tension: tuple[float, float]
    null: tuple[float, float]  # the probability that a word has no partner

    @classmethod
    def of(cls, model: AlignmentModel) -> Positions:
        """Where training starts: the next word is likeliest, and ever less so further away."""
        reach = getattr(model, "reach", 1)
        sizes = np.arange(-reach, reach + 1)
        jump = np.exp(-0.3 * np.abs(sizes - 1)) + 0.01
        tension = float(getattr(model, "tension", 0.0))
        null = model.null, model.null
        return cls((jump / jump.sum(), jump / jump.sum()), (tension, tension), null)

    def native(
        self,
        lexicon: Lexicon,
        placing: str,
        null_word: NullWords,
        agreement: bool,
    ) -> _core.AlignmentModel:
        """A model as kernels take it."""
        return _core.AlignmentModel(
            lexicon.view, placing, self.null, self.tension, *self.jump, *null_word, agreement
        )


def learn_jumps(jump: Jumps, count: Jumps, chance: Jumps) -> Jumps:
    """Weights under which the expected jumps are likelier than under those they came from.

    A jump's probability is its weight over the weights of all jumps that stay in the sentence, so
    relative frequencies would be wrong.  Hunter's (2004) way of raising such likelihoods: the
    count over the sum of `1 / weights to choose from` of all jumps that could have been this one.
    """
    seen = count + _JUMP_PRIOR
    could = np.maximum(chance, 0.0) + _JUMP_PRIOR * len(jump) / jump.sum()
    better: Jumps = np.maximum(seen / could, 1e-12)
    normalised: Jumps = better / better.sum()
    return normalised


def learn_null(words: int, linked: float, alone: float) -> float:
    """How many words have no partner: between what they say and what both directions agree on.

    Of so many observed words, `linked` are in links that both directions believe in, and `alone`
    say that they have no partner.  Too few say so by themselves: any partner is better than none;
    and what both agree on leaves out links that only one of them is sure of.
    """
    share = (alone + words - linked) / (2 * max(1, words))
    return min(max(share, _NULLS[0]), _NULLS[1])


@dataclass(frozen=True, eq=False)
class Shapes:
    """The positions that words can have in sentence pairs of each size: all that tension sees."""

    at: NDArray[np.float64]  # where a position is: (0, 1]
    places: NDArray[np.float64]  # how many places there are on the other side
    first: NDArray[np.int64]  # the position of each sentence's first word

    @classmethod
    def of(cls, observed: NDArray[np.int64], places: NDArray[np.int64]) -> Shapes:
        """Of sentences with so many observed words and so many places."""
        shape, which = np.unique(np.stack([observed, places]), axis=1, return_inverse=True)
        begins = np.cumsum([0, *shape[0]])
        within = np.arange(begins[-1]) - np.repeat(begins[:-1], shape[0])
        size, count = (np.repeat(each, shape[0]).astype(np.float64) for each in shape)
        return cls((within + 1) / size, np.maximum(count, 1), begins[:-1][which.reshape(-1)])


def shapes_of(corpus: IndexedCorpus) -> tuple[Shapes, Shapes]:
    """Positions of target words among source places, and the other way round."""
    source, target = corpus.source.lengths, corpus.target.lengths
    return Shapes.of(target, source), Shapes.of(source, target)


def learn_tension(
    shapes: Shapes, distance: float, placed: NDArray[np.float64], tension: float
) -> float:
    """The tension under which links are expected to be as far from the diagonal as they were.

    `distance` is how far links were seen to be altogether, `placed` how many there were at each
    position.  That is where the likelihood is highest: its slope falls as the tension grows.
    """

    def slope(tension: float) -> float:
        expected = placed * _mean_distance(shapes, tension)
        return float(expected.sum()) - distance  # no product: its threads wait for each other

    return _zero(slope, *_TENSIONS, tension)


def _zero(falling: Callable[[float], float], low: float, high: float, near: float) -> float:
    """Where a falling function is zero: by secants from `near`, halving what is left between ends.

    Where it is not zero from `low` to `high`, the end that is nearest to it.
    """
    last, at_last = low, falling(low)
    if at_last <= 0:
        return low
    if falling(high) >= 0:
        return high
    here = min(max(near, low * 1.01), high * 0.99)
    for _ in range(100):
        at_here = falling(here)
        low, high = (here, high) if at_here > 0 else (low, here)
        if at_here == 0 or high - low <= 1e-9 * high:
            break
        rise = at_here - at_last
        step = -at_here * (here - last) / rise if rise else 0.0
        last, at_last = here, at_here
        if abs(step) <= 1e-9 * here:
            break
        here = here + step if low < here + step < high else (low + high) / 2
    return here


def _mean_distance(shapes: Shapes, tension: float) -> NDArray[np.float64]:
    """How far from the diagonal places are expected to be, for each position.

    Places stand at 1/S, 2/S, … 1; those up to the position form one geometric series, those
    behind it another.
    """
    step = 1 / shapes.places
    before = np.minimum(np.floor(shapes.at / step + 1e-9), shapes.places)
    ratio = np.exp(-tension * step)
    sums, moments = np.zeros_like(step), np.zeros_like(step)
    for count, nearest in (
        (before, shapes.at - before * step),
        (shapes.places - before, (before + 1) * step - shapes.at),
    ):
        weight = np.where(count > 0, np.exp(-tension * np.maximum(nearest, 0.0)), 0.0)
        power = np.exp(-tension * step * count)
        series = (1 - power) / (1 - ratio)
        steps = (ratio - count * power + (count - 1) * power * ratio) / (1 - ratio) ** 2
        sums += weight * series
        moments += weight * (np.maximum(nearest, 0.0) * series + step * steps)
    return moments / sums
