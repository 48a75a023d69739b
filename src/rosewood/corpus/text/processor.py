"""The whole way from raw text to the words of a model, and back to raw text.

    processor = TextProcessor(make_tokeniser("unicode", language="de"), truecaser)
    encoded = processor.encode("Klicken Sie <b>hier</b>, {name}!")
    encoded.words                                   # klicken Sie hier , {name} !
    other.decode(words, encoded, alignment)         # Click <b>here</b>, {name}!

Tags are lifted out, and `encoded` remembers them; values stay as words of their own.  What `decode`
is given may be a translation by another processor's model: with `encoded` and a word alignment the
tags go around the translations of their words, and spaces around values are as they were.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from os import fspath
from pathlib import Path
from typing import Any, NamedTuple

from rosewood.arguments import check_text, check_type, check_whole
from rosewood.corpus.lines import at
from rosewood.corpus.text.casing import Caser
from rosewood.corpus.text.encoded import Encoded, Taken, spaces_between
from rosewood.corpus.text.tag_placement import Alignment, place_tags
from rosewood.corpus.text.tags import Found, Protection, paired
from rosewood.corpus.text.tokeniser import Cut, Tokeniser, joined
from rosewood.corpus.text.tokenisers import make_tokeniser
from rosewood.corpus.text.truecase import (
    CaseCounts,
    Truecaser,
    is_shouted,
    lowered,
    recased,
    sentence_starts,
    shouted,
)
from rosewood.corpus.text.value_symbols import VALUE, with_joiners_of
from rosewood.errors import FormatError, TextError
from rosewood.output import whole_file
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName

_FORMAT, _VERSION = "rosewood-text", 3
_SINCE = {"symbols": (2, False)}  # settings that earlier versions do not have, and what they did
_NEUTRAL = "0"  # stands for a value where letters are looked at: a word, but without letters
_SPACES = re.compile(r"\s+")


class CutText(NamedTuple):
    """The tokens of a text, cased as they were; plain values, which can be stored."""

    tokens: list[str]
    values: list[int]  # which tokens are values
    spaced: list[bool]  # white space before each token and behind the last, tags aside

    def unmarked(self) -> list[str]:
        """The tokens that are no values."""
        if not self.values:
            return self.tokens
        values = frozenset(self.values)
        return [token for place, token in enumerate(self.tokens) if place not in values]


def _cut_of(taken: Taken) -> CutText:
    return CutText(taken.tokens, taken.values, spaces_between(taken.spaced, taken.tags))


def _letters(tokens: list[str], values: list[int]) -> list[str]:
    """The tokens with each value replaced by what has no letters."""
    letters = list(tokens)
    for place in values:
        letters[place] = _NEUTRAL
    return letters


@dataclass(frozen=True)
class TextProcessor(Settings):
    """How raw text becomes words and words become raw text; saved with a model."""

    error = TextError

    tokeniser: Tokeniser = field(default_factory=make_tokeniser)
    truecaser: Truecaser | None = None
    lowercase: bool = setting(False, "Lowercase the text.")
    protect_tags: bool = setting(True, "Lift tags out of the text, and keep values as words.")
    protect_urls: bool = setting(False, "Treat addresses as values, too.")
    patterns: tuple[str, ...] = setting((), "Regular expressions of more values.")
    recase: bool = setting(True, "Restore capitals at sentence starts.")
    symbols: bool = setting(False, "One word stands for all values, and values come back.")

    _protection: Protection | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.lowercase and self.truecaser is not None:
            reason = "text is either truecased or all in small letters, not both"
            raise TextError(reason, code="argument.conflict", argument="lowercase", value=True)
        if self.truecaser is not None and self.tokeniser.name == "char":
            reason = "a truecaser knows words, and the tokeniser char gives characters"
            raise TextError(reason, code="argument.conflict", argument="truecaser")
        if (self.patterns or self.protect_urls) and not self.protect_tags:
            reason = "patterns and addresses are protected together with tags, or not at all"
            raise TextError(reason, code="argument.conflict", argument="protect_tags", value=False)
        protection = Protection(self.protect_urls, self.patterns) if self.protect_tags else None
        object.__setattr__(self, "_protection", protection)

    def encode(self, text: str) -> Encoded:
        """The words of a raw text, and what is needed to restore it."""
        return self.readings(text)[0]

    def readings(self, text: str, caser: Caser | None = None) -> list[Encoded]:
        """The same, the words cased anew where `caser` finds capitals lost.

        There are several where it is not certain, the most probable first.
        """
        taken = self._taken(text)
        cut, letters = _cut_of(taken), _letters(taken.tokens, taken.values)
        cased = None if caser is None else caser.readings(letters)
        starts = sentence_starts(letters)[:1]
        kept = [taken.tokens[place] for place in taken.values] if self.symbols else []
        made = Encoded(
            tuple(self.words(cut) if cased is None else self._marked(cased.words[0], cut)),
            tuple(taken.spaced),
            tuple(taken.tags),
            tuple(taken.values),
            tuple(self.tokeniser.mark(Cut(kept, [True] * (len(kept) + 1)))),
            is_shouted=self._changes_case and is_shouted(letters),
            has_capital=(cased is not None and cased.has_capital)
            or not any(letters[place][0].islower() for place in starts)
            or (caser is not None and caser.lacks_capitals(letters)),
        )
        others = [] if cased is None else cased.words[1:]
        return [made, *(replace(made, words=tuple(self._marked(each, cut))) for each in others)]

    def cut(self, text: str) -> CutText:
        """The tokens of a raw text before they get their case."""
        return _cut_of(self._taken(text))

    def words(self, cut: CutText) -> list[str]:
        """The words of what `cut` gave: those of `encode`."""
        tokens = cut.tokens
        if self._changes_case:
            tokens = self._small(_letters(tokens, cut.values))
        return self._marked(tokens, cut)

    def _marked(self, tokens: Sequence[str], cut: CutText) -> list[str]:
        """Tokens with their case as words, values as they are in `cut`."""
        tokens = list(tokens)
        for place in cut.values:
            tokens[place] = cut.tokens[place]
        words = self.tokeniser.mark(Cut(tokens, cut.spaced))
        if self.symbols:
            is_joined = self.tokeniser.is_exact
            for place in cut.values:
                words[place] = with_joiners_of(words[place] if is_joined else "", VALUE)
        return words

    def decode(
        self,
        words: Sequence[str],
        encoded: Encoded | None = None,
        alignment: Alignment | None = None,
    ) -> str:
        """The raw text of words.

        `encoded` is what the words were before they were translated: its tags and its spacing come
        back.  `alignment` links its words to these, as (i, j) from zero; without it they are taken
        to stand in the same order.
        """
        links = None if alignment is None else list(alignment)
        if encoded is not None:
            words = encoded.filled(words)
        tokens, spaced = self.tokeniser.unmark(words)
        if self.recase and self._changes_case:
            tokens = self._cased(tokens, encoded)
        if encoded is None:
            if links is not None:
                reason = "an alignment says where tags go: it needs the text they are from"
                raise TextError(reason, code="argument.missing", argument="encoded")
            return joined(tokens, spaced)
        if not self.tokeniser.is_exact:
            spaced = encoded.spaces_of(words, spaced)
        if encoded.values:
            attached = set() if self.tokeniser.is_exact else encoded.attached(links or ())
            for place in attached & {*range(len(tokens))}:
                spaced[place] = False
            self._part_values(words, tokens, spaced, encoded.written, attached)
        if not encoded.tags and links is None:
            return joined(tokens, spaced)
        places = place_tags(encoded.tags, len(encoded.words), len(tokens), links)
        return encoded.with_tags(tokens, spaced, places)

    def normalised(self, text: str) -> str:
        """What comes back of a text at best: tags and values as they are, other text composed as
        the tokeniser does it, a run of white space as one space, and none outside."""
        parts: list[str] = []
        place = 0
        for start, end, *_ in self._found(text):
            parts += [self._plain(text[place:start]), text[start:end]]
            place = end
        return "".join([*parts, self._plain(text[place:])]).strip()

    def tokens(self, text: str) -> list[str]:
        """The tokens of a raw text as a truecaser learns from them: cased, unmarked, no values."""
        return self.cut(text).unmarked()

    def learned(self, texts: Iterable[str], *, least: int = 1) -> TextProcessor:
        """This processor with a truecaser that was learnt from raw texts."""
        counts = CaseCounts.of(map(self.tokens, texts), self.tokeniser.language)
        return self.cased_by(counts, least=least)

    def cased_by(self, counts: CaseCounts, *, least: int = 1) -> TextProcessor:
        """This processor with a truecaser that was learnt from counts of forms."""
        language = self.tokeniser.language
        learned = Truecaser.from_counts(counts, language=language, least=least)
        return replace(self, truecaser=learned, lowercase=False)

    def protected(self, text: str) -> list[Found]:
        """The tags and values of a raw text, from left to right."""
        return self._found(text)

    @property
    def _changes_case(self) -> bool:
        return self.lowercase or self.truecaser is not None

    def _found(self, text: str) -> list[Found]:
        return [] if self._protection is None else self._protection.find(text)

    def _plain(self, text: str) -> str:
        return _SPACES.sub(" ", self.tokeniser.composed(text))

    def _taken(self, text: str) -> Taken:
        text = text.strip()
        taken = Taken()
        place = 0
        found = self._found(text)
        halves = iter(paired([(each.kind, each.key) for each in found if each.kind != "value"]))
        for start, end, kind, _ in found:
            if place < start:
                taken.add_text(self.tokeniser.cut(self.tokeniser.composed(text[place:start])))
            if kind == "value":
                taken.add_value(text[start:end])
            else:
                taken.add_tag(text[start:end], kind, next(halves))
            place = end
        if place < len(text):
            taken.add_text(self.tokeniser.cut(self.tokeniser.composed(text[place:])))
        taken.spaced.append(taken.pending)
        return taken

    def _small(self, tokens: list[str]) -> list[str]:
        if self.truecaser is not None:
            return self.truecaser.apply(tokens)
        return [lowered(token, self.tokeniser.language) for token in tokens]

    def _cased(self, tokens: list[str], encoded: Encoded | None) -> list[str]:
        """Capitals back where casing took them away; values stay as they are."""
        language = self.tokeniser.language
        kept = [self.is_value(token) for token in tokens]
        letters = [_NEUTRAL if keep else each for each, keep in zip(tokens, kept, strict=True)]
        if encoded is not None and encoded.is_shouted:
            letters = [shouted(token, language) for token in letters]
        else:
            letters = recased(letters, language, first=encoded is None or encoded.has_capital)
        return [
            token if keep else each for token, each, keep in zip(tokens, letters, kept, strict=True)
        ]

    def _part_values(
        self,
        words: Sequence[str],
        tokens: Sequence[str],
        spaced: list[bool],
        written: Sequence[str],
        attached: Collection[int],
    ) -> None:
        """Put spaces around values that would not be values without, or hard to tell from the
        letters beside them, such as %d before n't.

        Words that stood beside each other in the source are spaced as they were there, and so are
        values that are `attached` to letters.
        """
        known = {*pairwise(written)}
        for place in range(1, len(tokens)):
            beside = tokens[place - 1], tokens[place]
            if spaced[place] or (words[place - 1], words[place]) in known:
                continue
            if any(map(self.is_value, beside)):
                found = {(each.start, each.end) for each in self._found("".join(beside))}
                middle, end = len(beside[0]), len(beside[0] + beside[1])
                spaced[place] = not all(
                    span in found
                    for token, span in zip(beside, ((0, middle), (middle, end)), strict=True)
                    if self.is_value(token)
                ) or (
                    place not in attached
                    and any(self.is_value(token) and token[0] == "%" for token in beside)
                    and beside[0][-1].isalpha()
                    and (beside[1][0] == "%" or beside[1][0].isalpha())
                )

    def is_value(self, token: str) -> bool:
        """Whether a token is a value, and not text."""
        if self._protection is None or (token.isalpha() and not self.patterns):
            return False
        return self._protection.is_value(token)

    def to_dict(self) -> dict[str, Any]:
        """A table for JSON, with everything that is needed to make this processor again."""
        return {
            "format": _FORMAT,
            "version": _VERSION,
            "tokeniser": {"name": self.tokeniser.name, **self.tokeniser.to_dict()},
            **super().to_dict(),
            "truecaser": None if self.truecaser is None else self.truecaser.to_dict(),
        }

    @classmethod
    def from_dict(cls, table: Any) -> TextProcessor:
        """What `to_dict` gave; anything else, and what a later release wrote, is refused."""
        if not isinstance(table, dict) or table.get("format") != _FORMAT:
            reason = f"it is not a text processor: format is not {_FORMAT!r}"
            raise TextError(reason, code="file.kind", expected=_FORMAT)
        version = check_whole("version", table.get("version"), low=1, error=TextError)
        if version > _VERSION:
            raise TextError(
                f"the text processor is of version {version}, and this release reads up to "
                f"{_VERSION}: a newer Rosewood wrote it",
                code="file.version", value=version, expected=_VERSION,
            )  # fmt: skip
        values = {name: value for name, value in table.items() if name not in ("format", "version")}
        for name, (since, before) in _SINCE.items():
            if version < since:
                values.setdefault(name, before)
        names = {each.name for each in fields(cls) if each.init}
        if set(values) != names:
            odd = sorted(set(values) ^ names)
            reason = f"the text processor is damaged: {odd[0]!r} is missing or not known"
            raise TextError(reason, code="file.damaged", argument=odd[0])
        tokeniser = values["tokeniser"]
        check_type("tokeniser", tokeniser, dict, "a table with a name", error=TextError)
        check_text("name of the tokeniser", tokeniser.get("name"), error=TextError)
        values["tokeniser"] = make_tokeniser(**tokeniser)
        if values["truecaser"] is not None:
            values["truecaser"] = Truecaser.from_dict(values["truecaser"])
        return cls(**values)

    def save(self, path: PathName) -> None:
        """Writes a JSON file, which appears whole or not at all."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, indent=1)
        with whole_file(path) as out:
            out.write(text.encode() + b"\n")

    @classmethod
    def load(cls, path: PathName) -> TextProcessor:
        """What `save` wrote; a file that is damaged, or from a later release, is refused."""
        try:
            table = json.loads(Path(path).read_bytes().decode())
        except (ValueError, RecursionError) as error:
            reason = f"it is not JSON of a text processor: {error}"
            raise FormatError(reason, code="file.format", file=path) from error
        with at(fspath(path), None):
            return cls.from_dict(table)
