"""Decoders: a sentence in, a forest of its translations out."""

from typing import TYPE_CHECKING

from rosewood.lazy_names import lazy_names

if TYPE_CHECKING:
    from rosewood.decode.comparison import Difference, FeatureChange, difference
    from rosewood.decode.consensus import (
        ForestMbr,
        MbrCandidate,
        Variational,
        forest_mbr,
        mbr,
        ngram_posteriors,
        variational,
    )
    from rosewood.decode.decoder import (
        Decoder,
        DecoderKind,
        UnknownWords,
        decoder_kind,
        search_settings,
    )
    from rosewood.decode.decoders.hiero import HieroDecoder
    from rosewood.decode.decoders.phrase import PhraseDecoder
    from rosewood.decode.derivation_tree import TreeRule, tree_of
    from rosewood.decode.explanation import ExplainedGlue, ExplainedRule, Explanation, explain
    from rosewood.decode.extra_features.rule_ids import RuleIds
    from rosewood.decode.extra_features.target_words import TargetWords
    from rosewood.decode.feature_declarations import (
        Feature,
        declared_features,
        feature,
        feature_table,
    )
    from rosewood.decode.features import OptionFeature, SparseFeature
    from rosewood.decode.glossary import Glossary, GlossaryEntry
    from rosewood.decode.guessing import Guesser, Guesses
    from rosewood.decode.nbest import alternatives, moses_line
    from rosewood.decode.options import TranslationOptions
    from rosewood.decode.plugins import DECODERS, FEATURES
    from rosewood.decode.posteriors import WordPosteriors, string_posteriors
    from rosewood.decode.results import SearchResult, translation_of
    from rosewood.decode.settings import HieroSettings, SearchSettings
    from rosewood.decode.source import Forced, Source
    from rosewood.decode.text import PreparedText, TextTranslator, TranslatedText
    from rosewood.decode.translation import RuleUse, SearchReport, Translation

__all__ = [
    "DECODERS",
    "FEATURES",
    "Decoder",
    "DecoderKind",
    "Difference",
    "ExplainedGlue",
    "ExplainedRule",
    "Explanation",
    "Feature",
    "FeatureChange",
    "Forced",
    "ForestMbr",
    "Glossary",
    "GlossaryEntry",
    "Guesser",
    "Guesses",
    "HieroDecoder",
    "HieroSettings",
    "MbrCandidate",
    "OptionFeature",
    "PhraseDecoder",
    "PreparedText",
    "RuleIds",
    "RuleUse",
    "SearchReport",
    "SearchResult",
    "SearchSettings",
    "Source",
    "SparseFeature",
    "TargetWords",
    "TextTranslator",
    "TranslatedText",
    "Translation",
    "TranslationOptions",
    "TreeRule",
    "UnknownWords",
    "Variational",
    "WordPosteriors",
    "alternatives",
    "declared_features",
    "decoder_kind",
    "difference",
    "explain",
    "feature",
    "feature_table",
    "forest_mbr",
    "mbr",
    "moses_line",
    "ngram_posteriors",
    "search_settings",
    "string_posteriors",
    "translation_of",
    "tree_of",
    "variational",
]

__getattr__, __dir__ = lazy_names(__name__)
