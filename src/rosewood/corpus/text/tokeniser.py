"""What a tokeniser is: raw text to words and back.

    tokeniser = make_tokeniser("unicode", language="de")
    tokeniser.detokenise(tokeniser.tokenise("Der Hund, z.B. Rex, läuft."))

A text is cut into tokens, and each remembers whether white space stood before it.  Words are tokens
as a model sees them: never empty, without white space, and *marked* so that they can be read back:

    ￭        with joiners: no space on this side; without them the rules of a language tell
    ￬ffed￬   a character that would be taken for a mark or for white space, by its number

On the way back the marks come off, and spaces are put where marks or rules say.
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

from rosewood.arguments import check_known
from rosewood.errors import TextError
from rosewood.settings import Settings, setting, settings_of

JOINER = "￭"
ESCAPE = "￬"

_ESCAPED = re.compile(f"{ESCAPE}([0-9a-f]{{1,6}}){ESCAPE}")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*|")


class Cut(NamedTuple):
    """The tokens of a text, and whether white space comes before each and after the last."""

    tokens: list[str]
    spaced: list[bool]


def escaped(text: str, marks: re.Pattern[str]) -> str:
    """The text with each of these characters replaced by its number."""
    return marks.sub(lambda found: f"{ESCAPE}{ord(found[0]):x}{ESCAPE}", text)


def unescaped(text: str) -> str:
    """What `escaped` was given; what does not come from there stays as it is."""
    if ESCAPE not in text:
        return text
    return _ESCAPED.sub(_character, text)


def _character(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    return chr(code) if code < 0x110000 else found[0]


@dataclass(frozen=True)
class Tokeniser(Settings, ABC):
    """Raw text to words and back.  Its settings are saved with a model."""

    error = TextError
    name: ClassVar[str]
    MARKS: ClassVar[re.Pattern[str]] = re.compile(rf"[{ESCAPE}\s]")  # what is escaped in words

    language: str = setting("", "A code such as de or fr-CA; empty for none in particular.")
    nfc: bool = setting(True, "Compose characters: é is one character, not two.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _LANGUAGE.fullmatch(self.language):
            expected = "a code such as de or pt-BR"
            raise TextError(
                f"the language is {self.language!r}, expected {expected}",
                code="argument.value", argument="language", value=self.language, expected=expected,
            )  # fmt: skip

    @property
    def is_exact(self) -> bool:
        """Whether words alone tell where spaces were, and no rule has to guess."""
        return False

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Self:
        """A tokeniser with these settings; others than it has are refused."""
        known = [each.name for each in settings_of(cls)]
        check_known(f"{cls.name} setting", settings, known, error=TextError)
        return cls(**settings)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self).from_settings, (self.to_dict(),))

    def composed(self, text: str) -> str:
        """The text in the form that is cut: composed, if that is wanted."""
        return text if not self.nfc or text.isascii() else unicodedata.normalize("NFC", text)

    def normalised(self, text: str) -> str:
        """What comes back of a text at best: one space for a run of white space, none outside."""
        return " ".join(self.composed(text).split())

    @abstractmethod
    def cut(self, text: str) -> Cut:
        """The tokens of a text, or of a part of one next to a tag."""

    @abstractmethod
    def spaces(self, tokens: Sequence[str]) -> list[bool]:
        """Whether a space goes before each token, by rule."""

    def mark(self, cut: Cut) -> list[str]:
        """Tokens as words."""
        if not self.MARKS.search("".join(cut.tokens)):
            return list(cut.tokens)
        return [escaped(token, self.MARKS) for token in cut.tokens]

    def unmark(self, words: Sequence[str]) -> Cut:
        """Words as tokens, and whether a space goes before each: by marks, else by rule."""
        tokens = [unescaped(word) for word in words]
        return Cut(tokens, [*self.spaces(tokens), False])

    def tokenise(self, text: str) -> list[str]:
        """The words of a raw text."""
        return self.mark(self.cut(self.composed(text).strip()))

    def detokenise(self, words: Sequence[str]) -> str:
        """The raw text of words, which may have come out of a translation."""
        tokens, spaced = self.unmark(words)
        return joined(tokens, spaced)


def joined(tokens: Sequence[str], spaced: Sequence[bool]) -> str:
    """Running text: a space before each token that wants one."""
    return "".join(
        [f" {token}" if space else token for token, space in zip(tokens, spaced, strict=False)]
    )


@dataclass(frozen=True)
class Joining(Tokeniser):
    """A tokeniser whose words can carry joiners, so that every text can be restored."""

    MARKS: ClassVar[re.Pattern[str]] = re.compile(rf"[{ESCAPE}{JOINER}\s]")

    joiners: bool = setting(False, "Mark with ￭ where no space was.")

    @property
    def is_exact(self) -> bool:
        return self.joiners

    def mark(self, cut: Cut) -> list[str]:
        words = super().mark(cut)
        if self.joiners:
            for place in range(1, len(words)):
                if not cut.spaced[place]:
                    _join(words, place, cut.tokens)
        return words

    def unmark(self, words: Sequence[str]) -> Cut:
        if not self.joiners and JOINER not in "".join(words):
            return super().unmark(words)
        tokens: list[str] = []
        glued: list[bool] = []
        open_to_right = True  # no space in front of the first
        for word in words:
            glued.append(open_to_right or word.startswith(JOINER))
            open_to_right = word.endswith(JOINER)
            tokens.append(unescaped(word.strip(JOINER)))
        spaced = [True] * len(tokens) if self.joiners else self.spaces(tokens)
        apart = [space and not glue for space, glue in zip(spaced, glued, strict=True)]
        return Cut(tokens, [*apart, False])


def _join(words: list[str], place: int, tokens: Sequence[str]) -> None:
    """No space between two words: punctuation tells, so that words stay as they are elsewhere."""
    if tokens[place][:1].isalnum() and not tokens[place - 1][-1:].isalnum():
        words[place - 1] += JOINER
    else:
        words[place] = JOINER + words[place]
