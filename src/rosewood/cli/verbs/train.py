"""Train a translation model from parallel text."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from rosewood.cli.common import warn
from rosewood.cli.corpora import (
    CorpusFormat,
    Languages,
    LineCharacters,
    LineWords,
    OnBadLine,
    Quiet,
)
from rosewood.cli.options import FILES, Config, Threads, cores, merged, named_values
from rosewood.cli.train_options import (
    CORPUS,
    CorpusFiles,
    Dev,
    DevCorpus,
    DevReferences,
    Monolingual,
    SourceFiles,
    TargetFiles,
    Test,
    TestCorpus,
    TestReferences,
    setting,
)
from rosewood.cli.working import MaxMemory
from rosewood.errors import TrainingError

__all__ = ["PLUGIN"]

_TEXT, _MODELS, _TUNING, _SEARCH = "Text", "Models", "Tuning", "Search"  # panels of --help


def train(
    *,
    source: SourceFiles = None,
    target: TargetFiles = None,
    corpus: CorpusFiles = None,
    languages: Languages = None,
    format: CorpusFormat = None,
    on_bad_line: OnBadLine = "stop",
    line_words: LineWords = 10_000,
    line_characters: LineCharacters = 100_000,
    dev: Dev = None,
    dev_corpus: DevCorpus = None,
    dev_reference: DevReferences = None,
    dev_size: Annotated[
        int | None,
        setting(
            CORPUS,
            "dev_size",
            "a tenth, up to 1000",
            "Pairs that are split off for tuning; 0 leaves weights as they are.",
            min=0,
        ),
    ] = None,
    test: Test = None,
    test_corpus: TestCorpus = None,
    test_reference: TestReferences = None,
    monolingual: Monolingual = None,
    pretokenized: Annotated[
        bool,
        typer.Option(
            "--pretokenized",
            rich_help_panel=_TEXT,
            help="All texts are words between spaces already, and stay as they are.",
        ),
    ] = False,
    tokeniser: Annotated[
        str | None,
        setting(_TEXT, "tokeniser", "unicode", "unicode, moses, char or none.", metavar="NAME"),
    ] = None,
    lowercase: Annotated[
        bool,
        typer.Option(
            "--lowercase",
            rich_help_panel=_TEXT,
            help="All in small letters, instead of the case that words have mostly.",
        ),
    ] = False,
    min_words: Annotated[
        int | None, setting(_TEXT, "min_words", "1", "Words of a training sentence.", min=0)
    ] = None,
    max_words: Annotated[
        str | None,
        setting(_TEXT, "max_words", "100", "Longer ones are left out.", metavar="N|none"),
    ] = None,
    max_ratio: Annotated[
        str | None,
        setting(
            _TEXT,
            "max_ratio",
            "9",
            "Pairs are left out of which one side has so many times more words.",
            metavar="N|none",
        ),
    ] = None,
    deduplicate: Annotated[
        bool,
        typer.Option(
            "--deduplicate",
            rich_help_panel=_TEXT,
            help="Train on each pair once, however often it is there.",
        ),
    ] = False,
    aligner: Annotated[
        str | None,
        setting(_MODELS, "aligner", "best", "model1, diag, hmm or best.", metavar="NAME"),
    ] = None,
    symmetrization: Annotated[
        str | None,
        setting(
            _MODELS,
            "symmetrization",
            "grow-diag-final-and",
            "How the alignments of both directions become one: intersection, union, grow-diag, "
            "grow-diag-final or grow-diag-final-and.",
            metavar="NAME",
        ),
    ] = None,
    lm_order: Annotated[
        int | None,
        setting(_MODELS, "lm_order", "5", "Words of the language model's longest n-grams.", min=1),
    ] = None,
    max_phrase: Annotated[
        int | None,
        setting(_MODELS, "max_phrase", "7", "Words of each side of a rule.", min=1, max=255),
    ] = None,
    smoothing: Annotated[
        str | None,
        setting(
            _MODELS,
            "smoothing",
            "kneser-ney",
            "Of the probabilities of rules: plain, good-turing or kneser-ney.",
            metavar="NAME",
        ),
    ] = None,
    significance: Annotated[
        str | None,
        setting(
            _MODELS,
            "significance",
            "none",
            "Leave out rules whose -log p by Fisher's exact test is less (Johnson et al. 2007).",
            metavar="a+e|a-e|N|none",
        ),
    ] = None,
    orientation: Annotated[
        str | None,
        setting(
            _MODELS,
            "orientation",
            "hierarchy",
            "How phrases follow each other: by word, phrase or hierarchy; or none.",
            metavar="KIND",
        ),
    ] = None,
    classes: Annotated[
        str | None,
        setting(
            _MODELS,
            "classes",
            "mslr",
            "Monotone, swap and discontinuous, or left and right instead of the last.",
            metavar="msd|mslr",
        ),
    ] = None,
    decoder: Annotated[
        str | None,
        setting(_MODELS, "decoder", "phrase", "Kind of decoder.", metavar="NAME"),
    ] = None,
    features: Annotated[
        list[str] | None,
        typer.Option(
            "--feature",
            metavar="MODULE:NAME",
            rich_help_panel=_MODELS,
            help="Add a feature written in Python, with settings as JSON in braces: "
            "package.module:Name{...}. Repeatable.",
        ),
    ] = None,
    tune: Annotated[
        str | None,
        setting(
            _TUNING,
            "tune",
            "mira",
            "Who finds the weights: mert, pro, mira, l1, minrisk (mr-da, likelihood), or none.",
            metavar="NAME",
        ),
    ] = None,
    set: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            callback=merged,
            rich_help_panel=_TUNING,
            help="A setting of the learner; rosewood tune --list-settings shows them.",
        ),
    ] = None,
    metric: Annotated[
        str | None,
        setting(
            _TUNING,
            "metric",
            "bleu:tokenize=none",
            "What weights are tuned for, on words: bleu, chrf, ter, …",
            metavar="NAME",
        ),
    ] = None,
    rounds: Annotated[
        int | None, setting(_TUNING, "rounds", "6", "Rounds of search and learning.", min=1)
    ] = None,
    nbest: Annotated[
        int | None,
        setting(_TUNING, "nbest", "100", "Translations of a sentence in each round.", min=2),
    ] = None,
    seed: Annotated[
        int | None, setting(_TUNING, "seed", "1", "Seed of all chance.", min=0, max=2**32 - 1)
    ] = None,
    pop_limit: Annotated[
        str | None,
        setting(
            _SEARCH,
            "pop_limit",
            "400",
            "Hypotheses made for each number of words.",
            metavar="N|none",
        ),
    ] = None,
    distortion_limit: Annotated[
        str | None,
        setting(
            _SEARCH,
            "distortion_limit",
            "auto",
            "Words that a jump skips; auto has nearly all jumps of the alignment within reach.",
            metavar="N|none|auto",
        ),
    ] = None,
    option_limit: Annotated[
        str | None,
        setting(_SEARCH, "option_limit", "50", "Translations of a span.", metavar="N|none"),
    ] = None,
    unknown: Annotated[
        str | None,
        setting(
            _SEARCH,
            "unknown",
            "guess",
            "What becomes of words that no rule translates: guess has them translated by their "
            "parts and by other forms of them, where that can be.",
            metavar="guess|copy|drop",
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="MODEL", rich_help_panel=FILES, help="The model: a folder."
        ),
    ],
    keep_corpus: Annotated[
        bool,
        typer.Option(
            "--keep-corpus/--no-keep-corpus",
            rich_help_panel=FILES,
            help="The model has the words of its corpus, to show where its rules came from.",
        ),
    ] = True,
    work: Annotated[
        Path | None,
        typer.Option(
            "--work",
            metavar="FOLDER",
            rich_help_panel=FILES,
            show_default="MODEL.work",
            help="Where finished stages stay: a command that was stopped goes on from there, and "
            "one with other settings redoes only what depends on them.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE.html",
            rich_help_panel=FILES,
            show_default="MODEL.html",
            help="A page about the corpus, the training and the model.",
        ),
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite",
            rich_help_panel=FILES,
            help="Replace a model that was not made from this work folder.",
        ),
    ] = False,
    threads: Threads = None,
    max_memory: MaxMemory = 2 << 30,
    json: Annotated[
        bool, typer.Option("--json", help="What was made and found, as one JSON object.")
    ] = False,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Train a model that translates: raw text in, a folder out, and a report beside it.

    rosewood train --source train.de --target train.en --dev dev.de dev.en -o model

    rosewood train --corpus memory.tmx -l de:en -o model
    """
    from rosewood import pipeline
    from rosewood.cli.training import settings_of, tell
    from rosewood.progress import progress_of_parts

    if str(output) == "-" or str(report) == "-":
        raise TrainingError("a model is a folder, and its report a page: they do not go to -")
    typed: dict[str, Any] = {
        "pretokenized": pretokenized or None,
        "tokeniser": tokeniser,
        "lowercase": lowercase or None,
        "min_words": min_words,
        "max_words": max_words,
        "max_ratio": max_ratio,
        "deduplicate": deduplicate or None,
        "dev_size": dev_size,
        "aligner": aligner,
        "symmetrization": symmetrization,
        "lm_order": lm_order,
        "max_phrase": max_phrase,
        "smoothing": smoothing,
        "significance": significance,
        "orientation": orientation,
        "classes": classes,
        "decoder": decoder,
        "features": features or None,
        "tune": tune,
        "set": named_values(set) or None,
        "metric": metric,
        "rounds": rounds,
        "nbest": nbest,
        "pop_limit": pop_limit,
        "distortion_limit": distortion_limit,
        "option_limit": option_limit,
        "unknown": unknown,
        "seed": seed,
        "keep_corpus": keep_corpus,
    }
    settings = settings_of(typed)
    inputs = pipeline.TrainingInputs(
        source or (),
        target or (),
        corpus=corpus or (),
        languages=languages,
        format=format,
        on_bad_line=on_bad_line,
        dev=dev,
        dev_corpus=dev_corpus,
        dev_reference=dev_reference or (),
        test=test,
        test_corpus=test_corpus,
        test_reference=test_reference or (),
        monolingual=monolingual or (),
        line_words=line_words,
        line_characters=line_characters,
    )
    try:
        with progress_of_parts(quiet=quiet) as told:
            made = pipeline.train(
                inputs,
                output,
                settings,
                work=work,
                report=report,
                overwrite=overwrite,
                threads=cores(threads),
                max_memory=max_memory,
                told=told,
                command=shlex.join(["rosewood", *sys.argv[1:]]),
            )
    except KeyboardInterrupt:
        place = work or output.with_name(f"{output.name}.work")
        warn(f"stages that are done are kept: the same command goes on from {place}")
        raise
    tell(made, as_json=json, quiet=quiet)


PLUGIN = train
