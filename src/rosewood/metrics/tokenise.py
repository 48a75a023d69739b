"""sacreBLEU's tokenisers, loaded when they are first needed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from rosewood.arguments import check_choice
from rosewood.errors import MetricError

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
    check_choice("tokenize", name, TOKENISERS, error=MetricError)
    if TOKENISERS[name] is not None:
        _load(name)


def cut_lines(lines: Sequence[str], tokenize: str, *, lowercase: bool = False) -> list[list[str]]:
    """The tokens of each line, as sacreBLEU cuts them; the same thing is cut only once."""
    if lowercase:
        lines = [line.lower() for line in lines]
    if tokenize == "none":
        return [line.split() for line in lines]
    cut = _Cut(_load(tokenize))
    if tokenize == "13a":
        # It looks at characters and their neighbours, puts blanks around the line, and joins words
        # only at the end of a line: so words can be cut alone.  A test compares.
        return [
            cut[line] if "\n" in line else [token for word in line.split() for token in cut[word]]
            for line in lines
        ]
    return [cut[line] for line in lines]


class _Cut(dict[str, list[str]]):
    """The tokens of a line, or of a word."""

    def __init__(self, tokeniser: Callable[[str], str]) -> None:
        self._tokeniser = tokeniser

    def __missing__(self, line: str) -> list[str]:
        tokens = self[line] = self._tokeniser(line.rstrip()).split()
        return tokens


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
            f"tokenisation {name} needs a package that is not installed: pip install '{package}'",
            code="package.missing", argument="tokenize", value=name,
        ) from error  # fmt: skip
    except (OSError, AssertionError, SystemExit) as error:  # no network, another dictionary
        raise MetricError(
            f"tokenisation {name} cannot be loaded: {error}",
            code="metric.tokeniser", argument="tokenize", value=name,
        ) from error  # fmt: skip
