"""Documents on the command line: which options go with them, and what is reported."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from rosewood.cli.common import conflict, name_of, needs, warn
from rosewood.documents.formats import TEXT, format_of
from rosewood.errors import DecodingError
from rosewood.settings import settings_of

if TYPE_CHECKING:
    from rosewood.cli.run_options import ThreadedRun
    from rosewood.documents import Document, DocumentSettings
    from rosewood.pipeline import Translator
    from rosewood.pipeline.document_translation import DocumentReport, Step, TranslatedUnit
    from rosewood.pipeline.line_settings import LineSettings

_SHOWN = 10  # units that are listed
# Why options of text line by line cannot be used with documents.
_OF_LINES = {
    "inline": "tags of a document are its own",
    "reference": "references are lines of a text",
    "consensus": "units are marked with the confidence of the best translation by score",
    "set": "it is of --consensus",
    "alignment": "a unit may be several sentences",
    "forests": "a unit may be several sentences",
    "compress_forests": "it is of --forests",
    "append_forests": "it is of --forests",
    "picture": "a unit may be several sentences",
    "nbest": "a document has one translation",
    "distinct": "it is of --nbest",
    "explain": "a unit may be several sentences",
    "on_bad_line": "units that cannot be translated are left as they are, and reported",
}


def is_document(input: Path, options: LineSettings, documents: DocumentSettings) -> bool:
    """Whether the input is a document; options that do not go with it are refused."""
    name = format_of(input, documents.format)
    if name == TEXT:
        for each in settings_of(type(documents)):
            if each.name != "format" and getattr(documents, each.name) != each.default:
                prefix = "no-" if each.default is True else ""
                raise needs(DecodingError, f"--{prefix}{each.option}", "a document or --format")
        return False
    for each in settings_of(type(options)):
        if each.name in _OF_LINES and getattr(options, each.name) != each.default:
            option, why = f"--{each.option}", _OF_LINES[each.name]
            raise conflict(DecodingError, option, f"documents ({name})", f"{why}; --format text "
                           "translates line by line")  # fmt: skip
    if options.json and str(options.output) == "-":
        reason = "--json prints a row for each unit: write the document to a file with -o"
        raise DecodingError(reason, code="argument.missing", argument="-o")
    return True


def translate_file(
    translator: Translator,
    input: Path,
    options: LineSettings,
    documents: DocumentSettings,
    run: ThreadedRun,
) -> None:
    """Translate a document, and report what was done."""
    from rosewood.corpus.checks import Checks
    from rosewood.pipeline.document_translation import translate_document
    from rosewood.progress import progress

    with ExitStack() as stack:

        def starts(_: Document) -> Step:
            return stack.enter_context(progress("translating, sentences", quiet=run.quiet))

        begin = time.monotonic()
        report = translate_document(
            translator, input, options.output, documents,
            threads=run.cores, starts=starts,
            checks=Checks(options.line_words, options.line_characters),
        )  # fmt: skip
    if options.json:
        for each in report.units:
            print(json.dumps(each.to_dict(), ensure_ascii=False, allow_nan=False))
        sys.stdout.flush()
    if not run.quiet:
        for line in _summary(report, time.monotonic() - begin):
            warn(line)
    for line in _warnings(report, name_of(input)):
        warn(line)


def _summary(report: DocumentReport, seconds: float) -> Iterator[str]:
    total = f"{report.translated:,} of {_units(len(report.units))} translated in {seconds:.1f} s"
    sure = report.mean_confidence
    yield total if sure is None else f"{total}, mean confidence {sure:.2f}"
    if report.exact_matches or report.fuzzy_matches:
        exact = f"{report.exact_matches:,} exact match{'es' * (report.exact_matches != 1)}"
        fuzzy = f"{report.fuzzy_matches:,} fuzzy match{'es' * (report.fuzzy_matches != 1)}"
        yield f"translation memory: {exact}, {fuzzy}"
    if report.kept:
        kinds = ", ".join(f"{reason} {count:,}" for reason, count in report.kept.most_common())
        yield f"not to be translated: {kinds}"


def _warnings(report: DocumentReport, file: str) -> Iterator[str]:
    for note in report.notes:
        yield f"{file}: {note}"
    if report.doubtful:
        yield (
            f"{_units(len(report.doubtful))} with a confidence below {report.low_confidence:g} "
            f"({_lines(report.doubtful)})"
        )
    for each in report.failed[:_SHOWN]:
        name = "" if each.name is None else f"unit {each.name[:40]!r}: "
        yield f"{file}:{each.line}: {name}left as it was: {each.problem}"
    if len(report.failed) > _SHOWN:
        rest = report.failed[_SHOWN:]
        yield f"{_units(len(rest))} more left as they were ({_lines(rest)})"


def _lines(units: Sequence[TranslatedUnit]) -> str:
    more = " …" if len(units) > _SHOWN else ""
    return f"lines {' '.join(str(each.line) for each in units[:_SHOWN])}{more}"


def _units(number: int) -> str:
    return f"{number:,} unit" if number == 1 else f"{number:,} units"
