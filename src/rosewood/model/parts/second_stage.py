"""Bundle part `second_stage`: weights of n-grams of whole translations."""

from rosewood.forest import SecondStage
from rosewood.model.registry import PartType, StoredPart


def _open(part: StoredPart) -> SecondStage:
    return SecondStage.load(part.path)


PLUGIN = PartType(
    "second_stage",
    "ngram-weights",
    "Weights of n-grams of whole translations, whose sum is the feature second_stage, as JSON.",
    open=_open,
    verify=_open,
)
