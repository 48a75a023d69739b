"""Text: sentence pairs from files of many formats, lines, compressed files, words and numbers."""

from rosewood.corpus.checks import Checks
from rosewood.corpus.corpus import Corpus, read_pairs
from rosewood.corpus.filters import FilterReport, Filters
from rosewood.corpus.pairs import Origin, SentencePair
from rosewood.corpus.vocabulary import Vocabulary

__all__ = [
    "Checks",
    "Corpus",
    "FilterReport",
    "Filters",
    "Origin",
    "SentencePair",
    "Vocabulary",
    "read_pairs",
]
