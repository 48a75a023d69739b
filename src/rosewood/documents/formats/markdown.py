"""Markdown: paragraphs, headings, list items, block quotes and table cells.

Code, addresses of links, images, HTML blocks, link definitions and front matter stay.  Emphasis and
links go around the translations of their words; a paragraph keeps its number of lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rosewood.corpus.text.sentences import has_words
from rosewood.documents.document import Document, DocumentFormat, Edit, FileText, Unit, lines_of
from rosewood.documents.markdown_inline import MarkdownCodes
from rosewood.documents.marks import UnitTranslation
from rosewood.documents.settings import DocumentSettings
from rosewood.documents.wrapping import wrapped

_PREFIX = re.compile(
    r"(?:[ \t]{0,3}>[ \t]?"
    r"|[ \t]*(?:[-*+]|\d{1,9}[.)]|:|\[\^[^\]\s]+\]:)(?:[ \t]+(?:\[[ xX]\][ \t]+)?|(?=$))"
    r")*+[ \t]*"
)
_MARKER = re.compile(r"[-*+:\])]|\d")
_RULE = re.compile(r"[ \t>]*([-*_])(?:[ \t]*\1){2,}[ \t]*\Z")
_UNDERLINE = re.compile(r"[ \t>]*(?:=+|-+)[ \t]*\Z")
_FENCE = re.compile(r"(`{3,}(?=[^`]*\Z)|~{3,}|\$\$)")
_HEADING = re.compile(r"(#{1,6}[ \t]+)(.*?)((?:[ \t]+#+)?[ \t]*)\Z", re.DOTALL)
_ATTRIBUTES = re.compile(r"[ \t]*\{[#.:][^{}]*\}[ \t]*\Z")
_DEFINITION = re.compile(r"\[(?!\^)([^\[\]]+)\]:[ \t]*\S")
_ROW = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
_HTML = re.compile(
    r"<(?:!--|[?!]|/?(?:address|article|aside|blockquote|body|center|details|dialog|dd|div|dl|dt|"
    r"fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|"
    r"menu|meta|nav|noscript|ol|optgroup|option|p|param|pre|script|section|style|summary|table|"
    r"tbody|td|template|textarea|tfoot|th|thead|title|tr|ul)(?=[\s/>]|\Z))",
    re.IGNORECASE,
)
_UNTIL = {"<!--": "-->", "<script": "</script>", "<pre": "</pre>", "<style": "</style>"}
_DIRECTIVE = re.compile(
    r":::|!!!|\?\?\?|\[![\w-]+\][ \t]*\Z|\{[%{].*[%}]\}[ \t]*\Z|(?:import|export) .*from "
)
_CELL = re.compile(r"(?:\\.|`[^`]*`|[^|\\`]|`)+")
_NOT_FIRST = re.compile(r"[-+*>#|=~:]|\d{1,9}[.)]|<")  # of a line that goes on
_OPENING = re.compile(r'(?:<[be]pt i="\d+"/>)+')
_BEGINS = re.compile(r"([-+*>#=|:](?=\s|\Z)|#{1,6}(?=\s)|[>|]|~{3}|={2})|(\d{1,9})([.)])(?=\s|\Z)")


@dataclass
class _Place:
    """Where a text is: its lines, and what is before each line but the first."""

    start: int
    end: int
    lines: int
    prefix: str
    codes: MarkdownCodes
    begins_line: bool
    first: str


@dataclass
class _Markdown(Document):
    """Texts and their places."""

    places: list[_Place] = field(default_factory=list)

    def check(self, translation: UnitTranslation, unit: int) -> str | None:
        return self.places[unit].codes.fault(translation.text)

    def edits(self, translations: Sequence[UnitTranslation | None]) -> Iterable[Edit]:
        for place, each in zip(self.places, translations, strict=True):
            if each is None:
                continue
            text = wrapped(
                place.codes.in_place(each.text), place.lines,
                may_begin=_may_begin,
            )  # fmt: skip
            made = place.codes.restored(text).replace("\n", self.file.newline + place.prefix)
            if place.begins_line and (found := _BEGINS.match(made)) and found[0] != place.first:
                at = found.start(3) if found[2] else 0
                made = f"{made[:at]}\\{made[at:]}"
            yield Edit(place.start, place.end, made)


class _Reader:
    """Goes through the lines of a document once."""

    def __init__(self, document: _Markdown) -> None:
        self.document = document
        self.lines = list(lines_of(document.file.text))
        self.references = {
            " ".join(found[1].lower().split())
            for _, line in self.lines
            if (found := _DEFINITION.match(line.lstrip(" \t>")))
        }
        self.open: list[tuple[int, int, str]] = []  # start, end and prefix of lines of a text
        self.item = -1  # the column of the text of the last list item
        self.was_blank = True

    def read(self) -> None:
        """Find all units."""
        number = self._front_matter()
        while number < len(self.lines):
            number = self._line(number)
        self._flush()

    def _front_matter(self) -> int:
        text = [line.rstrip() for _, line in self.lines]
        if text and text[0] in ("---", "+++"):
            for number in range(1, len(text)):
                if text[number] == text[0] or (text[0] == "---" and text[number] == "..."):
                    return number + 1
        return 0

    def _line(self, number: int) -> int:
        """Take a line; returns the number of the next one."""
        start, line = self.lines[number]
        body = line.rstrip("\r\n")
        if not body.strip(" \t>"):
            self._flush()
            self.was_blank = True
            return number + 1
        prefix = _prefix(body)
        content = body[len(prefix) :]
        was_blank, self.was_blank = self.was_blank, False
        is_open = bool(self.open)
        has_marker = bool(_MARKER.search(prefix))
        if not has_marker and was_blank and not prefix[:1].isspace():
            self.item = -1  # the list is over
        if _UNDERLINE.match(body) and is_open:
            self._flush()
            return number + 1
        if _RULE.match(body) or _is_kept(content):
            self._flush()
            return number + 1
        if (fence := _FENCE.match(content)) is not None:
            self._flush()
            return self._after_fence(number, fence[1])
        if not is_open and self._is_code(prefix, was_blank):
            return number + 1
        if _HTML.match(content):
            self._flush()
            return self._after_html(number, content)
        if has_marker:
            self.item = len(prefix.expandtabs(4))
        if has_marker or (is_open and prefix.count(">") > self.open[0][2].count(">")):
            self._flush()
        if "|" in content and self._is_table(number):
            self._flush()
            return self._after_table(number)
        begin = start + len(prefix)
        if (heading := _HEADING.match(content)) is not None:
            self._flush()
            inner = _ATTRIBUTES.sub("", heading[2])
            begin += heading.end(1)
            self.open.append((begin, begin + len(inner), ""))
            self._flush(begins_line=False)
            return number + 1
        stripped = content.rstrip()
        is_break = content.endswith(("  ", "\\"))
        stripped = stripped.removesuffix("\\").rstrip() if content.endswith("\\") else stripped
        self.open.append((begin, begin + len(stripped), prefix))
        if is_break:
            self._flush()
        return number + 1

    def _is_code(self, prefix: str, was_blank: bool) -> bool:
        """Whether a line is indented as code is."""
        if not was_blank or prefix.strip(" \t"):
            return False
        return len(prefix.expandtabs(4)) >= max(self.item, 0) + 4

    def _after_fence(self, number: int, fence: str) -> int:
        closing = re.compile(rf"[ \t>]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*\Z")
        if fence == "$$" and self.lines[number][1].rstrip().count("$$") > 1:
            return number + 1
        for other in range(number + 1, len(self.lines)):
            if closing.match(self.lines[other][1].rstrip("\r\n")):
                return other + 1
        return len(self.lines)

    def _after_html(self, number: int, content: str) -> int:
        """HTML ends before an empty line, or where its element or comment does."""
        lower = content.lower()
        end = next((end for begin, end in _UNTIL.items() if lower.startswith(begin)), None)
        for other in range(number, len(self.lines)):
            line = self.lines[other][1]
            if end is not None and end in line.lower():
                return other + 1
            if end is None and not line.strip(" \t\r\n>"):
                return other
        return len(self.lines)

    def _is_table(self, number: int) -> bool:
        if self.open or number + 1 >= len(self.lines):
            return False
        row = self.lines[number + 1][1].rstrip("\r\n")
        return "-" in row and "|" in row and bool(_ROW.match(row))

    def _after_table(self, number: int) -> int:
        for other in range(number, len(self.lines)):
            start, line = self.lines[other]
            if "|" not in line:
                return other
            if other == number + 1:
                continue
            begin = len(_prefix(line)) if other == number else 0
            for found in _CELL.finditer(line.rstrip("\r\n"), begin):
                cell = found[0]
                at = start + found.start() + len(cell) - len(cell.lstrip())
                self.open.append((at, at + len(cell.strip()), ""))
                self._flush(begins_line=False, is_cell=True)
        return len(self.lines)

    def _flush(self, *, begins_line: bool = True, is_cell: bool = False) -> None:
        """What was collected is a unit, if it has words."""
        lines, self.open = self.open, []
        if not lines:
            return
        file = self.document.file
        text = "\n".join(file.text[begin:end] for begin, end, _ in lines)
        codes = MarkdownCodes(text, self.references, is_cell=is_cell)
        if not has_words(codes.tagged):
            return
        prefix = lines[1][2] if len(lines) > 1 else ""
        first = _BEGINS.match(text)
        place = _Place(
            lines[0][0], lines[-1][1], len(lines), prefix, codes, begins_line,
            "" if first is None else first[0],
        )  # fmt: skip
        self.document.places.append(place)
        self.document.units.append(Unit(codes.tagged, file.line(place.start)))


def _may_begin(text: str) -> bool:
    """Whether a line of a paragraph may begin so: what begins a block would end it."""
    return not _NOT_FIRST.match(_OPENING.sub("", text))


def _prefix(body: str) -> str:
    """Quotation marks, list markers and white space before the text of a line."""
    found = _PREFIX.match(body)
    return "" if found is None else found[0]


def _is_kept(content: str) -> bool:
    return bool(_DEFINITION.match(content) or _DIRECTIVE.match(content))


def read_markdown(file: FileText, settings: DocumentSettings) -> Document:
    """The texts of a document."""
    document = _Markdown(file, settings)
    _Reader(document).read()
    return document


PLUGIN = DocumentFormat(read_markdown, endings=(".md", ".markdown"))
