"""Other translations than the best: derivations of a forest, as the decoder tells of its best.

found = decoder.search("das haus ist klein")
for each in alternatives(found, decoder.theta(), 10): print(each.score, each.text, each.links)
chosen = forest_mbr(found.forest, found.forest.score(decoder.theta()))
translation_of(found, chosen.derivation).links
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.decode.results import SearchResult, translation_of
from rosewood.decode.translation import Translation
from rosewood.errors import DecodingError
from rosewood.forest import Derivation

_SAME = 1e-9  # scores that differ by rounding
_BETWEEN = "|||"
_ESCAPED = "&#124;&#124;&#124;"  # as Moses has it


def alternatives(
    found: SearchResult, theta: FloatArray, n: int, *, distinct: bool = False
) -> list[Translation]:
    """The n best translations, the best first; with `distinct`, no two say the same words.

    `theta` has the weights of the forest's features: `decoder.theta()`, asked for behind the
    search.  There are none where a reference cannot be reached.
    """
    if found.derivation is None:
        return []
    weight = found.forest.score(theta)
    listed = list(found.forest.k_best(weight, n, distinct=distinct))
    edges = found.derivation.edges
    first = Derivation(found.forest, edges, float(weight[edges].sum()))
    if listed and abs(listed[0].score - first.score) < _SAME:
        # The search's own choice comes first among equals, which the forest may see otherwise.
        rest = [
            each
            for each in listed
            if abs(each.score - first.score) >= _SAME or not _is_same(each, first, distinct)
        ]
        listed = [first, *rest][:n]
    return [translation_of(found, each) for each in listed]


def _is_same(one: Derivation, other: Derivation, distinct: bool) -> bool:
    if distinct:
        return one.words == other.words
    return np.array_equal(one.edges, other.edges)


def moses_line(
    number: int, translation: Translation, dense: Sequence[str], text: str | None = None
) -> str:
    """A line of an n-best list, `number ||| text ||| name=value … ||| score`.

    `dense` has the names of features that are told even where they are 0.  Names and values are
    written so that reading them gives the same; ||| in the text, which is that of the translation
    unless another is given, becomes &#124;&#124;&#124;.
    """
    said = translation.text if text is None else text
    told = []
    for name, value in all_features(translation, dense).items():
        if _BETWEEN in name:
            reason = f"the feature {name[:40]!r} does not fit on a line that ||| parts"
            raise DecodingError(reason, code="feature.names", argument=name)
        told.append(f"{name}={value!r}")
    fields = [str(number), said.replace(_BETWEEN, _ESCAPED), " ".join(told)]
    return f" {_BETWEEN} ".join([*fields, repr(translation.score)])


def all_features(translation: Translation, dense: Sequence[str]) -> dict[str, float]:
    """The features of a translation: dense ones even where they are 0, and the sparse ones."""
    sparse = {name: value for name, value in translation.features.items() if name not in dense}
    return {name: translation.features.get(name, 0.0) for name in dense} | sparse
