"""Translation memories (TMX): units that lack the target language get a variant in it.

The new variant follows the others of its unit, and has properties that say that a machine made it
and how sure that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from rosewood.corpus.languages import closest, matches
from rosewood.documents.document import Document, DocumentFormat, Edit, FileText, Unit
from rosewood.documents.inline_codes import InlineCodes
from rosewood.documents.marks import UnitTranslation, mark_of
from rosewood.documents.settings import DocumentSettings
from rosewood.documents.xml_text import (
    XML_LANG,
    XmlText,
    bad_character,
    child,
    children,
    declared,
    local_name,
)

_KINDS = {"hi": "pair", "bpt": "open", "ept": "close"}


@dataclass
class _Memory(Document):
    """Units with the variants that they have."""

    xml: XmlText | None = None
    variants: list[tuple[Any, Any]] = field(default_factory=list)  # of the source and the target
    codes: list[InlineCodes] = field(default_factory=list)

    def check(self, translation: UnitTranslation, unit: int) -> str | None:
        return bad_character(translation.text) or self.codes[unit].fault(translation.text)

    def edits(self, translations: Sequence[UnitTranslation | None]) -> Iterable[Edit]:
        for (source, target), codes, each in zip(
            self.variants, self.codes, translations, strict=True
        ):
            if each is not None:
                yield self._edit(source, target, codes, each)

    def _edit(self, source: Any, target: Any, codes: InlineCodes, each: UnitTranslation) -> Edit:
        assert self.xml is not None
        xml = self.xml
        mark = mark_of(each, self.settings)
        props = []
        if mark is not None:
            props = [f'<prop type="x-mt">{mark.origin}</prop>']
            if mark.confidence is not None:
                props.append(f'<prop type="x-mt-confidence">{mark.confidence}</prop>')
        attribute = "xml:lang" if source.get(XML_LANG) is not None else "lang"
        language = self.settings.target_language
        if target is not None:
            language = target.get(XML_LANG) or target.get("lang")
        seg = f"<seg>{codes.restored(each.text)}</seg>"
        made = f'<tuv {attribute}="{language}">{"".join(props)}{seg}</tuv>'
        if target is not None:
            return Edit(xml.span(target).start, xml.span(target).end, made)
        last = children(source.getparent(), "tuv")[-1]
        place = xml.span(last).end
        return Edit(place, place, xml.indent(last) + made)


def read_tmx(file: FileText, settings: DocumentSettings) -> Document:
    """The units of a memory without the target language."""
    for side in ("source", "target"):
        if getattr(settings, f"{side}_language") is None:
            raise file.refused(
                f"the model does not say its {side} language: name it with --{side}-language",
                "argument.missing", argument=f"{side}_language",
            )  # fmt: skip
    xml = XmlText(file, "tmx")
    document = _Memory(file, settings, xml=xml)
    for unit in (each for each in xml.root.iter() if local_name(each) == "tu"):
        for source, target in _wanted(unit, document, settings):
            codes = xml.codes(child(source, "seg"), _KINDS)
            document.variants.append((source, target))
            document.codes.append(codes)
            document.units.append(Unit(codes.tagged, xml.line(unit), unit.get("tuid"), breaks=True))
    return document


def _wanted(unit: Any, document: Document, settings: DocumentSettings) -> Iterator[tuple[Any, Any]]:
    """The variants of a unit that is to be translated."""
    assert settings.source_language is not None
    assert settings.target_language is not None
    there: dict[str, Any] = {}
    for each in children(unit, "tuv"):
        language = (each.get(XML_LANG) or each.get("lang") or "").strip()
        if child(each, "seg") is not None:
            there.setdefault(language, each)
    source = closest(settings.source_language, there)
    target = closest(settings.target_language, [each for each in there if each != source])
    if source is None or matches(settings.target_language, source):
        document.keep(f"no {settings.source_language}")
    elif target is not None and not settings.retranslate and _has_text(there[target]):
        document.keep("translated already")
    else:
        yield there[source], None if target is None else there[target]


def _has_text(variant: Any) -> bool:
    return bool("".join(child(variant, "seg").itertext()).strip())


PLUGIN = DocumentFormat(read_tmx, endings=(".tmx",), declared=declared)
