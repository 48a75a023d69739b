"""How sentence pairs become the words that are aligned; kept in the notes of a saved aligner.

    how = Preparation(tokeniser="unicode", languages=("de", "en"), lowercase=True)
    corpus = IndexedCorpus.from_pairs(map(how, Corpus.read("raw.de", "raw.en")))
    Aligner.fit(corpus).save("aligner/", notes=how.notes())
    how = Preparation.of(Aligner.load("aligner/").notes)        # for new text

Without a tokeniser words stand between spaces, and links count them as they stand in the files.
With one, tags such as <b> are left out, and links count the words that `rosewood text tokenise
--drop-tags` writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rosewood.corpus.pairs import SentencePair
from rosewood.errors import AlignmentError
from rosewood.settings import Settings, setting

if TYPE_CHECKING:
    from rosewood.corpus.text import TextProcessor


@dataclass(frozen=True)
class Preparation(Settings):
    """What is done to both sides of a pair before it is aligned; called with one, it does it."""

    error = AlignmentError

    tokeniser: str | None = setting(None, "Tokeniser; none: split at spaces.")
    languages: tuple[str, str] = setting(("", ""), "Source and target language.")
    lowercase: bool = setting(False, "Lowercase the words.")

    @classmethod
    def of(cls, notes: Mapping[str, Any]) -> Preparation:
        """What an aligner's notes tell."""
        try:
            return cls(**notes.get("text", {}))
        except (TypeError, AlignmentError) as error:
            raise AlignmentError(
                "the notes on how its text was prepared are damaged",
                code="file.damaged", argument="notes", value=notes,
            ) from error  # fmt: skip

    def checked(self) -> Preparation:
        """Itself, if there is such a tokeniser and such languages: before any work."""
        _ = self._processors
        return self

    def notes(self) -> dict[str, Any]:
        """For `Aligner.save`."""
        if not self:
            return {}
        return {"text": self.to_dict()}

    def __bool__(self) -> bool:
        """Whether it does anything."""
        return self.tokeniser is not None or self.lowercase

    def __call__(self, pair: SentencePair) -> SentencePair:
        """The pair in words, between spaces."""
        source, target = pair.source, pair.target
        if self._processors is not None:
            source, target = (
                " ".join(processor.encode(text).words)
                for processor, text in zip(self._processors, (source, target), strict=True)
            )
        elif self.lowercase:
            from rosewood.corpus.text.truecase import lowered

            source, target = map(lowered, (source, target), self.languages)
        return SentencePair(source, target, pair.tags, pair.origin)

    @cached_property
    def _processors(self) -> tuple[TextProcessor, TextProcessor] | None:
        if self.tokeniser is None:
            return None
        from rosewood.corpus.text import TextProcessor, make_tokeniser

        source, target = (
            TextProcessor(make_tokeniser(self.tokeniser, language=each), lowercase=self.lowercase)
            for each in self.languages
        )
        return source, target
