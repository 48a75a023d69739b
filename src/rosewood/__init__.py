"""Rosewood: train, tune, search and explain log-linear translation models over packed forests.

    from rosewood import Translator
    translator = Translator.train("train.de", "train.en", output="model")
    translator.translate("ein satz")

    from rosewood.forest import Forest, ForestBuilder, parse_forest, entropy, risk_gradient

Importing `rosewood` alone loads nothing else; its rooms load when they are first named.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosewood.pipeline import Translator

__version__ = "0.1.0"
_ROOMS = (
    "align", "corpus", "decode", "documents", "errors", "forest", "learn", "lm", "metrics", "model",
    "pipeline", "reorder", "rerank", "rules",
)  # fmt: skip
__all__ = ["Translator", "__version__", *_ROOMS]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"rosewood.{name}")
    if name == "Translator":
        return import_module("rosewood.pipeline").Translator
    raise AttributeError(f"module 'rosewood' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
