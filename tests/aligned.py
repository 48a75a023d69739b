"""Random aligned sentence pairs for tests of rules, and the native view of one."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rosewood import _core
from tests.reference.rules import Sentence


@st.composite
def aligned_sentences(draw, longest: int = 7) -> Sentence:
    """Words without links, words with many, and orders that models find hard: all are likely."""
    sources, targets = draw(st.integers(0, longest)), draw(st.integers(0, longest))
    places = [(i, j) for i in range(sources) for j in range(targets)]
    if not places:
        return Sentence(sources, targets, frozenset())
    if draw(st.booleans()):  # a permutation, some of it left out, and a link or two more
        order = draw(st.permutations(range(targets)))
        links = {pair for pair in enumerate(order[:sources]) if draw(st.integers(0, 5))}
        links |= draw(st.sets(st.sampled_from(places), max_size=2))
    else:
        links = draw(st.sets(st.sampled_from(places), max_size=longest + 2))
    return Sentence(sources, targets, frozenset(links))


def native(sentence: Sentence) -> _core.AlignedSentence:
    """The same sentence pair as kernels see it."""
    links = np.array(sorted(sentence.links), np.int32).reshape(-1, 2)
    source, target = (np.ascontiguousarray(links[:, side]) for side in (0, 1))
    return _core.AlignedSentence(sentence.sources, sentence.targets, source, target)
