"""Random large feature sets, and rules that they have something to say about."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from rosewood.corpus import WordClasses
from rosewood.corpus.segmenter import Segmenter
from rosewood.decode.large_features import LargeFeatures, LargeSide, MorphemeLinks
from rosewood.rules import Gap, Rule

SOURCE = ("aba", "ab", "bab", "a", ",", "ü:b", "cab")
TARGET = ("XYX", "XY", "YX", "_", ",", "ÜX", "=Y", "%")
COLUMNS = ("phrase_ef", "lexical_ef")


def large_set(random: Random) -> LargeFeatures:
    """Classes, top words, morphemes and links of morphemes by chance; some words are unknown."""
    sides = [_side(random, words) for words in (SOURCE, TARGET)]
    one, other = sides
    pairs = [
        (s, t)
        for s in range(1, one.classes.num_classes + 1)
        for t in range(1, other.classes.num_classes + 1)
    ]
    sizes = len(one.segmenter), len(other.segmenter)
    links = [
        (s, t, random.randrange(1, 50))
        for s in range(-1, sizes[0])
        for t in range(-1, sizes[1])
        if (s >= 0 or t >= 0) and random.random() < 0.7
    ]
    source, target, count = (
        (list(each) for each in zip(*links, strict=True)) if links else ([],) * 3
    )
    return LargeFeatures(
        one,
        other,
        tuple(random.sample(pairs, random.randrange(len(pairs) + 1))),
        MorphemeLinks(
            np.array(source, np.int32), np.array(target, np.int32), np.array(count, np.int64)
        ),
    )


def _side(random: Random, words: Sequence[str]) -> LargeSide:
    known = random.sample(words, random.randrange(1, len(words) + 1))
    num_classes = random.randrange(1, len(known) + 1)
    classes = [random.randrange(1, num_classes + 1) for _ in known]
    top = random.sample(words, random.randrange(len(words) + 1))
    return LargeSide(
        tuple(top),
        WordClasses(tuple(known), np.array(classes), np.zeros(len(known)), num_classes),
        Segmenter.learn(known, rounds=random.randrange(1, 4)),
    )


def some_rule(random: Random, gaps: int = 0) -> Rule:
    """A rule over the words of both sides, with links and counts."""
    source: list[str | Gap] = list(random.choices(SOURCE, k=random.randrange(1, 4)))
    target: list[str | Gap] = list(random.choices(TARGET, k=random.randrange(4)))
    for number in range(1, gaps + 1):
        source.insert(random.randrange(len(source) + 1) if number == 1 else len(source),
                      Gap("X", number))  # fmt: skip
        target.insert(random.randrange(len(target) + 1), Gap("X", number))
    links = tuple(
        (i, j)
        for i, one in enumerate(source)
        for j, other in enumerate(target)
        if isinstance(one, str) and isinstance(other, str) and random.random() < 0.4
    )
    values = {name: -random.randrange(64) / 16 for name in COLUMNS}
    counts = [random.choice([0.0, 0.25, 1.0, 2.0, 1000.0]) for _ in range(3)]
    return Rule(tuple(source), tuple(target), "X", links, values, *counts)
