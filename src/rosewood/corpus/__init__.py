"""Text: sentence pairs from files of many formats, corpora as numbers, lines, words."""

from rosewood.corpus.checks import Checks
from rosewood.corpus.corpus import Corpus, read_pairs
from rosewood.corpus.filters import FilterReport, Filters
from rosewood.corpus.indexed import IndexedCorpus, IndexedText
from rosewood.corpus.pairs import Origin, SentencePair
from rosewood.corpus.vocabulary import Vocabulary

__all__ = [
    "Checks",
    "Corpus",
    "FilterReport",
    "Filters",
    "IndexedCorpus",
    "IndexedText",
    "Origin",
    "SentencePair",
    "Vocabulary",
    "read_pairs",
]
