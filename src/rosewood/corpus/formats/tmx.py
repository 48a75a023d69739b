"""Translation memories (TMX): the variants of two languages in each unit.

The languages are those that are asked for: `en` takes `en-US` where there is no plain `en`.  Where
none are, the source is the memory's own and the target the only other language of the first unit.
Properties of a unit are tags.  Units and variants with the property `x-mt` are machine
translations: they are left out and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rosewood.corpus.checks import BadPair, Gate, Tally
from rosewood.corpus.formats import CorpusFormat, Languages, Layout, Parsed
from rosewood.corpus.formats._xml import children, each_element, local_name
from rosewood.corpus.inline_elements import as_markup, as_text
from rosewood.corpus.inputs import Input, ParserSettings
from rosewood.corpus.languages import closest, matches
from rosewood.corpus.lines import at
from rosewood.corpus.pairs import SentencePair
from rosewood.errors import CorpusError, RosewoodError

_MACHINE = "x-mt"  # the property by which rosewood and other tools mark machine translations
_NOT_SO = {"", "0", "no", "false"}
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def parse_tmx(source: Input, settings: ParserSettings, tally: Tally) -> Parsed:
    """A pair of each unit that has both languages; others are left out and counted."""
    gate = settings.gate(tally, source.name)
    wanted = _Wanted(settings.source_language, settings.target_language)
    own: str | None = None
    count = 0
    for _, element in each_element(source, "tmx", {"header"}, {"tu"}):
        name = local_name(element)
        if name == "header":
            own = element.get("srclang")
        elif name == "tu":
            count += 1
            found = _unit(element, count, wanted, own, gate)
            if found is not None:
                yield found


class _Wanted:
    """The two languages; those not given are taken from the first unit that has them."""

    def __init__(self, source: str | None, target: str | None) -> None:
        self.source, self.target = source, target

    def decide(self, there: dict[str, Any], own: str | None) -> None:
        """Raises RosewoodError where there are several to choose from."""
        if self.source is None:
            if own and own != "*all*" and not (self.target and matches(self.target, own)):
                self.source = own
            else:
                self.source = self._other(self.target, there)
        if self.target is None:
            self.target = self._other(self.source, there)

    def _other(self, one: str | None, there: dict[str, Any]) -> str | None:
        """The only language beside this one; or the first, where there is none yet."""
        others = [each for each in there if one is None or not matches(one, each)]
        if one is not None and len(others) > 1:
            told = ", ".join([one, *others][:8])
            reason = f"it holds {told}: say which two languages"
            raise RosewoodError(reason, code="corpus.languages", value=[one, *others])
        return others[0] if others else None

    def has(self, language: str) -> bool:
        """Whether it is one of the two."""
        return any(
            wanted is not None and matches(wanted, language)
            for wanted in (self.source, self.target)
        )

    def choose(self, there: dict[str, Any]) -> tuple[str | None, str | None]:
        """The variants of a unit that are meant."""
        source = None if self.source is None else closest(self.source, there)
        rest = [each for each in there if each != source]
        return source, None if self.target is None else closest(self.target, rest)


def _unit(
    unit: Any, count: int, wanted: _Wanted, own: str | None, gate: Gate
) -> SentencePair | BadPair | None:
    line, name = unit.sourceline, unit.get("tuid")
    if _is_machine(unit):
        gate.tally.left_out["machine translation"] += 1
        return None
    there: dict[str, Any] = {}
    variants = [
        ((each.get(_XML_LANG) or each.get("lang") or "").strip(), each)
        for each in children(unit, "tuv")
    ]
    machine = {language for language, variant in variants if _is_machine(variant)}
    variants = [(language, each) for language, each in variants if not _is_machine(each)]
    for language, variant in variants:
        there.setdefault(language, variant)
    if "" in there:
        return gate.bad("no language", "a variant does not tell its language", line, name)
    with at(gate.file, line):
        wanted.decide({**there, **dict.fromkeys(machine)}, unit.get("srclang") or own)
    source, target = wanted.choose(there)
    if source is None or target is None:
        if any(map(wanted.has, machine)):
            gate.tally.left_out["machine translation"] += 1
            return None
        missing = (wanted.source if source is None else wanted.target) or "translation"
        gate.tally.left_out[f"no {missing}, only {', '.join([*there][:4]) or 'nothing'}"] += 1
        return None
    texts = []
    for language in (source, target):
        segments = children(there[language], "seg")
        if not segments:
            told = f"the variant {language!r} has no <seg>"
            return gate.bad("no segment", told, line, name, value=language)
        try:
            texts.append(as_text(segments[0]))
        except RosewoodError as error:
            return gate.bad("entity", str(error), line, name, value=error.value)
    also = sum(wanted.has(language) for language, _ in variants) - 2
    if also:
        gate.tally.left_out["another variant"] += also
    return gate.pair(texts[0], texts[1], line, _tags(unit), name or str(count))


def _is_machine(element: Any) -> bool:
    """Whether a property of a unit or variant says that it is a machine translation."""
    return any(
        each.get("type") == _MACHINE and "".join(each.itertext()).strip().casefold() not in _NOT_SO
        for each in children(element, "prop")
    )


def _tags(unit: Any) -> dict[str, str]:
    """Properties by their types; several of one type are joined."""
    tags: dict[str, str] = {}
    for each in children(unit, "prop"):
        kind, value = each.get("type"), "".join(each.itertext())
        if kind and value:
            tags[kind] = f"{tags[kind]}; {value}" if kind in tags else value
    return tags


_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4">
<header creationtool="rosewood" creationtoolversion="1" segtype="sentence" o-tmf="rosewood" \
adminlang="en" srclang={source} datatype="plaintext"/>
<body>
"""


def write_tmx(languages: Languages, tags: Sequence[str]) -> Layout:
    """A unit for each pair, with its tags as properties."""
    from xml.sax.saxutils import escape, quoteattr  # takes long to import

    if None in languages:
        raise CorpusError(
            "a translation memory names its languages: say which they are",
            code="argument.missing", argument="source_language and target_language",
        )  # fmt: skip
    source, target = (quoteattr(str(language)) for language in languages)

    def rows(pair: SentencePair) -> tuple[str]:
        unit = None if pair.origin is None else pair.origin.unit
        props = "".join(
            f"<prop type={quoteattr(name)}>{escape(value)}</prop>"
            for name, value in pair.tags.items()
        )
        return (
            f"<tu{'' if unit is None else f' tuid={quoteattr(unit)}'}>{props}"
            f"<tuv xml:lang={source}><seg>{as_markup(pair.source)}</seg></tuv>"
            f"<tuv xml:lang={target}><seg>{as_markup(pair.target)}</seg></tuv></tu>\n",
        )

    return Layout(rows, _HEAD.format(source=source), "</body>\n</tmx>\n")


PLUGIN = CorpusFormat(parse_tmx, endings=(".tmx",), write=write_tmx, is_memory=True)
