"""Settings of translating documents."""

from __future__ import annotations

from dataclasses import dataclass

from rosewood.corpus.languages import check_language
from rosewood.documents.formats import format_names
from rosewood.errors import CorpusError
from rosewood.settings import Settings, setting


@dataclass(frozen=True)
class DocumentSettings(Settings):
    """How a document is read, which of its units are translated, and how these are marked."""

    error = CorpusError
    group = "Documents"

    format: str | None = setting(
        None,
        "Format of the input, where its ending does not tell; text translates line by line.",
        choices=format_names, types_none=False,
    )  # fmt: skip
    retranslate: bool = setting(
        False, "Also translate units that have a translation (PO, XLIFF, TMX)."
    )
    marks: bool = setting(
        True,
        "Mark units as machine translation with their confidence, where the format can say so.",
    )
    low_confidence: float = setting(
        0.5, "Report units with a confidence below this.", low=0, high=1
    )
    source_language: str | None = setting(
        None, "Source language of the document.", default_text="the model's", types_none=False,
    )  # fmt: skip
    target_language: str | None = setting(
        None, "Language that the document declares as its translation's.",
        default_text="the model's", types_none=False,
    )  # fmt: skip
    encoding: str | None = setting(
        None,
        "Character encoding of a document that does not declare one.",
        default_text="utf-8", types_none=False,
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("source_language", "target_language"):
            check_language(name, getattr(self, name))
