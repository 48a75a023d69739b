"""The same forest in terms of other tables of feature names and words."""

from __future__ import annotations

import numpy as np

from rosewood.arrays import IdArray
from rosewood.corpus import Vocabulary
from rosewood.errors import ForestError
from rosewood.forest.features import FeatureSpace
from rosewood.forest.forest import Forest


def renamed(forest: Forest, features: FeatureSpace, vocabulary: Vocabulary | None) -> Forest:
    """`forest` with feature and word numbers of these tables, which grow by what is new.

    The dense features must be the same.  A forest that uses these very tables comes back as it is.
    """
    if forest.features.dense != features.dense:
        reason = f"dense features are {forest.features.dense}, expected {features.dense}"
        raise ForestError(reason, code="file.mismatch", argument="features")
    if (forest.vocabulary is None) != (vocabulary is None):
        reason = "one has a vocabulary, the other has word numbers only"
        raise ForestError(reason, code="file.mismatch", argument="vocabulary")
    if forest.features is features and forest.vocabulary is vocabulary:
        return forest
    feat_id, feat_value = forest.feat_id, forest.feat_value
    if forest.features is not features and len(feat_id):
        used, place = np.unique(feat_id, return_inverse=True)
        feat_id = features.sparse.add_from(forest.features.sparse, used)[place.reshape(-1)]
        # Numbers must increase within an edge, in the new order too.
        edge = np.repeat(np.arange(forest.num_edges), np.diff(forest.feat_start))
        order = np.lexsort((feat_id, edge))
        feat_id, feat_value = feat_id[order], feat_value[order]
    symbol = forest.yield_symbol
    if forest.vocabulary is not None and vocabulary is not None:
        symbol = symbol.copy()
        is_word = symbol >= 0
        symbol[is_word] = _renumbered(symbol[is_word], forest.vocabulary, vocabulary)
    return forest.derive(
        features=features,
        vocabulary=vocabulary,
        feat_id=feat_id,
        feat_value=feat_value,
        yield_symbol=symbol,
    )


def _renumbered(numbers: IdArray, old: Vocabulary, new: Vocabulary) -> IdArray:
    """The same names by the numbers of another table; only the names in use are looked at."""
    used, place = np.unique(numbers, return_inverse=True)
    named = np.array(new.add_all(old.words(used.tolist())), dtype=np.int32)
    return named[place.reshape(-1)]
