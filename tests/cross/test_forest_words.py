"""Words of a forest are numbered from 0 in their order."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference import transform

from rosewood import _core


@pytest.mark.parametrize("largest", [1, 40, 1 << 20, 2**31 - 1])
@pytest.mark.parametrize("size", [0, 1, 500])
def test_words_are_numbered_in_order(largest, size):
    chance = np.random.default_rng([largest, size])
    words = chance.integers(0, largest, 30, endpoint=True)
    symbols = np.where(chance.random(size) < 0.3, -chance.integers(1, 4, size), 0).astype(np.int32)
    symbols[symbols == 0] = chance.choice(words, (symbols == 0).sum())
    used, numbered = _core.number_words(symbols)
    assert (used.tolist(), numbered.tolist()) == transform.number_words(symbols.tolist())
