"""Catalogues of gettext (PO): entries without a translation, and fuzzy ones.

`msgid` is translated into `msgstr`; all plural forms of the header's `Plural-Forms` are filled.
What is translated gets the flag `fuzzy`, so that Poedit and Weblate list it for review and programs
do not show it before, and a translator's comment with its confidence.  The header, obsolete entries
and those that have a translation stay; only the lines of translated entries change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from rosewood.documents.document import Document, DocumentFormat, Edit, FileText, Unit, lines_of
from rosewood.documents.marks import NOTE, UnitTranslation, mark_of, weakest
from rosewood.documents.plural_forms import PluralForms, forms_of_language
from rosewood.documents.settings import DocumentSettings
from rosewood.errors import FormatError

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"\s*\Z', re.DOTALL)
_KEYWORD = re.compile(r"(msgctxt|msgid_plural|msgid|msgstr(?:\[(\d{1,3})\])?)\s*(?=\")")
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_WRITTEN = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r",
                          "\a": "\\a", "\b": "\\b", "\f": "\\f", "\v": "\\v"})  # fmt: skip
_CHARSET = re.compile(rb"charset=([\w.:-]+)")
_NOTE = re.compile(rf"#\s+(?P<forms>(?:msgstr\[\d+\](?:, )?)+: )?{NOTE}\s*\Z")
_WIDTH = 77  # of a line, in files whose lines are wrapped


@dataclass
class _Field:
    """A text of an entry with its place in the file."""

    start: int
    end: int
    text: str
    rows: int = 1


@dataclass
class _Entry:
    """An entry, with the lines of its comments."""

    start: int
    fields: dict[str, _Field] = field(default_factory=dict)
    forms: dict[int, _Field] = field(default_factory=dict)
    comments: list[tuple[int, str]] = field(default_factory=list)  # place and line
    last: _Field | None = None

    def translated_forms(self) -> dict[int, _Field]:
        """The plural forms that have a translation by a person.

        In a fuzzy entry they are those that an earlier note about single forms does not name.
        """
        done = {form: each for form, each in self.forms.items() if each.text}
        if "fuzzy" not in self.flags:
            return done
        notes = (_NOTE.match(line) for _, line in self.comments if not line.startswith("#."))
        named = [each["forms"] for each in notes if each is not None and each["forms"]]
        if not named:
            return {}
        machine = set(map(int, re.findall(r"\d+", named[-1])))
        if not machine & set(self.forms):
            return {}
        return {form: each for form, each in done.items() if form not in machine}

    @property
    def flags(self) -> list[str]:
        """Its flags, such as fuzzy or c-format."""
        lines = (line[2:] for _, line in self.comments if line.startswith("#,"))
        return [each.strip() for line in lines for each in line.split(",") if each.strip()]

    @property
    def translations(self) -> list[_Field]:
        """All msgstr."""
        single = [self.fields["msgstr"]] if "msgstr" in self.fields else []
        return single + [self.forms[number] for number in sorted(self.forms)]


@dataclass
class _Catalogue(Document):
    """Entries to translate, with the numbers of their units."""

    entries: list[tuple[_Entry, int]] = field(default_factory=list)
    header: _Entry | None = None
    plurals: PluralForms = field(default_factory=PluralForms)
    is_wrapped: bool = False

    def edits(self, translations: Sequence[UnitTranslation | None]) -> Iterable[Edit]:
        is_changed = False
        for entry, unit in self.entries:
            is_plural = "msgid_plural" in entry.fields
            made = translations[unit : unit + 1 + is_plural]
            if None in made:
                continue
            is_changed = True
            yield from self._entry(entry, [each for each in made if each is not None])
        if is_changed and self.header is not None:
            yield from self._header(self.header)

    def groups(self) -> Iterable[Sequence[int]]:
        return [(n, n + 1) for entry, n in self.entries if "msgid_plural" in entry.fields]

    def _entry(self, entry: _Entry, made: Sequence[UnitTranslation]) -> Iterator[Edit]:
        newline = self.file.newline
        sides = self._sides(entry) if len(made) > 1 else {0: 0}
        least = weakest(made[side] for side in sides.values())
        if self._is_uncertain(entry, made, sides):
            least = replace(least, is_certain=False)
        mark = mark_of(least, self.settings)
        head = ""
        flags = [each for each in entry.flags if each != "fuzzy"]
        if mark is not None:
            which = ""
            if len(made) > 1 and self._kept(entry):
                which = f"{', '.join(f'msgstr[{form}]' for form in sides)}: "
            head = f"# {which}{mark.note}{newline}"
            flags = ["fuzzy"] * mark.needs_review + flags
        flag_line = f"#, {', '.join(flags)}{newline}" if flags else ""
        for place, line in entry.comments:
            if _NOTE.match(line) and not line.startswith("#."):
                yield Edit(place, place + len(line), "")
            elif line.startswith("#,"):
                yield Edit(place, place + len(line), flag_line)
                flag_line = ""
            elif line.startswith("#|"):  # what the text was that the fuzzy translation was of
                yield Edit(place, place + len(line), "")
        own = [each for each in entry.comments if each[1][1:2].isspace() and each[1].strip() != "#"]
        place = max((at + len(line) for at, line in own), default=entry.start)
        others = [each for each in entry.comments if each[1][1:2] in (".", ":", ",")]
        below = max((at + len(line) for at, line in others), default=place)
        below = max(below, place)
        if below == place:
            yield Edit(place, place, head + flag_line)
        else:
            yield Edit(place, place, head)
            yield Edit(below, below, flag_line)
        rows = entry.fields["msgid"].rows
        if len(made) > 1:
            lines = {
                form: self._field(f"msgstr[{form}]", made[side].text, rows)
                for form, side in sides.items()
            }
            for form, each in self._kept(entry).items():
                lines[form] = self.file.text[each.start : each.end].rstrip("\r\n")
            written = [lines[form] for form in sorted(lines)]
        else:
            written = [self._field("msgstr", made[0].text, rows)]
        old = entry.translations
        end = old[-1].end
        last = newline if self.file.text.endswith("\n", 0, end) else ""
        yield Edit(old[0].start, end, newline.join(written) + last)

    def _kept(self, entry: _Entry) -> dict[int, _Field]:
        """The plural forms that stay as they are."""
        return {} if self.settings.retranslate else entry.translated_forms()

    def _sides(self, entry: _Entry) -> dict[int, int]:
        """For each plural form that is filled the unit whose translation it gets."""
        kept = self._kept(entry)
        forms = range(max(self._forms_of(entry), len(entry.forms) if kept else 0))
        return {form: self._side(entry, form) for form in forms if form not in kept}

    def _is_uncertain(
        self, entry: _Entry, made: Sequence[UnitTranslation], sides: dict[int, int]
    ) -> bool:
        """Whether a match of a memory may be wrong here: memories have no contexts, and the text of
        one plural form for several is a guess."""
        has_context = "msgctxt" in entry.fields
        used = Counter(sides.values())
        return any(
            made[side].is_remembered and (has_context or count > 1) for side, count in used.items()
        )

    def _forms_of(self, entry: _Entry) -> int:
        return self.plurals.count or max(max(entry.forms, default=1) + 1, 1)

    def _side(self, entry: _Entry, form: int) -> int:
        """0 where a plural form is the translation of msgid, 1 where of msgid_plural."""
        single, plural = entry.fields["msgid"].text, entry.fields["msgid_plural"].text
        return 0 if self.plurals.is_singular(form, single, plural) else 1

    def _field(self, key: str, text: str, rows: int) -> str:
        """A keyword and its text, in as many lines as gettext writes."""
        written = [each.translate(_WRITTEN) for each in re.split(r"(?<=\n)", text) if each]
        if self.is_wrapped and rows > 1:
            written = [part for each in written for part in _folded(each)]
        elif rows == 1 and "\n" not in text[:-1]:
            written = ["".join(written)]
        if len(written) < 2:
            return f'{key} "{"".join(written)}"'
        rest = "".join(f'{self.file.newline}"{each}"' for each in written)
        return f'{key} ""{rest}'

    def _header(self, header: _Entry) -> Iterator[Edit]:
        """The language, and how many plural forms it has, where the header does not say."""
        place = header.fields["msgstr"]
        raw = self.file.text[place.start : place.end]
        target = self.settings.target_language
        wanted: dict[str, str] = {}
        if target and not _value(place.text, "Language"):
            wanted["Language"] = target.replace("-", "_")
        has_plurals = any("msgid_plural" in entry.fields for entry, _ in self.entries)
        forms = forms_of_language(target)
        if has_plurals and forms and not self.plurals.is_known:
            wanted["Plural-Forms"] = forms
        new = raw
        for name, value in wanted.items():
            line = f'"{name}: {value}\\n"'
            old = re.search(rf'"{name}:[^"]*\\n"', new)
            if old is not None:
                new = new[: old.start()] + line + new[old.end() :]
            else:
                body = new.rstrip()
                new = f"{body}{self.file.newline}{line}{new[len(body) :]}"
        if new != raw:
            yield Edit(place.start, place.end, new)


def read_po(file: FileText, settings: DocumentSettings) -> Document:
    """The entries of a catalogue that have no translation, or a fuzzy one."""
    document = _Catalogue(file, settings)
    for number, entry in enumerate(_entries(file, document)):
        _check(entry, file)
        single = entry.fields["msgid"]
        document.is_wrapped |= single.rows > 2
        if not single.text and "msgctxt" not in entry.fields:
            if number == 0:
                document.header = entry
                document.plurals = PluralForms.parse(_value(_first(entry), "Plural-Forms"))
                language = _value(_first(entry), "Language")
                document.check_languages(None, language, entry.start)
            document.keep("header")
        elif not settings.retranslate and _is_translated(entry):
            document.keep("translated already")
        else:
            document.entries.append((entry, len(document.units)))
            for name in ("msgid", "msgid_plural"):
                if name in entry.fields:
                    each = entry.fields[name]
                    context = entry.fields["msgctxt"].text if "msgctxt" in entry.fields else None
                    unit = Unit(each.text, file.line(each.start), context, breaks=True)
                    document.units.append(unit)
    if document.plurals.count == 0:
        document.plurals = PluralForms.parse(forms_of_language(settings.target_language), False)
    has_plurals = any("msgid_plural" in entry.fields for entry, _ in document.entries)
    if has_plurals and document.plurals.count == 0:
        language = settings.target_language or "the target language"
        document.notes.append(
            f"the plural forms of {language} are not known here, and the header does not say them: "
            "only the forms that each entry has are filled; add the header "
            '"Plural-Forms: nplurals=N; plural=EXPRESSION;\\n" with the values of the language'
        )
    return document


def _is_translated(entry: _Entry) -> bool:
    return "fuzzy" not in entry.flags and all(each.text for each in entry.translations)


def _first(entry: _Entry) -> str:
    return entry.translations[0].text


def _value(header: str, name: str) -> str:
    """A field of the header."""
    for line in header.split("\n"):
        key, colon, value = line.partition(":")
        if colon and key.strip() == name:
            return value.strip()
    return ""


def _entries(file: FileText, document: Document) -> Iterator[_Entry]:
    """The entries that are in use; obsolete ones are counted."""
    entry: _Entry | None = None
    for start, raw in lines_of(file.text):
        line = raw.strip()
        is_obsolete = line.startswith("#~")
        if is_obsolete and line[2:].lstrip().startswith("msgid "):
            document.keep("obsolete")
        begins = not line or line.startswith(("#", "msgctxt")) or re.match(r"msgid\s*\"", line)
        if entry is not None and begins and (entry.translations or not line or is_obsolete):
            if entry.fields or entry.translations:
                yield entry
            entry = None
        if not line or is_obsolete:
            continue
        if entry is None:
            entry = _Entry(start)
        if line.startswith("#"):
            if entry.fields:
                raise _bad(file, start, "a comment within an entry")
            entry.comments.append((start, raw))
            continue
        _read_line(entry, raw, start, file)
    if entry is not None and (entry.fields or entry.translations):
        yield entry


def _read_line(entry: _Entry, raw: str, start: int, file: FileText) -> None:
    line = raw.strip()
    found = _KEYWORD.match(line)
    text = _STRING.fullmatch(line if found is None else line[found.end() :])
    if text is None or "\r" in line or (found is None and entry.last is None):
        reason = "it is no line of a PO file: expected a comment, or a keyword and a text in "
        raise _bad(file, start, reason + '"…" with \\" for " in it')
    end = start + len(raw)
    value = _ESCAPE.sub(_character, text[1])
    if found is None:
        assert entry.last is not None
        entry.last.text += value
        entry.last.end, entry.last.rows = end, entry.last.rows + 1
        return
    new = _Field(start, end, value)
    key = found[1]
    fields = entry.fields
    if found[2] is not None:
        if int(found[2]) in entry.forms:
            raise _bad(file, start, f"{key} occurs twice in an entry", "line.duplicate")
        entry.forms[int(found[2])] = new
    elif key in fields:
        raise _bad(file, start, f"{key} occurs twice in an entry", "line.duplicate")
    else:
        if key in ("msgctxt", "msgid", "msgid_plural") and entry.translations:
            raise _bad(file, start, f"{key} is behind msgstr")
        fields[key] = new
    entry.last = new


def _check(entry: _Entry, file: FileText) -> None:
    """Refuse an entry that lacks something, or has what does not go together."""
    fields = entry.fields
    if "msgid" not in fields:
        raise _bad(file, entry.start, "an entry has no msgid")
    place = fields["msgid"].start
    is_plural = "msgid_plural" in fields
    if not entry.translations:
        raise _bad(file, place, "an entry has no msgstr")
    if is_plural == ("msgstr" in fields) or (entry.forms and not is_plural):
        expected = "msgstr[0], msgstr[1], …" if is_plural else "msgstr"
        raise _bad(file, place, f"an entry has other translations than {expected}")
    if is_plural and sorted(entry.forms) != list(range(len(entry.forms))):
        raise _bad(file, place, "the numbers of msgstr[…] have gaps")


def _bad(file: FileText, place: int, reason: str, code: str = "line.format") -> FormatError:
    return file.refused(reason, code, place)


def _character(found: re.Match[str]) -> str:
    octal, hexadecimal, other = found.groups()
    if octal:
        return chr(int(octal, 8))
    if hexadecimal:
        return chr(int(hexadecimal, 16))
    return _ESCAPES.get(other, other)


def _folded(text: str) -> list[str]:
    """An escaped text in lines of at most the usual width, broken behind spaces."""
    lines, line = [], ""
    for word in re.findall(r"\S*\s+|\S+", text):
        if line and len(line) + len(word) > _WIDTH:
            lines.append(line)
            line = ""
        line += word
    return [*lines, line] if line else lines


def _declared(head: bytes) -> str | None:
    found = _CHARSET.search(head)
    name = None if found is None else found[1].decode("ascii")
    return None if name is None or name.upper() == "CHARSET" else name


PLUGIN = DocumentFormat(read_po, endings=(".po", ".pot"), declared=_declared)
