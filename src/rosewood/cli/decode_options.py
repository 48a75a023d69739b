"""Options that `rosewood decode`, `translate` and `inspect` share: texts, outputs, consensus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from rosewood.cli.options import FILES, check_files
from rosewood.errors import DecodingError, FormatError
from rosewood.settings import Settings, setting
from rosewood.shared_types import OnBadLine, PathName

__all__ = ["KnownText", "LineOptions", "ModelFolder"]

_TEXT, _OUTPUT, _CONSENSUS, _INPUT = "Known translations", "Output", "Consensus", "Input lines"

ModelFolder = Annotated[
    Path, typer.Argument(metavar="MODEL", help="Model folder made by rosewood train.")
]


@dataclass(frozen=True)
class KnownText(Settings):
    """What is known of translations beforehand."""

    error = DecodingError

    glossary: PathName | None = setting(
        None,
        "Glossary: source phrase, tab, target phrase per line. Lines with the same source are "
        "alternatives; soft in a third column adds to the rule table instead of replacing it.",
        group=_TEXT,
    )
    inline: bool = setting(
        False,
        'Read translations from tags in the input: <x translation="the house||the home">das '
        "haus</x>; < > & of the text are written &lt; &gt; &amp;.",
        group=_TEXT,
    )


@dataclass(frozen=True)
class LineOptions(KnownText):
    """What is read and written, line by line."""

    reference: PathName | None = setting(
        None, "Forced decoding: search only for these translations, one per line.", group=_TEXT
    )
    consensus: str | None = setting(
        None,
        "Choose by consensus instead of model score: mbr (k-best list), forest-mbr (linear BLEU "
        "over the forest) or variational (n-gram model of the forest).",
        group=_CONSENSUS,
        metavar="NAME",
    )
    set: dict[str, Any] = setting(
        {},
        "Setting of --consensus: scale, margin; mbr: k, metric; forest-mbr: order, precision, "
        "ratio, posterior (exact or expected); variational: order or mixture (1:0.5,2:0.5), "
        "viterbi. Repeatable.",
        group=_CONSENSUS,
    )
    output: PathName = setting(
        "-",
        "Translations; compressed if the name ends with .gz, .xz or .zst; - is standard output.",
        group=FILES,
        short="o",
    )
    alignment: PathName | None = setting(
        None, "Word alignment of each translation, as i-j pairs.", group=FILES
    )
    forests: PathName | None = setting(
        None,
        "Forests of the search, for rosewood forest and for tuning.",
        group=FILES,
        metavar="FILE.rwf",
    )
    picture: PathName | None = setting(
        None,
        "Picture of the phrases (.svg, one sentence) or page with feature values (.html, many).",
        group=FILES,
    )
    nbest: int | None = setting(
        None,
        "Write the N best translations as Moses n-best lines; ||| in words becomes "
        "&#124;&#124;&#124;.",
        low=1,
        group=_OUTPUT,
        metavar="N",
    )
    distinct: bool = setting(False, "With --nbest: only distinct strings.", group=_OUTPUT)
    json: bool = setting(
        False,
        "Write a JSON object per line: translation, words, alignment, score, features, phrases, "
        "report, confidence and alternatives where they are known; with --nbest hyps for tuning.",
        group=_OUTPUT,
    )
    explain: bool = setting(
        False,
        "Show what each feature contributes to each phrase: on standard error, or in --json.",
        group=_OUTPUT,
    )
    on_bad_line: OnBadLine = setting(
        "stop",
        "At a malformed line: stop, skip it (no output line), or blank it (empty output line).",
        group=_INPUT,
    )
    line_words: int = setting(10_000, "Maximum words per line.", low=1, group=_INPUT)
    line_characters: int = setting(100_000, "Maximum characters per line.", low=1, group=_INPUT)

    def check(self, inputs: Sequence[PathName | None], model: Path | None = None) -> None:
        """Before any work: options that exclude each other, files that cannot be written."""
        if self.distinct and self.nbest is None:
            raise DecodingError(
                "--distinct needs --nbest", code="argument.missing", argument="--nbest"
            )
        if self.nbest is not None and self.consensus is not None:
            raise DecodingError(
                "--nbest lists translations by score, --consensus chooses in another way: "
                "drop one of them",
                code="argument.conflict",
                argument="--consensus",
            )
        for option, file, endings in (
            ("--forests", self.forests, (".rwf",)),
            ("--picture", self.picture, (".svg", ".html")),
        ):
            if file is not None and Path(file).suffix.lower() not in endings:
                expected = " or ".join(endings)
                raise FormatError(
                    f"{option}: expected a name that ends with {expected}",
                    file=file, code="argument.value", argument=option, expected=expected,
                )  # fmt: skip
        outputs = {
            option: None if file is None else Path(file)
            for option, file in (
                ("-o", self.output),
                ("--alignment", self.alignment),
                ("--forests", self.forests),
                ("--picture", self.picture),
            )
        }
        if sum(str(path) == "-" for path in outputs.values()) > 1:
            raise DecodingError(
                "only one output can be standard output (-)", code="argument.conflict", value="-"
            )
        read = [None if file is None else Path(file) for file in inputs]
        check_files(outputs, read, model)

    @property
    def explains(self) -> bool:
        return self.explain or self.picture is not None
