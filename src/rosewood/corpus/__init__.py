"""Text: lines and compressed files, words and their numbers, raw text to words and back."""

from rosewood.corpus.text import (
    Encoded,
    TextProcessor,
    Tokeniser,
    Truecaser,
    make_tokeniser,
)
from rosewood.corpus.vocabulary import Vocabulary

__all__ = ["Encoded", "TextProcessor", "Tokeniser", "Truecaser", "Vocabulary", "make_tokeniser"]
