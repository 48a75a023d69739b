"""Settings of translating a text line by line: what is known, read and written.

Options of `rosewood decode`, `translate` and `inspect` are made from these fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from rosewood.corpus.text.casing import CASINGS, Casing
from rosewood.decode.consensus_methods import CONSENSUS, settings_help
from rosewood.errors import DecodingError
from rosewood.memory.match import LOWEST
from rosewood.settings import Settings, setting, setting_of
from rosewood.shared_settings import SharedSettings
from rosewood.shared_types import OnBadLine, PathName

_consensus, _file = partial(setting, group="Consensus"), partial(setting, group="Files")
_output = partial(setting, group="Output")
_input = partial(setting_of, SharedSettings, group="Input lines")


@dataclass(frozen=True)
class KnownText(Settings):
    """Translations that are known beforehand."""

    error = DecodingError
    group = "Known translations"

    glossary: PathName | None = setting(
        None,
        "Glossary: source phrase, tab, target phrase per line. Lines with the same source are "
        "alternatives; soft in a third column adds to the rule table instead of replacing it.",
    )
    inline: bool = setting(
        False,
        'Read translations from tags in the input: <x translation="the house||the home">das '
        "haus</x>; < > & of the text are written &lt; &gt; &amp;.",
    )
    localise_numbers: bool = setting(
        True,
        "Offer numbers, amounts, dates and times in the notation of the target language: "
        "119,20 Euro as 119.20 euros.",
    )
    casing: Casing = setting(
        "auto",
        "Input in lower case, all caps or title case: auto restores the usual case before the "
        "search, keep searches it as it is written.",
        group="Input lines", choices=CASINGS,
    )  # fmt: skip


@dataclass(frozen=True)
class MemorySettings(Settings):
    """Translation memories that are asked before the search."""

    error = DecodingError
    group = "Translation memory"

    memory: Literal["auto", "on", "off"] = setting(
        "auto",
        "Take the translation of sentences that are in the model's translation memory from there. "
        "auto: where the model has one; on: refuse models without.",
    )
    memory_file: tuple[PathName, ...] = setting(
        (),
        "Another translation memory, asked first: .tmx, .po, .xlf, .tsv or .jsonl; or two text "
        "files, source and target, in this order. Repeatable.",
        metavar="FILE",
    )
    fuzzy: float | None = setting(
        0.7,
        "Offer the most similar sentence of the memory where its score, 1 - word edit distance / "
        "words of the longer sentence, is N or more; none or 1: do not.",
        low=LOWEST, high=1, metavar="N",
    )  # fmt: skip
    fuzzy_constrain: Literal["auto", "on", "off"] = setting(
        "auto",
        "Translate what is the same in the most similar sentence as it is there, and the rest by "
        "the model. auto: by sentences of --memory-file, not by those the model was trained on.",
    )


@dataclass(frozen=True)
class LineSettings(KnownText):
    """What is read and written, line by line."""

    reference: PathName | None = setting(
        None, "Forced decoding: search only for these translations, one per line."
    )
    consensus: str | None = _consensus(
        None,
        "Choose by consensus instead of model score: mbr (k-best list), forest-mbr (linear BLEU "
        "over the forest) or variational (n-gram model of the forest).",
        metavar="NAME", choices=tuple(CONSENSUS),
    )  # fmt: skip
    set: dict[str, Any] = _consensus(
        {},
        f"Setting of --consensus: {settings_help()}. Repeatable.",
    )
    output: PathName = _file(
        "-",
        "Translations; compressed if the name ends with .gz, .xz or .zst; - is standard output.",
        short="o",
    )
    alignment: PathName | None = _file(None, "Word alignment of each translation, as i-j pairs.")
    forests: PathName | None = _file(
        None, "Forests of the search, for rosewood forest and for tuning.", metavar="FILE.rwf"
    )
    compress_forests: bool = _file(False, "Compress the forests of --forests.")
    append_forests: bool = _file(
        False, "Add the forests to the file of --forests, which exists; their numbers go on."
    )
    picture: PathName | None = _file(
        None,
        "Picture of the phrases (.svg, one sentence) or page with feature values (.html, many).",
    )
    nbest: int | None = _output(
        None,
        "Write the N best translations as Moses n-best lines; ||| in words becomes "
        "&#124;&#124;&#124;.",
        low=1, metavar="N",
    )  # fmt: skip
    distinct: bool = _output(False, "With --nbest: only distinct strings.")
    json: bool = _output(
        False,
        "Write a JSON object per line: translation, words, alignment, score, features, phrases, "
        "report, confidence and alternatives where they are known; with --nbest hyps for tuning.",
    )
    explain: bool = _output(
        False, "Show what each feature contributes to each phrase: on standard error, or in --json."
    )
    on_bad_line: OnBadLine = _input(
        "on_bad_line", more="stop, skip it (no output line), or blank it (empty output line)."
    )
    line_words: int = _input("line_words")
    line_characters: int = _input("line_characters")

    @property
    def explains(self) -> bool:
        """Whether features are shown, as text or as a picture."""
        return self.explain or self.picture is not None

    @property
    def outputs(self) -> dict[str, PathName | None]:
        """Files that are written, by option."""
        return {
            "-o": self.output, "--alignment": self.alignment, "--forests": self.forests,
            "--picture": self.picture,
        }  # fmt: skip
