"""Settings of raw text: how it becomes words.

TextSettings(language="de", joiners=True).processor().encode("Der Hund.").words
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosewood.corpus.text.tokenisers import TOKENISERS, make_tokeniser
from rosewood.errors import TextError
from rosewood.settings import Settings, setting

if TYPE_CHECKING:
    from rosewood.corpus.text.processor import TextProcessor

WORDS, TAGS = "Tokenisation", "Tags and placeholders"  # groups of options


@dataclass(frozen=True)
class TextSettings(Settings):
    """What makes a text processor."""

    error = TextError

    tokeniser: str = setting(
        "unicode",
        "Tokeniser: moses needs sacremoses (the extra text); with char, characters are words and a "
        "space is ␣; with none, words are separated by spaces already.",
        group=WORDS, metavar="NAME", known=TOKENISERS.names,
    )  # fmt: skip
    language: str = setting(
        "", "Language, for clitics, abbreviations, quotation marks and spaces: de, fr-CA, …",
        group=WORDS, metavar="CODE", default_text="none",
    )  # fmt: skip
    joiners: bool = setting(
        False, "Mark with ￭ where no space was, so that texts can be restored exactly.",
        group=WORDS,
    )  # fmt: skip
    split_hyphens: bool = setting(False, "Split well-known into well ￭-￭ known.", group=WORDS)
    no_nfc: bool = setting(False, "Do not compose characters (NFC).", group=WORDS)
    lowercase: bool = setting(False, "Lowercase the text.", group=WORDS)
    no_tags: bool = setting(False, "Treat <b>, {0} and %s as ordinary text.", group=TAGS)
    protect_urls: bool = setting(False, "Treat addresses as placeholders.", group=TAGS)
    protect: tuple[str, ...] = setting(
        (), "Treat matches as placeholders: one word that never changes; repeatable.",
        group=TAGS, metavar="REGEX",
    )  # fmt: skip

    def processor(self) -> TextProcessor:
        """The processor of these settings, without a truecaser."""
        from rosewood.corpus.text.processor import TextProcessor

        settings: dict[str, Any] = {"language": self.language, "nfc": not self.no_nfc}
        settings |= {"joiners": True} if self.joiners else {}
        settings |= {"hyphens": "split"} if self.split_hyphens else {}
        return TextProcessor(
            make_tokeniser(self.tokeniser, **settings),
            lowercase=self.lowercase,
            protect_tags=not self.no_tags,
            protect_urls=self.protect_urls,
            patterns=self.protect,
        )
