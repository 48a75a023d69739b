"""Translate text with a trained model, one line in, one line out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rosewood.cli.corpora import LineCharacters, LineWords, Quiet
from rosewood.cli.decode_options import (
    OUTPUT,
    AlignmentFile,
    ConsensusName,
    ConsensusSettings,
    Distinct,
    Explain,
    ForestsFile,
    GlossaryFile,
    Inline,
    LeaveBadLine,
    ModelFolder,
    Nbest,
    OutputFile,
    Picture,
    Reference,
    limit,
    search_name,
)
from rosewood.cli.options import Config, Threads, cores

__all__ = ["PLUGIN"]

_OWN = "the model's"


def translate(
    model: ModelFolder,
    input: Annotated[
        Path,
        typer.Argument(
            metavar="INPUT",
            help="A text a line, as people write it, or words between spaces if the model was "
            "trained with --pretokenized; .gz .xz .zst too; - is standard input.",
        ),
    ] = Path("-"),
    output: OutputFile = Path("-"),
    alignment: AlignmentFile = None,
    forests: ForestsFile = None,
    picture: Picture = None,
    nbest: Nbest = None,
    distinct: Distinct = False,
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            rich_help_panel=OUTPUT,
            help="An object a line: translation, confidence, posterior, word_confidence, words, "
            "alignment, score, features, phrases, report, and as alternatives the --nbest (or 5) "
            "best that say different things.",
        ),
    ] = False,
    explain: Explain = False,
    glossary: GlossaryFile = None,
    inline: Inline = False,
    reference: Reference = None,
    consensus: ConsensusName = None,
    settings: ConsensusSettings = None,
    search: Annotated[str | None, search_name(_OWN)] = None,
    pop_limit: Annotated[str | None, limit("pop_limit", _OWN)] = None,
    stack_size: Annotated[str | None, limit("stack_size", _OWN)] = None,
    beam: Annotated[str | None, limit("beam", _OWN)] = None,
    distortion_limit: Annotated[str | None, limit("distortion_limit", _OWN)] = None,
    option_limit: Annotated[str | None, limit("option_limit", _OWN)] = None,
    max_phrase: Annotated[str | None, limit("max_phrase", _OWN)] = None,
    max_pops: Annotated[str | None, limit("max_pops", _OWN)] = None,
    time_limit: Annotated[str | None, limit("time_limit", _OWN)] = None,
    on_bad_line: LeaveBadLine = "stop",
    line_words: LineWords = 10_000,
    line_characters: LineCharacters = 100_000,
    threads: Threads = None,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Translate text with a model that rosewood train has made: a line in, a line out.

    rosewood translate model < input.de > output.en

    rosewood translate model input.de --json | jq -r '[.confidence, .translation] | @tsv'
    """
    from rosewood.cli.decode_consensus import Consensus
    from rosewood.cli.decode_output import Wanted
    from rosewood.cli.decoding import Reading, open_translator, translate_all, typed_limits

    limits = typed_limits(
        search=search,
        pop_limit=pop_limit,
        stack_size=stack_size,
        beam=beam,
        distortion_limit=distortion_limit,
        option_limit=option_limit,
        max_phrase=max_phrase,
        max_pops=max_pops,
        time_limit=time_limit,
    )
    chosen = Consensus.parse(consensus, settings)
    reading = Reading(input, reference, line_words, line_characters, on_bad_line)
    translator = open_translator(model, glossary, inline, limits)
    wanted = Wanted(
        output,
        nbest=nbest,
        distinct=distinct,
        json=json,
        explain=explain,
        consensus=chosen,
        alignment=alignment,
        forests=forests,
        picture=picture,
        confidence=translator.bundle.confidence if json else None,
    )
    wanted.check([input, reference, glossary, config], model)
    translate_all(
        translator.text,
        reading,
        wanted,
        threads=cores(threads),
        quiet=quiet,
        unknown=translator.bundle.manifest["unknown"],
    )


PLUGIN = translate
