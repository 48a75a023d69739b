"""Tokenise and detokenise raw text; learn truecasing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from io import BufferedIOBase
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, cast

import typer

from rosewood.cli.common import Quiet, lines_to, warn
from rosewood.cli.corpora import LineCharacters, checked_lines
from rosewood.cli.options import Config, check_files
from rosewood.errors import FormatError, TextError

if TYPE_CHECKING:
    from rosewood.align import Alignment
    from rosewood.corpus import Encoded, TextProcessor

__all__ = ["PLUGIN"]

app = typer.Typer(
    help="Raw text to words and back: tokenisation, truecasing, tags and placeholders. "
    "One text a line; .gz, .xz and .zst are read and written as the ending says.",
    no_args_is_help=True,
)

_HOW = "How text is cut"  # panels of --help
_TAGS = "Tags and placeholders"

TextFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="Text, one a line; - is standard input.")
]
Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help="- is standard output.")
]
Load = Annotated[
    Path | None,
    typer.Option(
        "--load",
        metavar="FILE",
        rich_help_panel=_HOW,
        help="A processor that learn or --save wrote; it brings all settings with it.",
    ),
]
TokeniserName = Annotated[
    str | None,
    typer.Option(
        "--tokeniser",
        metavar="NAME",
        show_default="unicode",
        rich_help_panel=_HOW,
        help="unicode (built in), moses (needs sacremoses: the extra text), char (characters as "
        "words, a space is ␣) or none (words stand between spaces already).",
    ),
]
LanguageCode = Annotated[
    str | None,
    typer.Option(
        "--language",
        metavar="CODE",
        rich_help_panel=_HOW,
        help="de, fr-CA, …: its clitics, abbreviations, quotation marks and spaces.",
    ),
]
Joiners = Annotated[
    bool,
    typer.Option(
        "--joiners",
        rich_help_panel=_HOW,
        help="Mark with ￭ where no space was, so that every text comes back as it was.",
    ),
]
SplitHyphens = Annotated[
    bool,
    typer.Option("--split-hyphens", rich_help_panel=_HOW, help="well-known is well ￭-￭ known."),
]
NotComposed = Annotated[
    bool,
    typer.Option(
        "--no-nfc",
        rich_help_panel=_HOW,
        help="Leave characters as they are; without it they are composed (NFC).",
    ),
]
Lowercase = Annotated[
    bool, typer.Option("--lowercase", rich_help_panel=_HOW, help="All in small letters.")
]
NoTags = Annotated[
    bool,
    typer.Option("--no-tags", rich_help_panel=_TAGS, help="<b>, {0} and %s are ordinary text."),
]
Addresses = Annotated[
    bool,
    typer.Option("--protect-urls", rich_help_panel=_TAGS, help="Addresses are placeholders, too."),
]
Patterns = Annotated[
    list[str] | None,
    typer.Option(
        "--protect",
        metavar="REGEX",
        rich_help_panel=_TAGS,
        help="What this matches is a placeholder, too: one word, and never changed; repeatable.",
    ),
]


@app.command()
def learn(
    files: Annotated[list[Path], typer.Argument(help="Raw text; - is standard input.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the processor goes.")
    ],
    least: Annotated[
        int, typer.Option("--least", min=1, help="Leave out words counted less often than this.")
    ] = 1,
    tokeniser: TokeniserName = None,
    language: LanguageCode = None,
    joiners: Joiners = False,
    split_hyphens: SplitHyphens = False,
    no_nfc: NotComposed = False,
    no_tags: NoTags = False,
    protect_urls: Addresses = False,
    protect: Patterns = None,
    line_characters: LineCharacters = 100_000,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Learn from raw text how words are cased, and write a processor for tokenise and detokenise.

    rosewood text learn train.de --language de -o de.json
    """
    from rosewood.progress import progress

    check_files({"-o": output}, [*files, config])
    how = _How(tokeniser, language, joiners, split_hyphens, no_nfc, False, no_tags, protect_urls,
               protect)  # fmt: skip
    with progress("learning", quiet=quiet) as step:

        def texts() -> Iterator[str]:
            for file in files:
                for _, text in checked_lines(file, _name(file), line_characters):
                    yield text
                    step()

        processor = how.processor().learned(texts(), least=least)
    processor.save(output)
    if not quiet and processor.truecaser is not None:
        warn(f"{len(processor.truecaser.forms)} words are written as they are cased mostly")


@app.command()
def tokenise(
    file: TextFile = Path("-"),
    output: Output = Path("-"),
    load: Load = None,
    tokeniser: TokeniserName = None,
    language: LanguageCode = None,
    joiners: Joiners = False,
    split_hyphens: SplitHyphens = False,
    no_nfc: NotComposed = False,
    lowercase: Lowercase = False,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save",
            metavar="FILE",
            rich_help_panel=_HOW,
            help="Keep these settings, for detokenise --load and for a model.",
        ),
    ] = None,
    tags: Annotated[
        Path | None,
        typer.Option(
            "--tags",
            metavar="FILE",
            rich_help_panel=_TAGS,
            help="Lift tags such as <b> out of the text, and write here, a line of JSON for each "
            "text, what detokenise --tags needs to put them back.",
        ),
    ] = None,
    drop_tags: Annotated[
        bool,
        typer.Option(
            "--drop-tags", rich_help_panel=_TAGS, help="Leave tags out, as for training text."
        ),
    ] = False,
    no_tags: NoTags = False,
    protect_urls: Addresses = False,
    protect: Patterns = None,
    line_characters: LineCharacters = 100_000,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Raw text in, words out, between spaces.

    rosewood text tokenise --language de < raw.txt > words.txt
    """
    from rosewood.corpus.lines import at
    from rosewood.progress import progress

    if tags is not None and drop_tags:
        raise TextError("--tags keeps them and --drop-tags does not: want one of them")
    if str(output) == str(tags) == "-":
        raise TextError("words and tags cannot both go to standard output: want -o or --tags FILE")
    check_files({"-o": output, "--tags": tags, "--save": save}, [file, load, config])
    how = _How(tokeniser, language, joiners, split_hyphens, no_nfc, lowercase, no_tags,
               protect_urls, protect)  # fmt: skip
    processor = how.processor(load)
    if save is not None:
        processor.save(save)
    with ExitStack() as stack:
        step = stack.enter_context(progress("tokenising", quiet=quiet))
        write = stack.enter_context(lines_to(output))
        keep = None if tags is None else stack.enter_context(lines_to(tags))
        for number, text in checked_lines(file, _name(file), line_characters):
            with at(_name(file), number):
                encoded = processor.encode(text)
                if encoded.tags and keep is None and not drop_tags:
                    raise TextError(
                        f"the tag {encoded.tags[0].text[:40]!r} does not fit among words: keep "
                        "tags with --tags FILE, leave them out with --drop-tags, or take them for "
                        "text with --no-tags"
                    )
            write(" ".join(encoded.words))
            if keep is not None:
                keep(json.dumps(encoded.to_json(), ensure_ascii=False))
            step()


@app.command()
def detokenise(
    file: TextFile = Path("-"),
    output: Output = Path("-"),
    load: Load = None,
    tokeniser: TokeniserName = None,
    language: LanguageCode = None,
    joiners: Joiners = False,
    split_hyphens: SplitHyphens = False,
    lowercase: Lowercase = False,
    tags: Annotated[
        Path | None,
        typer.Option(
            "--tags",
            metavar="FILE",
            rich_help_panel=_TAGS,
            help="What tokenise --tags wrote of the text that was translated: tags come back.",
        ),
    ] = None,
    alignment: Annotated[
        Path | None,
        typer.Option(
            "--alignment",
            metavar="FILE",
            rich_help_panel=_TAGS,
            help="With --tags: lines of i-j, source word and target word from zero. Without it, "
            "words are taken to stand in the same order.",
        ),
    ] = None,
    protect: Patterns = None,
    line_characters: LineCharacters = 1_000_000,
    quiet: Quiet = False,
    config: Config = None,
) -> None:
    """Words in, raw text out; with --lowercase sentences get their capitals.

    rosewood text detokenise --language de < words.txt > raw.txt
    """
    from rosewood.corpus.lines import at, split
    from rosewood.progress import progress

    if alignment is not None and tags is None:
        raise TextError("--alignment says where tags go: it needs --tags")
    check_files({"-o": output}, [file, load, tags, alignment, config])
    how = _How(tokeniser, language, joiners, split_hyphens, False, lowercase, False, False, protect)
    processor = how.processor(load)
    lost: list[int] = []
    rows = _beside(file, tags, alignment, line_characters)
    with progress("detokenising", quiet=quiet) as step, lines_to(output) as write:
        for row in rows:
            words = split(row.text)
            encoded = _encoded(row.tags, tags, row.number)
            with at(_name(alignment or file), row.number):
                write(processor.decode(words, encoded, row.links))
            if encoded is not None and encoded.lost(words):
                lost.append(row.number)
            step()
    if lost and not quiet:
        warn(f"{len(lost)} lines lack placeholders that their source has; the first is {lost[0]}")


class _How(NamedTuple):
    """The options that make a processor."""

    tokeniser: str | None
    language: str | None
    joiners: bool
    split_hyphens: bool
    no_nfc: bool
    lowercase: bool
    no_tags: bool
    protect_urls: bool
    protect: list[str] | None

    def processor(self, load: Path | None = None) -> TextProcessor:
        """The processor of a file, or else of these options."""
        from rosewood.corpus import TextProcessor, make_tokeniser

        if load is not None:
            for name, value in self._asdict().items():
                if value:
                    option = name.replace("_", "-")
                    raise TextError(f"--load brings its own settings: leave out --{option}")
            return TextProcessor.load(load)
        settings: dict[str, Any] = {"language": self.language or "", "nfc": not self.no_nfc}
        settings |= {"joiners": True} if self.joiners else {}
        settings |= {"hyphens": "split"} if self.split_hyphens else {}
        return TextProcessor(
            make_tokeniser(self.tokeniser or "unicode", **settings),
            lowercase=self.lowercase,
            protect_tags=not self.no_tags,
            protect_urls=self.protect_urls,
            patterns=tuple(self.protect or ()),
        )


class _Row(NamedTuple):
    """A line, and what the files beside it have for it."""

    number: int
    text: str
    tags: str | None
    links: Alignment | None


def _beside(
    file: Path, tags: Path | None, alignment: Path | None, line_characters: int
) -> Iterator[_Row]:
    """Lines of files that must be equally long."""
    from rosewood.align import read_pharaoh
    from rosewood.corpus.lines import read_lines

    texts = checked_lines(file, _name(file), line_characters)
    streams: dict[Path, Iterator[Any]] = {file: (text for _, text in texts)}
    if tags is not None:
        streams[tags] = (text for _, text in read_lines(_source(tags), _name(tags)))
    if alignment is not None:
        streams[alignment] = iter(read_pharaoh(_source(alignment), file=_name(alignment)))
    for number in count(1):
        row = {name: next(stream, None) for name, stream in streams.items()}
        ended = [name for name, line in row.items() if line is None]
        others = [name for name, line in row.items() if line is not None]
        if ended and others:
            raise FormatError(
                f"it ends after {number - 1} lines, but {_name(others[0])} goes on",
                file=_name(ended[0]),
            )
        if ended:
            return
        beside = [None if name is None else row[name] for name in (tags, alignment)]
        yield _Row(number, cast(str, row[file]), *beside)


def _source(file: Path) -> Path | BufferedIOBase:
    return cast(BufferedIOBase, sys.stdin.buffer) if str(file) == "-" else file


def _name(file: Path | None) -> str:
    return "standard input" if str(file) == "-" else str(file)


def _encoded(line: str | None, file: Path | None, number: int) -> Encoded | None:
    from rosewood.corpus import Encoded
    from rosewood.corpus.json_lines import parse_json
    from rosewood.corpus.lines import at

    if line is None:
        return None
    with at(_name(file), number):
        return Encoded.from_json(parse_json(line, "text", "encoded texts"))


PLUGIN = app
