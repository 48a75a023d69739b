"""Raw text to words and back: tokenisers, truecasing, tags and placeholders."""

from typing import TYPE_CHECKING

from rosewood.lazy_names import lazy_names

if TYPE_CHECKING:
    from rosewood.corpus.text.casing import Caser
    from rosewood.corpus.text.encoded import Encoded
    from rosewood.corpus.text.processor import TextProcessor
    from rosewood.corpus.text.settings import TextSettings
    from rosewood.corpus.text.tag_placement import Tag
    from rosewood.corpus.text.tokeniser import Tokeniser
    from rosewood.corpus.text.tokenisers import TOKENISERS, make_tokeniser
    from rosewood.corpus.text.truecase import Truecaser

__all__ = [
    "TOKENISERS",
    "Caser",
    "Encoded",
    "Tag",
    "TextProcessor",
    "TextSettings",
    "Tokeniser",
    "Truecaser",
    "make_tokeniser",
]

__getattr__, __dir__ = lazy_names(__name__)
