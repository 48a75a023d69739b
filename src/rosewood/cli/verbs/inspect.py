"""Show how a model translates a text, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.common import ModelFolder, needs, print_row, print_table, warn
from rosewood.cli.options import FILES, check_ending, check_files
from rosewood.cli.options_from_settings import Typed
from rosewood.cli.run_options import Config, ReportOptions
from rosewood.decode.settings import LIMITS
from rosewood.errors import DecodingError
from rosewood.pipeline.line_settings import KnownText, MemorySettings
from rosewood.settings import setting, setting_of
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.forest import BoostedTrees
    from rosewood.learn.group_facts import GroupOfFeatures


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
    groups: bool = setting(
        False, "Show the largest groups of features that share a weight, with or without TEXT."
    )
    trees: bool = setting(False, "Show the boosted trees, with or without TEXT.")


def inspect(
    model: ModelFolder,
    options: InspectOptions,
    memory: MemorySettings,
    limits: Annotated[dict[str, Any], Typed(LIMITS, default_text="the model's")],
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help='Text to translate: "ein satz".')
    ] = None,
    config: Config = None,
) -> None:
    """Show how a model translates a text, and why.

    The derivation, the contribution of every feature, alternatives and their probabilities, the
    translation options of all spans, the forest, and the training sentences of its rules.

    With --groups, what the features of rules have in common, if the model was tuned by oscar; with
    --trees, conditions on features and what they add to the score, if it was trained with --boost.

    rosewood inspect model "ein satz" --html satz.html
    """
    from rosewood.cli.decoding import open_translator
    from rosewood.corpus import Checks
    from rosewood.corpus.checks import BadPair
    from rosewood.output import whole_file

    if text is None and not (options.groups or options.trees):
        raise typer.BadParameter("there is no text to translate", param_hint="TEXT")
    wrong = None if text is None else Checks(allow_empty=True).problem(text)  # as translate does
    if wrong is not None:
        raise BadPair.with_fault(wrong, argument="TEXT").error.restated(
            f"TEXT: {wrong.reason}", DecodingError
        )
    check_ending("--html", options.html, ".html")
    check_ending("--picture", options.picture, ".svg")
    files = {"--html": options.html, "--picture": options.picture}
    check_files(files, [options.glossary, config, *memory.memory_file], model)
    translator = open_translator(model, options, memory, limits)
    groups = translator.groups() if options.groups else None
    trees = translator.trees if options.trees else None
    more: dict[str, Any] = {}
    if groups is not None:
        more["groups"] = [each._asdict() for each in groups]
    if trees is not None:
        more["trees"] = trees.to_dict()
    if text is None:
        for option, file in files.items():
            if file is not None:
                raise needs(DecodingError, option, "TEXT")
        if options.json:
            print_row(more, as_json=True)
        else:
            _print_more(groups, trees)
        return
    seen = translator.inspect(text, options=options.options, nbest=options.nbest)
    written = [(file, option) for option, file in files.items() if file is not None]
    for file, option in written:
        with whole_file(file) as out:
            out.write((seen.to_html() if option == "--html" else seen.forest_svg).encode())
    if options.json:
        print_row({**seen.to_dict(), **more}, as_json=True)
    else:
        print(seen.to_text())
        _print_more(groups, trees, "\n")
    for file, _ in written:
        warn(f"wrote {file}")


def _print_more(
    groups: list[GroupOfFeatures] | None, trees: BoostedTrees | None, before: str = ""
) -> None:
    if groups is not None:
        print(before, end="")
        _print_groups(groups)
        before = "\n"
    if trees is not None:
        told = trees.text() if len(trees) else "No trees."
        print(f"{before}{told}")


def _print_groups(groups: list[GroupOfFeatures]) -> None:
    rows = [["group", "features", "weight", "among them"]]
    for each in groups:
        size, weight = f"{each.size:,}", f"{each.weight:+.3g}"
        rows.append([str(each.number), size, weight, "; ".join(each.examples)])
    print("The largest groups of features that share a weight:" if groups else "No groups.")
    print_table(rows[: None if groups else 0], right=range(3))


PLUGIN = inspect
