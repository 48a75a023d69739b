"""Bundle part `trees`: boosted trees over the features of edges."""

from rosewood.forest import BoostedTrees
from rosewood.model.registry import PartType, StoredPart


def _open(part: StoredPart) -> BoostedTrees:
    return BoostedTrees.load(part.path)


PLUGIN = PartType(
    "trees",
    "boosted-trees",
    "Boosted trees over dense features, whose sum is the feature boost, as JSON.",
    open=_open,
    verify=_open,
)
