"""Settings of language models: how they are stored, and how they are estimated."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from io import BufferedIOBase
from typing import TYPE_CHECKING, Any, Literal, cast

from rosewood.errors import LanguageModelError
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.lm.files import Layout

_GROUP = "Model"  # of options


@dataclass(frozen=True)
class LayoutSettings(Settings):
    """How a model is stored."""

    error = LanguageModelError

    layout: Literal["fast", "small"] | None = setting(
        None, "Storage: fast (hash tables) or small (packed; can be converted again).",
        group=_GROUP, metavar="fast|small", default_text="fast",
    )  # fmt: skip
    quantise: int | None = setting(
        None, "Bits per number of the model, which is then small.",
        low=1, high=16, group=_GROUP, metavar="BITS", default_text="not quantised",
    )  # fmt: skip

    @property
    def chosen_layout(self) -> Layout:
        """The layout that the settings ask for."""
        if self.layout == "fast" and self.quantise is not None:
            reason = "--quantise and --layout fast exclude each other"
            raise LanguageModelError(reason, code="argument.conflict", argument="--quantise")
        return "small" if self.layout == "small" or self.quantise is not None else "fast"


@dataclass(frozen=True)
class EstimationSettings(LayoutSettings):
    """How a model is estimated and stored."""

    order: int = setting(5, "n-gram order.", low=1, group=_GROUP)
    cutoffs: str = setting(
        "",
        "Drop n-grams that occur N times or less, for each order from 1 on; the last number is for "
        "all higher orders. Dropped words become <unk>.",
        group=_GROUP, metavar="N,N,…", default_text="nothing is dropped",
    )  # fmt: skip
    max_vocabulary: int | None = setting(
        None, "Keep the N most frequent words; all others become <unk>.",
        low=1, group=_GROUP, metavar="N", default_text="no limit",
    )  # fmt: skip
    vocabulary: PathName | None = setting(
        None, "Keep the words of this file, one per line; all others become <unk>.", group=_GROUP
    )
    fallback: str = setting(
        "0.5,1,1.5", "Discounts of orders with too little text to estimate them.",
        group=_GROUP, metavar="D1,D2,D3",
    )  # fmt: skip
    on_bad_line: Literal["stop", "skip"] = setting(
        "stop",
        "At a line that is not UTF-8 or has control characters, a byte order mark, <s> or </s>: "
        "stop, or skip and count it.",
        metavar="stop|skip",
    )  # fmt: skip

    def keywords(self) -> dict[str, Any]:
        """Keywords of `estimate` and `estimate_files`."""
        return {
            "order": self.order,
            "cutoffs": _numbers("--cutoffs", self.cutoffs, int),
            "max_vocabulary": self.max_vocabulary,
            "vocabulary": None if self.vocabulary is None else _listed(str(self.vocabulary)),
            "fallback": tuple(_numbers("--fallback", self.fallback, float, 3)),
            "skip_bad": self.on_bad_line == "skip",
        }


def _numbers(option: str, text: str, kind: type, count: int | None = None) -> list[Any]:
    expected = "three numbers" if count else "numbers separated by commas"
    try:
        found = [kind(each) for each in text.replace(",", " ").split()]
    except ValueError:
        found, expected, count = [], "numbers separated by commas", -1
    if count not in (None, len(found)):
        raise LanguageModelError(
            f"{option} {text}: expected {expected}",
            code="argument.value", argument=option, value=text, expected=expected,
        )  # fmt: skip
    return found


def _listed(file: str) -> list[str]:
    """The words of a file, one per line; `-` is standard input."""
    from rosewood.corpus.lines import at, read_lines, split

    source = cast(BufferedIOBase, sys.stdin.buffer) if file == "-" else file
    words = []
    for number, line in read_lines(source, file):
        with at(file, number):
            found = split(line)
            if len(found) > 1:
                reason = f"there are {len(found)} words, expected one per line"
                raise LanguageModelError(reason, code="line.fields", value=len(found), expected=1)
            words += found
    return words
