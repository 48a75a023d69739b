"""Decoders: a sentence in, a forest of its translations out."""

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
from rosewood.decode.options import TranslationOptions
from rosewood.decode.phrase import PhraseDecoder
from rosewood.decode.results import PhraseSearch
from rosewood.decode.settings import SearchSettings
from rosewood.decode.source import Forced, Source
from rosewood.decode.translation import PhraseUse, SearchReport, Translation

__all__ = [
    "Difference",
    "ExplainedPhrase",
    "Explanation",
    "FeatureChange",
    "Forced",
    "ForestMbr",
    "MbrCandidate",
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
    "Variational",
    "difference",
    "explain",
    "forest_mbr",
    "mbr",
    "ngram_posteriors",
    "variational",
]
