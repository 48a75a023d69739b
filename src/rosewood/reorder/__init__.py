"""Reordering models: in which order the phrases of a translation come."""

from typing import TYPE_CHECKING

from rosewood.lazy_names import lazy_names

if TYPE_CHECKING:
    from rosewood.reorder.bayes import MultinomialBayes
    from rosewood.reorder.dual import DualMaxEnt
    from rosewood.reorder.events import CorpusEvents, TextEvents
    from rosewood.reorder.examples import Examples
    from rosewood.reorder.linear import LinearReordering
    from rosewood.reorder.model import ReorderingModel
    from rosewood.reorder.models.lexicalized import Lexicalized
    from rosewood.reorder.plugins import REORDERING
    from rosewood.reorder.primal import PrimalMaxEnt
    from rosewood.reorder.selection import mutual_information, presence_counts, select_features
    from rosewood.reorder.settings import ReorderingSettings

__all__ = [
    "REORDERING",
    "CorpusEvents",
    "DualMaxEnt",
    "Examples",
    "Lexicalized",
    "LinearReordering",
    "MultinomialBayes",
    "PrimalMaxEnt",
    "ReorderingModel",
    "ReorderingSettings",
    "TextEvents",
    "mutual_information",
    "presence_counts",
    "select_features",
]

__getattr__, __dir__ = lazy_names(__name__)
