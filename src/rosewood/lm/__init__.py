"""Language models: estimated, queried and inspected in-process.

What is named here is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING

from rosewood.lazy_names import lazy_names

if TYPE_CHECKING:
    from rosewood.lm.arpa import read_arpa, write_arpa
    from rosewood.lm.chart import ChartState, chart_score
    from rosewood.lm.draw import surprisal_page
    from rosewood.lm.estimation import Estimate, estimate, estimate_files
    from rosewood.lm.files import read_table, verify_model, write_model
    from rosewood.lm.mixture import Mixture, MixtureState
    from rosewood.lm.model import Model, State
    from rosewood.lm.open_any import kind_of, open_arpa, open_model, verify_any
    from rosewood.lm.perplexity import Perplexity
    from rosewood.lm.scores import BatchScores, WordScore
    from rosewood.lm.settings import EstimationSettings, LayoutSettings
    from rosewood.lm.smoothing import Fallback
    from rosewood.lm.table_ngrams import Ngram, ngrams
    from rosewood.lm.vocabulary import ModelVocabulary, Words

__all__ = [
    "BatchScores",
    "ChartState",
    "Estimate",
    "EstimationSettings",
    "Fallback",
    "LayoutSettings",
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
    "verify_any",
    "verify_model",
    "write_arpa",
    "write_model",
]

__getattr__, __dir__ = lazy_names(__name__)
