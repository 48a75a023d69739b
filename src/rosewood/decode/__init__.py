"""Decoders: a sentence in, a forest of its translations out."""

from rosewood.decode.features import OptionFeature, RuleIds, SparseFeature, TargetWords
from rosewood.decode.options import TranslationOptions
from rosewood.decode.phrase import PhraseDecoder
from rosewood.decode.results import PhraseSearch
from rosewood.decode.settings import SearchSettings
from rosewood.decode.source import Forced, Source
from rosewood.decode.translation import PhraseUse, SearchReport, Translation

__all__ = [
    "Forced",
    "OptionFeature",
    "PhraseDecoder",
    "PhraseSearch",
    "PhraseUse",
    "RuleIds",
    "SearchReport",
    "SearchSettings",
    "Source",
    "SparseFeature",
    "TargetWords",
    "Translation",
    "TranslationOptions",
]
