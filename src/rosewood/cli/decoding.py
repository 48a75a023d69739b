"""What `decode` and `translate` share: lines read, translated and written, a summary at the end."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosewood.cli.common import conflict, name_of, needs, warn
from rosewood.cli.options import check_ending, check_files
from rosewood.errors import DecodingError, FormatError, RosewoodError

if TYPE_CHECKING:
    from rosewood.decode import TextTranslator
    from rosewood.decode.stream import InputLine
    from rosewood.model.confidence import Confidence
    from rosewood.pipeline import Translator
    from rosewood.pipeline.line_settings import KnownText, LineSettings, MemorySettings
    from rosewood.pipeline.line_writer import LineTally
    from rosewood.shared_types import PathName


def check_options(
    options: LineSettings, inputs: Sequence[PathName | None], model: Path | None = None
) -> None:
    """Before any work: options that exclude each other, files that cannot be written."""
    if options.distinct and options.nbest is None:
        raise needs(DecodingError, "--distinct", "--nbest")
    if options.set and options.consensus is None:
        raise needs(DecodingError, f"--set {next(iter(options.set))}", "--consensus")
    if options.nbest is not None and options.consensus is not None:
        raise conflict(DecodingError, "--consensus", "--nbest", "it lists translations by score")
    for option in ("compress_forests", "append_forests"):
        if getattr(options, option) and options.forests is None:
            raise needs(DecodingError, "--" + option.replace("_", "-"), "--forests")
    check_ending("--forests", options.forests, ".rwf")
    check_ending("--picture", options.picture, ".svg", ".html")
    if sum(str(path) == "-" for path in options.outputs.values()) > 1:
        reason = "only one output can be standard output (-)"
        raise DecodingError(reason, code="argument.conflict", value="-")
    check_files(options.outputs, [*inputs, options.reference, options.glossary], model)


def open_translator(
    model: Path, known: KnownText, memory: MemorySettings, limits: dict[str, Any]
) -> Translator:
    """The model of a folder, with known translations, memories and limits that differ."""
    from rosewood.model import Bundle
    from rosewood.pipeline import Translator
    from rosewood.pipeline.decoder_parts import read_glossary

    bundle = Bundle.open(model)
    for note in bundle.notes():
        warn(note)
    terms = read_glossary(known.glossary, bundle.source_text, bundle.target_text)
    return Translator(
        bundle, glossary=terms, inline=known.inline, casing=known.casing,
        localise_numbers=known.localise_numbers, **memory.to_dict(), **limits,
    )  # fmt: skip


class LineReader:
    """The lines of an input, with their references."""

    def __init__(self, input: Path, options: LineSettings) -> None:
        self.input, self._options = input, options
        self.reference = None if options.reference is None else Path(options.reference)

    @property
    def is_awaited(self) -> bool:
        """Whether a person or a program may be waiting for each answer."""
        if str(self.input) != "-":
            return False
        try:
            return not stat.S_ISREG(os.fstat(sys.stdin.fileno()).st_mode)
        except (OSError, ValueError):  # it is not a file
            return False

    def lines(self) -> Iterator[InputLine]:
        """The lines with their references; malformed ones with their error, unless they stop."""
        from rosewood.decode.stream import InputLine

        stops = self._options.on_bad_line == "stop"
        bad: dict[int, RosewoodError] | None = None if stops else {}
        name = name_of(self.input)
        references = None if self.reference is None else self._lines(self.reference, None)
        for number, text in self._lines(self.input, bad):
            reference: str | None = None
            if references is not None:
                reference = next(references, (0, None))[1]
                if reference is None:
                    reason = f"it has {number - 1:,} lines, but {name} has more"
                    raise FormatError(reason, code="file.mismatch", file=self.reference)
            yield InputLine(text, reference, number, (bad or {}).pop(number, None))
        if references is not None and next(references, None) is not None:
            reason = f"it has more lines than {name}"
            raise FormatError(reason, code="file.mismatch", file=self.reference)

    def _lines(self, file: Path, bad: dict[int, RosewoodError] | None) -> Iterator[tuple[int, str]]:
        from rosewood.corpus.inputs import checked_lines

        limits = self._options.line_characters, self._options.line_words
        return checked_lines(file, name_of(file), *limits, bad)


def run(
    translator: TextTranslator,
    reading: LineReader,
    options: LineSettings,
    confidence: Confidence | None,
    *,
    threads: int,
    step: Callable[[], object],
) -> LineTally:
    """Translate all lines and write what is wanted; files appear when all is done."""
    from rosewood.decode.glossary_use import GlossaryUse
    from rosewood.pipeline.line_writer import LineTally, LineWriter

    keeps = options.on_bad_line != "stop"
    terms = None if translator.glossary is None else GlossaryUse(translator.glossary)
    tally = LineTally(
        blanks=options.on_bad_line == "blank",
        glossary=terms,
        has_memory=translator.memory is not None and options.reference is None,
    )
    with ExitStack() as stack:
        write = LineWriter(translator, options, confidence, stack)
        begin = time.monotonic()
        for line in translator.stream(
            reading.lines(),
            threads=threads,
            forests=write.needs_forest,
            errors="keep" if keeps else "raise",
            file=name_of(reading.input),
            live=reading.is_awaited,
        ):
            is_skipped = line.error is not None and not tally.blanks
            tally.count(line, None if is_skipped else write(line))
            step()
            if line.is_pause:
                sys.stdout.flush()
        tally.seconds = time.monotonic() - begin
    return tally


def translate_all(
    translator: TextTranslator,
    reading: LineReader,
    options: LineSettings,
    confidence: Confidence | None,
    *,
    threads: int,
    quiet: bool,
    unknown: str,
) -> None:
    """Translate all lines, show progress, and report at the end what must be known."""
    from rosewood.progress import progress

    with progress("decoding, sentences", quiet=quiet) as step:
        tally = run(translator, reading, options, confidence, threads=threads, step=step)
    for line in (*(() if quiet else tally.summary(unknown)), *tally.warnings()):
        warn(line)
