"""HTML: the text of paragraphs, headings, list items, table cells, and of some attributes.

Inline elements are carried along with their words; code, scripts, styles and what is marked
`translate="no"` stay, as does text in another language.  `lang` becomes the target language.  A
translated element has its confidence in `data-mt-confidence`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import NamedTuple

from rosewood.corpus.languages import matches
from rosewood.corpus.text.sentences import has_words
from rosewood.documents.document import Document, DocumentFormat, Edit, FileText, Unit, edited
from rosewood.documents.html_tokens import (
    VOID,
    Attribute,
    HtmlToken,
    attributes_of,
    escaped,
    html_tokens,
    quoted,
)
from rosewood.documents.inline_codes import Code, InlineCodes, Token
from rosewood.documents.marks import UnitTranslation, mark_of
from rosewood.documents.settings import DocumentSettings
from rosewood.errors import RosewoodError

CONFIDENCE = "data-mt-confidence"
# What stays within a text: one code with all that is in it.
_KEPT_INLINE = frozenset({"code", "kbd", "samp", "var", "svg", "math", "picture"})
_AROUND_TEXT = (
    "a abbr acronym b bdi bdo big cite data del dfn em font i img ins label mark q rp rt ruby s "
    "small span strike strong sub sup time tt u wbr"
)
_INLINE = _KEPT_INLINE | frozenset(_AROUND_TEXT.split())
_LEFT = "script style pre textarea noscript template iframe object"
_KEPT = frozenset(_LEFT.split())
_ATTRIBUTES = ("alt", "title", "placeholder", "aria-label")
_META = re.compile(r"description|(?:og|twitter):(?:title|description)")
_CHARSET = re.compile(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_SOFT_HYPHENS = str.maketrans("", "", "\xad")


class _Place(NamedTuple):
    """Where a unit is; `tag` is the number of the tag that gets its mark."""

    start: int
    end: int
    tag: int | None
    codes: InlineCodes | None = None  # None: the value of an attribute
    spans: tuple[tuple[int, int], ...] = ()  # where each of the codes is


@dataclass
class _Page(Document):
    """Texts and attributes of a page."""

    tokens: list[HtmlToken] = field(default_factory=list)
    places: list[_Place] = field(default_factory=list)
    languages: list[Attribute] = field(default_factory=list)  # values that change

    def check(self, translation: UnitTranslation, unit: int) -> str | None:
        codes = self.places[unit].codes
        return None if codes is None else codes.fault(translation.text)

    def edits(self, translations: Sequence[UnitTranslation | None]) -> Iterable[Edit]:
        least: dict[int, str] = {}
        within: list[Edit] = []  # changes within tags
        is_changed = False
        for place, each in zip(self.places, translations, strict=True):
            if each is None:
                continue
            is_changed = True
            mark = mark_of(each, self.settings)
            if mark is not None and mark.confidence is not None and place.tag is not None:
                least[place.tag] = min(mark.confidence, least.get(place.tag, "9"))
            if place.codes is None:
                within.append(Edit(place.start, place.end, quoted(each.text)))
        within += [self._marked(self.tokens[number], text) for number, text in least.items()]
        target = self.settings.target_language
        if is_changed and target is not None:
            within += [Edit(each.start, each.end, quoted(target)) for each in self.languages]
        within.sort()
        begins = [each.start for each in within]
        taken: set[int] = set()
        for place, each in zip(self.places, translations, strict=True):
            if each is None or place.codes is None:
                continue
            raws: dict[Code, str] = {}
            for code, (start, end) in zip(place.codes.codes, place.spans, strict=True):
                inside = range(bisect_left(begins, start), bisect_left(begins, end))
                taken.update(inside)
                raws[code] = edited(self.file.text, start, end, [within[n] for n in inside])
            text = place.codes.restored(each.text, raws)
            yield Edit(place.start, place.end, text)
        yield from (each for number, each in enumerate(within) if number not in taken)

    def _marked(self, tag: HtmlToken, confidence: str) -> Edit:
        old = attributes_of(self.file.text, tag).get(CONFIDENCE)
        if old is not None:
            return Edit(old.start, old.end, f'"{confidence}"')
        place = tag.start + 1 + len(tag.name)
        return Edit(place, place, f' {CONFIDENCE}="{confidence}"')


class _Reader:
    """Goes through the tokens of a page once."""

    def __init__(self, page: _Page) -> None:
        self.page = page
        self.text = page.file.text
        self.run: list[int] = []  # numbers of tokens of a text, inline tags among them
        self.around: list[tuple[str, int, bool]] = []  # name, token, is it to be translated
        self.closers = _closers(page.tokens)

    @property
    def _translates(self) -> bool:
        return self.around[-1][2] if self.around else True

    def read(self) -> None:
        """Find all units."""
        tokens = self.page.tokens
        number = 0
        while number < len(tokens):
            number = self._token(number, tokens[number])
        self._end_run()

    def _token(self, number: int, token: HtmlToken) -> int:
        """Take a token; returns the number of the next one."""
        is_inline = token.name in _INLINE or token.kind in ("text", "other")
        if token.kind == "empty" and token.name in ("br", "hr"):
            is_inline = False
        if not is_inline:
            self._end_run()
        if token.kind in ("open", "empty"):
            translates = self._opened(number, token)
            end = self.closers.get(number)
            if is_inline and end is not None and not (translates and self._is_open(token)):
                self.run += range(number, end + 1)  # all of it stays
                return end + 1
            if token.kind == "open":
                self.around.append((token.name, number, translates))
        elif token.kind == "close":
            self._closed(token.name)
        if is_inline:
            self.run.append(number)
        return number + 1

    def _is_open(self, token: HtmlToken) -> bool:
        return token.name not in _KEPT_INLINE

    def _closed(self, name: str) -> None:
        """Leave the element of this name, and what was opened in it and never closed."""
        for place in range(len(self.around) - 1, max(len(self.around) - 1000, -1), -1):
            if self.around[place][0] == name:
                del self.around[place:]
                return

    def _opened(self, number: int, token: HtmlToken) -> bool:
        """Whether the content of an element is translated; finds its attributes."""
        found = attributes_of(self.text, token)
        asked = found["translate"].value.lower() if "translate" in found else None
        translates = self._translates if asked is None else asked != "no"
        if "class" in found and "notranslate" in found["class"].value.split():
            translates = False
        settings = self.page.settings
        said = [found[name] for name in ("lang", "xml:lang") if name in found]
        own = said[0].value if said else ""
        if own and translates and settings.source_language is not None:
            translates = self._speaks(own, settings.source_language)
            if translates:
                self.page.languages += said
            else:
                self.page.keep(f"language {own[:20]}")
        if translates:
            names = [each for each in _ATTRIBUTES if each in found]
            if token.name == "meta" and "content" in found:
                kind = found.get("name") or found.get("property")
                names += ["content"] if kind and _META.fullmatch(kind.value) else []
            if token.name == "input" and "value" in found and "type" in found:
                names += ["value"] if found["type"].value in ("submit", "button", "reset") else []
            for name in names:
                each = found[name]
                if has_words(each.value):
                    self._add(each.value, _Place(each.start, each.end, number))
        return translates and token.name not in _KEPT

    def _speaks(self, own: str, source: str) -> bool:
        try:
            return matches(own, source)
        except RosewoodError:
            return False

    def _add(self, text: str, place: _Place) -> None:
        self.page.places.append(place)
        self.page.units.append(Unit(text, self.page.file.line(place.start)))

    def _end_run(self) -> None:
        """The text that was met is a unit, if it has words."""
        run, self.run = self.run, []
        tokens, text = self.page.tokens, self.text
        while run and self._is_blank(tokens[run[0]]):
            run = run[1:]
        while run and self._is_blank(tokens[run[-1]]):
            run = run[:-1]
        if not run or not self._translates:
            return
        parts = list(self._parts(run))
        codes = InlineCodes([token for token, _ in parts], escaped)
        if not has_words(codes.tagged):
            return
        first, last = tokens[run[0]], tokens[run[-1]]
        start = first.start
        end = last.end
        if first.kind == "text":
            start += len(text[start : first.end]) - len(text[start : first.end].lstrip())
        if last.kind == "text":
            end = last.start + len(text[last.start : end].rstrip())
        tag = next(
            (number for name, number, _ in reversed(self.around) if name not in _INLINE), None
        )
        spans = tuple(span for token, span in parts if token.kind != "text")
        self._add(codes.tagged.strip(), _Place(start, end, tag, codes, spans))

    def _is_blank(self, token: HtmlToken) -> bool:
        return token.kind == "other" or not self.text[token.start : token.end].strip()

    def _parts(self, run: Sequence[int]) -> Iterable[tuple[Token, tuple[int, int]]]:
        """Text and codes of a run with their places; an element that stays is one code."""
        tokens, text = self.page.tokens, self.text
        place = 0
        while place < len(run):
            token = tokens[run[place]]
            start, stop = token.start, token.end
            end = self.closers.get(run[place])
            if token.kind == "open" and end is not None and self._stays(token):
                stop = tokens[end].end
                part = Token("value", text[start:stop])
                place += end - run[place]
            elif token.kind == "text":
                part = Token("text", unescape(text[start:stop]).translate(_SOFT_HYPHENS))
            elif token.kind in ("open", "close"):
                part = Token(token.kind, text[start:stop], token.name)
            else:
                part = Token("value", text[start:stop])
            yield part, (start, stop)
            place += 1

    def _stays(self, token: HtmlToken) -> bool:
        if token.name in _KEPT_INLINE:
            return True
        found = attributes_of(self.text, token)
        if "translate" in found and found["translate"].value.lower() == "no":
            return True
        source = self.page.settings.source_language
        if "lang" in found and source is not None and not self._speaks(found["lang"].value, source):
            return True
        return "class" in found and "notranslate" in found["class"].value.split()


def _closers(tokens: Sequence[HtmlToken]) -> dict[int, int]:
    """For each inline tag that is closed the number of the tag that closes it."""
    found: dict[int, int] = {}
    waiting: dict[str, list[int]] = defaultdict(list)
    for number, token in enumerate(tokens):
        if token.name not in _INLINE or token.name in VOID:
            if token.kind in ("open", "close") and token.name not in _INLINE:
                waiting.clear()  # an inline element does not go beyond its block
            continue
        if token.kind == "open":
            waiting[token.name].append(number)
        elif token.kind == "close" and waiting[token.name]:
            found[waiting[token.name].pop()] = number
    return found


def read_html(file: FileText, settings: DocumentSettings) -> Document:
    """The texts of a page."""
    page = _Page(file, settings, tokens=list(html_tokens(file.text)))
    for token in page.tokens:
        if token.kind == "open" and token.name == "html":
            own = attributes_of(file.text, token).get("lang")
            page.check_languages(own.value if own else None, None, token.start)
            break
    _Reader(page).read()
    return page


def _declared(head: bytes) -> str | None:
    found = _CHARSET.search(head)
    return None if found is None else found[1].decode("ascii")


PLUGIN = DocumentFormat(read_html, endings=(".html", ".htm", ".xhtml"), declared=_declared)
