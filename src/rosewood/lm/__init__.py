"""Language models: estimated, queried and inspected in-process.

What is named here is loaded when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosewood.lm.files import read_table, verify_model, write_model
    from rosewood.lm.model import BatchScores, Model, State, WordScore
    from rosewood.lm.perplexity import Perplexity
    from rosewood.lm.words import ModelVocabulary, Words

_HOMES = {
    "BatchScores": "model",
    "Model": "model",
    "ModelVocabulary": "words",
    "Perplexity": "perplexity",
    "State": "model",
    "WordScore": "model",
    "Words": "words",
    "read_table": "files",
    "verify_model": "files",
    "write_model": "files",
}

__all__ = [
    "BatchScores",
    "Model",
    "ModelVocabulary",
    "Perplexity",
    "State",
    "WordScore",
    "Words",
    "read_table",
    "verify_model",
    "write_model",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rosewood.lm' has no attribute {name!r}")
    found = getattr(import_module(f"rosewood.lm.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
