"""Settings of language models: how they are stored, and how they are estimated."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from io import BufferedIOBase
from typing import TYPE_CHECKING, Any, Literal, cast

from rosewood.errors import LanguageModelError
from rosewood.settings import Settings, setting, setting_of, settings_of
from rosewood.shared_settings import SharedSettings
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.lm.files import Layout


@dataclass(frozen=True)
class LayoutSettings(Settings):
    """How a model is stored."""

    error = LanguageModelError
    group = "Model"

    layout: Literal["fast", "small"] | None = setting(
        None, "Storage: fast (hash tables) or small (packed; can be converted again).",
        metavar="fast|small", default_text="fast",
    )  # fmt: skip
    quantise: int | None = setting(
        None, "Bits per number of the model, which is then small.",
        low=1, high=16, metavar="BITS", default_text="not quantised",
    )  # fmt: skip

    @property
    def chosen_layout(self) -> Layout:
        """The layout that the settings ask for."""
        if self.layout == "fast" and self.quantise is not None:
            reason = "--quantise and --layout fast exclude each other"
            raise LanguageModelError(reason, code="argument.conflict", argument="--quantise")
        return "small" if self.layout == "small" or self.quantise is not None else "fast"


@dataclass(frozen=True)
class SmoothingSettings(Settings):
    """What decides a model, but for its text and words."""

    error = LanguageModelError
    group = "Model"

    order: int = setting(5, "n-gram order.", low=1)
    cutoffs: tuple[int, ...] = setting(
        (),
        "Drop n-grams that occur N times or less, for each order from 1 on; the last number is for "
        "all higher orders. Dropped words become <unk>.",
        low=0, default_text="nothing is dropped",
    )  # fmt: skip
    max_vocabulary: int | None = setting(
        None, "Keep the N most frequent words; all others become <unk>.",
        low=1, metavar="N", default_text="no limit",
    )  # fmt: skip
    fallback: tuple[float, float, float] = setting(
        (0.5, 1.0, 1.5), "Discounts of orders with too little text to estimate them.",
        metavar="D1,D2,D3",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.cutoffs) > self.order:
            raise LanguageModelError(
                f"there are {len(self.cutoffs)} cut-offs for the {self.order} orders of the model",
                code="argument.shape", argument="cutoffs", value=len(self.cutoffs),
                expected=self.order,
            )  # fmt: skip
        if list(self.cutoffs) != sorted(self.cutoffs):
            raise LanguageModelError(
                f"cut-offs are {', '.join(map(str, self.cutoffs))}, expected numbers that do not "
                "decrease: whatever drops an n-gram drops the longer ones with it",
                code="argument.value", argument="cutoffs", value=self.cutoffs,
            )  # fmt: skip
        for count, discount in enumerate(self.fallback, 1):
            if not 0 < discount <= count:
                expected = f"more than 0, and at most {count}"
                raise LanguageModelError(
                    f"the discount of count {count} is {discount}, expected {expected}",
                    code="argument.range", argument="fallback", value=discount, expected=expected,
                )  # fmt: skip

    def cutoff(self, n: int) -> int:
        """The cut-off of n-grams of order n."""
        return self.cutoffs[min(n, len(self.cutoffs)) - 1] if self.cutoffs else 0


@dataclass(frozen=True)
class EstimationSettings(LayoutSettings, SmoothingSettings):
    """How a model is estimated and stored."""

    vocabulary: PathName | None = setting(
        None, "Keep the words of this file, one per line; all others become <unk>."
    )
    on_bad_line: Literal["stop", "skip"] = setting_of(
        SharedSettings, "on_bad_line",
        help="At a line that is not UTF-8 or has control characters, a byte order mark, <s> or "
        "</s>: stop, or skip and count it.",
        metavar="stop|skip", group="",
    )  # fmt: skip

    def keywords(self) -> dict[str, Any]:
        """Keywords of `estimate` and `estimate_files`."""
        return {
            **{each.name: getattr(self, each.name) for each in settings_of(SmoothingSettings)},
            "vocabulary": None if self.vocabulary is None else _listed(str(self.vocabulary)),
            "skip_bad": self.on_bad_line == "skip",
        }


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
