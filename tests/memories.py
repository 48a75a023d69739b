"""Translation memories with tags and placeholders, made from the phrasebook."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from rosewood.corpus.phrasebook import Phrasebook, PhrasebookPair
from rosewood.corpus.text.tags import Protection

VALUES = ("%d", "%s", "{name}", "{count}", "%1$s", "%(n)d", "<br/>", "${x}", "&nbsp;", "{0}",
          '<x id="1"/>')  # fmt: skip
_KINDS = ("instead", "before", "around")
_PROTECTION = Protection()


def write_memory(folder: Path, **sizes: int) -> Path:
    """train.de, train.en and the like: so many pairs of each part."""
    for seed, (part, size) in enumerate(sizes.items()):
        rows = memory(size, seed + 1)
        for side, ending in enumerate(("de", "en")):
            text = "".join(f"{row[side]}\n" for row in rows)
            (folder / f"{part}.{ending}").write_text(text, encoding="utf-8")
    return folder


def memory(size: int, seed: int, *, noise: float = 0.1) -> list[tuple[str, str]]:
    """German and English texts with values and tags at linked words.

    A share `noise` of the values is missing on one side, or another one there.
    """
    chance = random.Random(seed)
    pairs = Phrasebook("en-de", seed=seed, reverse=True).pairs(size)
    return [_decorated(chance, pair, noise) for pair in pairs]


def protected(text: str) -> Counter[str]:
    """The values and tags of a text, each as often as it has it."""
    return Counter(text[each.start : each.end] for each in _PROTECTION.find(text))


def _decorated(chance: random.Random, pair: PhrasebookPair, noise: float) -> tuple[str, str]:
    sides = list(pair.source), list(pair.target)
    single = [
        (i, j) for i, j in sorted(pair.sure)
        if sum(a == i for a, _ in pair.sure) == sum(b == j for _, b in pair.sure) == 1
    ]  # fmt: skip
    for link in chance.sample(single, min(len(single), chance.choice((0, 1, 1, 1, 2, 3)))):
        kind, value = chance.choice(_KINDS), chance.choice(VALUES)
        values = [value, value]
        if chance.random() < noise:
            values[chance.randrange(2)] = chance.choice(("", chance.choice(VALUES)))
        for words, place, own in zip(sides, link, values, strict=True):
            word = words[place]
            made = {"instead": own, "before": f"{own} {word}", "around": f"<b>{word}</b>"}
            words[place] = made[kind].strip() or word
    return " ".join(sides[0]), " ".join(sides[1])
