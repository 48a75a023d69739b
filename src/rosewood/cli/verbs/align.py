"""Align the words of a corpus; save, load and apply word aligners."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.aligning import Outputs, Symmetrization, align_corpus, read_text
from rosewood.cli.common import print_row, print_table
from rosewood.cli.corpora import (
    BlankBadLine,
    CorpusFormat,
    Languages,
    LineCharacters,
    LineWords,
    Quiet,
    checks_of,
    split_languages,
)
from rosewood.cli.options import (
    FILES,
    LEARNING,
    Config,
    Threads,
    check_files,
    check_folder,
    cores,
    merged,
    named_values,
)
from rosewood.cli.verbs.links import GOLD, FirstLine, Order, check_picture
from rosewood.errors import AlignmentError

if TYPE_CHECKING:
    from rosewood.align import Aligner, Preparation
    from rosewood.align.models import Model

__all__ = ["PLUGIN"]

_LOOKING = "Looking at it"  # panel of --help


def _file(option: str, help: str, panel: str = FILES, metavar: str = "FILE") -> Any:
    return typer.Option(option, metavar=metavar, rich_help_panel=panel, help=help)


def align(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCES",
            help="Two text files, line by line translations of each other, or a .tsv, .jsonl, "
            ".tmx, .po or .xlf file; .gz, .xz and .zst too; - is standard input. Several become "
            "one corpus. Or a folder that rosewood corpus index wrote.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            rich_help_panel=FILES,
            help="Where the links go, a line for each pair: i-j, source word and target word, "
            "counted from 0; - is standard output.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="NAME",
            show_default="best",
            rich_help_panel=LEARNING,
            help="best (by far the most exact), hmm, diag (what fast_align has) or model1.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            callback=merged,
            rich_help_panel=LEARNING,
            help="A setting of the model; see --list-settings.",
        ),
    ] = None,
    list_settings: Annotated[
        bool,
        typer.Option(
            "--list-settings",
            rich_help_panel=LEARNING,
            help="Show the settings of --model (or of all); no more.",
        ),
    ] = False,
    symmetrize: Annotated[
        str,
        typer.Option(
            "--symmetrize",
            metavar="METHOD",
            help="How both directions become one: intersection, union, grow-diag, "
            "grow-diag-final, grow-diag-final-and; or one of them: forward, backward; or "
            "threshold:0.4, links whose posteriors have this geometric mean or more.",
        ),
    ] = "grow-diag-final-and",
    order: Order = "atools",
    save: Annotated[
        Path | None,
        _file("--save", "Keep the trained aligner in a folder, for --load.", FILES, "FOLDER"),
    ] = None,
    load: Annotated[
        Path | None,
        _file("--load", "An aligner that --save wrote: nothing is trained.", FILES, "FOLDER"),
    ] = None,
    verify: Annotated[
        bool,
        typer.Option("--verify", rich_help_panel=FILES, help="Check every byte of --load first."),
    ] = False,
    scores: Annotated[
        Path | None,
        _file(
            "--scores",
            "Log probability a word of each pair, target given source and source given target, "
            "by a tab; for filtering. -inf where a side is empty.",
        ),
    ] = None,
    lexicon: Annotated[
        Path | None,
        _file(
            "--lexicon",
            "Lexical translations: source word, target word, p(target|source), p(source|target), "
            "by tabs.",
        ),
    ] = None,
    posteriors: Annotated[
        Path | None,
        _file(
            "--posteriors",
            "A line of JSON for each pair: lists of i, j and the posteriors of both directions, of "
            "links that either gives 0.01.",
        ),
    ] = None,
    words: Annotated[
        Path | None,
        _file("--words", "The words that links count: source and target, by a tab."),
    ] = None,
    gold: Annotated[Path | None, GOLD] = None,
    first_line: FirstLine = None,
    show: Annotated[
        list[int] | None,
        typer.Option(
            "--show",
            min=1,
            metavar="N",
            rich_help_panel=_LOOKING,
            help="Draw the alignment of line N, on the terminal or as --picture; repeatable.",
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        _file("--picture", "Where --show draws to, .svg or .html, with posteriors.", _LOOKING),
    ] = None,
    tokeniser: Annotated[
        str | None,
        typer.Option(
            "--tokeniser",
            metavar="NAME",
            show_default="words stand between spaces",
            help="unicode, moses or char: the text is raw, cut it into words. Links count those "
            "(see --words). --languages tell it more.",
        ),
    ] = None,
    lowercase: Annotated[
        bool, typer.Option("--lowercase", help="Align the words in small letters.")
    ] = False,
    max_words: Annotated[
        int | None,
        typer.Option(
            "--max-words",
            min=1,
            metavar="N",
            show_default="all are aligned",
            help="Pairs with a longer side are not aligned: their lines are empty.",
        ),
    ] = None,
    languages: Languages = None,
    format: CorpusFormat = None,
    on_bad_line: BlankBadLine = "stop",
    line_words: LineWords = 10_000,
    line_characters: LineCharacters = 100_000,
    threads: Threads = None,
    quiet: Quiet = False,
    json: Annotated[
        bool, typer.Option("--json", help="Tell what was done as JSON, on standard output.")
    ] = False,
    config: Config = None,
) -> None:
    """Align the words of a corpus; keep the aligner; align new text with it.

    The output has a line for every line of the corpus, whatever was wrong with it.

    rosewood align train.de train.en -o train.pharaoh --save aligner

    rosewood align new.de new.en -o new.pharaoh --load aligner
    """
    if list_settings:
        _list_settings(model, json)
        return
    outputs = Outputs(output, save, scores, lexicon, posteriors, words, picture)
    method = Symmetrization.parse(symmetrize, order)
    _check(outputs, sources, load, gold, first_line, config, show, json)
    if not (outputs.is_any or show or gold or verify):
        raise AlignmentError("say where the links go: -o FILE, or -o - for standard output")
    chosen: Model | Aligner
    if load is None:
        if verify:
            raise AlignmentError("--verify checks an aligner: want --load, too")
        from rosewood.align import make_model

        chosen = make_model(model or "best", named_values(settings))
        how = _preparation(tokeniser, lowercase, languages)
    else:
        typed = {"--model": model, "--set": settings, "--save": save, "--tokeniser": tokeniser,
                 "--lowercase": lowercase}  # fmt: skip
        for option, value in typed.items():
            if value:
                raise AlignmentError(f"--load brings a trained aligner: leave out {option}")
        chosen, how = _loaded(load, verify)
        if not sources:
            _without_corpus(chosen, outputs, show, gold)
            return
    checks = checks_of(line_words, line_characters)
    text = read_text(
        sources or [], languages, format, on_bad_line, how, max_words, checks=checks, quiet=quiet
    )
    done = align_corpus(
        text, chosen, method, gold=gold, first_line=first_line,
        show=show or (), threads=cores(threads), quiet=quiet,
    )  # fmt: skip
    outputs.write(done, how, cores(threads))
    done.tell(outputs, as_json=json)


def _check(
    outputs: Outputs,
    sources: list[str] | None,
    load: Path | None,
    gold: Path | None,
    first_line: int | None,
    config: Path | None,
    show: list[int] | None,
    json: bool,
) -> None:
    """Everything that can be refused before any work."""
    if not sources and load is None:
        raise typer.BadParameter("there must be a corpus", param_hint="SOURCES")
    inputs = [*map(Path, sources or ()), gold, config]
    files = outputs.files()
    check_files(files, inputs)
    streams = [option for option, path in files.items() if str(path) == "-"]
    if len(streams) > 1:
        raise AlignmentError(f"{' and '.join(streams)} cannot both go to standard output")
    if streams and json:
        raise AlignmentError(f"--json prints what was done: {streams[0]} cannot go there as well")
    if streams and show and outputs.picture is None:
        raise AlignmentError(f"--show draws where {streams[0]} goes: want --picture, or a file")
    if json and show and outputs.picture is None:
        raise AlignmentError("--json prints what was done: --show wants --picture")
    if first_line is not None and gold is None:
        raise AlignmentError("--first-line tells where gold begins: want --gold, too")
    for option in ("--lexicon", "--picture"):
        if option in streams:
            raise AlignmentError(f"{option}: it goes to a file")
    for folder in [load, *(Path(each) for each in sources or () if Path(each).is_dir())]:
        for option, path in files.items():
            if folder and path and path.resolve().is_relative_to(folder.resolve()):
                raise AlignmentError(f"{option} {path}: it lies in {folder}, which is read")
    check_picture(outputs.picture)
    if outputs.picture is not None and not show:
        raise AlignmentError("--picture: say with --show which line to draw")
    is_one = outputs.picture is not None and outputs.picture.suffix.lower() == ".svg"
    if is_one and len(show or ()) > 1:
        raise AlignmentError(f"{outputs.picture}: several pictures go on a page, .html")
    if outputs.save is not None:
        from rosewood.align.parameters import MANIFEST

        check_folder("--save", outputs.save, MANIFEST, [*inputs, *files.values()])


def _preparation(tokeniser: str | None, lowercase: bool, languages: str | None) -> Preparation:
    from rosewood.align import Preparation

    source, target = split_languages(languages)
    return Preparation(tokeniser, (source or "", target or ""), lowercase).checked()


def _loaded(folder: Path, verify: bool) -> tuple[Aligner, Preparation]:
    from rosewood.align import Aligner, Preparation
    from rosewood.corpus.lines import at

    if verify:
        Aligner.verify(folder)
    aligner = Aligner.load(folder)
    with at(str(folder), None):
        return aligner, Preparation.of(aligner.notes).checked()


def _without_corpus(
    aligner: Aligner, outputs: Outputs, show: list[int] | None, gold: Path | None
) -> None:
    """What an aligner can say by itself."""
    asked = {**outputs.files(), "--show": show, "--gold": gold}
    for option, value in asked.items():
        if value and option != "--lexicon":
            raise typer.BadParameter(f"{option} needs a corpus", param_hint="SOURCES")
    if outputs.lexicon is not None:
        aligner.lexicon().write(outputs.lexicon)
    print(aligner)


def _list_settings(model: str | None, as_json: bool) -> None:
    """The settings of a model, or of all."""
    from rosewood.align.models import MODELS, SETTINGS, make_model

    for name, kind in MODELS.items() if model is None else [(model, type(make_model(model)))]:
        rows: list[dict[str, Any]] = [
            {"name": each.name, "default": each.default, "help": SETTINGS[each.name].help}
            for each in fields(kind)
        ]
        if as_json:
            print_row({"model": name, "settings": rows}, as_json=True)
            continue
        print(f"{name}: {(kind.__doc__ or '').splitlines()[0]}")
        print_table([[f"  {r['name']}", _typed(r["default"]), r["help"]] for r in rows])


def _typed(value: Any) -> str:
    """As it is typed behind --set."""
    return str(value).lower() if isinstance(value, bool) else str(value)


PLUGIN = align
