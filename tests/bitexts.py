"""Small parallel corpora for tests of word alignment, and what stands at the places of lexicons."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import strategies as st

from rosewood.align.lexicon import Lexicon
from rosewood.corpus import IndexedCorpus


def close(found, want, tolerance=1e-6):
    """Equal up to rounding, relative to numbers above one."""
    np.testing.assert_allclose(np.asarray(found), np.asarray(want), rtol=tolerance, atol=tolerance)


VOCABULARY = tuple(
    line.split()
    for line in (
        "haus hause häuser klein kleine kleiner ein eine baum bäume Telefon telefone x y",
        "house houses small smaller tree trees a an telephone Telephones x z",
    )
)


@st.composite
def corpora(draw, pairs: int = 5, longest: int = 5):
    """A few short sentence pairs, some of them empty on a side, at least one that is not."""
    some = draw(st.integers(2, 8))
    sides = [st.lists(st.sampled_from(w[:some]), max_size=longest) for w in VOCABULARY]
    made = draw(st.lists(st.tuples(*sides), max_size=pairs))
    full = st.tuples(*(st.lists(st.sampled_from(w), min_size=1, max_size=3) for w in VOCABULARY))
    return [*made, draw(full)]


def random_corpus(seed: int, pairs: int = 20, longest: int = 8):
    """Sentences like those of language in one thing: few words are frequent, many are not."""
    chance = random.Random(seed)
    made = []
    for _ in range(pairs):
        sides = []
        for side in VOCABULARY:
            weights = [1 / rank for rank in range(1, len(side) + 1)]
            sides.append(chance.choices(side, weights, k=chance.randint(0, longest)))
        made.append(tuple(sides))
    return [*made, (["ein", "haus", "ein"], ["a", "house", "a"]), (["x"], ["x"])]


def indexed(sentences) -> IndexedCorpus:
    """Sentence pairs of words as a corpus."""
    source, target = zip(*sentences, strict=True)
    return IndexedCorpus.from_lines(map(" ".join, source), map(" ".join, target))


def numbers(corpus: IndexedCorpus):
    """The sentence pairs as loops take them."""
    return [
        (corpus.source.sentence(k).tolist(), corpus.target.sentence(k).tolist())
        for k in range(len(corpus))
    ]


def sizes(corpus: IndexedCorpus) -> tuple[int, int]:
    return corpus.source.num_types, corpus.target.num_types


def entries(lexicon: Lexicon, values) -> dict:
    """What stands at each place, by pair of words."""
    source, target, found = lexicon.pairs(np.asarray(values).reshape(len(lexicon), -1), least=-1e9)
    return dict(zip(zip(source.tolist(), target.tolist(), strict=True), found, strict=True))


def same_pairs(found: dict, want: dict, tolerance=1e-6):
    close([found[pair] for pair in want], list(want.values()), tolerance)
