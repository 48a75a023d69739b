"""How a translated unit is marked: one function for all formats."""

from __future__ import annotations

from dataclasses import dataclass

from rosewood.documents.settings import DocumentSettings

MACHINE = "machine translation"
EXACT = "exact match"
COPY = "copy"  # of a text without words, such as a number


@dataclass(frozen=True)
class UnitTranslation:
    """A unit in the other language, how sure that is, and where it comes from."""

    text: str
    confidence: float | None = None
    origin: str = MACHINE


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


NOTE = rf"(?:{MACHINE}|{EXACT}|{COPY})(?:, confidence [01]\.\d\d)?"  # a pattern of what `note` is


def mark_of(translation: UnitTranslation, settings: DocumentSettings) -> Mark | None:
    """The mark of a unit; none where marks are switched off.

    What comes from a memory as it stands was written by a person; that and copies need no review.
    """
    if not settings.marks:
        return None
    sure = translation.confidence
    # Rounded down: a unit below a threshold does not reach it in print.
    confidence = None if sure is None else f"{int(sure * 100 + 1e-9) / 100:.2f}"
    return Mark(translation.origin, confidence, translation.origin == MACHINE)
