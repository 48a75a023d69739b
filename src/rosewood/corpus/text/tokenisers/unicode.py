"""The built-in tokeniser: words, numbers and punctuation of any script, by Unicode and tables.

Text is cut at white space first, and each piece on its own: what a piece is cut into depends on
nothing else, so pieces that were seen are remembered, and common text goes at the speed of a table.
Within a piece a pattern finds addresses, abbreviations, words with what is inside them (3,14 12:30
rock-and-roll node.js), pictures, runs of one punctuation mark, and single characters of the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from rosewood.corpus.text import scripts
from rosewood.corpus.text.languages import Language, language_of
from rosewood.corpus.text.spacing import LONGEST, REMEMBERED, Spacing
from rosewood.corpus.text.tokeniser import ESCAPE, JOINER, Cut, Joining
from rosewood.settings import setting

_HYPHENS = "-‐‑–־"
_RUNS = ".…!?-–—―*=~/\\+@#$%&|^<>"  # of these, several in a row are one token
_EMOTICON = re.compile(r"[:;=][-o*'^]?[()\[\]dDpPoO/\\|@3*]+|<3+|\^_*\^|[xX]D+")
_ENGLISH_FIRST = re.compile(
    r"['’](?:em|tis|twas|til|till|cause|bout|round|n|s|re|ve|ll|d|m|\d\ds?)(?!\w)", re.IGNORECASE
)
_ELIDED = re.compile(r"[^'’]*[^\W\d_]['’](?=\w)")
_ORDINAL = re.compile(r"\d{1,2}\.")


@dataclass(frozen=True)
class UnicodeTokeniser(Joining):
    """Cuts by Unicode properties and the habits of a language; needs no other package."""

    name: ClassVar[str] = "unicode"

    hyphens: Literal["keep", "split"] = setting("keep", "Keep or split well-known.")
    han: Literal["characters", "runs"] = setting("characters", "Cut Chinese text at characters.")

    _rules: Language = field(init=False, repr=False, compare=False)
    _pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _clitics: re.Pattern[str] | None = field(init=False, repr=False, compare=False)
    _spacing: Spacing = field(init=False, repr=False, compare=False)
    _seen: dict[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        rules = language_of(self.language)
        # Worked out once; a frozen dataclass sets its fields in this way.
        for name, value in {
            "_rules": rules,
            "_pattern": _pattern(rules, self.hyphens == "keep", self.han == "runs"),
            "_clitics": re.compile(rules.clitics + r"\Z", re.IGNORECASE) if rules.clitics else None,
            "_spacing": Spacing(self.language),
            "_seen": {},
        }.items():
            object.__setattr__(self, name, value)

    @property
    def num_remembered(self) -> int:
        """How many pieces of text are remembered with their tokens."""
        return len(self._seen)

    def cut(self, text: str) -> Cut:
        tokens: list[str] = []
        spaced: list[bool] = []
        for piece in text.split():
            found = self._pieces(piece)
            tokens += found
            spaced.append(True)
            spaced += [False] * (len(found) - 1)
        if not tokens:
            return Cut([], [bool(text)])
        if not text[-1].isspace() and len(last := self._at_the_end(tokens)) > 1:
            tokens[-1:] = last
            spaced.append(False)
        spaced[0] = text[0].isspace()
        return Cut(tokens, [*spaced, text[-1].isspace()])

    def tokenise(self, text: str) -> list[str]:
        composed = self.composed(text)
        if self.joiners or self.hyphens == "split" or ESCAPE in composed or JOINER in composed:
            return self.mark(self.cut(composed.strip()))
        seen = self._seen
        tokens: list[str] = []
        for piece in composed.split():
            tokens += seen.get(piece) or self._pieces(piece)
        if tokens:
            tokens[-1:] = self._at_the_end(tokens)
        return tokens

    def mark(self, cut: Cut) -> list[str]:
        words = super().mark(cut)
        if self.hyphens == "split" and not self.joiners:  # nothing else would tell it from a dash
            for place, token in enumerate(cut.tokens):
                if token in _HYPHENS:
                    before = JOINER if place > 0 and not cut.spaced[place] else ""
                    last = place == len(words) - 1
                    behind = "" if last or cut.spaced[place + 1] else JOINER
                    words[place] = before + words[place] + behind
        return words

    def spaces(self, tokens: Sequence[str]) -> list[bool]:
        return self._spacing(tokens)

    def _pieces(self, piece: str) -> tuple[str, ...]:
        """The tokens of a run of characters without white space."""
        seen = self._seen
        found = seen.get(piece)
        if found is None:
            found = tuple(self._cut_piece(piece))
            if len(seen) >= REMEMBERED:
                seen.clear()
            if len(piece) <= LONGEST:
                seen[piece] = found
        return found

    def _cut_piece(self, piece: str) -> list[str]:
        if _EMOTICON.fullmatch(piece):
            return [piece]
        if "'" not in piece and "’" not in piece:
            return self._pattern.findall(piece)
        rules = self._rules
        tokens: list[str] = []
        first = _ENGLISH_FIRST.match(piece) if rules.clitics and not rules.genitive else None
        if first is not None:
            tokens.append(first[0])
            piece = piece[first.end() :]
        for token in self._pattern.findall(piece):
            tokens += self._parted(token)
        return tokens

    def _parted(self, token: str) -> list[str]:
        """A word and its clitics."""
        rules = self._rules
        if self._clitics is not None:
            found = self._clitics.search(token)
            if found is not None and found.start() > 0:
                return [token[: found.start()], found[0]]
        parts: list[str] = []
        while rules.elision and token.replace("’", "'").lower() not in rules.unsplit:
            elided = _ELIDED.match(token)
            if elided is None:
                break
            parts.append(elided[0])
            token = token[elided.end() :]
        return [*parts, token]

    def _at_the_end(self, tokens: list[str]) -> list[str]:
        """The last token of a text without the full stop that an initial or an ordinal has."""
        last = tokens[-1]
        if len(last) == 2 and last[1] == "." and last[0].isalpha():
            return [last[0], "."]
        return [last[:-1], "."] if _ORDINAL.fullmatch(last) else [last]


def _pattern(rules: Language, keeps_hyphens: bool, han_runs: bool) -> re.Pattern[str]:
    """One alternative for each kind of token; together they match every character."""
    word, mark, upper = scripts.word_characters(), scripts.marks(), scripts.upper_case()
    hyphens = re.escape(_HYPHENS) if keeps_hyphens else ""
    before = r"(?<!\w)"
    inner = rf"(?:[.'’&·{hyphens}]|&amp;|(?<=\d)[,:/–-](?=\d))[{word}]+"
    minus = rf"{before}-(?=\w)|" if keeps_hyphens else ""
    prefix = rf"(?:{minus}{before}[#@](?=\w)|{before}[-+−±]?[$£€¥₹]?(?=\d))?"
    unit = r"(?:(?<=\d)(?:[%‰€$£¥]|°[CFK]?)(?!\w))?"
    behind = r"(?:[-‐](?![-‐\w]))?" if keeps_hyphens else ""
    own = r"(?:(?<=[sxzßSXZ])['’](?!\w))?" if rules.genitive else ""
    final = "|".join(re.escape(each[:-1]) for each in sorted(rules.unsplit) if each[-1] == "'")
    kinds = [
        scripts.URL,
        scripts.EMAIL,
        r"&(?:[A-Za-z][A-Za-z0-9]{1,7}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});",
        r"(?:[^\W\d_]{1,2}\.){2,}(?!\w)",
        rf"{before}[{upper}]\.(?![\w.])",
        r"°[CFK](?!\w)",
    ]
    if rules.abbreviations:
        listed = "|".join(map(re.escape, sorted(rules.abbreviations, key=len, reverse=True)))
        kinds.append(rf"{before}(?:{listed})\.(?![\w.])")
    if rules.ordinals:
        kinds.append(r"(?<![\w.,:])\d{1,2}\.\Z")
    if final:
        kinds.append(rf"{before}(?i:{final})['’](?!\w)")
    kinds += [
        rf"{prefix}[{word}]+(?:{inner})*{unit}{behind}{own}",
        rf"[{scripts.HAN}{mark}]+" if han_runs else rf"[{scripts.HAN}][{mark}]*",
        rf"[{scripts.HIRAGANA}]+",
        rf"[{scripts.KATAKANA}]+",
        rf"(?:{scripts.EMOJI})+",
        "|".join(re.escape(each) + "{2,}" for each in _RUNS),
        rf".[{mark}]*",
    ]
    return re.compile("|".join(f"(?:{kind})" for kind in kinds), re.DOTALL)


PLUGIN = UnicodeTokeniser
