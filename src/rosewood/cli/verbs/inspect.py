"""Show how a model translates a text, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from rosewood.cli.common import ModelFolder, print_row, warn
from rosewood.cli.options import FILES, check_ending, check_files
from rosewood.cli.options_from_settings import Typed
from rosewood.cli.run_options import Config, ReportOptions
from rosewood.decode.settings import LIMITS
from rosewood.errors import DecodingError
from rosewood.pipeline.line_settings import KnownText
from rosewood.settings import setting, setting_of
from rosewood.shared_types import PathName


@dataclass(frozen=True)
class InspectOptions(KnownText):
    """What is shown, and where."""

    group = ""

    html: PathName | None = setting(
        None, "Write a page with pictures of the derivation and of the forest.",
        group=FILES, metavar="FILE.html",
    )  # fmt: skip
    picture: PathName | None = setting(
        None, "Draw the most probable part of the forest.", group=FILES, metavar="FILE.svg"
    )
    json: bool = setting_of(ReportOptions, "json", help="Print results as one JSON object.")
    options: int = setting(5, "Translation options shown for each span.", low=0)
    nbest: int = setting(5, "Translations shown.", low=0)


def inspect(
    model: ModelFolder,
    text: Annotated[str, typer.Argument(metavar="TEXT", help='Text to translate: "ein satz".')],
    options: InspectOptions,
    limits: Annotated[dict[str, Any], Typed(LIMITS, default_text="the model's")],
    config: Config = None,
) -> None:
    """Show how a model translates a text, and why.

    The derivation, the contribution of every feature, alternatives and their probabilities, the
    translation options of all spans, the forest, and the training sentences of its rules.

    rosewood inspect model "ein satz" --html satz.html
    """
    from rosewood.cli.decoding import open_translator
    from rosewood.corpus import Checks
    from rosewood.corpus.checks import BadPair
    from rosewood.output import whole_file

    wrong = Checks(allow_empty=True).problem(text)  # what translate refuses in a line
    if wrong is not None:
        raise BadPair.with_fault(wrong, argument="TEXT").error.restated(
            f"TEXT: {wrong.reason}", DecodingError
        )
    check_ending("--html", options.html, ".html")
    check_ending("--picture", options.picture, ".svg")
    files = {"--html": options.html, "--picture": options.picture}
    check_files(files, [options.glossary, config], model)
    translator = open_translator(model, options, limits)
    seen = translator.inspect(text, options=options.options, nbest=options.nbest)
    written = [(file, option) for option, file in files.items() if file is not None]
    for file, option in written:
        with whole_file(file) as out:
            out.write((seen.to_html() if option == "--html" else seen.forest_svg).encode())
    if options.json:
        print_row(seen.to_dict(), as_json=True)
    else:
        print(seen.to_text())
    for file, _ in written:
        warn(f"wrote {file}")


PLUGIN = inspect
