"""Translate with a rule table, language models and weights, one sentence per line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rosewood.cli.common import warn
from rosewood.cli.corpora import LineCharacters, LineWords, Quiet
from rosewood.cli.decode_options import (
    OUTPUT,
    TEXT,
    AlignmentFile,
    ConsensusName,
    ConsensusSettings,
    Distinct,
    Explain,
    ForestsFile,
    GlossaryFile,
    Inline,
    LeaveBadLine,
    Nbest,
    OutputFile,
    Picture,
    Reference,
    limit,
    search_name,
)
from rosewood.cli.options import Config, Threads, cores
from rosewood.errors import DecodingError

__all__ = ["PLUGIN"]

_MODEL = "Model"  # a panel of --help


def decode(
    rules: Annotated[
        Path,
        typer.Option(
            "--rules",
            metavar="TABLE",
            rich_help_panel=_MODEL,
            help="The folder of a table of rules: from rosewood extract or rules import.",
        ),
    ],
    lm: Annotated[
        list[str],
        typer.Option(
            "--lm",
            metavar="[NAME=]FILE",
            rich_help_panel=_MODEL,
            help="A language model (.rlm) or an ARPA file; its feature is called NAME, or lm. "
            "Repeatable.",
        ),
    ],
    input: Annotated[
        Path,
        typer.Argument(
            metavar="INPUT",
            help="A sentence a line, words between spaces, .gz .xz .zst too; - is standard input.",
        ),
    ] = Path("-"),
    weights: Annotated[
        Path | None,
        typer.Option(
            "--weights",
            metavar="FILE",
            rich_help_panel=_MODEL,
            show_default="untuned ones",
            help='JSON {"feature": weight, …}: from tune. Every dense feature must have one.',
        ),
    ] = None,
    reorder_kind: Annotated[
        str | None,
        typer.Option(
            "--reorder-kind",
            metavar="KIND",
            show_default="as the table was made",
            rich_help_panel=_MODEL,
            help="What orientations are towards: word, phrase or hierarchy; none leaves them out.",
        ),
    ] = None,
    unknown: Annotated[
        str,
        typer.Option(
            "--unknown",
            metavar="copy|drop",
            rich_help_panel=_MODEL,
            help="What becomes of words that no rule translates.",
        ),
    ] = "copy",
    rule_ids: Annotated[
        bool,
        typer.Option(
            "--rule-ids", rich_help_panel=_MODEL, help="Every rule is a sparse feature, rule:…."
        ),
    ] = False,
    target_words: Annotated[
        bool,
        typer.Option(
            "--target-words",
            rich_help_panel=_MODEL,
            help="Every target word is a sparse feature, word:….",
        ),
    ] = False,
    search: Annotated[str | None, search_name()] = None,
    pop_limit: Annotated[str | None, limit("pop_limit")] = None,
    stack_size: Annotated[str | None, limit("stack_size")] = None,
    beam: Annotated[str | None, limit("beam")] = None,
    distortion_limit: Annotated[str | None, limit("distortion_limit")] = None,
    option_limit: Annotated[str | None, limit("option_limit")] = None,
    max_phrase: Annotated[str | None, limit("max_phrase")] = None,
    max_pops: Annotated[str | None, limit("max_pops")] = None,
    time_limit: Annotated[str | None, limit("time_limit")] = None,
    glossary: GlossaryFile = None,
    inline: Inline = False,
    reference: Reference = None,
    text_source: Annotated[
        Path | None,
        typer.Option(
            "--text-source",
            metavar="FILE",
            rich_help_panel=TEXT,
            help="The input is raw text: a processor that rosewood text saved. Tags are put back, "
            "placeholders kept.",
        ),
    ] = None,
    text_target: Annotated[
        Path | None,
        typer.Option(
            "--text-target",
            metavar="FILE",
            rich_help_panel=TEXT,
            help="The output is raw text: the processor of the target language. It goes with "
            "--text-source.",
        ),
    ] = None,
    consensus: ConsensusName = None,
    settings: ConsensusSettings = None,
    output: OutputFile = Path("-"),
    alignment: AlignmentFile = None,
    forests: ForestsFile = None,
    nbest: Nbest = None,
    distinct: Distinct = False,
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            rich_help_panel=OUTPUT,
            help="An object a line: translation, words, alignment, score, features, phrases, "
            "report; with --nbest also hyps, as tune reads them.",
        ),
    ] = False,
    confidence: Annotated[
        float | None,
        typer.Option(
            "--confidence",
            metavar="SCALE",
            rich_help_panel=OUTPUT,
            help="With --json: how sure it is, where scores times SCALE are log probabilities and "
            "a word that no rule translates has even odds at best; and alternatives with their "
            "posteriors instead of hyps.",
        ),
    ] = None,
    explain: Explain = False,
    picture: Picture = None,
    on_bad_line: LeaveBadLine = "stop",
    line_words: LineWords = 10_000,
    line_characters: LineCharacters = 100_000,
    threads: Threads = None,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Translate with a table of rules, language models and weights: a sentence a line.

    rosewood decode --rules rules --lm en.rlm --weights weights.json < test.de > test.en

    rosewood decode --rules rules --lm en.rlm dev.de --nbest 100 --distinct -o dev.nbest
    """
    from rosewood.cli.decode_consensus import Consensus
    from rosewood.cli.decode_output import Wanted
    from rosewood.cli.decoding import (
        Reading,
        make_decoder,
        make_translator,
        open_models,
        search_settings,
        translate_all,
    )
    from rosewood.model.confidence import Confidence

    if confidence is not None and not json:
        raise DecodingError("--confidence is for --json")
    if nbest is not None and rule_ids and not json:
        raise DecodingError(
            "names of rules have ||| in them, which parts the lines of --nbest: use --json"
        )
    wanted = Wanted(
        output,
        nbest,
        distinct,
        json,
        explain,
        Consensus.parse(consensus, settings),
        alignment,
        forests,
        picture,
        None if confidence is None else Confidence(confidence),
    )
    wanted.check([input, reference, weights, glossary, text_source, text_target, config])
    reading = Reading(input, reference, line_words, line_characters, on_bad_line)
    limits = search_settings(
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
    workers = cores(threads)
    models = open_models(lm, threads=workers, quiet=quiet)
    decoder = make_decoder(
        rules,
        models,
        weights,
        reorder_kind=reorder_kind,
        unknown=unknown,
        rule_ids=rule_ids,
        target_words=target_words,
        settings=limits,
    )
    translator = make_translator(decoder, text_source, text_target, glossary, inline)
    if weights is None:
        warn("there are no --weights: untuned ones are used, with which tuning may begin")
    translate_all(translator, reading, wanted, threads=workers, quiet=quiet, unknown=unknown)


PLUGIN = decode
