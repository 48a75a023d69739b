"""Bundle part `groups`: which sparse features share a weight, by the numbers of their groups."""

from rosewood.forest import Weights
from rosewood.model.registry import PartType, StoredPart


def _open(part: StoredPart) -> Weights:
    return Weights.load(part.path)


PLUGIN = PartType(
    "groups",
    "feature-groups",
    "Sparse features that share a weight: the number of the group of each, from 1.",
    open=_open,
    verify=_open,
    optional=True,
)
