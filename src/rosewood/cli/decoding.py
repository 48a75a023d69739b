"""What `decode` and `translate` do: models opened, lines read and translated, a summary told."""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosewood.arguments import check_choice
from rosewood.cli.common import name_of, source_of, warn
from rosewood.cli.corpora import checked_lines
from rosewood.cli.lm_reading import opened
from rosewood.errors import DecodingError, FormatError, RosewoodError

if TYPE_CHECKING:
    from rosewood.cli.decode_options import KnownText, LineOptions
    from rosewood.corpus import TextProcessor
    from rosewood.decode import (
        Decoder,
        Glossary,
        SearchSettings,
        TextTranslator,
        TranslatedText,
    )
    from rosewood.decode.stream import InputLine, TranslatedLine
    from rosewood.lm import Mixture, Model
    from rosewood.model.confidence import Confidence
    from rosewood.pipeline import Translator
    from rosewood.shared_types import PathName

__all__ = [
    "LineReader",
    "Results",
    "make_decoder",
    "make_translator",
    "open_models",
    "open_translator",
    "run",
    "translate_all",
]

_DONE = {"copy": "copied", "drop": "dropped", "guess": "guessed by others or copied"}
_TOLD = 10  # numbers of lines that are told
_LM = re.compile(r"[\w.-]+")  # what its feature may be called


def open_models(texts: Sequence[str], *, threads: int, quiet: bool) -> dict[str, Model | Mixture]:
    """The language models of [NAME=]FILE; the decoder says which it can use."""
    named: dict[str, Path] = {}
    for text in texts:
        name, equals, file = text.partition("=")
        if not equals or Path(text).exists():
            name, file = "lm", text
        if not _LM.fullmatch(name):
            raise DecodingError(
                f"--lm {text}: the name {name!r} has characters other than letters, digits, . _ -",
                code="argument.value", argument="--lm", value=name,
            )  # fmt: skip
        if name in named:
            raise DecodingError(
                f"--lm {text}: two language models are called {name!r}: give them names, as in "
                "--lm news=news.rlm",
                code="argument.duplicate", argument="--lm", value=name,
            )  # fmt: skip
        named[name] = Path(file)
    return {name: opened(file, threads=threads, quiet=quiet) for name, file in named.items()}


def make_decoder(
    rules: Path,
    language_models: dict[str, Model | Mixture],
    weights: Path | None,
    *,
    reordering: str,
    reorder_kind: str | None,
    unknown: str,
    rule_ids: bool,
    target_words: bool,
    settings: SearchSettings,
) -> Decoder:
    """The decoder that the options ask for."""
    from rosewood.corpus.lines import at
    from rosewood.decode import PhraseDecoder, RuleIds, TargetWords
    from rosewood.model import read_weights
    from rosewood.reorder import Lexicalized
    from rosewood.rules import RuleTable
    from rosewood.rules.settings import KINDS

    table = RuleTable.open(rules)
    reorder: Any = None if reordering == "lexicalized" else (reordering,)
    if reorder_kind == "none":
        reorder = ()
    elif reorder_kind is not None:
        check_choice("--reorder-kind", reorder_kind, (*KINDS, "none"), error=DecodingError)
        reorder = Lexicalized.of(table, kind=reorder_kind)  # type: ignore[arg-type]
        if reorder is None:
            raise DecodingError(
                f"--reorder-kind {reorder_kind}: {rules} has no orientations: make it with "
                "rosewood extract",
                code="file.mismatch", argument="--reorder-kind", value=reorder_kind, file=rules,
            )  # fmt: skip
    decoder = PhraseDecoder(
        table,
        language_models,  # type: ignore[arg-type]  # a mixture is refused, with a reason
        reorder=reorder,
        features=[*([RuleIds()] if rule_ids else ()), *([TargetWords()] if target_words else ())],
        settings=settings,
        unknown=unknown,  # type: ignore[arg-type]
    )
    if weights is None:
        return decoder
    named = read_weights(weights)
    with at(str(weights), None):
        _check_sparse(named, {"rule": rule_ids, "word": target_words})
        return decoder.with_weights(named)


def _check_sparse(weights: dict[str, float], is_used: dict[str, bool]) -> None:
    """Weights that nothing would be multiplied with are not passed over."""
    options = {"rule": "--rule-ids", "word": "--target-words"}
    for name in weights:
        template, colon, _ = name.partition(":")
        if colon and not is_used.get(template, False):
            hint = f" without {options[template]}" if template in options else ""
            raise DecodingError(
                f"there is a weight for {name!r}, but no such feature{hint}",
                code="weights.unknown", argument="weights", value=name,
            )  # fmt: skip


def make_translator(
    decoder: Decoder,
    text_source: PathName | None,
    text_target: PathName | None,
    known: KnownText,
) -> TextTranslator:
    """The decoder with what is known of its texts."""
    from rosewood.corpus import TextProcessor
    from rosewood.decode import TextTranslator

    if (text_source is None) != (text_target is None):
        missing = "--text-source" if text_source is None else "--text-target"
        raise DecodingError(
            "raw text needs both --text-source and --text-target",
            code="argument.missing", argument=missing,
        )  # fmt: skip
    source = None if text_source is None else TextProcessor.load(text_source)
    target = None if text_target is None else TextProcessor.load(text_target)
    terms = _read_glossary(known.glossary, source, target)
    return TextTranslator(decoder, source, target, glossary=terms, inline=known.inline)


def open_translator(model: Path, known: KnownText, limits: dict[str, Any]) -> Translator:
    """The model of a folder, with what is known of its texts and limits that differ."""
    from rosewood.model import Bundle
    from rosewood.pipeline import Translator

    bundle = Bundle.open(model)
    for note in bundle.notes():
        warn(note)
    terms = _read_glossary(known.glossary, bundle.source_text, bundle.target_text)
    return Translator(bundle, glossary=terms, inline=known.inline, **limits)


def _read_glossary(
    given: PathName | None, source: TextProcessor | None, target: TextProcessor | None
) -> Glossary | None:
    from rosewood.decode import Glossary

    if given is None:
        return None
    file = Path(given)
    return Glossary.read(
        source_of(file), source_text=source, target_text=target, file=name_of(file)
    )


class LineReader:
    """The lines of an input, with their references."""

    def __init__(self, input: Path, options: LineOptions) -> None:
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
                    raise FormatError(
                        f"it has {number - 1:,} lines, but {name} has more",
                        file=self.reference,
                        code="file.mismatch",
                    )
            yield InputLine(text, reference, number, (bad or {}).pop(number, None))
        if references is not None and next(references, None) is not None:
            raise FormatError(
                f"it has more lines than {name}", file=self.reference, code="file.mismatch"
            )

    def _lines(self, file: Path, bad: dict[int, RosewoodError] | None) -> Iterator[tuple[int, str]]:
        limits = self._options.line_characters, self._options.line_words
        return checked_lines(file, name_of(file), *limits, bad)


@dataclass
class Results:
    """What is to be told at the end."""

    blanks: bool = True  # bad lines have an empty line in the output
    sentences: int = 0
    words: int = 0
    unknown: int = 0
    seconds: float = 0.0
    narrowed: list[int] = field(default_factory=list)  # numbers of lines
    timed_out: list[int] = field(default_factory=list)
    unreachable: list[int] = field(default_factory=list)
    bad: list[tuple[int, str]] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)
    added: list[int] = field(default_factory=list)

    def count(self, job: TranslatedLine, said: TranslatedText | None) -> None:
        """One more sentence, and what was chosen for it."""
        from rosewood.cli.decode_output import reason_of

        self.sentences += 1
        if job.error is not None:
            self.bad.append((job.number, reason_of(job.error)))
        if said is None or job.error is not None:
            return
        report = said.translation.report
        self.words += len(job.prepared.source.words)
        self.unknown += sum(use.is_unknown for use in said.translation.rules)
        for numbers, is_so in (
            (self.narrowed, report.narrowed),
            (self.timed_out, report.timed_out),
            (self.unreachable, not report.reachable),
            (self.lost, said.lost),
            (self.added, said.added),
        ):
            if is_so:
                numbers.append(job.number)

    def tell_sums(self, unknown: str) -> None:
        """How much there was, and how long it took."""
        rate = self.words / self.seconds if self.seconds else 0.0
        warn(
            f"{_count(self.sentences, 'sentence')}, {_count(self.words, 'word')} in "
            f"{self.seconds:.1f} s: {rate:,.0f} words a second"
        )
        if self.unknown:
            done = _DONE[unknown]
            warn(f"{_count(self.unknown, 'word')} that no rule translates, {done}")

    def tell_doubts(self) -> None:
        """Which translations are not what one would think: that must be known always."""
        for numbers, told in (
            (self.narrowed, "searched less thoroughly, for --max-pops"),
            (self.timed_out, "ended by --time-limit, another run may find something else"),
            (self.unreachable, "references that cannot be reached, left blank"),
            (
                [number for number, _ in self.bad],
                f"malformed lines, {'left blank' if self.blanks else 'skipped'}",
            ),
            (self.lost, "lack placeholders that their source has"),
            (self.added, "have placeholders that their source has not"),
        ):
            if numbers:
                more = " …" if len(numbers) > _TOLD else ""
                listed = " ".join(f"{number}" for number in numbers[:_TOLD])
                warn(f"{told}: {len(numbers):,} (lines {listed}{more})")
        if self.bad:
            warn(f"the first malformed line, {self.bad[0][0]}: {self.bad[0][1]}")


def run(
    translator: TextTranslator,
    reading: LineReader,
    options: LineOptions,
    confidence: Confidence | None,
    *,
    threads: int,
    step: Callable[[], object],
) -> Results:
    """Translate all lines and write what is wanted; files appear when all is done."""
    from rosewood.cli.decode_output import Writer

    keeps = options.on_bad_line != "stop"
    results = Results(blanks=options.on_bad_line == "blank")
    with ExitStack() as stack:
        write = Writer(translator, options, confidence, stack)
        begin = time.monotonic()
        for line in translator.stream(
            reading.lines(),
            threads=threads,
            forests=write.needs_forest,
            errors="keep" if keeps else "raise",
            file=name_of(reading.input),
            live=reading.is_awaited,
        ):
            is_skipped = line.error is not None and not results.blanks
            results.count(line, None if is_skipped else write(line))
            step()
            if line.is_pause:
                sys.stdout.flush()
        results.seconds = time.monotonic() - begin
    return results


def translate_all(
    translator: TextTranslator,
    reading: LineReader,
    options: LineOptions,
    confidence: Confidence | None,
    *,
    threads: int,
    quiet: bool,
    unknown: str,
) -> None:
    """Translate all lines, show progress, and report at the end what must be known."""
    from rosewood.progress import progress

    with progress("decoding, sentences", quiet=quiet) as step:
        results = run(translator, reading, options, confidence, threads=threads, step=step)
    if not quiet:
        results.tell_sums(unknown)
    results.tell_doubts()


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
