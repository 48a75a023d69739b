"""Random rules for tables: few words, so that sources share beginnings and sentences match.

And tables whose files were changed by somebody who knows of checksums.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from random import Random

import numpy as np
from hypothesis import strategies as st

from rosewood.rules import Gap, Rule
from rosewood.rules.table_files import KIND, MANIFEST

WORDS = ["a", "b", "c", "ä", "|||"]
LABELS = ["X", "NP"]
FEATURES = ["phrase_ef", "lexical_ef", "penalty"]
X1, X2 = Gap("X", 1), Gap("X", 2)
RULES = [
    Rule(("das", "haus"), ("the", "house"), "X", ((0, 0), (1, 1)), {"p": -0.5}, 2, 3, 2, 7),
    Rule(("das",), ("the",), "X", ((0, 0),), {"p": -0.25}, 30, 40, 31.5),
    Rule(("das",), ("that",), "X", ((0, 0),), {"p": -1.5}, 10, 40, 11),
    Rule((X1, "hat", X2), (X2, "has", X1), "S", ((1, 1),), {"p": -2.0}),
    Rule(("ach",), (), "X", (), {"p": -3.0}),
]

sentences = st.lists(st.sampled_from([*WORDS, "unknown"]), max_size=6)


def rules(max_gaps: int = 2) -> st.SearchStrategy[Rule]:
    """A rule of few symbols, by a generator of Python's: much faster than draws of Hypothesis."""
    return st.integers(0, 2**32 - 1).map(lambda seed: _rule(Random(seed), max_gaps))


def _rule(random: Random, max_gaps: int) -> Rule:
    source: list[str | Gap] = []
    gaps: list[Gap] = []
    for _ in range(random.randint(1, 4)):
        if len(gaps) < max_gaps and random.random() < 0.5:
            gaps.append(Gap(random.choice(LABELS), len(gaps) + 1))
            source.append(gaps[-1])
        else:
            source.append(random.choice(WORDS))
    target = [*random.choices(WORDS, k=random.randint(0, 3)), *gaps]
    random.shuffle(target)
    pairs = [
        (i, j)
        for i, one in enumerate(source)
        for j, other in enumerate(target)
        if isinstance(one, str) and isinstance(other, str)
    ]
    return Rule(
        tuple(source),
        tuple(target),
        random.choice(LABELS),
        tuple(sorted(random.sample(pairs, random.randint(0, len(pairs))))),
        {name: _value(random) for name in FEATURES},
        _count(random),
        _count(random),
        _count(random),
        random.choice([None, random.randint(0, 1000)]),
    )


def _value(random: Random) -> float:
    """Few values come often, so that rules tie; all of them are single precision."""
    return random.choice(
        [0.0, -0.5, -1.0, 1.0, *[float(np.float32(random.uniform(-100, 100)))] * 4]
    )


def _count(random: Random) -> float:
    return random.choice([float(random.randint(0, 5)), random.uniform(0, 1e6)])


def rule_lists(max_gaps: int = 2, max_size: int = 25) -> st.SearchStrategy[list[Rule]]:
    """Rules of which no two are the same."""
    return st.lists(
        rules(max_gaps), max_size=max_size, unique_by=lambda r: (r.left, r.source, r.target)
    )


def rewrite(path: Path, data: bytes) -> None:
    """Other bytes for a file of a table, and a checksum that fits."""
    path.write_bytes(data)
    folder = path.parent
    manifest = json.loads((folder / MANIFEST).read_bytes())
    manifest["files"][path.name]["crc32"] = zlib.crc32(data)
    shape = {key: manifest[key] for key in ("labels", "features", "groups", "facts")}
    KIND.write_manifest(folder, manifest["files"], shape)
