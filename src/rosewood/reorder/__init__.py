"""Reordering models: in which order the phrases of a translation come."""

from typing import TYPE_CHECKING

from rosewood.lazy_names import lazy_names

if TYPE_CHECKING:
    from rosewood.reorder.model import ReorderingModel
    from rosewood.reorder.models.lexicalized import Lexicalized
    from rosewood.reorder.plugins import REORDERING

__all__ = ["REORDERING", "Lexicalized", "ReorderingModel"]

__getattr__, __dir__ = lazy_names(__name__)
