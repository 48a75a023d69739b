"""Where spaces go between the tokens of running text: the way back from plain tokens.

Nothing is known here of the text the tokens came from; a translation has none.  So the rules are
those of typography: what leans to the left, to the right, on both sides, and which quotation mark
opens or closes, by what is open and by the habits of the language.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum

from rosewood.corpus.text import scripts
from rosewood.corpus.text.languages import language_of

REMEMBERED, LONGEST = 1 << 16, 64  # pieces of text, and characters of one: a bound on memory
_LEFT = re.compile(r"[,.;:!?…)\]}،؛؟؍।॥։።፣፤፥၊။៖]+|\.\.+")
_RIGHT = re.compile(r"[(\[{¿¡]+")
_BOTH = re.compile(r"[/]|[、-〄〈-】〔-〟〰！-／：-＠［-｀｛-･・]")
_TAIL = re.compile(r"-\w.*", re.DOTALL)
_CLITIC = re.compile(r"n['’]t|['’](?:s|re|ve|ll|d|m)", re.IGNORECASE)
_ELIDED = re.compile(r"(?:.*[^\W\d_])['’]", re.DOTALL)
_UNSPACED = re.compile(f"[{scripts.CJK}]")

_OPENING = {'"': '"', "'": "'", "“": "”", "‘": "’", "„": "“”", "‚": "‘’", "«": "»", "‹": "›",
            "`": "'", "‟": "”", "‛": "’"}  # fmt: skip
_DEEPEST = 8  # quotations within quotations
_CLOSING = frozenset("”’»›“‘«‹")


class _Lean(IntEnum):
    """The spacing of a token in its line."""

    WORD = 0
    LEFT = 1
    RIGHT = 2
    BOTH = 3
    QUOTE = 4
    TAIL = 5  # the rest of a compound: “BBQ”-Reklame
    UNSPACED = 6  # of a script without spaces
    LOOSE = 7  # leans to the left only on its like: French ?!


_LEFTWARD = (_Lean.LEFT, _Lean.BOTH)
_RIGHTWARD = (_Lean.RIGHT, _Lean.BOTH)


class Spacing:
    """The rules of one language; tokens that were seen are remembered."""

    def __init__(self, language: str) -> None:
        rules = language_of(language)
        self._rules = rules
        self._apostrophes = language.lower()[:2] != "nl"
        self._opening = {**_OPENING, **rules.quotes}
        for mark in rules.spaced_around:
            self._opening.pop(mark, None)
        self._quotes = {*self._opening, *_CLOSING} - rules.spaced_around
        self._seen: dict[str, _Lean] = {}

    def __call__(self, tokens: Sequence[str]) -> list[bool]:
        """Whether a space goes before each token; before the first there is none."""
        seen = self._seen
        leans = [seen.get(token) for token in tokens]
        if None in leans:
            leans = [self._lean(token) for token in tokens]
        if not any(leans):
            spaced = [True] * len(tokens)
            spaced[:1] = [False] * len(tokens[:1])
            return spaced
        return self._spaced(tokens, leans)

    def _spaced(self, tokens: Sequence[str], leans: Sequence[_Lean | None]) -> list[bool]:
        spaced: list[bool] = []
        last = max((place for place, token in enumerate(tokens) if token == "'"), default=-1)
        opened: list[str] = []  # marks that would close the quotations we are in
        glue, before, closed = True, _Lean.WORD, False
        for place, each in enumerate(leans):
            lean = each or _Lean.WORD
            if lean == _Lean.QUOTE:
                lean = self._quote(tokens, place, opened, last)
            apart = not glue and lean not in _LEFTWARD
            if apart and (lean or before):  # two words have a space between them
                apart = self._are_apart(before, lean, closed)
            spaced.append(apart)
            glue = lean in _RIGHTWARD
            closed = tokens[place] in ")]}" or (each == _Lean.QUOTE and lean == _Lean.LEFT)
            before = lean
        return spaced

    def _are_apart(self, before: _Lean, lean: _Lean, closed: bool) -> bool:
        """Whether a space goes between two tokens that do not lean on each other by themselves."""
        if lean == _Lean.TAIL:
            return not closed
        if lean == _Lean.LOOSE:
            return before != _Lean.LOOSE
        if lean == _Lean.UNSPACED:
            return before != _Lean.UNSPACED and not self._rules.unspaced
        if self._rules.unspaced:
            return before == _Lean.WORD or (lean == _Lean.WORD and before != _Lean.UNSPACED)
        return True

    def _quote(self, tokens: Sequence[str], place: int, opened: list[str], last: int) -> _Lean:
        mark = tokens[place]
        for depth in range(len(opened) - 1, -1, -1):
            if mark in opened[depth]:
                del opened[depth:]
                return _Lean.LEFT
        closing = self._opening.get(mark)
        if closing is None or (mark in "\"'" and 0 < place == len(tokens) - 1):
            return _Lean.LEFT
        if mark == "'" and place > 0 and place == last:
            return _Lean.LEFT  # the dogs' house
        opened.append(closing)
        del opened[:-_DEEPEST]
        return _Lean.RIGHT

    def _lean(self, token: str) -> _Lean:
        found = self._seen.get(token)
        if found is None:
            found = self._worked_out(token)
            if len(self._seen) >= REMEMBERED:
                self._seen.clear()
            if len(token) <= LONGEST:
                self._seen[token] = found
        return found

    def _worked_out(self, token: str) -> _Lean:
        rules = self._rules
        if not token or token in rules.spaced_around:
            return _Lean.WORD
        if token[0] in rules.spaced_before and not token.strip(token[0]):
            return _Lean.LOOSE
        if token in self._quotes:
            return _Lean.QUOTE
        if _BOTH.fullmatch(token):
            return _Lean.BOTH
        if _LEFT.fullmatch(token) or (self._apostrophes and _CLITIC.fullmatch(token)):
            return _Lean.LEFT
        if _RIGHT.fullmatch(token):
            return _Lean.RIGHT
        if rules.elision and _ELIDED.fullmatch(token):
            straight = token.replace("’", "'").lower()
            return _Lean.WORD if straight in rules.unsplit else _Lean.RIGHT
        if _TAIL.fullmatch(token):
            return _Lean.TAIL
        return _Lean.UNSPACED if _UNSPACED.match(token) else _Lean.WORD
