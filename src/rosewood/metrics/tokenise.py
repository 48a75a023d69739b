"""sacreBLEU's tokenisers, loaded when they are first needed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

from rosewood.errors import MetricError

__all__ = ["TOKENISERS", "check_tokeniser", "sacrebleu_version", "tokeniser", "tokeniser_signature"]

# Their names, and what is to be installed for those that need more than sacreBLEU.
TOKENISERS: dict[str, str | None] = {
    "none": None,
    "13a": None,
    "char": None,
    "intl": None,
    "zh": None,
    "ja-mecab": "sacrebleu[ja]",
    "ko-mecab": "sacrebleu[ko]",
    "flores101": "sentencepiece",
    "flores200": "sentencepiece",
    "spBLEU-1K": "sentencepiece",
    "spm": "sentencepiece",
}


def check_tokeniser(name: str) -> None:
    """Refuses a tokeniser that does not exist, or whose package is not installed."""
    if name not in TOKENISERS:
        raise MetricError(f"there is no tokenisation {name!r}; there are {', '.join(TOKENISERS)}")
    if TOKENISERS[name] is not None:
        _load(name)


def tokeniser(name: str) -> Callable[[str], str]:
    """A function from a line to the line with blanks between its tokens."""
    check_tokeniser(name)
    if name == "none":
        return str
    load: Callable[[str], str] = _load(name)
    return load


def tokeniser_signature(name: str) -> str:
    return name if TOKENISERS[name] is None else str(_load(name).signature())


def sacrebleu_version() -> str:
    import sacrebleu

    return str(sacrebleu.__version__)


@cache
def _load(name: str) -> Any:
    from sacrebleu.metrics.bleu import _get_tokenizer

    package = TOKENISERS[name]
    try:
        with warnings.catch_warnings():  # sacreBLEU logs in a way that Python has deprecated
            warnings.simplefilter("ignore", DeprecationWarning)
            return _get_tokenizer(name)()
    except (ImportError, RuntimeError) as error:
        raise MetricError(
            f"tokenisation {name} needs a package that is not installed: pip install '{package}'"
        ) from error
    except (OSError, AssertionError, SystemExit) as error:  # no network, another dictionary
        raise MetricError(f"tokenisation {name} cannot be loaded: {error}") from error
