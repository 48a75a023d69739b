"""How a translated unit is marked: one function for all formats."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rosewood.documents.settings import DocumentSettings

MACHINE = "machine translation"
EXACT = "exact match"
NEAR_EXACT = "near-exact match"  # one with other placeholders or tags in it
COPY = "copy"  # of a text without words, such as a number


@dataclass(frozen=True)
class UnitTranslation:
    """A unit in the other language, how sure that is, and where it comes from."""

    text: str
    confidence: float | None = None
    origin: str = MACHINE
    is_certain: bool = True  # False: one of several possible exact matches, for example

    @property
    def is_remembered(self) -> bool:
        """Whether it is from a translation memory."""
        return self.origin in (EXACT, NEAR_EXACT)

    @property
    def needs_review(self) -> bool:
        """Whether a person should look at it."""
        return self.origin in (MACHINE, NEAR_EXACT) or not self.is_certain


@dataclass(frozen=True)
class Mark:
    """What a document says about a translated unit."""

    origin: str
    confidence: str | None = None  # as it is written: 0.87
    needs_review: bool = True

    @property
    def note(self) -> str:
        """The mark in words."""
        if self.confidence is None:
            return self.origin
        return f"{self.origin}, confidence {self.confidence}"


# A pattern of what `note` is.
NOTE = rf"(?:{MACHINE}|{EXACT}|{NEAR_EXACT}|{COPY})(?:, confidence [01]\.\d\d)?"


def mark_of(translation: UnitTranslation, settings: DocumentSettings) -> Mark | None:
    """The mark of a unit; none where marks are switched off.

    A certain exact match of a memory was written by a person; such matches and copies need no
    review.
    """
    if not settings.marks:
        return None
    sure = translation.confidence
    # Rounded down: a unit below a threshold does not reach it in print.
    confidence = None if sure is None else f"{int(sure * 100 + 1e-9) / 100:.2f}"
    return Mark(translation.origin, confidence, translation.needs_review)


def weakest(translations: Iterable[UnitTranslation]) -> UnitTranslation:
    """The translation whose mark is that of all: one to review, with the lowest confidence."""

    def rank(each: UnitTranslation) -> tuple[bool, float]:
        return not each.needs_review, 1.0 if each.confidence is None else each.confidence

    return min(translations, key=rank)
