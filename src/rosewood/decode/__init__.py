"""From sentences to forests, and from forests to what is said."""

from rosewood.decode.consensus import (
    ForestMbr,
    MbrCandidate,
    Variational,
    forest_mbr,
    mbr,
    ngram_posteriors,
    variational,
)

__all__ = [
    "ForestMbr",
    "MbrCandidate",
    "Variational",
    "forest_mbr",
    "mbr",
    "ngram_posteriors",
    "variational",
]
