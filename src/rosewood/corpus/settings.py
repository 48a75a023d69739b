"""Settings of reading a corpus: languages, format, bad lines and limits of lines.

CorpusSettings(format="tsv", on_bad_line="skip").corpus(["train.tsv.gz"])     # a Corpus
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from rosewood.corpus.formats import CORPUS_FORMATS
from rosewood.errors import CorpusError
from rosewood.settings import Settings, setting, setting_of
from rosewood.shared_settings import SharedSettings
from rosewood.shared_types import OnBadLine, PathName

if TYPE_CHECKING:
    from rosewood.corpus.corpus import Corpus

_GROUP = "Reading corpora"  # of options
_shared = partial(setting_of, SharedSettings, group=_GROUP)


@dataclass(frozen=True)
class CorpusSettings(Settings):
    """How the pairs of a corpus are read."""

    error = CorpusError

    languages: str | None = setting(
        None, "Source and target language, for files that contain several: de matches de-AT.",
        group=_GROUP, metavar="DE:EN", short="l",
    )  # fmt: skip
    format: str | None = setting(
        None, "Format.", group=_GROUP, default_text="by the file name",
        choices=CORPUS_FORMATS.names, types_none=False,
    )  # fmt: skip
    on_bad_line: OnBadLine = _shared(
        "on_bad_line", more="stop, skip its pair and count it, or keep a blank pair.",
        metavar="stop|skip|blank",
    )  # fmt: skip
    line_words: int = _shared("line_words")
    line_characters: int = _shared("line_characters")

    @property
    def both_languages(self) -> tuple[str | None, str | None]:
        """Source and target language of `de:en`."""
        if self.languages is None:
            return None, None
        source, colon, target = self.languages.partition(":")
        if not colon or not source or not target or ":" in target:
            raise CorpusError(
                f"--languages {self.languages}: expected two, as in de:en",
                code="argument.value", argument="--languages", value=self.languages,
                expected="two, as in de:en",
            )  # fmt: skip
        return source, target

    def corpus(self, sources: Sequence[PathName], *, every_line: bool = False) -> Corpus:
        """The corpus of some files.

        With `every_line`, each line has a pair: sides may be empty, and bad lines become blank.
        """
        from rosewood.corpus.checks import Checks
        from rosewood.corpus.corpus import Corpus

        source_language, target_language = self.both_languages
        return Corpus.read(
            *sources,
            format=self.format,
            source_language=source_language,
            target_language=target_language,
            on_bad_line="blank" if every_line and self.on_bad_line == "skip" else self.on_bad_line,
            checks=Checks(self.line_words, self.line_characters, every_line),
        )


@dataclass(frozen=True)
class ParallelSettings(CorpusSettings):
    """How a corpus is read whose lines keep their numbers."""

    on_bad_line: Literal["stop", "blank"] = _shared(
        "on_bad_line", more="stop, or count it and keep a blank pair.", metavar="stop|blank"
    )
