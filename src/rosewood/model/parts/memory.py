"""Bundle part `memory`: the translation memory, sentence pairs as they were written."""

from rosewood.memory import Memory
from rosewood.model.registry import PartType

PLUGIN = PartType(
    "memory",
    "translation-memory",
    "Sentence pairs as they were written, for exact and fuzzy matches.",
    open=lambda part: Memory.open(part.path),
    verify=lambda part: Memory.verify(part.path),
)
