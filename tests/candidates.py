"""Hypothesis strategies: lists of candidates with awkward texts, ids and numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rosewood.rerank import CandidateList

# Everything that UTF-8 can hold; white space of all kinds more often than by chance.
anything = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("  \t\n\r\x0b\u00a0ab")
)
finite = st.floats(allow_nan=False, allow_infinity=False)
# What formats of lines can hold: no tabs, no ends of lines, no bars, no spaces at the ends.
plain = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r|\ufeff")
    | st.sampled_from("  \x0b\u2028\u00a0ab")
).map(lambda text: text.strip(" "))
DENSE = ("lm", "tm_0", "länge")
SPARSE = ("rule:1", "rule:a b", "bigram:x=y")


@st.composite
def candidate_lists(
    draw,
    *,
    texts=anything,
    ids=None,
    dense=DENSE,
    sparse=SPARSE,
    scores=("comet", "x"),
    references=None,
    max_lists=4,
) -> list[CandidateList]:
    """Lists that one file can hold: the same dense features, scores and number of references."""
    names = tuple(draw(st.lists(st.sampled_from(dense), unique=True, min_size=0)) if dense else ())
    columns = draw(st.lists(st.sampled_from(scores), unique=True)) if scores else []
    count = draw(st.integers(0, 2)) if references is None else references
    found = draw(
        st.lists(anything.filter(bool), unique=True, min_size=1, max_size=max_lists)
        if ids is None
        else st.integers(1, max_lists).map(lambda n: [ids(i) for i in range(n)])
    )
    has_source = draw(st.booleans())
    made = []
    for name in found:
        said = draw(st.lists(texts, min_size=1, max_size=4))
        n = len(said)
        values = [[draw(finite) for _ in names] for _ in range(n)]
        tables = [
            draw(st.dictionaries(st.sampled_from(sparse), finite)) if sparse else {} for _ in said
        ]
        made.append(
            CandidateList(
                id=name,
                texts=tuple(said),
                names=names,
                dense=np.array(values, dtype=float).reshape(n, len(names)),
                source=draw(texts) if has_source else None,
                references=tuple(draw(texts) for _ in range(count)),
                sparse=tuple(tables) if any(tables) else (),
                scores={c: np.array([draw(finite) for _ in range(n)]) for c in columns},
            )
        )
    return made
