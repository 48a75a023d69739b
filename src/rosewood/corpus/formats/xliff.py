"""XLIFF 1.2 (`trans-unit`, also in sentences by `seg-source`) and 2.x (`unit`, `segment`).

The languages are those of the file; where others are asked for, the other way round or not at all.
Units without a translation, and those that are not to be translated, are left out and counted; so
are machine translations, and those whose state says that they are not done or not reviewed.
The state of a translation is a tag.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rosewood.corpus.checks import Gate, Tally
from rosewood.corpus.formats import CorpusFormat, Parsed
from rosewood.corpus.formats._xml import children, each_element, local_name
from rosewood.corpus.inline_elements import as_text
from rosewood.corpus.inputs import Input, ParserSettings
from rosewood.corpus.languages import is_backward
from rosewood.errors import RosewoodError

_UNITS = {"trans-unit", "unit"}
_MACHINE = {"mt-suggestion", "leveraged-mt", "rosewood:mt"}  # state-qualifier or subState
_ACCEPTED = {"signed-off", "reviewed", "final"}  # by a person, whoever translated it


def parse_xliff(source: Input, settings: ParserSettings, tally: Tally) -> Parsed:
    """The pairs of each unit."""
    gate = settings.gate(tally, source.name)
    backward: bool | None = False
    own: tuple[str | None, str | None] = (None, None)
    of_all = own
    for event, element in each_element(
        source, "xliff", {"file"}, _UNITS | {"group", "file", "bin-unit"}
    ):
        name = local_name(element)
        if name == "xliff":
            of_all = element.get("srcLang"), element.get("trgLang")
        elif event == "start":
            own = (
                element.get("source-language") or of_all[0],
                element.get("target-language") or of_all[1],
            )
            backward = is_backward(own, settings.source_language, settings.target_language)
        elif name in _UNITS:
            if backward is None:
                tally.left_out[f"languages {own[0]} to {own[1]}"] += 1
            elif not _is_translated(element):
                tally.left_out["not to be translated"] += 1
            else:
                yield from _pairs(element, backward, gate)


def _is_translated(unit: Any) -> bool:
    """Whether a unit is to be translated: by itself, or by the innermost group that tells."""
    said = (each.get("translate") for each in (unit, *unit.iterancestors()))
    return next((each for each in said if each is not None), "yes") != "no"


def _pairs(unit: Any, backward: bool, gate: Gate) -> Parsed:
    line = unit.sourceline
    parts = _whole(unit) if local_name(unit) == "trans-unit" else _segments(unit)
    for name, source, target, tags in parts:
        try:
            texts = as_text(source), "" if target is None else as_text(target)
        except RosewoodError as error:
            yield gate.bad("entity", str(error), line, name, value=error.value)
            continue
        if not texts[1].strip():
            gate.tally.left_out["untranslated"] += 1
        elif (reason := _not_accepted(tags)) is not None:
            gate.tally.left_out[reason] += 1
        elif backward:
            yield gate.pair(texts[1], texts[0], line, tags, name)
        else:
            yield gate.pair(texts[0], texts[1], line, tags, name)


def _not_accepted(tags: dict[str, str]) -> str | None:
    """Why a translation is not one to learn from; None if it is."""
    state = tags.get("state", "")
    if tags.get("approved") == "yes" or state in _ACCEPTED:
        return None
    if tags.get("state-qualifier") in _MACHINE or tags.get("subState") in _MACHINE:
        return "machine translation"
    is_open = state in ("new", "initial") or state.startswith("needs-")
    return f"state {state}" if is_open else None


Parts = Iterator[tuple[str | None, Any, Any, dict[str, str]]]  # name, source, target, tags


def _whole(unit: Any) -> Parts:
    """A unit of XLIFF 1.2, in the sentences that source and target mark alike."""
    name = unit.get("id")
    source, target, cut = (_child(unit, each) for each in ("source", "target", "seg-source"))
    if source is None:
        source = cut
    if source is None:
        return
    tags = {} if target is None else _attributes(target, "state", "state-qualifier")
    tags |= _attributes(unit, "approved")
    sentences = {} if cut is None else _sentences(cut)
    translated = {} if target is None else _sentences(target)
    if sentences and sentences.keys() == translated.keys():
        for mark, sentence in sentences.items():
            yield f"{name}/{mark}", sentence, translated[mark], tags
    else:
        yield name, source, target, tags


def _sentences(element: Any) -> dict[str, Any]:
    return {
        each.get("mid", ""): each
        for each in element.iter("{*}mrk")
        if each.get("mtype") == "seg" and each.get("mid")
    }


def _segments(unit: Any) -> Parts:
    """The segments of a unit of XLIFF 2."""
    name = unit.get("id")
    for segment in children(unit, "segment"):
        source, target = _child(segment, "source"), _child(segment, "target")
        if source is not None:
            mark = segment.get("id")
            tags = _attributes(segment, "state", "subState")
            yield (name if mark is None else f"{name}/{mark}"), source, target, tags


def _child(element: Any, name: str) -> Any:
    return next(iter(children(element, name)), None)


def _attributes(element: Any, *names: str) -> dict[str, str]:
    return {name: value for name in names if (value := element.get(name))}


PLUGIN = CorpusFormat(
    parse_xliff, endings=(".xlf", ".xliff", ".sdlxliff", ".mqxliff"), is_memory=True
)
