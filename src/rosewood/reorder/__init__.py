"""Reordering models: in which order the phrases of a translation come."""

from typing import TYPE_CHECKING

from rosewood.lazy_names import lazy_names

if TYPE_CHECKING:
    from rosewood.reorder.events import CorpusEvents, TextEvents
    from rosewood.reorder.linear import LinearReordering
    from rosewood.reorder.model import ReorderingModel
    from rosewood.reorder.models.lexicalized import Lexicalized
    from rosewood.reorder.plugins import REORDERING
    from rosewood.reorder.settings import ReorderingSettings

__all__ = [
    "REORDERING",
    "CorpusEvents",
    "Lexicalized",
    "LinearReordering",
    "ReorderingModel",
    "ReorderingSettings",
    "TextEvents",
]

__getattr__, __dir__ = lazy_names(__name__)
