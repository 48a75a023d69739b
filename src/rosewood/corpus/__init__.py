"""Text: sentence pairs from files of many formats, corpora as numbers, raw text and words.

What is named here is loaded when it is first asked for: whoever wants a vocabulary does not wait
for parsers and tokenisers.
"""

from typing import TYPE_CHECKING

from rosewood.lazy_names import lazy_names

if TYPE_CHECKING:
    from rosewood.corpus.checks import Checks
    from rosewood.corpus.clusters import WordClasses
    from rosewood.corpus.corpus import Corpus, read_pairs
    from rosewood.corpus.filters import FilterReport, Filters
    from rosewood.corpus.indexed import IndexedCorpus, IndexedText
    from rosewood.corpus.pairs import Origin, SentencePair
    from rosewood.corpus.text import (
        Caser,
        Encoded,
        TextProcessor,
        Tokeniser,
        Truecaser,
        make_tokeniser,
    )
    from rosewood.corpus.vocabulary import Vocabulary

__all__ = [
    "Caser",
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
    "WordClasses",
    "make_tokeniser",
    "read_pairs",
]

__getattr__, __dir__ = lazy_names(__name__)
