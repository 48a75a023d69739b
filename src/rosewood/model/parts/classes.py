"""Bundle parts `source_classes` and `target_classes`: word classes, for features and reordering."""

from rosewood.corpus import WordClasses
from rosewood.model.registry import PartType, StoredPart


def _open(part: StoredPart) -> WordClasses:
    return WordClasses.load(part.path)


PLUGIN = tuple(
    PartType(
        f"{side}_classes",
        "word-classes",
        f"Classes of words of the {side} language.",
        open=_open,
        verify=_open,
    )
    for side in ("source", "target")
)
