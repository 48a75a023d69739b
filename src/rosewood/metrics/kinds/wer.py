"""Word error rate."""

from __future__ import annotations

from dataclasses import dataclass

from rosewood.metrics.batch import SentenceBatch, Texts
from rosewood.metrics.rates import EditRate, case_fact
from rosewood.metrics.tokenise import (
    TOKENISERS,
    TokenNumbers,
    check_tokeniser,
    tokeniser_signature,
)
from rosewood.settings import setting


@dataclass(frozen=True, repr=False)
class Wer(EditRate):
    """Word error rate; of several references, the one that needs the fewest edits counts.

    Of equals the longest: it gives the lowest rate.
    """

    tokenize: str = setting("none", "Tokenisation of sacreBLEU.", choices=TOKENISERS)
    lowercase: bool = setting(False, "Compare without case.")

    name = "wer"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_tokeniser(self.tokenize)

    def _facts(self) -> list[str]:
        return [case_fact(self.lowercase), f"tok:{tokeniser_signature(self.tokenize)}"]

    def _symbols(self, batch: SentenceBatch) -> list[Texts]:
        sides = batch.hypotheses, batch.references
        numbers = TokenNumbers(self.tokenize, lowercase=self.lowercase)
        return [numbers.lines(side) for side in sides]


PLUGIN = Wer
