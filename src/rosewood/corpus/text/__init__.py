"""Raw text to words and back: tokenisers, truecasing, tags and placeholders."""

from rosewood.corpus.text.encoded import Encoded
from rosewood.corpus.text.processor import TextProcessor
from rosewood.corpus.text.tag_placement import Tag
from rosewood.corpus.text.tokeniser import Tokeniser
from rosewood.corpus.text.tokenisers import TOKENISERS, make_tokeniser
from rosewood.corpus.text.truecase import Truecaser

__all__ = [
    "TOKENISERS",
    "Encoded",
    "Tag",
    "TextProcessor",
    "Tokeniser",
    "Truecaser",
    "make_tokeniser",
]
