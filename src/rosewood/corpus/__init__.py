"""Text: words and their numbers (readers, tokenisers and validation will live here)."""

from rosewood.corpus.vocabulary import Vocabulary

__all__ = ["Vocabulary"]
