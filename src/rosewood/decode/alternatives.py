"""Other translations than the best: derivations of a forest, as the decoder tells of its best.

found = decoder.search("das haus ist klein")
for each in alternatives(found, decoder.theta(), 10): print(each.score, each.text, each.links)
chosen = forest_mbr(found.forest, found.forest.score(decoder.theta()))
translation_of(found, chosen.derivation).links
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rosewood.arrays import FloatArray, LongArray
from rosewood.decode.options import TranslationOptions
from rosewood.decode.results import PhraseSearch
from rosewood.decode.translation import PhraseUse, Translation
from rosewood.errors import DecodingError
from rosewood.forest import Derivation, Forest

__all__ = ["all_features", "alternatives", "moses_line", "translation_of"]

_SAME = 1e-9  # scores that differ by rounding
_BETWEEN = "|||"
_ESCAPED = "&#124;&#124;&#124;"  # as Moses has it


def alternatives(
    found: PhraseSearch, theta: FloatArray, n: int, *, distinct: bool = False
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


def translation_of(found: PhraseSearch, derivation: Derivation) -> Translation:
    """A derivation of a search's forest as a translation, with its phrases and features."""
    if derivation.forest is not found.forest:
        raise DecodingError("the derivation is not one of this search's forest")
    edges = derivation.edges[::-1]  # a chain: its first edge stands last
    chosen = found.edge_option[edges]
    words, phrases = _spoken(found.options, chosen[chosen >= 0].tolist())
    return Translation(
        found.source,
        words,
        derivation.score,
        _features(found.forest, edges),
        phrases,
        found.report,
        found.options.table,
    )


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
            raise DecodingError(f"the feature {name[:40]!r} does not fit on a line that ||| parts")
        told.append(f"{name}={value!r}")
    fields = [str(number), said.replace(_BETWEEN, _ESCAPED), " ".join(told)]
    return f" {_BETWEEN} ".join([*fields, repr(translation.score)])


def all_features(translation: Translation, dense: Sequence[str]) -> dict[str, float]:
    """The features of a translation: dense ones even where they are 0, and the sparse ones."""
    sparse = {name: value for name, value in translation.features.items() if name not in dense}
    return {name: translation.features.get(name, 0.0) for name in dense} | sparse


def _spoken(
    options: TranslationOptions, chosen: list[int]
) -> tuple[tuple[str, ...], tuple[PhraseUse, ...]]:
    """What options say one behind the other, and where each of them stands in that."""
    words: list[str] = []
    phrases: list[PhraseUse] = []
    for option in chosen:
        phrases.append(options.use(option, len(words)))
        words += options.target_words(option)
    return tuple(words), tuple(phrases)


def _features(forest: Forest, edges: LongArray) -> dict[str, float]:
    """Those that are not 0, summed over the edges alone: a forest has many more."""
    totals = forest.dense[edges].sum(axis=0).tolist()
    named = {n: v for n, v in zip(forest.features.dense, totals, strict=True) if v}
    if not len(forest.feat_id):
        return named
    sparse: dict[int, float] = {}
    for edge in edges.tolist():
        row = slice(int(forest.feat_start[edge]), int(forest.feat_start[edge + 1]))
        for number, value in zip(
            forest.feat_id[row].tolist(), forest.feat_value[row].tolist(), strict=True
        ):
            sparse[number] = sparse.get(number, 0.0) + value
    names = forest.features.sparse
    return named | {names[number]: value for number, value in sparse.items() if value}
