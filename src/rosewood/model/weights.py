"""Weights as people read them: a JSON table of feature names and numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.corpus.compression import open_input, open_output
from rosewood.errors import FormatError, TuningError
from rosewood.forest.features import FeatureSpace
from rosewood.forest.trees import TREES
from rosewood.shared_types import PathName


def read_weights(path: PathName) -> dict[str, float]:
    """{"feature": weight, …} from a file; anything else is refused."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) != len(pairs):
            raise FormatError("a feature has two weights", code="weights.duplicate", file=path)
        return table

    try:
        with open_input(path) as stream:
            text = stream.read().decode()
        named = json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        reason = f"expected weights as JSON: {error}"
        raise FormatError(reason, code="file.format", file=path) from error
    if not isinstance(named, dict):
        reason = "expected an object of feature names and numbers"
        raise FormatError(reason, code="file.format", argument="weights", file=path)
    weights: dict[str, float] = {}
    for name, value in named.items():
        try:
            if isinstance(value, bool) or not math.isfinite(value):
                raise TypeError
            weights[name] = float(value)
        except (TypeError, OverflowError):
            told = repr(value)[:40]
            reason = f"the weight of {name!r} is {told}, expected a number"
            raise FormatError(
                reason, code="weights.value", argument=name, value=value, file=path
            ) from None
    return weights


def write_weights(weights: Mapping[str, float], path: PathName) -> None:
    """The file appears whole or not at all; numbers come back as they were."""
    for name, value in weights.items():
        if not math.isfinite(value):
            reason = f"the weight of {name!r} is {value}: not written"
            raise TuningError(reason, code="weights.value", argument=name, value=value)
    table = {name: float(value) for name, value in weights.items()}
    text = json.dumps(table, ensure_ascii=False, indent=1, allow_nan=False)
    with open_output(path) as out:
        out.write(text.encode() + b"\n")


def weights_vector(
    weights: Mapping[str, float], features: FeatureSpace, *, file: str = "the weights"
) -> FloatArray:
    """θ for these features.  Every dense feature must have a weight, and every weight without a
    colon in its name a feature: a misspelt name must not pass for a weight of zero."""
    for name in features.dense:
        if name not in weights:
            reason = f"{file} have no weight for the feature {name!r}"
            raise TuningError(reason, code="weights.missing", argument=name)
    known: dict[str, float] = {}
    for name, weight in weights.items():
        if name in features.sparse or features.dense_index(name) is not None:
            known[name] = weight
        elif ":" not in name:
            reason = f"{file} name a feature that the candidates do not have: {name!r}"
            if name == TREES:
                reason += "; it is that of trees, which are learnt anew: leave it out"
            raise TuningError(reason, code="weights.unknown", argument=name)
    return features.vector(known)


def shared_features(
    own: FeatureSpace, other: FeatureSpace, *, other_name: str = "the other candidates"
) -> Callable[[FloatArray], FloatArray]:
    """Turns θ of one set of candidates into θ of another, which may know other sparse features."""
    for name in own.dense:
        if other.dense_index(name) is None:
            reason = f"{other_name} do not have the feature {name!r}"
            raise TuningError(reason, code="features.missing", argument=name)
    for name in other.dense:
        if own.dense_index(name) is None:
            reason = f"{other_name} have the feature {name!r}, which is not tuned"
            raise TuningError(reason, code="features.unknown", argument=name)
    if own == other:
        return lambda theta: theta
    names = [*own.dense, *(name for name in own.sparse if name in other.sparse)]
    source = np.array([own.index(name) for name in names], dtype=np.int64)
    target = np.array([other.index(name) for name in names], dtype=np.int64)

    def moved(theta: FloatArray) -> FloatArray:
        out = np.zeros(len(other))
        out[target] = theta[source]
        return out

    return moved
