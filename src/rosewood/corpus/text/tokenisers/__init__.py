"""Tokenisers by name, a file each; other packages add theirs to "rosewood.tokenisers"."""

from __future__ import annotations

from typing import Any

from rosewood.arguments import check_text
from rosewood.corpus.text.tokeniser import Tokeniser
from rosewood.errors import TextError
from rosewood.registry import Registry

__all__ = ["TOKENISERS", "make_tokeniser"]

TOKENISERS: Registry[type[Tokeniser]] = Registry(
    "rosewood.corpus.text.tokenisers",
    "rosewood.tokenisers",
    "tokeniser",
    TextError,
    has=("name",),
    subclass_of="rosewood.corpus.text.tokeniser:Tokeniser",
)


def make_tokeniser(name: str = "unicode", **settings: Any) -> Tokeniser:
    """A tokeniser by name, with these settings: language="de", joiners=True, …"""
    return TOKENISERS[check_text("tokeniser", name, error=TextError)].from_settings(settings)
