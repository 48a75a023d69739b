"""Tokenise and detokenise raw text; learn truecasing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.common import conflict, lines_to, name_of, needs, source_of, warn
from rosewood.cli.groups import VerbGroup
from rosewood.cli.options import check_files
from rosewood.cli.options_from_settings import Typed
from rosewood.cli.run_options import Config, QuietOptions
from rosewood.corpus.text.settings import TAGS, WORDS, TextSettings
from rosewood.errors import TextError
from rosewood.settings import setting, setting_of
from rosewood.shared_settings import SharedSettings
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.corpus import TextProcessor

app = VerbGroup(
    "Raw text to words and back: tokenisation, truecasing, tags and placeholders. One text per "
    "line; .gz, .xz and .zst are read and written as the ending says."
)
TextFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="Text, one per line; - is standard input.")
]
_LEARNED = ("tokeniser", "language", "joiners", "split_hyphens", "no_nfc", "no_tags",
            "protect_urls", "protect")  # fmt: skip
_DECODED = ("tokeniser", "language", "joiners", "split_hyphens", "lowercase", "protect")


@dataclass(frozen=True, kw_only=True)
class LineOptions(QuietOptions):
    """How lines are read."""

    error = TextError

    line_characters: int = setting_of(SharedSettings, "line_characters")

    def lines(self, file: PathName) -> Iterator[tuple[int, str]]:
        """Lines of a text with their numbers, as they come."""
        from rosewood.corpus.inputs import checked_lines

        return checked_lines(file, name_of(file), self.line_characters)


@dataclass(frozen=True, kw_only=True)
class LearnOptions(LineOptions):
    """What is learned, and where it is written."""

    output: PathName = setting(help="File for the processor.", short="o")
    least: int = setting(1, "Minimum count of a word.", low=1)


@app.command()
def learn(
    files: Annotated[list[Path], typer.Argument(help="Raw text; - is standard input.")],
    options: LearnOptions,
    typed: Annotated[dict[str, Any], Typed(TextSettings, _LEARNED)],
    config: Config = None,
) -> None:
    """Learn from raw text how words are cased, and write a processor for tokenise and detokenise.

    rosewood text learn train.de --language de -o de.json
    """
    from rosewood.progress import progress

    check_files({"-o": options.output}, [*files, config])
    with progress("learning", quiet=options.quiet) as step:

        def texts() -> Iterator[str]:
            for file in files:
                for _, text in options.lines(file):
                    yield text
                    step()

        processor = TextSettings(**typed).processor().learned(texts(), least=options.least)
    processor.save(options.output)
    if not options.quiet and processor.truecaser is not None:
        warn(f"{len(processor.truecaser.forms)} words have a learned casing")


@dataclass(frozen=True, kw_only=True)
class ProcessingOptions(LineOptions):
    """What is written, and with which processor."""

    output: PathName = setting("-", "Output file; - is standard output.", short="o")
    load: PathName | None = setting(
        None, "Use a processor that learn or --save wrote, with all its settings.", group=WORDS
    )

    def processor(self, typed: dict[str, Any]) -> TextProcessor:
        """The processor of a file, or else of the options that were typed."""
        from rosewood.corpus import TextProcessor

        if self.load is None:
            return TextSettings(**typed).processor()
        for name in [name for name, value in typed.items() if value]:
            option = f"--{name.replace('_', '-')}"
            raise conflict(TextError, option, "--load", "the file has all settings")
        return TextProcessor.load(self.load)


@dataclass(frozen=True, kw_only=True)
class TokeniseOptions(ProcessingOptions):
    """What else is written."""

    save: PathName | None = setting(
        None, "Save these settings, for detokenise --load and for a model.", group=WORDS
    )
    tags: PathName | None = setting(
        None,
        "Take tags such as <b> out of the text, and write here, as a line of JSON for each text, "
        "what detokenise --tags needs to restore them.",
        group=TAGS,
    )
    drop_tags: bool = setting(False, "Drop tags, as for training text.", group=TAGS)


@app.command()
def tokenise(
    options: TokeniseOptions,
    typed: Annotated[dict[str, Any], Typed(TextSettings)],
    file: TextFile = Path("-"),
    config: Config = None,
) -> None:
    """Tokenise raw text into words separated by spaces.

    rosewood text tokenise --language de < raw.txt > words.txt
    """
    from rosewood.corpus.lines import at
    from rosewood.progress import progress

    if options.tags is not None and options.drop_tags:
        raise conflict(TextError, "--drop-tags", "--tags")
    if options.output == options.tags == "-":
        raise conflict(TextError, "--tags -", "-o -")
    outputs = {"-o": options.output, "--tags": options.tags, "--save": options.save}
    check_files(outputs, [file, config, options.load])
    processor = options.processor(typed)
    if options.save is not None:
        processor.save(options.save)
    with ExitStack() as stack:
        step = stack.enter_context(progress("tokenising", quiet=options.quiet))
        write = stack.enter_context(lines_to(options.output))
        keep = None if options.tags is None else stack.enter_context(lines_to(options.tags))
        for number, text in options.lines(file):
            with at(name_of(file), number):
                encoded = processor.encode(text)
                if encoded.tags and keep is None and not options.drop_tags:
                    raise TextError(
                        f"the tag {encoded.tags[0].text[:40]!r} is not a word: keep tags with "
                        "--tags FILE, drop them with --drop-tags, or treat them as text with "
                        "--no-tags",
                        code="text.tags", value=encoded.tags[0].text,
                    )  # fmt: skip
            write(" ".join(encoded.words))
            if keep is not None:
                keep(json.dumps(encoded.to_dict(), ensure_ascii=False))
            step()


@dataclass(frozen=True, kw_only=True)
class DetokeniseOptions(ProcessingOptions):
    """What else is read."""

    line_characters: int = setting_of(SharedSettings, "line_characters", 1_000_000)
    tags: PathName | None = setting(
        None, "Restore the tags that tokenise --tags wrote for the source text.", group=TAGS
    )
    alignment: PathName | None = setting(
        None,
        "With --tags: lines of i-j, source word and target word, counted from 0. Without it, words "
        "are assumed to be in the same order.",
        group=TAGS,
    )


@app.command()
def detokenise(
    options: DetokeniseOptions,
    typed: Annotated[dict[str, Any], Typed(TextSettings, _DECODED)],
    file: TextFile = Path("-"),
    config: Config = None,
) -> None:
    """Join words into raw text; with --lowercase, sentences are capitalised.

    rosewood text detokenise --language de < words.txt > raw.txt
    """
    from rosewood.align import read_pharaoh
    from rosewood.corpus.lines import read_lines
    from rosewood.corpus.text.decoded_lines import decoded_lines
    from rosewood.progress import progress

    tags, links = options.tags, options.alignment
    if links is not None and tags is None:
        raise needs(TextError, "--alignment", "--tags")
    check_files({"-o": options.output}, [file, options.load, tags, links, config])
    processor = options.processor(typed)
    names = [name_of(each or "-") for each in (file, tags, links)]
    lost: list[int] = []
    with progress("detokenising", quiet=options.quiet) as step, lines_to(options.output) as write:
        rows = decoded_lines(
            processor,
            (text for _, text in options.lines(file)),
            None if tags is None else (text for _, text in read_lines(source_of(tags), names[1])),
            None if links is None else read_pharaoh(source_of(links), file=names[2]),
            files=names,
        )
        for number, (text, is_lossy) in enumerate(rows, 1):
            write(text)
            lost += [number] * is_lossy
            step()
    if lost and not options.quiet:
        warn(f"{len(lost)} lines lack placeholders of their source; the first is {lost[0]}")


PLUGIN = app
