"""Text: lines and compressed files, words and their numbers, corpora as numbers."""

from rosewood.corpus.indexed import IndexedCorpus, IndexedText
from rosewood.corpus.vocabulary import Vocabulary

__all__ = ["IndexedCorpus", "IndexedText", "Vocabulary"]
