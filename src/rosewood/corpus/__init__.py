"""Text: sentence pairs from files of many formats, corpora as numbers, raw text and words."""

from rosewood.corpus.checks import Checks
from rosewood.corpus.corpus import Corpus, read_pairs
from rosewood.corpus.filters import FilterReport, Filters
from rosewood.corpus.indexed import IndexedCorpus, IndexedText
from rosewood.corpus.pairs import Origin, SentencePair
from rosewood.corpus.text import Encoded, TextProcessor, Tokeniser, Truecaser, make_tokeniser
from rosewood.corpus.vocabulary import Vocabulary

__all__ = [
    "Checks",
    "Corpus",
    "Encoded",
    "FilterReport",
    "Filters",
    "IndexedCorpus",
    "IndexedText",
    "Origin",
    "SentencePair",
    "TextProcessor",
    "Tokeniser",
    "Truecaser",
    "Vocabulary",
    "make_tokeniser",
    "read_pairs",
]
