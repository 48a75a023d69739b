"""What decides a model, but for its text: settings of estimation, and discounts.

Discounts are those of Chen & Goodman (1998, equation 26), from how many n-grams were counted once,
twice, three and four times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from rosewood.arguments import check_length, check_whole
from rosewood.errors import LanguageModelError


@dataclass(frozen=True)
class Smoothing:
    """What decides the model, but for the text."""

    order: int = 5
    cutoffs: Sequence[int] = ()  # n-grams that occur so often or less; the last for all above
    max_vocabulary: int | None = None  # only so many words, the most frequent; others are <unk>
    vocabulary: tuple[str, ...] | None = None  # only these words
    fallback: Sequence[float] = (0.5, 1.0, 1.5)  # three discounts, where there are none

    def __post_init__(self) -> None:
        whole = partial(check_whole, error=LanguageModelError)
        for name, value in {
            "order": whole("order", self.order, low=1),
            "cutoffs": tuple(whole("cutoffs", each, low=0) for each in self.cutoffs),
            "fallback": tuple(map(float, self.fallback)),
        }.items():
            object.__setattr__(self, name, value)
        if len(self.cutoffs) > self.order:
            raise LanguageModelError(
                f"there are {len(self.cutoffs)} cut-offs for the {self.order} orders of the model",
                code="argument.shape", argument="cutoffs", value=len(self.cutoffs),
                expected=self.order,
            )  # fmt: skip
        if list(self.cutoffs) != sorted(self.cutoffs):
            raise LanguageModelError(
                f"cut-offs are {', '.join(map(str, self.cutoffs))}: what is left out of shorter "
                "n-grams is left out of longer ones, so they cannot go down",
                code="argument.value", argument="cutoffs", value=self.cutoffs,
            )  # fmt: skip
        if self.vocabulary == ():
            reason = "the vocabulary must have at least one word"
            raise LanguageModelError(reason, code="argument.value", argument="vocabulary", value=())
        if self.max_vocabulary is not None:
            whole("max_vocabulary", self.max_vocabulary, low=1)
        check_length("fallback", self.fallback, 3, "discount", error=LanguageModelError)
        for count, discount in enumerate(self.fallback, 1):
            if not 0 < discount <= count:
                expected = f"more than 0, and at most {count}"
                raise LanguageModelError(
                    f"the discount of count {count} is {discount}, expected {expected}",
                    code="argument.range", argument="fallback", value=discount, expected=expected,
                )  # fmt: skip

    def cutoff(self, n: int) -> int:
        """Of the n-grams of an order."""
        return self.cutoffs[min(n, len(self.cutoffs)) - 1] if self.cutoffs else 0


@dataclass(frozen=True)
class Fallback:
    """An order whose discounts could not be estimated, and why."""

    order: int
    reason: str

    def __str__(self) -> str:
        return f"{self.order}-grams have fixed discounts: {self.reason}"


def discounts(
    n: int, sizes: Sequence[int], fallback: Sequence[float]
) -> tuple[Sequence[float], Fallback | None]:
    """What is taken from counts 1, 2, and 3 or more.

    `sizes` is how many n-grams have count 1, 2, 3 and 4.  Where one of the first three is missing,
    or what comes out is none, those of `fallback` are taken.
    """
    for count, size in enumerate(sizes[:3], 1):
        if size == 0:
            return fallback, Fallback(n, f"none has the count {count}")
    share = sizes[0] / (sizes[0] + 2 * sizes[1])
    found = tuple(k - (k + 1) * share * sizes[k] / sizes[k - 1] for k in (1, 2, 3))
    for count, discount in enumerate(found, 1):
        if not 0 < discount <= count:
            return fallback, Fallback(n, f"that of count {count} would be {discount:.3g}")
    return found, None
