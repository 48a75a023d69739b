"""Bundle parts `source_text` and `target_text`: raw text to words, and words to raw text."""

from rosewood.corpus import TextProcessor
from rosewood.model.registry import PartType, StoredPart


def _open(part: StoredPart) -> TextProcessor:
    return TextProcessor.load(part.path)


PLUGIN = tuple(
    PartType(
        f"{side}_text",
        "text-processor",
        f"Tokeniser and casing of the {side} language: {what}.",
        open=_open,
        verify=_open,
    )
    for side, what in (("source", "raw text to words"), ("target", "words to raw text"))
)
