"""Weights of rules as an array by rule number, which the search adds to the scores of rules.

Sparse features that say so with `numbers_rules` are rule ids with the value 1.  Their weights need
nothing from Python while a sentence is decoded, and the choice of the best rules of a source sees
them.  The array is as long as the table, but memory is taken only where there are weights.
Native      core/decode/rule_model.hpp
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.decode.features import SparseFeature, numbers_rules
from rosewood.forest import Weights
from rosewood.rules.table import RuleTable


def rule_weights(
    features: Iterable[SparseFeature], weights: Weights, table: RuleTable
) -> FloatArray | None:
    """The sum of the weights of each rule of a table; None if all of them are 0.

    Weights of rules that the table does not have are ignored: it may be a part of another one.
    """
    found: FloatArray | None = None
    added = 0
    for feature in features:
        if numbers_rules(feature) and feature.template in weights.numbered:
            ids, values = weights.numbered[feature.template]
            found = np.zeros(len(table)) if found is None else found
            added += table.native.add_by_id(
                np.ascontiguousarray(ids), np.ascontiguousarray(values), found
            )
    return found if added else None
