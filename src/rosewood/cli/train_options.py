"""Options of `rosewood train`: files of corpora, and how a setting becomes an option."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = [
    "CORPUS",
    "CorpusFiles",
    "Dev",
    "DevCorpus",
    "DevReferences",
    "Monolingual",
    "SourceFiles",
    "TargetFiles",
    "Test",
    "TestCorpus",
    "TestReferences",
    "setting",
]

CORPUS = "Corpus"  # a panel of --help


def setting(
    panel: str, name: str, default: str, what: str, *, metavar: str | None = None, **more: Any
) -> Any:
    """An option that is a setting of the same name; `default` is what `TrainingSettings` has."""
    option = f"--{name.replace('_', '-')}"
    return typer.Option(
        option, metavar=metavar, show_default=default, rich_help_panel=panel, help=what, **more
    )


def _files(panel: str, option: str, what: str, metavar: str = "FILE") -> Any:
    return typer.Option(option, metavar=metavar, rich_help_panel=panel, help=what)


SourceFiles = Annotated[
    list[Path] | None,
    _files(CORPUS, "--source", "Text of the source language, a sentence a line. Repeatable."),
]
TargetFiles = Annotated[
    list[Path] | None,
    _files(
        CORPUS,
        "--target",
        "Its translation, line by line; as many of them as there are of --source.",
    ),
]
CorpusFiles = Annotated[
    list[Path] | None,
    _files(
        CORPUS,
        "--corpus",
        "Pairs in one file: .tmx, .tsv, .jsonl, .po or .xlf; .gz, .xz, .zst too. Repeatable.",
    ),
]
Dev = Annotated[
    tuple[Path, Path] | None,
    _files(
        CORPUS,
        "--dev",
        "The development set that weights are tuned on: source and target. Without it, some "
        "pairs are split off.",
        "SOURCE TARGET",
    ),
]
DevCorpus = Annotated[
    Path | None, _files(CORPUS, "--dev-corpus", "The same, as pairs in one file.")
]
DevReferences = Annotated[
    list[Path] | None,
    _files(CORPUS, "--dev-reference", "Further references of the development set. Repeatable."),
]
Test = Annotated[
    tuple[Path, Path] | None,
    _files(
        CORPUS,
        "--test",
        "A test set, which the model is judged on at the end.",
        "SOURCE TARGET",
    ),
]
TestCorpus = Annotated[
    Path | None, _files(CORPUS, "--test-corpus", "The same, as pairs in one file.")
]
TestReferences = Annotated[
    list[Path] | None,
    _files(CORPUS, "--test-reference", "Further references of the test set. Repeatable."),
]
Monolingual = Annotated[
    list[Path] | None,
    _files(
        CORPUS,
        "--monolingual",
        "More text of the target language, for a language model of its own. Repeatable.",
    ),
]
