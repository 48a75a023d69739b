"""Translate with a rule table, language models and weights, one sentence per line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rosewood.cli.common import needs, warn
from rosewood.cli.options_from_settings import Typed
from rosewood.cli.run_options import ThreadedRun
from rosewood.decode.settings import LIMITS
from rosewood.errors import DecodingError
from rosewood.pipeline.decoder_parts import DecoderParts
from rosewood.pipeline.line_settings import LineSettings


def decode(
    parts: DecoderParts,
    options: LineSettings,
    limits: Annotated[dict[str, Any], Typed(LIMITS)],
    run: ThreadedRun,
    input: Annotated[
        Path,
        typer.Argument(
            metavar="INPUT",
            help="One sentence per line, words between spaces; .gz, .xz and .zst too; - is "
            "standard input.",
        ),
    ] = Path("-"),
) -> None:
    """Translate with a rule table, language models and weights: one sentence per line.

    rosewood decode --rules rules --lm en.rlm --weights weights.json < test.de > test.en

    rosewood decode --rules rules --lm en.rlm dev.de --nbest 100 --distinct -o dev.nbest

    rosewood decode --grammar grammar --lm en.rlm --weights weights.json < test.zh > test.en
    """
    from rosewood.cli.decoding import LineReader, check_options, translate_all
    from rosewood.cli.lm_reading import opened
    from rosewood.model.confidence import Confidence
    from rosewood.rules import RuleTable

    if parts.confidence is not None and not options.json:
        raise needs(DecodingError, "--confidence", "--json")
    if options.nbest is not None and parts.rule_ids and not options.json:
        reason = "names of rules contain |||, which separates the fields of --nbest: use --json"
        raise DecodingError(reason, code="argument.conflict", argument="--nbest")
    check_options(options, [input, *parts.files, run.config])
    models = parts.open_models(lambda file: opened(file, threads=run.cores, quiet=run.quiet))
    translator = parts.translator(models, options, limits)
    if parts.rules is not None and RuleTable.open(parts.rules).is_grammar:
        warn("--rules: rules with gaps are left out; --grammar uses them")
    if parts.weights is None:
        warn("no --weights: using untuned weights, from which tuning can start")
    translate_all(
        translator,
        LineReader(input, options),
        options,
        None if parts.confidence is None else Confidence(parts.confidence),
        threads=run.cores,
        quiet=run.quiet,
        unknown=parts.unknown,
    )


PLUGIN = decode
