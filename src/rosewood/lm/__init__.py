"""Language models: estimated, queried and inspected in-process.

What is named here is loaded when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosewood.lm.arpa import read_arpa, write_arpa
    from rosewood.lm.chart import ChartState, chart_score
    from rosewood.lm.draw import surprisal_page
    from rosewood.lm.estimation import Estimate, estimate, estimate_files
    from rosewood.lm.files import read_table, verify_model, write_model
    from rosewood.lm.mixture import Mixture, MixtureState
    from rosewood.lm.model import Model, State
    from rosewood.lm.ngrams import Ngram, ngrams
    from rosewood.lm.opening import kind_of, open_arpa, open_model
    from rosewood.lm.perplexity import Perplexity
    from rosewood.lm.scores import BatchScores, WordScore
    from rosewood.lm.smoothing import Fallback
    from rosewood.lm.words import ModelVocabulary, Words

_HOMES = {
    "BatchScores": "scores",
    "ChartState": "chart",
    "Estimate": "estimation",
    "Fallback": "smoothing",
    "Mixture": "mixture",
    "MixtureState": "mixture",
    "Model": "model",
    "ModelVocabulary": "words",
    "Ngram": "ngrams",
    "Perplexity": "perplexity",
    "State": "model",
    "WordScore": "scores",
    "Words": "words",
    "chart_score": "chart",
    "estimate": "estimation",
    "estimate_files": "estimation",
    "kind_of": "opening",
    "ngrams": "ngrams",
    "open_arpa": "opening",
    "open_model": "opening",
    "read_arpa": "arpa",
    "read_table": "files",
    "surprisal_page": "draw",
    "verify_model": "files",
    "write_arpa": "arpa",
    "write_model": "files",
}

__all__ = [
    "BatchScores",
    "ChartState",
    "Estimate",
    "Fallback",
    "Mixture",
    "MixtureState",
    "Model",
    "ModelVocabulary",
    "Ngram",
    "Perplexity",
    "State",
    "WordScore",
    "Words",
    "chart_score",
    "estimate",
    "estimate_files",
    "kind_of",
    "ngrams",
    "open_arpa",
    "open_model",
    "read_arpa",
    "read_table",
    "surprisal_page",
    "verify_model",
    "write_arpa",
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
