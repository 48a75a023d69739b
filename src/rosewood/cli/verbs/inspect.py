"""Show how a model translates a text, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rosewood.cli.common import print_row, warn
from rosewood.cli.decode_options import GlossaryFile, Inline, ModelFolder, limit, search_name
from rosewood.cli.options import FILES, Config, check_files
from rosewood.errors import DecodingError, FormatError

__all__ = ["PLUGIN"]

_OWN = "the model's"


def inspect(
    model: ModelFolder,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help='What is to be translated: "ein satz".')
    ],
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE.html",
            rich_help_panel=FILES,
            help="All of it as one page, with pictures of the derivation and of the forest.",
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--picture",
            metavar="FILE.svg",
            rich_help_panel=FILES,
            help="The likeliest part of the forest as a picture.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="All of it as one JSON object.")] = False,
    options: Annotated[
        int, typer.Option("--options", min=0, help="How many options of each span are shown.")
    ] = 5,
    nbest: Annotated[
        int, typer.Option("--nbest", min=0, help="How many translations are shown.")
    ] = 5,
    glossary: GlossaryFile = None,
    inline: Inline = False,
    search: Annotated[str | None, search_name(_OWN)] = None,
    pop_limit: Annotated[str | None, limit("pop_limit", _OWN)] = None,
    stack_size: Annotated[str | None, limit("stack_size", _OWN)] = None,
    beam: Annotated[str | None, limit("beam", _OWN)] = None,
    distortion_limit: Annotated[str | None, limit("distortion_limit", _OWN)] = None,
    option_limit: Annotated[str | None, limit("option_limit", _OWN)] = None,
    max_phrase: Annotated[str | None, limit("max_phrase", _OWN)] = None,
    config: Config = None,
) -> None:
    """Show how a model translates a text, and why.

    Its derivation, what every feature says of that, what else could be said and how probable it
    is, the options of all spans, the forest, and training sentences that its rules came from.

    rosewood inspect model "ein satz" --html satz.html
    """
    from rosewood.cli.decoding import open_translator, typed_limits
    from rosewood.corpus import Checks
    from rosewood.output import whole_file

    wrong = Checks(allow_empty=True).problem(text)  # what translate refuses in a line
    if wrong is not None:
        raise DecodingError(f"TEXT: {wrong[1]}")
    for file, ending in ((html, ".html"), (picture, ".svg")):
        if file is not None and file.suffix.lower() != ending:
            raise FormatError(f"--{'html' if file is html else 'picture'}: it ends with {ending}",
                              file=file)  # fmt: skip
    check_files({"--html": html, "--picture": picture}, [glossary, config], model)
    limits = typed_limits(
        search=search,
        pop_limit=pop_limit,
        stack_size=stack_size,
        beam=beam,
        distortion_limit=distortion_limit,
        option_limit=option_limit,
        max_phrase=max_phrase,
    )
    translator = open_translator(model, glossary, inline, limits)
    seen = translator.inspect(text, options=options, nbest=nbest)
    for file, page in ((html, seen.to_html), (picture, lambda: seen.forest_svg)):
        if file is not None:
            with whole_file(file) as out:
                out.write(page().encode())
    if json:
        print_row(seen.to_dict(), as_json=True)
    else:
        print(seen.to_text())
    for file in (html, picture):
        if file is not None:
            warn(f"wrote {file}")


PLUGIN = inspect
