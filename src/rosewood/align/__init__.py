"""Word alignment: links between the words of sentence pairs, one alignment made of two, scores.

What is named here is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING

from rosewood.lazy_names import lazy_names

if TYPE_CHECKING:
    from rosewood.align.aligner import Aligned, Aligner, Posteriors
    from rosewood.align.alignment import Alignment, GoldAlignment, Links
    from rosewood.align.corpus_alignment import CorpusAlignment, align_text
    from rosewood.align.evaluate import Gold, LinkScores, alignment_error_rate, score_links
    from rosewood.align.lexical import LexicalTable, WordTranslation
    from rosewood.align.models import MODELS, Best, Diagonal, Hmm, Model1, make_model
    from rosewood.align.naacl import read_naacl
    from rosewood.align.pharaoh import (
        format_pharaoh,
        read_gold,
        read_pharaoh,
        write_gold,
        write_pharaoh,
    )
    from rosewood.align.preparation import Preparation
    from rosewood.align.settings import ORDERS, SYMMETRIZATIONS, AlignmentSettings
    from rosewood.align.symmetrization import COMBINATIONS, combine, symmetrize, threshold

__all__ = [
    "COMBINATIONS",
    "MODELS",
    "ORDERS",
    "SYMMETRIZATIONS",
    "Aligned",
    "Aligner",
    "Alignment",
    "AlignmentSettings",
    "Best",
    "CorpusAlignment",
    "Diagonal",
    "Gold",
    "GoldAlignment",
    "Hmm",
    "LexicalTable",
    "LinkScores",
    "Links",
    "Model1",
    "Posteriors",
    "Preparation",
    "WordTranslation",
    "align_text",
    "alignment_error_rate",
    "combine",
    "format_pharaoh",
    "make_model",
    "read_gold",
    "read_naacl",
    "read_pharaoh",
    "score_links",
    "symmetrize",
    "threshold",
    "write_gold",
    "write_pharaoh",
]

__getattr__, __dir__ = lazy_names(__name__)
