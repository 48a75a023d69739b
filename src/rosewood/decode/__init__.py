"""Decoders: a sentence in, a forest of its translations out."""

from rosewood.decode.alternatives import alternatives, moses_line, translation_of
from rosewood.decode.consensus import (
    ForestMbr,
    MbrCandidate,
    Variational,
    forest_mbr,
    mbr,
    ngram_posteriors,
    variational,
)
from rosewood.decode.explain import (
    Difference,
    ExplainedPhrase,
    Explanation,
    FeatureChange,
    difference,
    explain,
)
from rosewood.decode.features import OptionFeature, RuleIds, SparseFeature, TargetWords
from rosewood.decode.glossary import Glossary, GlossaryEntry
from rosewood.decode.guessing import Guesser, Guesses
from rosewood.decode.options import TranslationOptions
from rosewood.decode.phrase import PhraseDecoder, UnknownWords
from rosewood.decode.posteriors import WordPosteriors, string_posteriors
from rosewood.decode.results import PhraseSearch
from rosewood.decode.settings import SearchSettings
from rosewood.decode.source import Forced, Source
from rosewood.decode.text import PreparedText, TextTranslator, TranslatedText
from rosewood.decode.translation import PhraseUse, SearchReport, Translation

__all__ = [
    "Difference",
    "ExplainedPhrase",
    "Explanation",
    "FeatureChange",
    "Forced",
    "ForestMbr",
    "Glossary",
    "GlossaryEntry",
    "Guesser",
    "Guesses",
    "MbrCandidate",
    "OptionFeature",
    "PhraseDecoder",
    "PhraseSearch",
    "PhraseUse",
    "PreparedText",
    "RuleIds",
    "SearchReport",
    "SearchSettings",
    "Source",
    "SparseFeature",
    "TargetWords",
    "TextTranslator",
    "TranslatedText",
    "Translation",
    "TranslationOptions",
    "UnknownWords",
    "Variational",
    "WordPosteriors",
    "alternatives",
    "difference",
    "explain",
    "forest_mbr",
    "mbr",
    "moses_line",
    "ngram_posteriors",
    "string_posteriors",
    "translation_of",
    "variational",
]
