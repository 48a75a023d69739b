"""Translate with a rule table, language models and weights, one sentence per line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from rosewood.cli.common import Quiet, warn
from rosewood.cli.decode_options import LineOptions
from rosewood.cli.options import Config, Threads, cores
from rosewood.decode.settings import SearchSettings
from rosewood.errors import DecodingError
from rosewood.reorder.plugins import REORDERING
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName

__all__ = ["PLUGIN"]

_MODEL, _TEXT = "Model", "Raw text"


@dataclass(frozen=True)
class ModelOptions(Settings):
    """The parts of a model, from files."""

    error = DecodingError

    rules: PathName = setting(
        help="Rule table: a folder made by rosewood extract or rules import.",
        group=_MODEL,
        metavar="TABLE",
    )
    lm: tuple[str, ...] = setting(
        help="Language model (.rlm) or ARPA file; its feature is called NAME, or lm. Repeatable.",
        group=_MODEL,
        metavar="[NAME=]FILE",
    )
    weights: PathName | None = setting(
        None,
        'Weights as JSON, {"feature": weight, …}, from tune. Every dense feature needs one.',
        group=_MODEL,
        default_text="untuned ones",
    )
    reordering: str = setting(
        "lexicalized", "Reordering model.", choices=REORDERING.names, group=_MODEL
    )
    reorder_kind: str | None = setting(
        None,
        "Orientations of the reordering model: word, phrase or hierarchy; none disables it.",
        group=_MODEL,
        default_text="as the table was made",
        metavar="KIND",
    )
    unknown: str = setting(
        "copy",
        "Words without a rule are copied or dropped.",
        choices=("copy", "drop"),
        group=_MODEL,
    )
    rule_ids: bool = setting(False, "Add a sparse feature per rule: rule:ID.", group=_MODEL)
    target_words: bool = setting(
        False, "Add a sparse feature per target word: word:WORD.", group=_MODEL
    )
    text_source: PathName | None = setting(
        None,
        "The input is raw text: processor file saved by rosewood text. Tags are put back, "
        "placeholders kept.",
        group=_TEXT,
    )
    text_target: PathName | None = setting(
        None, "The output is raw text: processor file of the target language.", group=_TEXT
    )
    confidence: float | None = setting(
        None,
        "With --json: add confidence, where scores times SCALE are log probabilities, and "
        "alternatives with posteriors instead of hyps.",
        group="Output",
        metavar="SCALE",
    )


def decode(
    parts: ModelOptions,
    options: LineOptions,
    limits: SearchSettings,
    input: Annotated[
        Path,
        typer.Argument(
            metavar="INPUT",
            help="One sentence per line, words between spaces; .gz, .xz and .zst too; - is "
            "standard input.",
        ),
    ] = Path("-"),
    threads: Threads = None,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Translate with a rule table, language models and weights: one sentence per line.

    rosewood decode --rules rules --lm en.rlm --weights weights.json < test.de > test.en

    rosewood decode --rules rules --lm en.rlm dev.de --nbest 100 --distinct -o dev.nbest
    """
    from rosewood.cli.decoding import (
        LineReader,
        make_decoder,
        make_translator,
        open_models,
        translate_all,
    )
    from rosewood.model.confidence import Confidence

    if parts.confidence is not None and not options.json:
        raise DecodingError("--confidence needs --json", code="argument.missing", argument="--json")
    if options.nbest is not None and parts.rule_ids and not options.json:
        raise DecodingError(
            "names of rules contain |||, which separates the fields of --nbest: use --json",
            code="argument.conflict",
            argument="--nbest",
        )
    files = [parts.weights, parts.text_source, parts.text_target]
    options.check([input, options.reference, options.glossary, *files, config])
    workers = cores(threads)
    models = open_models(parts.lm, threads=workers, quiet=quiet)
    decoder = make_decoder(
        Path(parts.rules),
        models,
        None if parts.weights is None else Path(parts.weights),
        reordering=parts.reordering,
        reorder_kind=parts.reorder_kind,
        unknown=parts.unknown,
        rule_ids=parts.rule_ids,
        target_words=parts.target_words,
        settings=limits,
    )
    translator = make_translator(decoder, parts.text_source, parts.text_target, options)
    if parts.weights is None:
        warn("no --weights: using untuned weights, from which tuning can start")
    translate_all(
        translator,
        LineReader(input, options),
        options,
        None if parts.confidence is None else Confidence(parts.confidence),
        threads=workers,
        quiet=quiet,
        unknown=parts.unknown,
    )


PLUGIN = decode
