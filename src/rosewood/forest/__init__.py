"""The packed forest and what is computed on it."""

from rosewood.forest.builder import ForestBuilder
from rosewood.forest.features import FeatureSpace
from rosewood.forest.forest import Forest
from rosewood.forest.search import Derivation, Derivations, best, k_best, num_derivations, sample

__all__ = [
    "Derivation",
    "Derivations",
    "FeatureSpace",
    "Forest",
    "ForestBuilder",
    "best",
    "k_best",
    "num_derivations",
    "sample",
]
