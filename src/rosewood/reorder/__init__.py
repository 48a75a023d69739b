"""Reordering models: in which order the phrases of a translation come."""

from rosewood.reorder.lexicalized import Lexicalized
from rosewood.reorder.model import ReorderingModel

__all__ = ["Lexicalized", "ReorderingModel"]
