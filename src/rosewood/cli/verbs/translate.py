"""Translate text or documents with a trained model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rosewood.cli.common import ModelFolder
from rosewood.cli.options_from_settings import Typed
from rosewood.cli.run_options import ThreadedRun
from rosewood.decode.settings import LIMITS
from rosewood.documents.settings import DocumentSettings
from rosewood.pipeline.line_settings import LineSettings, MemorySettings


def translate(
    model: ModelFolder,
    options: LineSettings,
    memory: MemorySettings,
    documents: DocumentSettings,
    limits: Annotated[dict[str, Any], Typed(LIMITS, default_text="the model's")],
    run: ThreadedRun,
    input: Annotated[
        Path,
        typer.Argument(
            metavar="INPUT",
            help="A document (.po, .xlf, .tmx, .html, .md, .srt, …); or raw text, one per line, or "
            "words between spaces if the model was trained with --pretokenized; .gz, .xz and .zst "
            "too; - is standard input.",
        ),
    ] = Path("-"),
) -> None:
    """Translate text or documents with a model made by rosewood train.

    Text: one line in, one line out. Documents keep their structure, and say what is machine
    translation, with its confidence.

    rosewood translate model < input.de > output.en

    rosewood translate model todo.po -o done.po

    rosewood translate model input.de --json | jq -r '[.confidence, .translation] | @tsv'
    """
    from rosewood.cli.decoding import LineReader, check_options, open_translator, translate_all
    from rosewood.cli.documents import is_document, translate_file

    check_options(options, [input, run.config, *memory.memory_file], model)
    is_file = is_document(input, options, documents)
    translator = open_translator(model, options, memory, limits)
    if is_file:
        translate_file(translator, input, options, documents, run)
        return
    translate_all(
        translator.text,
        LineReader(input, options),
        options,
        translator.bundle.confidence if options.json else None,
        threads=run.cores,
        quiet=run.quiet,
        unknown=translator.bundle.manifest["unknown"],
    )


PLUGIN = translate
