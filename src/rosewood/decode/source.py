"""Input of a decoder: words, and translations that are given for some of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

from rosewood.arguments import check_list, check_type, check_whole
from rosewood.errors import DecodingError, RuleError
from rosewood.rules.leave_one_out import LeftOut
from rosewood.rules.table_words import encoded, sentence_text

Words = tuple[str, ...]


@dataclass(frozen=True)
class Forced:
    """Translations of words begin .. end-1, one of which is taken: a glossary entry.

    With `exclusive`, nothing else may touch these words; without, they are options among others.
    """

    begin: int
    end: int
    targets: tuple[str | Words, ...]  # texts become their words; "" is nothing at all
    exclusive: bool = True

    def __post_init__(self) -> None:
        for name in ("begin", "end"):
            value = check_whole(name, getattr(self, name), error=DecodingError)
            object.__setattr__(self, name, value)
        if not 0 <= self.begin < self.end:
            reason = f"there are no words from {self.begin} to {self.end}"
            raise DecodingError(reason, code="argument.range", argument="end", value=self.end)
        check_list("targets", self.targets, "a list of translations", error=DecodingError)
        targets: list[Words] = []
        for target in self.targets:
            kind = type(None) if isinstance(target, bytes) else str | Sequence
            check_type("targets", target, kind, "texts or their words", error=DecodingError)
            targets.append(_words("a forced translation: ", target))
        if not targets:
            reason = f"words {self.begin} to {self.end} have no translation to choose"
            raise DecodingError(reason, code="argument.missing", argument="targets")
        object.__setattr__(self, "targets", tuple(dict.fromkeys(targets)))

    @property
    def translations(self) -> tuple[Words, ...]:
        """The words of each target."""
        return cast(tuple[Words, ...], self.targets)


@dataclass(frozen=True)
class Source:
    """A sentence with its glossary; with a reference, only its derivations are searched.

    `left_out` are rules that it is translated without, or with other scores.
    """

    words: tuple[str, ...]
    forced: tuple[Forced, ...] = ()
    reference: tuple[str, ...] | None = None
    left_out: LeftOut | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", _words("", self.words))
        check_list("forced", self.forced, "a list of Forced", error=DecodingError)
        object.__setattr__(self, "forced", tuple(self.forced))
        for each in self.forced:
            check_type("forced", each, Forced, "a list of Forced", error=DecodingError)
        check_type("left_out", self.left_out, LeftOut | None, "a LeftOut", error=DecodingError)
        if self.reference is not None:
            object.__setattr__(self, "reference", _words("its reference: ", self.reference))
        exclusive = sorted({(each.begin, each.end) for each in self.forced if each.exclusive})
        for one, other in pairwise(exclusive):
            if other[0] < one[1]:
                raise DecodingError(
                    f"forced translations overlap: of words {one[0]} to {one[1]} and {other[0]} to "
                    f"{other[1]}",
                    code="argument.conflict",
                    argument="forced",
                    value=(one, other),
                )
        for each in self.forced:
            if each.end > len(self.words):
                raise DecodingError(
                    f"a translation is given for words {each.begin} to {each.end} of a sentence of "
                    f"{len(self.words)} words",
                    code="argument.range",
                    argument="forced",
                    value=each.end,
                    expected=len(self.words),
                )

    @classmethod
    def of(cls, sentence: Sentence) -> Source:
        """From a text, which is split at spaces, from words, or from a Source."""
        return sentence if isinstance(sentence, Source) else cls(sentence)  # type: ignore[arg-type]

    @property
    def text(self) -> str:
        """Its words, with spaces between."""
        return " ".join(self.words)

    def given(self) -> list[tuple[int, int, int, tuple[str, ...]]]:
        """Its glossary as native code takes it."""
        return [
            (each.begin, each.end, 0 if each.exclusive else 1, words)
            for each in self.forced
            for words in each.translations
        ]


Sentence = str | Sequence[str] | Source


def _words(what: str, text: str | Sequence[str]) -> tuple[str, ...]:
    """The words of a text, which is split here and nowhere else, or words that are checked."""
    try:
        line = sentence_text(text)
        if not line.isascii():
            encoded(line)
    except RuleError as error:
        raise error.restated(f"{what}{error}", DecodingError) from None
    return tuple(word for word in line.replace("\t", " ").split(" ") if word)
