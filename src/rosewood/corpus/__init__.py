"""Text: sentence pairs from files of many formats, corpora as numbers, raw text and words.

What is named here is loaded when it is first asked for: whoever wants a vocabulary does not wait
for parsers and tokenisers.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosewood.corpus.checks import Checks
    from rosewood.corpus.corpus import Corpus, read_pairs
    from rosewood.corpus.filters import FilterReport, Filters
    from rosewood.corpus.indexed import IndexedCorpus, IndexedText
    from rosewood.corpus.pairs import Origin, SentencePair
    from rosewood.corpus.text import Encoded, TextProcessor, Tokeniser, Truecaser, make_tokeniser
    from rosewood.corpus.vocabulary import Vocabulary

_HOMES = {
    "Checks": "checks",
    "Corpus": "corpus",
    "Encoded": "text",
    "FilterReport": "filters",
    "Filters": "filters",
    "IndexedCorpus": "indexed",
    "IndexedText": "indexed",
    "Origin": "pairs",
    "SentencePair": "pairs",
    "TextProcessor": "text",
    "Tokeniser": "text",
    "Truecaser": "text",
    "Vocabulary": "vocabulary",
    "make_tokeniser": "text",
    "read_pairs": "corpus",
}

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


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rosewood.corpus' has no attribute {name!r}")
    found = getattr(import_module(f"rosewood.corpus.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
