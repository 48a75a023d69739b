"""Raw text to words and back: tokenisers, truecasing, tags and placeholders."""

from rosewood.corpus.text.registry import TOKENISERS, make_tokeniser
from rosewood.corpus.text.tokeniser import Tokeniser

__all__ = ["TOKENISERS", "Tokeniser", "make_tokeniser"]
