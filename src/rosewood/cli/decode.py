"""`rosewood decode`: sentences in, translations out, with everything a search knows of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rosewood.cli.common import warn
from rosewood.cli.corpora import LineCharacters, LineWords, Quiet
from rosewood.cli.options import FILES, Config, Threads, check_files, cores, merged
from rosewood.errors import DecodingError, FormatError

__all__ = ["decode"]

_MODEL, _SEARCH, _TEXT = "Model", "Search", "What is known of the text"  # panels of --help
_CHOICE, _OUTPUT = "Consensus", "What is written"


def _limit(option: str, default: str, what: str) -> Any:
    """An option of the search: a number, or `none`."""
    return typer.Option(
        option, metavar="N|none", show_default=default, rich_help_panel=_SEARCH, help=what
    )


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
    search: Annotated[
        str | None,
        typer.Option(
            "--search",
            metavar="cube|full",
            show_default="cube",
            rich_help_panel=_SEARCH,
            help="cube looks at the hypotheses that promise most, full at all.",
        ),
    ] = None,
    pop_limit: Annotated[
        str | None, _limit("--pop-limit", "400", "Hypotheses made for each number of words.")
    ] = None,
    stack_size: Annotated[
        str | None, _limit("--stack-size", "200", "Hypotheses kept for each number of words.")
    ] = None,
    beam: Annotated[
        str | None,
        _limit("--beam", "none", "Hypotheses worse than the best by more are not kept."),
    ] = None,
    distortion_limit: Annotated[
        str | None, _limit("--distortion-limit", "6", "Words that a jump skips.")
    ] = None,
    option_limit: Annotated[
        str | None, _limit("--option-limit", "20", "Translations of a span.")
    ] = None,
    max_phrase: Annotated[
        str | None, _limit("--max-phrase", "none", "Source words of a phrase.")
    ] = None,
    max_pops: Annotated[
        str | None,
        _limit(
            "--max-pops",
            "none",
            "Hypotheses of a whole sentence: a long one is searched less thoroughly, and told of.",
        ),
    ] = None,
    time_limit: Annotated[
        str | None,
        _limit(
            "--time-limit",
            "none",
            "Seconds for a sentence. Results then depend on the machine; which do is told.",
        ),
    ] = None,
    glossary: Annotated[
        Path | None,
        typer.Option(
            "--glossary",
            metavar="FILE",
            rich_help_panel=_TEXT,
            help="Lines of source phrase, tab, target phrase: what words must become. Lines of one "
            "source are alternatives; with a third column, soft, they are added to the table's.",
        ),
    ] = None,
    inline: Annotated[
        bool,
        typer.Option(
            "--inline",
            rich_help_panel=_TEXT,
            help='The input itself says what words must become: <x translation="the house||the '
            'home">das haus</x>; '
            "< > & of the text are written &lt; &gt; &amp;.",
        ),
    ] = False,
    reference: Annotated[
        Path | None,
        typer.Option(
            "--reference",
            metavar="FILE",
            rich_help_panel=_TEXT,
            help="Search only for what says just this, a line for each of the input.",
        ),
    ] = None,
    text_source: Annotated[
        Path | None,
        typer.Option(
            "--text-source",
            metavar="FILE",
            rich_help_panel=_TEXT,
            help="The input is raw text: a processor that rosewood text saved. Tags are put back, "
            "placeholders kept.",
        ),
    ] = None,
    text_target: Annotated[
        Path | None,
        typer.Option(
            "--text-target",
            metavar="FILE",
            rich_help_panel=_TEXT,
            help="The output is raw text: the processor of the target language. It goes with "
            "--text-source.",
        ),
    ] = None,
    consensus: Annotated[
        str | None,
        typer.Option(
            "--consensus",
            metavar="NAME",
            rich_help_panel=_CHOICE,
            help="Choose by agreement with all translations instead of by score: mbr (over the k "
            "best), forest-mbr (linear BLEU over all) or variational (an n-gram model of all).",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            callback=merged,
            rich_help_panel=_CHOICE,
            help="Settings of --consensus: scale and margin; of mbr k and metric; of forest-mbr "
            "order, precision, ratio and posterior (exact or expected); of variational order or "
            "mixture (1:0.5,2:0.5: orders and their weights), and viterbi.",
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            rich_help_panel=FILES,
            help="Where translations go, compressed as the ending says; - is standard output.",
        ),
    ] = Path("-"),
    alignment: Annotated[
        Path | None,
        typer.Option(
            "--alignment",
            metavar="FILE",
            rich_help_panel=FILES,
            help="Which word became which, a line of i-j for each sentence.",
        ),
    ] = None,
    forests: Annotated[
        Path | None,
        typer.Option(
            "--forests",
            metavar="FILE.rwf",
            rich_help_panel=FILES,
            help="All that the search found, for rosewood forest and for learners.",
        ),
    ] = None,
    nbest: Annotated[
        int | None,
        typer.Option(
            "--nbest",
            min=1,
            metavar="N",
            rich_help_panel=_OUTPUT,
            help="The N best, a line each: number ||| words ||| name=value … ||| score; what tune "
            "reads. ||| among words becomes &#124;&#124;&#124;.",
        ),
    ] = None,
    distinct: Annotated[
        bool,
        typer.Option(
            "--distinct", rich_help_panel=_OUTPUT, help="With --nbest: no two say the same."
        ),
    ] = False,
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            rich_help_panel=_OUTPUT,
            help="An object a line: translation, score, features, phrases, links, report; with "
            "--nbest also hyps, as tune reads them.",
        ),
    ] = False,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            rich_help_panel=_OUTPUT,
            help="What each feature says of each phrase: a table on standard error, or in --json.",
        ),
    ] = False,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--picture",
            metavar="FILE",
            rich_help_panel=FILES,
            help="Pictures of the phrases, and in a page what each feature says of them: .svg for "
            "one sentence, or .html for many.",
        ),
    ] = None,
    on_bad_line: Annotated[
        str,
        typer.Option(
            "--on-bad-line",
            metavar="stop|skip",
            help="Stop at a line that cannot be read, or leave it blank and tell of it.",
        ),
    ] = "stop",
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
        run,
        search_settings,
    )
    from rosewood.progress import progress

    chosen = Consensus.parse(consensus, settings)
    _check(nbest, distinct, json, rule_ids, consensus)
    _check_files(forests, picture)
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
    files = [input, reference, weights, glossary, text_source, text_target, config]
    outputs = {"-o": output, "--alignment": alignment, "--forests": forests, "--picture": picture}
    if sum(str(path) == "-" for path in outputs.values()) > 1:
        raise DecodingError("standard output (-) can be written only once")
    check_files(outputs, files)
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
    wanted = Wanted(output, nbest, distinct, json, explain, chosen, alignment, forests, picture)
    if weights is None:
        warn("there are no --weights: untuned ones are used, with which tuning may begin")
    with progress("decoding, sentences", quiet=quiet) as step:
        results = run(translator, reading, wanted, threads=workers, step=step)
    if not quiet:
        results.tell_sums(unknown)
    results.tell_doubts()


def _check(
    nbest: int | None,
    distinct: bool,
    as_json: bool,
    rule_ids: bool,
    consensus: str | None,
) -> None:
    """Options that do not go together."""
    if distinct and nbest is None:
        raise DecodingError("--distinct is for --nbest")
    if nbest is not None and consensus is not None:
        raise DecodingError("--nbest goes by score, --consensus does not: want one of them")
    if nbest is not None and rule_ids and not as_json:
        raise DecodingError(
            "names of rules have ||| in them, which parts the lines of --nbest: use --json"
        )


def _check_files(forests: Path | None, picture: Path | None) -> None:
    if forests is not None and forests.suffix != ".rwf":
        raise FormatError("--forests: a set of forests ends with .rwf", file=forests)
    if picture is not None and picture.suffix.lower() not in (".svg", ".html"):
        raise FormatError("--picture: it ends with .svg or .html", file=picture)
