"""Word alignment: links between the words of sentence pairs, one alignment made of two, scores."""

from rosewood.align.aligner import Aligned, Aligner, Posteriors
from rosewood.align.alignment import Alignment, GoldAlignment, Links
from rosewood.align.evaluate import Gold, LinkScores, alignment_error_rate, score_links
from rosewood.align.lexical import LexicalTable, Translation
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
from rosewood.align.symmetrize import (
    COMBINATIONS,
    ORDERS,
    SYMMETRIZATIONS,
    combine,
    symmetrize,
    threshold,
)

__all__ = [
    "COMBINATIONS",
    "MODELS",
    "ORDERS",
    "SYMMETRIZATIONS",
    "Aligned",
    "Aligner",
    "Alignment",
    "Best",
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
    "Translation",
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
