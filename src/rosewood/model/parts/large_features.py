"""Bundle part `large_features`: morphemes, word classes and columns of the large feature set."""

from rosewood.decode.large_features import LargeFeatures
from rosewood.model.registry import PartType, StoredPart


def _open(part: StoredPart) -> LargeFeatures:
    return LargeFeatures.open(part.path)


def _verify(part: StoredPart) -> None:
    LargeFeatures.verify(part.path)


PLUGIN = PartType(
    "large_features",
    "large-features",
    "The large feature set: segmenters and links of morphemes, word classes, columns.",
    open=_open,
    verify=_verify,
)
