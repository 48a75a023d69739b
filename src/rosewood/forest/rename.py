"""The same forest in terms of other tables of feature names and words."""

from __future__ import annotations

import numpy as np

from rosewood.corpus import Vocabulary
from rosewood.errors import ForestError
from rosewood.forest.features import FeatureSpace
from rosewood.forest.forest import Forest

__all__ = ["renamed"]


def renamed(forest: Forest, features: FeatureSpace, vocabulary: Vocabulary | None) -> Forest:
    """`forest` with feature and word numbers of these tables, which grow by what is new.

    The dense features must be the same.  A forest that uses these very tables comes back as it is.
    """
    if forest.features.dense != features.dense:
        raise ForestError(
            f"the dense features are {list(forest.features.dense)}, want {list(features.dense)}"
        )
    if (forest.vocabulary is None) != (vocabulary is None):
        raise ForestError("one has a vocabulary, the other has word numbers only")
    if forest.features is features and forest.vocabulary is vocabulary:
        return forest
    feat_id, feat_value = forest.feat_id, forest.feat_value
    if forest.features is not features:
        number = np.zeros(len(forest.features.sparse), dtype=np.int32)
        for used in np.unique(feat_id).tolist():
            number[used] = features.sparse.add(forest.features.sparse[used])
        feat_id = number[feat_id]
        # Numbers must increase within an edge, in the new order too.
        edge = np.repeat(np.arange(forest.num_edges), np.diff(forest.feat_start))
        order = np.lexsort((feat_id, edge))
        feat_id, feat_value = feat_id[order], feat_value[order]
    symbol = forest.yield_symbol
    if forest.vocabulary is not None and vocabulary is not None:
        words = np.zeros(len(forest.vocabulary), dtype=np.int32)
        for used in np.unique(symbol[symbol >= 0]).tolist():
            words[used] = vocabulary.add(forest.vocabulary[used])
        symbol = symbol.copy()
        symbol[symbol >= 0] = words[symbol[symbol >= 0]]
    return forest._derive(
        features=features,
        vocabulary=vocabulary,
        feat_id=feat_id,
        feat_value=feat_value,
        yield_symbol=symbol,
    )
