"""Text: lines and compressed files, words and their numbers."""

from rosewood.corpus.vocabulary import Vocabulary

__all__ = ["Vocabulary"]
