"""Settings of aligning a corpus: the model, its text, and how two directions become one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosewood.align.models import MODELS, AlignmentModel, make_model
from rosewood.corpus.text.tokenisers import TOKENISERS
from rosewood.errors import AlignmentError
from rosewood.settings import Settings, setting

if TYPE_CHECKING:
    from rosewood.align.preparation import Preparation

SYMMETRIZATIONS = ("intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and")
ORDERS = ("symal", "atools")
_GROUP = "Learning"  # of options


def order_setting() -> Any:
    """The tie-break of grow-diag."""
    told = "Tie-break of grow-diag: that of fast_align's atools or of Moses' symal."
    return setting("atools", told, metavar="|".join(sorted(ORDERS)))


@dataclass(frozen=True)
class AlignmentSettings(Settings):
    """How a corpus is aligned."""

    error = AlignmentError

    model: str | None = setting(
        None, "Model: best is by far the most accurate, diag is fast_align's.",
        group=_GROUP, metavar="NAME", default_text="best", known=lambda: MODELS,
    )  # fmt: skip
    set: dict[str, Any] = setting({}, "A setting of the model; see --list-settings.", group=_GROUP)
    symmetrize: str = setting(
        SYMMETRIZATIONS[-1],
        f"Symmetrisation: {', '.join(SYMMETRIZATIONS)}; one direction: forward, backward; or "
        "threshold:0.4, links with this geometric mean of posteriors or more.",
        metavar="METHOD",
    )
    order: str = order_setting()
    tokeniser: str | None = setting(
        None, "Tokenise raw text. Links count those words (see --words).",
        metavar="NAME", default_text="split at spaces", known=TOKENISERS.names,
    )  # fmt: skip
    lowercase: bool = setting(False, "Lowercase the words before alignment.")
    max_words: int | None = setting(
        None, "Do not align longer sentences: their lines stay empty.",
        low=1, metavar="N", default_text="no limit",
    )  # fmt: skip

    def make_model(self) -> AlignmentModel:
        """The model to train."""
        return make_model(self.model or "best", self.set)

    def preparation(self, languages: tuple[str | None, str | None]) -> Preparation:
        """How text in these languages is prepared."""
        from rosewood.align.preparation import Preparation

        source, target = languages
        return Preparation(self.tokeniser, (source or "", target or ""), self.lowercase).checked()
