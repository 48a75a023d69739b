"""Decoders and features by name: files of `decoders/` and `extra_features/`, and entry points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosewood.errors import DecodingError
from rosewood.registry import Registry

if TYPE_CHECKING:
    from rosewood.decode.decoder import DecoderKind

DECODERS: Registry[DecoderKind] = Registry(
    "rosewood.decode.decoders", "rosewood.decoders", "decoder", DecodingError, has=("make",)
)
FEATURES: Registry[type[Any]] = Registry(
    "rosewood.decode.extra_features", "rosewood.features", "feature", DecodingError
)
