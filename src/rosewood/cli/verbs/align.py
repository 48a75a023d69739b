"""Align the words of a corpus; save, load and apply word aligners."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.align.settings import AlignmentSettings
from rosewood.cli.aligned_corpora import check_picture, read_gold_file, read_text
from rosewood.cli.common import (
    bad_value,
    conflict,
    lines_to,
    needs,
    print_row,
    target_of,
    warn,
)
from rosewood.cli.corpora import SOURCES
from rosewood.cli.options import FILES, LEARNING, check_files, check_folder, cores
from rosewood.cli.run_options import Config, JsonObject, Quiet, Threads
from rosewood.corpus.settings import ParallelSettings
from rosewood.errors import AlignmentError
from rosewood.settings import setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.align import Aligner, CorpusAlignment, Preparation
    from rosewood.align.models import AlignmentModel
    from rosewood.corpus.parallel_text import ParallelText

_DRAWING = "Drawing"  # a panel of --help
_LONG = 500  # words of a sentence that are worth a warning


@dataclass(frozen=True)
class AlignOptions(AlignmentSettings):
    """How a corpus is aligned, by a new aligner or one that was saved; what is written."""

    list_settings: bool = setting(
        False, "Print the settings of --model, or of all models, and exit.", group=LEARNING
    )
    load: PathName | None = setting(
        None, "Use an aligner that --save wrote; nothing is trained.",
        group=FILES, metavar="FOLDER",
    )  # fmt: skip
    verify: bool = setting(False, "Check every byte of --load first.", group=FILES)
    gold: PathName | None = setting(None, "Gold links: i-j is sure, ipj possible.")
    first_line: int | None = setting(
        None, "Line of the corpus at which the gold begins.", low=1, metavar="N"
    )
    output: PathName | None = setting(
        None,
        "Links, a line for each pair: i-j, source word and target word, counted from 0; - is "
        "standard output.",
        group=FILES, short="o",
    )  # fmt: skip
    save: PathName | None = setting(
        None, "Folder for the trained aligner, for --load.", group=FILES, metavar="FOLDER"
    )
    scores: PathName | None = setting(
        None, "Log probability per word of each pair, target given source and source given "
        "target, separated by a tab; -inf where a side is empty.", group=FILES,
    )  # fmt: skip
    lexicon: PathName | None = setting(
        None, "Lexical translations: source word, target word, p(target|source), "
        "p(source|target), separated by tabs.", group=FILES,
    )  # fmt: skip
    posteriors: PathName | None = setting(
        None, "A line of JSON for each pair: [i, j, forward, backward] for each link with a "
        "posterior of 0.01 or more.", group=FILES,
    )  # fmt: skip
    words: PathName | None = setting(
        None, "The words that links count: source and target, separated by a tab.", group=FILES
    )
    picture: PathName | None = setting(
        None, "File for the drawings of --show, .svg or .html, with posteriors.", group=_DRAWING
    )

    def files(self) -> dict[str, PathName | None]:
        """Files by their options; --save is a folder."""
        names = ("scores", "lexicon", "posteriors", "words", "picture")
        return {"-o": self.output, **{f"--{name}": getattr(self, name) for name in names}}

    @property
    def streams(self) -> list[str]:
        """Options whose output goes to standard output."""
        return [option for option, path in self.files().items() if str(path) == "-"]

    def write(self, done: CorpusAlignment, how: Preparation, show: Sequence[int]) -> None:
        """All of them, the aligner first: it took longest to make."""
        from rosewood.align import write_pharaoh
        from rosewood.align.corpus_alignment import write_picture

        if self.save is not None:
            done.aligner.save(self.save, notes=how.notes())
        if self.output is not None:
            write_pharaoh(done.links, target_of(self.output))
        for what in ("scores", "words", "posteriors"):
            if (path := getattr(self, what)) is not None:
                with lines_to(path) as write:
                    for row in done.rows(what):
                        write(row)
        if self.lexicon is not None:
            done.aligner.lexicon().write(self.lexicon)
        if self.picture is not None:
            write_picture([*done.drawings(show, posteriors=True)], self.picture)

    def report(self, done: CorpusAlignment, show: Sequence[int], *, as_json: bool) -> None:
        """Drawings and numbers, on standard output if nothing else goes there."""
        stream = sys.stderr if self.streams else sys.stdout
        if as_json:
            print_row(done.to_dict(), as_json=True)
            return
        if self.picture is None:
            for each in done.drawings(show, posteriors=False):
                print(f"{each.title}\n{each.alignment.text(gold=each.gold)}\n", file=stream)
        print(done.summary(), file=stream)

    def chosen(self, languages: tuple[str | None, str | None]) -> tuple[Any, Preparation]:
        """A model to train, or an aligner, and how its text is prepared."""
        if self.load is None:
            return self.make_model(), self.preparation(languages)
        from rosewood.align import Aligner, Preparation
        from rosewood.corpus.lines import at

        if self.verify:
            Aligner.verify(self.load)
        aligner = Aligner.load(self.load)
        with at(str(self.load), None):
            return aligner, Preparation.of(aligner.notes).checked()


def align(
    options: AlignOptions,
    reading: ParallelSettings,
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCES", help=f"{SOURCES} Or a folder that rosewood corpus index wrote."
        ),
    ] = None,
    show: Annotated[
        list[int] | None,
        typer.Option(
            "--show",
            min=1,
            metavar="N",
            rich_help_panel=_DRAWING,
            help="Draw the alignment of line N, on the terminal or as --picture; repeatable.",
        ),
    ] = None,
    threads: Threads = None,
    quiet: Quiet = False,
    json: JsonObject = False,
    config: Config = None,
) -> None:
    """Align the words of a corpus; save the aligner; align new text with it.

    The output has a line for every line of the corpus, even for bad ones.

    rosewood align train.de train.en -o train.pharaoh --save aligner

    rosewood align new.de new.en -o new.pharaoh --load aligner
    """
    if options.list_settings:
        _list_settings(options.model, json)
        return
    from rosewood.align.corpus_alignment import Symmetrization

    method = Symmetrization.parse(options.symmetrize, options.order)
    shown = show or []
    _check(options, sources or [], shown, config, json)
    chosen, how = options.chosen(reading.both_languages)
    if not sources:
        _without_corpus(chosen, options, shown)
        return
    text = read_text(sources, reading, how or None, options.max_words, quiet=quiet)
    done = _align(text, chosen, method, options, shown, cores(threads), quiet)
    options.write(done, how, shown)
    options.report(done, shown, as_json=json)


def _check(
    options: AlignOptions, sources: list[str], show: list[int], config: Path | None, json: bool
) -> None:
    """Refuses, before any work, what cannot be done."""
    load, files, streams = options.load, options.files(), options.streams
    if not sources and load is None:
        raise typer.BadParameter("there must be a corpus", param_hint="SOURCES")
    inputs = [*sources, options.gold, config]
    check_files(files, inputs)
    taken = [*(f"{each} -" for each in streams), *(["--json"] if json else [])]
    if len(taken) > 1:
        raise conflict(AlignmentError, taken[1], taken[0])
    if taken and show and options.picture is None:
        raise conflict(AlignmentError, "--show", taken[0], "add --picture")
    for option in {"--lexicon", "--picture"}.intersection(streams):
        raise bad_value(AlignmentError, option, "-", "a file")
    for folder in [load, *(each for each in sources if Path(each).is_dir())]:
        for option, path in files.items():
            if folder and path and Path(path).resolve().is_relative_to(Path(folder).resolve()):
                raise conflict(AlignmentError, f"{option} {path}", f"the input {folder}")
    check_picture("--picture", options.picture)
    if str(options.picture).lower().endswith(".svg") and len(show) > 1:
        raise bad_value(AlignmentError, "--picture", options.picture, ".html for several drawings")
    if options.save is not None:
        from rosewood.align.parameters import MANIFEST

        check_folder("--save", options.save, MANIFEST, [*inputs, *files.values()])
    if not (options.save or any(files.values()) or show or options.gold or options.verify):
        raise needs(AlignmentError, "align", "-o FILE, or -o -")
    for option, value, other, has_other in (
        ("--first-line", options.first_line, "--gold", options.gold),
        ("--picture", options.picture, "--show", show),
        ("--verify", options.verify, "--load", load),
    ):
        if value and not has_other:
            raise needs(AlignmentError, option, other)
    typed = {"--model": options.model, "--set": options.set, "--save": options.save,
             "--tokeniser": options.tokeniser, "--lowercase": options.lowercase}  # fmt: skip
    for option in [option for option, value in typed.items() if value and load is not None]:
        raise conflict(AlignmentError, option, "--load")


def _without_corpus(aligner: Aligner, options: AlignOptions, show: list[int]) -> None:
    """What needs no corpus: the lexicon, and a summary of the aligner."""
    asked = {**options.files(), "--show": show, "--gold": options.gold}
    for option, value in asked.items():
        if value and option != "--lexicon":
            raise typer.BadParameter(f"{option} needs a corpus", param_hint="SOURCES")
    if options.lexicon is not None:
        aligner.lexicon().write(options.lexicon)
    print(aligner)


def _list_settings(model: str | None, as_json: bool) -> None:
    """The settings of a model, or of all."""
    from rosewood.align.models import MODELS, make_model
    from rosewood.cli.common import print_settings
    from rosewood.registry import first_line

    chosen = MODELS.items() if model is None else [(model, type(make_model(model)))]
    print_settings("model", ((n, first_line(kind.__doc__), kind) for n, kind in chosen), as_json)


def _align(
    text: ParallelText,
    chosen: AlignmentModel | Aligner,
    method: Any,
    options: AlignOptions,
    show: Sequence[int],
    threads: int,
    quiet: bool,
) -> CorpusAlignment:
    """Checks what depends on the text, warns of long sentences, and aligns with progress."""
    from rosewood.align import Aligner, align_text
    from rosewood.align.corpus_alignment import check_gold
    from rosewood.arguments import check_whole
    from rosewood.progress import progress

    corpus, gold = text.corpus, None
    for line in show:
        check_whole("show", line, low=1, high=len(corpus), error=AlignmentError)
    if options.gold is not None:
        gold = read_gold_file(options.gold)
        check_gold(gold, corpus, options.first_line, options.gold)
    is_trained = isinstance(chosen, Aligner)
    model = chosen.model if isinstance(chosen, Aligner) else chosen
    longest = max(int(side.lengths.max(initial=0)) for side in (corpus.source, corpus.target))
    if model.placing == "jumps" and longest > _LONG:
        warn(
            f"the longest sentence has {longest:,} words, and the time of {model.name} grows with "
            "the square: --max-words leaves such pairs out"
        )
    rounds = model.warm_up + model.iterations
    with progress(f"training {model.name}, rounds", rounds, quiet=quiet or is_trained) as step:
        return align_text(
            text, chosen, method, gold=gold, first_line=options.first_line, threads=threads,
            report=lambda _: step(),
        )  # fmt: skip


PLUGIN = align
