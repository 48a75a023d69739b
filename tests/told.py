"""What a small forest tells, in a form that can be written out by hand and compared."""

from __future__ import annotations

from collections import Counter

import numpy as np

from rosewood.forest import Forest


def derivations(forest: Forest) -> Counter[tuple[str, tuple[tuple[str, float], ...]]]:
    """Every derivation: its string and its non-zero features."""
    found = forest.k_best(np.zeros(forest.num_edges), 1000)
    assert len(found) == forest.num_derivations()
    names = forest.features.names
    return Counter(
        (
            d.text,
            tuple(sorted((names[i], round(float(v), 9)) for i, v in enumerate(d.features()) if v)),
        )
        for d in found
    )


def expected(*rows: tuple[str, dict[str, float]]) -> Counter[tuple[str, tuple[object, ...]]]:
    return Counter(
        (text, tuple(sorted((n, round(v, 9)) for n, v in values.items() if v)))
        for text, values in rows
    )
