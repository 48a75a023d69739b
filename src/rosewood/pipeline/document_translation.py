"""Documents translated by a model: units into sentences, and translations back into units.

    report = translator.translate_document("todo.po", "done.po")
    report.translated; report.mean_confidence
    for unit in report.units: print(unit.line, unit.confidence, unit.translation)

Sentences that occur several times are translated once.  A sentence without words (a number, a
placeholder) is copied.  A unit that cannot be translated stays as it is, and the report says why.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rosewood.corpus.checks import Checks
from rosewood.corpus.text.sentences import Sentences, has_words, split_sentences
from rosewood.decode import TextTranslator
from rosewood.decode.glossary_use import GlossaryUse
from rosewood.documents import (
    Document,
    DocumentSettings,
    Unit,
    UnitTranslation,
    read_document,
    write_document,
)
from rosewood.documents.marks import COPY, EXACT, MACHINE, NEAR_EXACT
from rosewood.documents.wrapping import wrapped
from rosewood.errors import DecodingError, FormatError
from rosewood.memory.slots import keeps_order
from rosewood.pipeline.confidence import word_confidence
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.decode.stream import TranslatedLine
    from rosewood.memory import MemoryMatch
    from rosewood.pipeline.translator import Translator

# A message of ICU with forms for numbers or genders: its words are parts of a program.
_ICU = re.compile(r"\{\s*[\w.-]+\s*,\s*(?:plural|select|selectordinal)\s*,")
_FORMS = "it is a message with plural or select forms in braces, which are not translated"

Step = Callable[[], object]


@dataclass(frozen=True)
class TranslatedUnit:
    """A unit of a document and what became of it; `problem` is why it was left as it is.

    `match` is what a translation memory has for the unit, or the least similar match of its
    sentences.
    """

    line: int
    name: str | None
    source: str
    translation: str | None = None
    confidence: float | None = None
    origin: str | None = None
    problem: str | None = None
    match: MemoryMatch | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "line": self.line,
            "name": self.name,
            "src": self.source,
            "translation": self.translation,
            "confidence": self.confidence,
            "origin": self.origin,
            "problem": self.problem,
            "match": None if self.match is None else self.match.to_dict(),
        }


@dataclass(frozen=True)
class DocumentReport:
    """What was translated of a document, and how sure it is."""

    units: tuple[TranslatedUnit, ...]
    kept: Counter[str]  # units that were not to be translated, by reason
    low_confidence: float = 0.0
    notes: tuple[str, ...] = ()  # of the document as a whole, and of the glossary

    @property
    def translated(self) -> int:
        """How many units were translated."""
        return sum(each.translation is not None for each in self.units)

    @property
    def failed(self) -> tuple[TranslatedUnit, ...]:
        """Units that could not be translated."""
        return tuple(each for each in self.units if each.problem is not None)

    @property
    def exact_matches(self) -> int:
        """How many units are exact or near-exact matches of a translation memory."""
        return sum(each.match is not None and each.match.is_exact for each in self.units)

    @property
    def fuzzy_matches(self) -> int:
        """How many units have fuzzy matches."""
        return sum(each.match is not None and not each.match.is_exact for each in self.units)

    @property
    def mean_confidence(self) -> float | None:
        """Of the units that have one."""
        sure = [each.confidence for each in self.units if each.confidence is not None]
        return sum(sure) / len(sure) if sure else None

    @property
    def doubtful(self) -> tuple[TranslatedUnit, ...]:
        """Units with a confidence below the setting `low_confidence`."""
        return tuple(
            each for each in self.units
            if each.confidence is not None and each.confidence < self.low_confidence
        )  # fmt: skip


class _Said(NamedTuple):
    """A sentence in the other language; or why there is none."""

    text: str
    confidence: float | None
    words: int
    problem: str | None = None
    match: MemoryMatch | None = None  # what a translation memory has for it

    @property
    def origin(self) -> str:
        """Where it is from, in the words of a mark."""
        if self.match is None or not self.match.is_exact:
            return MACHINE
        return EXACT if self.match.kind == "exact" else NEAR_EXACT

    @property
    def is_certain(self) -> bool:
        """False where it is one of several exact matches."""
        return self.origin == MACHINE or self.match is None or not self.match.others


class _Made(NamedTuple):
    """A unit in the other language; or why there is none."""

    translation: UnitTranslation | None
    problem: str | None = None
    match: MemoryMatch | None = None


def document_settings(translator: Translator, settings: DocumentSettings) -> DocumentSettings:
    """Settings with the languages of a model where none are given."""
    source, target = translator.bundle.manifest["languages"]
    return replace(
        settings,
        source_language=settings.source_language or source,
        target_language=settings.target_language or target,
    )


def translate_document(
    translator: Translator,
    input: PathName,
    output: PathName,
    settings: DocumentSettings | None = None,
    *,
    threads: int = 1,
    checks: Checks | None = None,
    starts: Callable[[Document], Step] | None = None,
) -> DocumentReport:
    """Read a document, translate its units and write it; `-` are standard input and output.

    `starts` gets the document before it is translated, and returns what is called after each of
    its sentences.
    """
    _check_apart(input, output)
    document = read_document(input, document_settings(translator, settings or DocumentSettings()))
    step = (lambda: None) if starts is None else starts(document)
    made, report = translate_units(translator, document, threads=threads, checks=checks, step=step)
    write_document(document, made, output)
    return report


def _check_apart(input: PathName, output: PathName) -> None:
    if "-" in (str(input), str(output)) or not Path(output).is_file():
        return
    if Path(output).resolve() == Path(input).resolve():
        raise FormatError(
                "the output is the input, which would be overwritten: write another file",
                code="file.exists", argument="output", file=output,
            )  # fmt: skip


def translate_units(
    translator: Translator,
    document: Document,
    *,
    threads: int = 1,
    checks: Checks | None = None,
    step: Step = lambda: None,
) -> tuple[list[UnitTranslation | None], DocumentReport]:
    """The translations of all units, and a report; units that fail have none."""
    checks = replace(checks or Checks(), allow_empty=True)
    source, target = translator.bundle.manifest["languages"]
    text = _protecting(translator.text)
    parts = [
        split_sentences(each.text, source or "", breaks=each.breaks) for each in document.units
    ]
    whole = [
        _whole(text, unit, cut, target or "")
        for unit, cut in zip(document.units, parts, strict=True)
    ]
    wanted = dict.fromkeys(
        _one_line(sentence)
        for cut, known in zip(parts, whole, strict=True) if known is None
        for sentence in cut.sentences if has_words(sentence)
    )  # fmt: skip
    terms = None if text.glossary is None else GlossaryUse(text.glossary)
    said = dict(_translated(translator, text, list(wanted), checks, threads, step, terms))
    unused = None if terms is None or not wanted else terms.warning()
    notes = [*document.notes, *([] if unused is None else [unused])]
    made: list[UnitTranslation | None] = []
    problems: list[str | None] = []
    matches: list[MemoryMatch | None] = []
    for number, (unit, cut, known) in enumerate(zip(document.units, parts, whole, strict=True)):
        if _ICU.search(unit.text):
            known = _Made(None, _FORMS)
        done, problem, match = known or _unit(unit, cut, said)
        matches.append(match)
        if done is not None:
            problem = document.check(done, number)
        made.append(done if problem is None else None)
        problems.append(problem)
    for group in document.groups():
        if any(made[number] is None for number in group):
            for number in group:
                made[number] = None
                problems[number] = problems[number] or "what is written with it was not translated"
    rows = [
        TranslatedUnit(
            unit.line,
            unit.name,
            unit.text,
            None if done is None else done.text,
            None if done is None else done.confidence,
            None if done is None else done.origin,
            problem,
            match,
        )
        for unit, done, problem, match in zip(document.units, made, problems, matches, strict=True)
    ]
    return made, DocumentReport(
        tuple(rows), document.kept, document.settings.low_confidence, tuple(notes)
    )


def _whole(text: TextTranslator, unit: Unit, cut: Sentences, target: str) -> _Made | None:
    """An exact match of a whole unit; None where it is to be translated by sentences."""
    match = None if text.memory is None else text.memory.exact(unit.text)
    if match is None or not match.translation.strip() or not unit.text.strip():
        return None
    problem = _changes(*text.value_changes(unit.text, match.translation))
    if (problem := problem or _order(text, unit.text, match.translation)) is not None:
        return _Made(None, problem, match)
    body = unit.text.strip()
    place = unit.text.index(body)
    made, is_certain = match.translation.strip(), not match.others
    if unit.breaks and made.count("\n") != body.count("\n"):
        # Memories have a space for a line break.
        lines = _in_lines(made, body, cut, target)
        if lines is None:
            return None
        made, is_certain = lines, False
    made = unit.text[:place] + made + unit.text[place + len(body) :]
    return _Made(UnitTranslation(made, 1.0, EXACT, is_certain), None, match)


def _in_lines(text: str, source: str, cut: Sentences, target: str) -> str | None:
    """A translation with line breaks as its source has them; None where that is not possible."""
    parts = split_sentences(" ".join(text.split()), target).sentences
    if len(parts) == len(cut.sentences) and not any(gap.strip() for gap in cut.gaps):
        pairs = zip(parts, cut.sentences, strict=True)
        return cut.joined([wrapped(part, old.count("\n") + 1) for part, old in pairs]).strip()
    return None if "\n\n" in source else wrapped(text, source.count("\n") + 1)


def _unit(unit: Unit, cut: Sentences, said: dict[str, _Said]) -> _Made:
    """A unit of the translations of its sentences; or why there is none."""
    texts: list[str] = []
    sure, words, is_certain = 0.0, 0, True
    origins: set[str] = set()
    match: MemoryMatch | None = None
    for sentence in cut.sentences:
        found = said.get(_one_line(sentence))
        if found is None:
            texts.append(sentence)
            continue
        if found.match is not None and (match is None or found.match.score < match.score):
            match = found.match
        if found.problem is not None:
            return _Made(None, found.problem, match)
        origins.add(found.origin)
        is_certain &= found.is_certain
        lines = sentence.count("\n") + 1 if unit.breaks else 1
        texts.append(wrapped(found.text, lines) if lines > 1 else found.text)
        if found.confidence is not None:
            sure += found.confidence * found.words
            words += found.words
    if not words:
        return _Made(UnitTranslation(unit.text, origin=COPY))
    origin = next(each for each in (MACHINE, NEAR_EXACT, EXACT) if each in origins)
    return _Made(UnitTranslation(cut.joined(texts), sure / words, origin, is_certain), None, match)


def _one_line(sentence: str) -> str:
    return " ".join(sentence.split("\n")) if "\n" in sentence else sentence


def _translated(
    translator: Translator,
    text: TextTranslator,
    sentences: Sequence[str],
    checks: Checks,
    threads: int,
    step: Step,
    terms: GlossaryUse | None,
) -> Iterator[tuple[str, _Said]]:
    """Each sentence with its translation."""
    good = []
    for sentence in sentences:
        if (fault := checks.problem(sentence)) is not None:
            yield sentence, _Said("", None, 0, fault.reason)
            step()
        else:
            good.append(sentence)
    decoder = text.decoder
    theta, how = decoder.theta(), translator.bundle.confidence
    unknown = getattr(decoder, "unknown", None)
    lines = text.stream(good, threads=threads, forests=True, errors="keep", skip_known=True)
    for sentence, line in zip(good, lines, strict=True):
        if terms is not None:
            terms.count(line.prepared)
        yield sentence, _said(line, theta, how, unknown)
        step()


def _said(line: TranslatedLine, theta: Any, how: Any, unknown: object) -> _Said:
    if line.error is not None:
        return _Said("", None, 0, str(line.error))
    assert line.search is not None
    done = line.translated()
    words = max(len(line.prepared.words), 1)
    match = line.match
    if not done.is_remembered and not line.best.report.reachable:
        return _Said("", None, 0, "no translation was found", match)
    problem = _changes(done.lost, done.added)
    if problem is None and done.is_remembered:
        problem = _order(line.translator, done.prepared.text, done.text)
    if problem is not None:
        return _Said("", None, 0, problem, match)
    if done.is_remembered:
        return _Said(done.text, 1.0, words, None, match)
    if not done.text.strip():
        return _Said("", None, 0, "its translation is empty", match)
    sure = word_confidence(line.search, theta, how, unknown)
    return _Said(done.text, sure, words, None, match)


def _changes(lost: Sequence[str], added: Sequence[str]) -> str | None:
    """Why a translation with other placeholders than its source is not written."""
    if not lost and not added:
        return None
    what = "lacks" if lost else "has additional"
    return f"its translation {what} {', '.join(lost or added)}"


def _order(text: TextTranslator, source: str, translation: str) -> str | None:
    """Why a translation of a memory with placeholders in another order is not written."""
    assert text.source_text is not None
    if keeps_order(source, translation, text.source_text.protected):
        return None
    return "its translation has placeholders such as %s and %d in another order"


def _protecting(text: TextTranslator) -> TextTranslator:
    """The translator with tags and placeholders protected, as documents need it."""
    source, target = text.source_text, text.target_text
    if source is None or target is None:
        raise DecodingError(
            "the model was trained on words between spaces (--pretokenized): documents need a "
            "model of raw text; --format text translates lines of words",
            code="model.pretokenized",
        )
    if source.protect_tags:
        return text
    source, target = (replace(each, protect_tags=True) for each in (source, target))
    return TextTranslator(
        text.decoder, source, target, glossary=text.glossary, inline=text.inline,
        casing=text.casing, localise_numbers=text.localise_numbers, memory=text.memory,
    )  # fmt: skip
