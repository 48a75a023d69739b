"""Character error rate."""

from __future__ import annotations

from dataclasses import dataclass

from rosewood.metrics.batch import SentenceBatch, Texts, number_chars
from rosewood.metrics.rates import EditRate, case_fact
from rosewood.settings import setting


@dataclass(frozen=True, repr=False)
class Cer(EditRate):
    """Character error rate; a blank between words is one character, or none."""

    lowercase: bool = setting(False, "Compare without case.")
    whitespace: bool = setting(True, "Count the blank between words as a character.")

    name = "cer"

    def _facts(self) -> list[str]:
        return [case_fact(self.lowercase), f"space:{'yes' if self.whitespace else 'no'}"]

    def _symbols(self, batch: SentenceBatch) -> list[Texts]:
        blank = " " if self.whitespace else ""
        sides = batch.texts(
            lambda text: blank.join((text.lower() if self.lowercase else text).split())
        )
        return [number_chars(side) for side in sides]


PLUGIN = Cer
