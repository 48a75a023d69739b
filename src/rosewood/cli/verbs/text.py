"""Tokenise and detokenise raw text; learn truecasing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, cast

import typer

from rosewood.cli.common import Quiet, conflict, lines_to, name_of, needs, source_of, warn
from rosewood.cli.corpora import checked_lines
from rosewood.cli.groups import VerbGroup
from rosewood.cli.options import Config, check_files
from rosewood.cli.options_from_settings import Typed
from rosewood.errors import FormatError, TextError
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.align import Alignment
    from rosewood.corpus import Encoded, TextProcessor

__all__ = ["PLUGIN"]

app = VerbGroup(
    "Raw text to words and back: tokenisation, truecasing, tags and placeholders. One text per "
    "line; .gz, .xz and .zst are read and written as the ending says."
)
_WORDS, _TAGS = "Tokenisation", "Tags and placeholders"  # panels of --help
TextFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="Text, one per line; - is standard input.")
]


@dataclass(frozen=True)
class ProcessorOptions(Settings):
    """What makes a text processor."""

    error = TextError

    tokeniser: str = setting(
        "unicode",
        "Tokeniser: unicode (built in), moses (needs sacremoses: the extra text), char (characters "
        "are words, a space is ␣) or none (words are separated by spaces already).",
        group=_WORDS,
        metavar="NAME",
    )
    language: str = setting(
        "", "Language, for clitics, abbreviations, quotation marks and spaces: de, fr-CA, …",
        group=_WORDS, metavar="CODE", default_text="none",
    )  # fmt: skip
    joiners: bool = setting(
        False, "Mark with ￭ where no space was, so that texts can be restored exactly.",
        group=_WORDS,
    )  # fmt: skip
    split_hyphens: bool = setting(False, "Split well-known into well ￭-￭ known.", group=_WORDS)
    no_nfc: bool = setting(False, "Do not compose characters (NFC).", group=_WORDS)
    lowercase: bool = setting(False, "Lowercase the text.", group=_WORDS)
    no_tags: bool = setting(False, "Treat <b>, {0} and %s as ordinary text.", group=_TAGS)
    protect_urls: bool = setting(False, "Treat addresses as placeholders.", group=_TAGS)
    protect: tuple[str, ...] = setting(
        (), "Treat matches as placeholders: one word that never changes; repeatable.",
        group=_TAGS, metavar="REGEX",
    )  # fmt: skip

    @classmethod
    def processor(cls, typed: dict[str, Any], load: PathName | None = None) -> TextProcessor:
        """The processor of a file, or else of the options that were typed."""
        from rosewood.corpus import TextProcessor, make_tokeniser

        if load is not None:
            for name in [name for name, value in typed.items() if value]:
                option = f"--{name.replace('_', '-')}"
                raise conflict(TextError, option, "--load", "the file has all settings")
            return TextProcessor.load(load)
        how = cls(**typed)
        settings: dict[str, Any] = {"language": how.language, "nfc": not how.no_nfc}
        settings |= {"joiners": True} if how.joiners else {}
        settings |= {"hyphens": "split"} if how.split_hyphens else {}
        return TextProcessor(
            make_tokeniser(how.tokeniser, **settings),
            lowercase=how.lowercase,
            protect_tags=not how.no_tags,
            protect_urls=how.protect_urls,
            patterns=how.protect,
        )


_LEARNED = ("tokeniser", "language", "joiners", "split_hyphens", "no_nfc", "no_tags",
            "protect_urls", "protect")  # fmt: skip
_DECODED = ("tokeniser", "language", "joiners", "split_hyphens", "lowercase", "protect")


@dataclass(frozen=True)
class LearnOptions(Settings):
    """What is learned, and where it is written."""

    error = TextError

    output: PathName = setting(help="File for the processor.", short="o")
    least: int = setting(1, "Minimum count of a word.", low=1)
    line_characters: int = setting(100_000, "Longest line, in characters.", low=1)


@app.command()
def learn(
    files: Annotated[list[Path], typer.Argument(help="Raw text; - is standard input.")],
    options: LearnOptions,
    typed: Annotated[dict[str, Any], Typed(ProcessorOptions, _LEARNED)],
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Learn from raw text how words are cased, and write a processor for tokenise and detokenise.

    rosewood text learn train.de --language de -o de.json
    """
    from rosewood.progress import progress

    check_files({"-o": options.output}, [*files, config])
    with progress("learning", quiet=quiet) as step:

        def texts() -> Iterator[str]:
            for file in files:
                for _, text in checked_lines(file, name_of(file), options.line_characters):
                    yield text
                    step()

        processor = ProcessorOptions.processor(typed).learned(texts(), least=options.least)
    processor.save(options.output)
    if not quiet and processor.truecaser is not None:
        warn(f"{len(processor.truecaser.forms)} words have a learned casing")


@dataclass(frozen=True)
class TokeniseOptions(Settings):
    """What is read and written."""

    error = TextError

    output: PathName = setting("-", "Output file; - is standard output.", short="o")
    load: PathName | None = setting(
        None, "Use a processor that learn or --save wrote, with all its settings.", group=_WORDS
    )
    save: PathName | None = setting(
        None, "Save these settings, for detokenise --load and for a model.", group=_WORDS
    )
    tags: PathName | None = setting(
        None,
        "Take tags such as <b> out of the text, and write here, as a line of JSON for each text, "
        "what detokenise --tags needs to restore them.",
        group=_TAGS,
    )
    drop_tags: bool = setting(False, "Drop tags, as for training text.", group=_TAGS)
    line_characters: int = setting(100_000, "Longest line, in characters.", low=1)

    def check(self, inputs: list[PathName | None]) -> None:
        """Refuses, before any work, what cannot be done."""
        if self.tags is not None and self.drop_tags:
            raise conflict(TextError, "--drop-tags", "--tags")
        if self.output == self.tags == "-":
            raise conflict(TextError, "--tags -", "-o -")
        outputs = {"-o": self.output, "--tags": self.tags, "--save": self.save}
        check_files(outputs, [*inputs, self.load])


@app.command()
def tokenise(
    options: TokeniseOptions,
    typed: Annotated[dict[str, Any], Typed(ProcessorOptions)],
    file: TextFile = Path("-"),
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Tokenise raw text into words separated by spaces.

    rosewood text tokenise --language de < raw.txt > words.txt
    """
    from rosewood.corpus.lines import at
    from rosewood.progress import progress

    options.check([file, config])
    processor = ProcessorOptions.processor(typed, options.load)
    if options.save is not None:
        processor.save(options.save)
    with ExitStack() as stack:
        step = stack.enter_context(progress("tokenising", quiet=quiet))
        write = stack.enter_context(lines_to(options.output))
        keep = None if options.tags is None else stack.enter_context(lines_to(options.tags))
        for number, text in checked_lines(file, name_of(file), options.line_characters):
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
                keep(json.dumps(encoded.to_json(), ensure_ascii=False))
            step()


@dataclass(frozen=True)
class DetokeniseOptions(Settings):
    """What is read and written."""

    error = TextError

    output: PathName = setting("-", "Output file; - is standard output.", short="o")
    load: PathName | None = setting(
        None, "Use a processor that learn or --save wrote, with all its settings.", group=_WORDS
    )
    tags: PathName | None = setting(
        None, "Restore the tags that tokenise --tags wrote for the source text.", group=_TAGS
    )
    alignment: PathName | None = setting(
        None,
        "With --tags: lines of i-j, source word and target word, counted from 0. Without it, words "
        "are assumed to be in the same order.",
        group=_TAGS,
    )
    line_characters: int = setting(1_000_000, "Longest line, in characters.", low=1)


@app.command()
def detokenise(
    options: DetokeniseOptions,
    typed: Annotated[dict[str, Any], Typed(ProcessorOptions, _DECODED)],
    file: TextFile = Path("-"),
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Join words into raw text; with --lowercase, sentences are capitalised.

    rosewood text detokenise --language de < words.txt > raw.txt
    """
    from rosewood.corpus.lines import at, split
    from rosewood.progress import progress

    tags, alignment = options.tags, options.alignment
    if alignment is not None and tags is None:
        raise needs(TextError, "--alignment", "--tags")
    check_files({"-o": options.output}, [file, options.load, tags, alignment, config])
    processor = ProcessorOptions.processor(typed, options.load)
    lost: list[int] = []
    with progress("detokenising", quiet=quiet) as step, lines_to(options.output) as write:
        for row in _beside(file, options):
            words = split(row.text)
            encoded = _encoded(row.tags, tags, row.number)
            with at(name_of(alignment or file), row.number):
                write(processor.decode(words, encoded, row.links))
            if encoded is not None and encoded.lost(words):
                lost.append(row.number)
            step()
    if lost and not quiet:
        warn(f"{len(lost)} lines lack placeholders of their source; the first is {lost[0]}")


class _Row(NamedTuple):
    """A line, and its tags and links from other files."""

    number: int
    text: str
    tags: str | None
    links: Alignment | None


def _beside(file: Path, options: DetokeniseOptions) -> Iterator[_Row]:
    """Lines of files that must be equally long."""
    from rosewood.align import read_pharaoh
    from rosewood.corpus.lines import read_lines

    tags, alignment = options.tags, options.alignment
    texts = checked_lines(file, name_of(file), options.line_characters)
    streams: dict[PathName, Iterator[Any]] = {file: (text for _, text in texts)}
    if tags is not None:
        streams[tags] = (text for _, text in read_lines(source_of(tags), name_of(tags)))
    if alignment is not None:
        streams[alignment] = iter(read_pharaoh(source_of(alignment), file=name_of(alignment)))
    for number in count(1):
        row = {name: next(stream, None) for name, stream in streams.items()}
        ended = [name for name, line in row.items() if line is None]
        others = [name for name, line in row.items() if line is not None]
        if ended and others:
            raise FormatError(
                f"it ends after {number - 1} lines, but {name_of(others[0])} has more",
                code="file.mismatch", file=name_of(ended[0]), value=number - 1,
            )  # fmt: skip
        if ended:
            return
        beside = [None if name is None else row[name] for name in (tags, alignment)]
        yield _Row(number, cast(str, row[file]), *beside)


def _encoded(line: str | None, file: PathName | None, number: int) -> Encoded | None:
    from rosewood.corpus import Encoded
    from rosewood.corpus.json_lines import parse_json
    from rosewood.corpus.lines import at

    if line is None or file is None:
        return None
    with at(name_of(file), number):
        return Encoded.from_json(parse_json(line, "text", "encoded texts"))


PLUGIN = app
