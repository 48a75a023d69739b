"""The files that training reads, as settings: options of `rosewood train`, keywords, documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

from rosewood.corpus.formats import CORPUS_FORMATS
from rosewood.corpus.settings import CorpusSettings
from rosewood.errors import TrainingError
from rosewood.settings import Settings, setting, setting_of
from rosewood.shared_settings import SharedSettings
from rosewood.shared_types import PathName

_corpus = partial(setting, group="Corpus")
_file = partial(_corpus, metavar="FILE")
_reading = partial(setting_of, CorpusSettings, group="Corpus")
_formats = CORPUS_FORMATS.names


@dataclass(frozen=True)
class TrainingFiles(Settings):
    """Files that training reads.  Nothing is opened here; `TrainingInputs` reads them."""

    error = TrainingError

    source: tuple[PathName, ...] = _file((), "Source text, one sentence per line. Repeatable.")
    target: tuple[PathName, ...] = _file(
        (),
        "Target text, line by line the translation of --source. Repeatable, as often as --source.",
    )
    corpus: tuple[PathName, ...] = _file(
        (),
        "Sentence pairs in one file: .tmx, .tsv, .jsonl, .po or .xlf, also .gz, .xz and .zst. "
        "Repeatable.",
    )
    languages: str | None = _reading("languages", default_text="from file names")
    format: str | None = _corpus(
        None, "Format of corpus files.", choices=_formats, default_text="from file names"
    )
    on_bad_line: Literal["stop", "skip"] = setting_of(
        SharedSettings, "on_bad_line", more="stop, or skip its sentence pair and count it.",
        group="Corpus",
    )  # fmt: skip
    line_words: int = _reading("line_words")
    line_characters: int = _reading("line_characters")
    dev: tuple[PathName, PathName] | None = _corpus(
        None,
        "Development set for tuning: source and target text. Without one, --dev-size pairs are "
        "held out.",
        metavar="SOURCE TARGET",
    )
    dev_corpus: PathName | None = _file(None, "Development set as sentence pairs in one file.")
    dev_reference: tuple[PathName, ...] = _file(
        (), "Additional reference translations of the development set. Repeatable."
    )
    test: tuple[PathName, PathName] | None = _corpus(
        None,
        "Test set on which the trained model is evaluated: source and target text.",
        metavar="SOURCE TARGET",
    )
    test_corpus: PathName | None = _file(None, "Test set as sentence pairs in one file.")
    test_reference: tuple[PathName, ...] = _file(
        (), "Additional reference translations of the test set. Repeatable."
    )
    monolingual: tuple[PathName, ...] = _file(
        (), "Target text for an additional language model. Repeatable."
    )
    unlabelled: tuple[PathName, ...] = _file(
        (),
        "Source text without translations, one sentence per line: --tune mr, mr-da and likelihood "
        "also learn from the entropy of its translations. Repeatable.",
    )
