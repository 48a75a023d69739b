"""Reordering models by name: files of `models/`, and entry points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosewood.errors import DecodingError
from rosewood.registry import Registry

if TYPE_CHECKING:
    from rosewood.reorder.model import ReorderingKind

REORDERING: Registry[ReorderingKind] = Registry(
    "rosewood.reorder.models", "rosewood.reordering", "reordering model", DecodingError, has=("of",)
)
