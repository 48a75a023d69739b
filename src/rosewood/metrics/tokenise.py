"""sacreBLEU's tokenisers, loaded when they are first needed."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

from rosewood import _core
from rosewood.arguments import check_choice
from rosewood.arrays import IdArray, LongArray
from rosewood.corpus import Vocabulary
from rosewood.errors import MetricError
from rosewood.metrics.batch import Texts, starts

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


class TokenNumbers:
    """Tokens as numbers: equal tokens have equal numbers."""

    def __init__(self, tokenize: str, *, lowercase: bool = False) -> None:
        self._tokenize, self._lowercase = tokenize, lowercase
        self._number: defaultdict[str, int] = defaultdict()
        self._number.default_factory = self._number.__len__
        # Where words can be cut alone, a word is looked up once, with the numbers of its tokens.
        cuts_words = tokenize in ("13a", "none")
        self._by_word = _Numbers(tokenize, self._number) if cuts_words else None

    def lines(self, block: Sequence[str]) -> Texts:
        """The tokens of each line."""
        lines = [line.lower() for line in block] if self._lowercase else block
        is_13a = self._tokenize == "13a"
        if self._by_word is None or (is_13a and any("\n" in line for line in lines)):
            number = self._number.__getitem__
            rows = [list(map(number, row)) for row in cut_lines(lines, self._tokenize)]
        else:
            numbers = self._by_word.__getitem__
            rows = [list(chain.from_iterable(map(numbers, line.split()))) for line in lines]
        return _flat(rows)

    def symbols(self, words: Vocabulary, start: LongArray, symbol: IdArray) -> Texts | None:
        """The same of rows of numbered words, without making lines of them; None where a line is
        more than its words."""
        used, place = np.unique(symbol, return_inverse=True)
        texts = words.words(used.tolist())
        if self._by_word is None or any("\n" in text for text in texts):
            return None
        token_start, tokens = self.lines(texts)
        found_start, found = _core.gather_ids(token_start, tokens, place.reshape(-1))
        return found_start[start], found


def _flat(rows: list[list[int]]) -> Texts:
    start = starts(map(len, rows))
    return start, np.fromiter(chain.from_iterable(rows), dtype=np.int32, count=int(start[-1]))


class _Numbers(dict[str, list[int]]):
    """The numbers of the tokens of a word."""

    def __init__(self, tokenize: str, number: defaultdict[str, int]) -> None:
        self._cut = None if tokenize == "none" else _Cut(_load(tokenize))
        self._number = number

    def __missing__(self, word: str) -> list[int]:
        tokens = [word] if self._cut is None else self._cut[word]
        found = self[word] = list(map(self._number.__getitem__, tokens))
        return found


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
