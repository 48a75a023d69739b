"""XLIFF 1.2 and 2.x: units without a translation, or with one whose state is new.

Version 1.2: `target` gets the state `needs-review-translation` and the qualifier `mt-suggestion`,
and the unit a note with the confidence; sentences that `seg-source` marks are translated one by
one.  Version 2: `segment` gets the state `translated` with the substate `rosewood:mt`, and the unit
a note.  Units that are not to be translated stay.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from rosewood.documents.document import Document, DocumentFormat, Edit, FileText, Unit, edited
from rosewood.documents.inline_codes import InlineCodes
from rosewood.documents.marks import EXACT, MACHINE, NOTE, Mark, UnitTranslation, mark_of, weakest
from rosewood.documents.settings import DocumentSettings
from rosewood.documents.xml_text import (
    XmlText,
    bad_character,
    child,
    children,
    declared,
    local_name,
    opened,
    with_attributes,
)

_KINDS = {
    "g": "pair", "mrk": "pair", "pc": "pair", "bpt": "open", "ept": "close", "bx": "open",
    "ex": "close", "sc": "open", "ec": "close",
}  # fmt: skip
_NEW = {"new", "needs-translation"}  # states of version 1.2
_QUALIFIERS = {MACHINE: "mt-suggestion", EXACT: "exact-match"}
_AUTHOR = "rosewood"
_FUZZY, _DONE = "needs-review-translation", "translated"
_NOTE = re.compile(rf"(?:segment \S+: )?{NOTE}")


@dataclass
class _Part:
    """A text to translate: a whole unit or segment, or a sentence of one."""

    holder: Any  # trans-unit or segment
    source: Any  # element with the text
    codes: InlineCodes
    mark: str | None = None  # mid of a sentence
    slot: Any = None  # its empty place in a target whose other sentences have translations


@dataclass
class _File(Document):
    """Units in their order, several of which may be of one `trans-unit` or `unit`."""

    xml: XmlText | None = None
    parts: list[_Part] = field(default_factory=list)

    def check(self, translation: UnitTranslation, unit: int) -> str | None:
        return bad_character(translation.text) or self.parts[unit].codes.fault(translation.text)

    def edits(self, translations: Sequence[UnitTranslation | None]) -> Iterable[Edit]:
        made: dict[Any, list[tuple[_Part, UnitTranslation | None]]] = defaultdict(list)
        for part, each in zip(self.parts, translations, strict=True):
            made[part.holder].append((part, each))
        notes: dict[Any, list[str]] = defaultdict(list)
        is_changed = False
        for holder, parts in made.items():
            good = [(part, each) for part, each in parts if each is not None]
            if len(good) < len(parts):  # all sentences of a unit, or none
                continue
            is_changed = True
            mark = mark_of(weakest(each for _, each in good), self.settings)
            if local_name(holder) == "trans-unit":
                yield from self._unit(holder, good, mark)
            else:
                yield from self._segment(holder, *good[0], mark)
                if mark is not None:
                    own = holder.get("id")
                    segments = children(holder.getparent(), "segment")
                    which = f"segment {own}: " if own and len(segments) > 1 else ""
                    notes[holder.getparent()].append(which + mark.note)
        for unit, texts in notes.items():
            yield self._notes(unit, texts)
        if is_changed:
            yield from self._languages()

    def groups(self) -> Iterable[Sequence[int]]:
        found: dict[Any, list[int]] = defaultdict(list)
        for number, part in enumerate(self.parts):
            found[part.holder].append(number)
        return list(found.values())

    def _unit(
        self, unit: Any, good: Sequence[tuple[_Part, UnitTranslation]], mark: Mark | None
    ) -> Iterator[Edit]:
        """Of version 1.2: the target, a note, and that it is no longer approved."""
        assert self.xml is not None
        xml = self.xml
        source, target = child(unit, "source"), child(unit, "target")
        cut = child(unit, "seg-source")
        if good[0][0].slot is not None:
            content = self._filled(target, good)
        elif good[0][0].mark is None:
            content = good[0][0].codes.restored(good[0][1].text)
        else:
            content = self._sentences(cut, good)
        values: dict[str, str | None] = {"state": None, "state-qualifier": None}
        if mark is not None:
            values = {"state": _DONE, "state-qualifier": None}
            if mark.needs_review:
                values = {
                    "state": _FUZZY,
                    "state-qualifier": _QUALIFIERS.get(mark.origin, "fuzzy-match"),
                }
            elif mark.confidence is not None:
                values["state-qualifier"] = "exact-match"
        name = xml.qualified(source, "target")
        tag = f"<{name}>" if target is None else opened(xml.tag(target))
        made = f"{with_attributes(tag, values)}{content}</{name}>"
        last = source if cut is None else cut
        note = ""
        if mark is not None:
            name = xml.qualified(source, "note")
            note = f'{xml.indent(source)}<{name} from="{_AUTHOR}">{mark.note}</{name}>'
        for each in children(unit, "note"):
            if each.get("from") == _AUTHOR and _NOTE.fullmatch(each.text or ""):
                span = xml.span(each)
                yield Edit(span.start - len(xml.indent(each)), span.end, "")
        if target is None:
            place = xml.span(last).end
            yield Edit(place, place, xml.indent(source) + made + note)
        else:
            yield Edit(xml.span(target).start, xml.span(target).end, made + note)
        if unit.get("approved") == "yes" and mark is not None and mark.needs_review:
            span = xml.span(unit)
            yield Edit(span.start, span.inner, with_attributes(xml.tag(unit), {"approved": "no"}))

    def _sentences(self, cut: Any, good: Sequence[tuple[_Part, UnitTranslation]]) -> str:
        """The content of seg-source with the translations of its sentences."""
        assert self.xml is not None
        span = self.xml.span(cut)
        parts, end = [], span.inner
        for part, each in good:
            inside = self.xml.span(part.source)
            parts += [self.file.text[end : inside.inner], part.codes.restored(each.text)]
            end = inside.inner_end
        return "".join([*parts, self.file.text[end : span.inner_end]])

    def _filled(self, target: Any, good: Sequence[tuple[_Part, UnitTranslation]]) -> str:
        """The content of a target with translations of its empty sentences."""
        assert self.xml is not None
        whole = self.xml.span(target)
        edits = []
        for part, each in good:
            span, tag = self.xml.span(part.slot), opened(self.xml.tag(part.slot))
            end = f"</{self.xml.qualified(part.slot, 'mrk')}>"
            text = f"{tag}{part.codes.restored(each.text)}{end}"
            edits.append(Edit(span.start, span.end, text))
        return edited(self.file.text, whole.inner, whole.inner_end, sorted(edits))

    def _segment(
        self, segment: Any, part: _Part, each: UnitTranslation, mark: Mark | None
    ) -> Iterator[Edit]:
        """Of version 2: the target and the state."""
        assert self.xml is not None
        xml = self.xml
        target = child(segment, "target")
        values: dict[str, str | None] = {
            "state": None if mark is None else _DONE,
            "subState": None,
        }
        if mark is not None and mark.needs_review:
            values["subState"] = f"{_AUTHOR}:{'mt' if mark.origin == MACHINE else 'review'}"
        new = with_attributes(xml.tag(segment), values)
        span = xml.span(segment)
        if new != xml.tag(segment):
            yield Edit(span.start, span.inner, new)
        name = xml.qualified(part.source, "target")
        tag = f"<{name}>" if target is None else opened(xml.tag(target))
        made = f"{tag}{part.codes.restored(each.text)}</{name}>"
        if target is None:
            place = xml.span(part.source).end
            yield Edit(place, place, xml.indent(part.source) + made)
        else:
            yield Edit(xml.span(target).start, xml.span(target).end, made)

    def _notes(self, unit: Any, texts: Sequence[str]) -> Edit:
        """Notes of a unit of version 2, before its data and segments."""
        assert self.xml is not None
        xml = self.xml
        notes = child(unit, "notes")
        first = next(
            each for each in unit
            if local_name(each) in ("originalData", "segment", "ignorable", "notes")
        )  # fmt: skip
        note = xml.qualified(first, "note")
        made = [
            f'<{note} category="{_AUTHOR}" appliesTo="target">{each}</{note}>' for each in texts
        ]
        indent = xml.indent(first)
        if notes is None:
            name = xml.qualified(first, "notes")
            deeper = indent + "  " if indent else ""
            text = "".join(deeper + each for each in made)
            place = xml.span(first).start
            return Edit(place, place, f"<{name}>{text}{indent}</{name}>{indent}")
        span = xml.span(notes)
        kept = [
            each for each in children(notes, "note")
            if not (each.get("category") == _AUTHOR and _NOTE.fullmatch(each.text or ""))
        ]  # fmt: skip
        indent = xml.indent(kept[0]) if kept else xml.indent(notes) + "  " * bool(indent)
        text = "".join(indent + each for each in [*map(xml.raw, kept), *made])
        end = f"</{xml.qualified(notes, 'notes')}>"
        return Edit(span.start, span.end, opened(xml.tag(notes)) + text + xml.indent(notes) + end)

    def _languages(self) -> Iterator[Edit]:
        """The target language, where the file does not say it."""
        assert self.xml is not None
        target = self.settings.target_language
        if target is None:
            return
        xml, is_second = self.xml, _is_second(self.xml.root)
        name = "trgLang" if is_second else "target-language"
        holders = [xml.root] if is_second else children(xml.root, "file")
        for each in holders:
            if not each.get(name):
                span = xml.span(each)
                yield Edit(span.start, span.inner, with_attributes(xml.tag(each), {name: target}))


def read_xliff(file: FileText, settings: DocumentSettings) -> Document:
    """The units of a file that have no translation yet."""
    xml = XmlText(file, "xliff")
    document = _File(file, settings, xml=xml)
    root = xml.root
    document.check_languages(root.get("srcLang"), root.get("trgLang"), xml.span(root).start)
    for each in children(root, "file"):
        own = each.get("source-language"), each.get("target-language")
        document.check_languages(*own, xml.span(each).start)
    for each in root.iter():
        name = local_name(each)
        if name in ("trans-unit", "unit"):
            if not _is_translatable(each):
                document.keep("not to be translated")
            elif name == "unit":
                _read_unit(document, xml, each)
            else:
                _read_trans_unit(document, xml, each)
    return document


def _is_second(root: Any) -> bool:
    return str(root.get("version") or "").startswith("2") or root.get("srcLang") is not None


def _is_translatable(unit: Any) -> bool:
    """By itself, or by the innermost group that says."""
    said = (each.get("translate") for each in (unit, *unit.iterancestors()))
    return next((each for each in said if each is not None), "yes") != "no"


def _read_trans_unit(document: _File, xml: XmlText, unit: Any) -> None:
    source, target, cut = (child(unit, name) for name in ("source", "target", "seg-source"))
    if source is None:
        document.keep("without a source")
        return
    is_new = target is None or not _text(target) or target.get("state") in _NEW
    sentences = [] if cut is None else _sentences(cut)
    slots: dict[str | None, Any] = {}
    if not is_new and not document.settings.retranslate:
        slots = {each.get("mid"): each for each in _sentences(target) if not _text(each)}
        first = {each.get("mid"): each for each in reversed(sentences) if _text(each)}
        sentences = [
            each for each in sentences if each in first.values() and each.get("mid") in slots
        ]
        if not sentences:
            document.keep("translated already")
            return
    if not sentences:
        _add(document, xml, unit, source, None, unit.get("id"))
    for each in sentences:
        mark = each.get("mid")
        _add(document, xml, unit, each, mark, f"{unit.get('id')}/{mark}", slots.pop(mark, None))


def _sentences(cut: Any) -> list[Any]:
    """The marked sentences that are in no other."""
    found = [
        each for each in cut.iter() if local_name(each) == "mrk" and each.get("mtype") == "seg"
    ]
    return [each for each in found if not any(other in found for other in each.iterancestors())]


def _read_unit(document: _File, xml: XmlText, unit: Any) -> None:
    for segment in children(unit, "segment"):
        source, target = child(segment, "source"), child(segment, "target")
        is_new = target is None or not _text(target) or segment.get("state") == "initial"
        if source is None:
            document.keep("without a source")
        elif not is_new and not document.settings.retranslate:
            document.keep("translated already")
        else:
            own = segment.get("id")
            name = unit.get("id") if own is None else f"{unit.get('id')}/{own}"
            _add(document, xml, segment, source, None, name)


def _add(
    document: _File,
    xml: XmlText,
    holder: Any,
    source: Any,
    mark: str | None,
    name: str | None,
    slot: Any = None,
) -> None:
    codes = xml.codes(source, _KINDS)
    if not codes.tagged.strip():
        document.keep("empty")
        return
    document.parts.append(_Part(holder, source, codes, mark, slot))
    document.units.append(Unit(codes.tagged, xml.line(source), name, breaks=True))


def _text(element: Any) -> str:
    return "".join(element.itertext()).strip() or ("codes" if len(element) else "")


PLUGIN = DocumentFormat(read_xliff, endings=(".xlf", ".xliff", ".sdlxliff", ".mqxliff"),
                        declared=declared)  # fmt: skip
