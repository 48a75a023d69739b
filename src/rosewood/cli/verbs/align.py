"""Align the words of a corpus; save, load and apply word aligners."""

from __future__ import annotations

import json as json_text
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.aligned_corpora import Text, check_picture, read_gold_file, read_text
from rosewood.cli.common import (
    Quiet,
    bad_value,
    conflict,
    lines_to,
    needs,
    print_row,
    print_table,
    target_of,
    warn,
)
from rosewood.cli.corpora import ParallelOptions
from rosewood.cli.options import (
    FILES,
    LEARNING,
    Config,
    Threads,
    check_files,
    check_folder,
    cores,
)
from rosewood.errors import AlignmentError
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.align import Aligned, Aligner, Gold, Links, LinkScores, Preparation
    from rosewood.align.corpus_alignment import Drawing, Symmetrization
    from rosewood.align.models import Model
    from rosewood.corpus import IndexedCorpus

__all__ = ["PLUGIN"]

_DRAWING = "Drawing"  # a panel of --help
_LONG = 500  # words of a sentence that are worth a warning


@dataclass(frozen=True)
class OutputOptions(Settings):
    """What is written, and where."""

    error = AlignmentError

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
        None,
        "Log probability per word of each pair, target given source and source given target, "
        "separated by a tab; -inf where a side is empty.",
        group=FILES,
    )
    lexicon: PathName | None = setting(
        None,
        "Lexical translations: source word, target word, p(target|source), p(source|target), "
        "separated by tabs.",
        group=FILES,
    )
    posteriors: PathName | None = setting(
        None,
        "A line of JSON for each pair: [i, j, forward, backward] for each link with a posterior "
        "of 0.01 or more.",
        group=FILES,
    )
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

    def write(self, done: Done, how: Preparation, threads: int) -> None:
        """All of them, the aligner first: it took longest to make."""
        from rosewood.align import write_pharaoh
        from rosewood.align.corpus_alignment import posterior_rows, write_picture

        corpus = done.text.corpus
        if self.save is not None:
            done.aligner.save(self.save, notes=how.notes())
        if self.output is not None:
            write_pharaoh(done.links, target_of(self.output))
        if self.scores is not None:
            with lines_to(self.scores) as write:
                for forward, backward in done.aligned.scores(corpus).tolist():
                    write(f"{forward:.6f}\t{backward:.6f}")
        if self.words is not None:
            with lines_to(self.words) as write:
                for n in range(len(corpus)):
                    sides = corpus.source.words(n), corpus.target.words(n)
                    write("\t".join(map(" ".join, sides)))
        if self.posteriors is not None:
            with lines_to(self.posteriors) as write:
                for row in posterior_rows(done.aligner, corpus, least=0.01, threads=threads):
                    write(json_text.dumps(row))
        if self.lexicon is not None:
            done.aligner.lexicon().write(self.lexicon)
        if self.picture is not None:
            write_picture([*done.drawings(posteriors=True, threads=threads)], self.picture)


@dataclass(frozen=True)
class AlignOptions(Settings):
    """The model, and what it aligns."""

    error = AlignmentError

    model: str | None = setting(
        None,
        "Model: best (by far the most accurate), hmm, diag (fast_align's) or model1.",
        group=LEARNING, metavar="NAME", default_text="best",
    )  # fmt: skip
    set: dict[str, Any] = setting({}, "A setting of the model; see --list-settings.",
                                  group=LEARNING)  # fmt: skip
    list_settings: bool = setting(
        False, "Print the settings of --model, or of all models, and exit.", group=LEARNING
    )
    load: PathName | None = setting(
        None, "Use an aligner that --save wrote; nothing is trained.",
        group=FILES, metavar="FOLDER",
    )  # fmt: skip
    verify: bool = setting(False, "Check every byte of --load first.", group=FILES)
    symmetrize: str = setting(
        "grow-diag-final-and",
        "Symmetrisation: intersection, union, grow-diag, grow-diag-final, grow-diag-final-and; "
        "one direction: forward, backward; or threshold:0.4, links with this geometric mean of "
        "posteriors or more.",
        metavar="METHOD",
    )
    order: str = setting(
        "atools", "Tie-break of grow-diag: that of fast_align's atools or of Moses' symal.",
        metavar="atools|symal",
    )  # fmt: skip
    gold: PathName | None = setting(None, "Gold links: i-j is sure, ipj possible.")
    first_line: int | None = setting(
        None, "Line of the corpus at which the gold begins.", low=1, metavar="N"
    )
    tokeniser: str | None = setting(
        None,
        "Tokenise raw text: unicode, moses or char. Links count those words (see --words).",
        metavar="NAME", default_text="split at spaces",
    )  # fmt: skip
    lowercase: bool = setting(False, "Lowercase the words before alignment.")
    max_words: int | None = setting(
        None, "Do not align longer sentences: their lines stay empty.",
        low=1, metavar="N", default_text="no limit",
    )  # fmt: skip

    def make(self, languages: tuple[str | None, str | None]) -> tuple[Model, Preparation]:
        """A model to train, and how its text is prepared."""
        from rosewood.align import Preparation, make_model

        model = make_model(self.model or "best", self.set)
        source, target = languages
        how = Preparation(self.tokeniser, (source or "", target or ""), self.lowercase)
        return model, how.checked()


def align(
    output: OutputOptions,
    options: AlignOptions,
    reading: ParallelOptions,
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCES",
            help="Two text files with parallel lines, or .tsv, .jsonl, .tmx, .po or .xlf files, "
            "which are joined; .gz, .xz and .zst too; - is standard input. Or a folder that "
            "rosewood corpus index wrote.",
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
    json: Annotated[bool, typer.Option("--json", help="Print a summary as JSON.")] = False,
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
    _check(output, options, sources or [], shown, config, json)
    chosen: Model | Aligner
    if options.load is None:
        chosen, how = options.make(reading.both_languages)
    else:
        chosen, how = _loaded(options.load, options.verify)
        if not sources:
            _without_corpus(chosen, output, options, shown)
            return
    text = read_text(sources or [], reading, how, options.max_words, quiet=quiet)
    done = _align(text, chosen, method, options, shown, cores(threads), quiet)
    output.write(done, how, cores(threads))
    done.report(output, as_json=json)


def _check(
    output: OutputOptions,
    options: AlignOptions,
    sources: list[str],
    show: list[int],
    config: Path | None,
    json: bool,
) -> None:
    """Refuses, before any work, what cannot be done."""
    load, files, streams = options.load, output.files(), output.streams
    if not sources and load is None:
        raise typer.BadParameter("there must be a corpus", param_hint="SOURCES")
    inputs = [*sources, options.gold, config]
    check_files(files, inputs)
    if len(streams) > 1:
        raise conflict(AlignmentError, f"{streams[1]} -", f"{streams[0]} -")
    if streams and json:
        raise conflict(AlignmentError, "--json", f"{streams[0]} -")
    if (streams or json) and show and output.picture is None:
        other = f"{streams[0]} -" if streams else "--json"
        raise conflict(AlignmentError, "--show", other, "add --picture")
    for option in {"--lexicon", "--picture"}.intersection(streams):
        raise bad_value(AlignmentError, option, "-", "a file")
    for folder in [load, *(each for each in sources if Path(each).is_dir())]:
        for option, path in files.items():
            if folder and path and Path(path).resolve().is_relative_to(Path(folder).resolve()):
                raise conflict(AlignmentError, f"{option} {path}", f"the input {folder}")
    check_picture("--picture", output.picture)
    if str(output.picture).lower().endswith(".svg") and len(show) > 1:
        raise bad_value(AlignmentError, "--picture", output.picture, ".html for several drawings")
    if output.save is not None:
        from rosewood.align.parameters import MANIFEST

        check_folder("--save", output.save, MANIFEST, [*inputs, *files.values()])
    if not (output.save or any(files.values()) or show or options.gold or options.verify):
        raise needs(AlignmentError, "align", "-o FILE, or -o -")
    for option, value, other, has_other in (
        ("--first-line", options.first_line, "--gold", options.gold),
        ("--picture", output.picture, "--show", show),
        ("--verify", options.verify, "--load", load),
    ):
        if value and not has_other:
            raise needs(AlignmentError, option, other)
    typed = {"--model": options.model, "--set": options.set, "--save": output.save,
             "--tokeniser": options.tokeniser, "--lowercase": options.lowercase}  # fmt: skip
    for option in [option for option, value in typed.items() if value and load is not None]:
        raise conflict(AlignmentError, option, "--load")


def _loaded(folder: PathName, verify: bool) -> tuple[Aligner, Preparation]:
    from rosewood.align import Aligner, Preparation
    from rosewood.corpus.lines import at

    if verify:
        Aligner.verify(folder)
    aligner = Aligner.load(folder)
    with at(str(folder), None):
        return aligner, Preparation.of(aligner.notes).checked()


def _without_corpus(
    aligner: Aligner, output: OutputOptions, options: AlignOptions, show: list[int]
) -> None:
    """What needs no corpus: the lexicon, and a summary of the aligner."""
    asked = {**output.files(), "--show": show, "--gold": options.gold}
    for option, value in asked.items():
        if value and option != "--lexicon":
            raise typer.BadParameter(f"{option} needs a corpus", param_hint="SOURCES")
    if output.lexicon is not None:
        aligner.lexicon().write(output.lexicon)
    print(aligner)


def _list_settings(model: str | None, as_json: bool) -> None:
    """The settings of a model, or of all."""
    from rosewood.align.models import MODELS, make_model
    from rosewood.settings import settings_of

    for name, kind in MODELS.items() if model is None else [(model, type(make_model(model)))]:
        rows: list[dict[str, Any]] = [
            {"name": each.name, "default": each.default, "help": each.help}
            for each in settings_of(kind)
        ]
        if as_json:
            print_row({"model": name, "settings": rows}, as_json=True)
            continue
        print(f"{name}: {(kind.__doc__ or '').splitlines()[0]}")
        print_table([[f"  {r['name']}", _typed(r["default"]), r["help"]] for r in rows])


def _typed(value: Any) -> str:
    """A value as it is typed after --set."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class Done:
    """A corpus and its alignment."""

    text: Text
    aligner: Aligner
    aligned: Aligned
    links: Links
    method: str
    gold: Gold | None
    first_line: int | None
    show: Sequence[int]
    scores: LinkScores | None

    def drawings(self, *, posteriors: bool, threads: int = 1) -> Iterator[Drawing]:
        """The sentences that are to be shown."""
        from rosewood.align.corpus_alignment import Drawing, gold_of

        corpus = self.text.corpus
        for line in self.show:
            posterior = None
            if posteriors:
                (both,) = self.aligner.posteriors(corpus.part(line - 1, line), threads=threads)
                posterior = both.combined()
            truth = None if self.gold is None else gold_of(self.gold, line, self.first_line)
            alignment = self.links.sentence(line - 1, corpus)
            yield Drawing(alignment, truth, posterior, f"Line {line:,}")

    def to_dict(self) -> dict[str, Any]:
        """What was done, in numbers."""
        last = self.aligner.history[-1]
        return {
            "model": self.aligner.model.name,
            "settings": self.aligner.model.to_dict(),
            "symmetrize": self.method,
            "pairs": len(self.text.corpus),
            "blank": self.text.blank,
            "too_long": self.text.too_long,
            "skipped": self.text.skipped,
            "links": len(self.links.source),
            "training": {"rounds": last["round"], **{d: last[d] for d in ("forward", "backward")}},
            "gold": None if self.scores is None else self.scores.to_dict(),
        }

    def report(self, output: OutputOptions, *, as_json: bool) -> None:
        """Drawings and numbers, on standard output if nothing else goes there."""
        stream = sys.stderr if output.streams else sys.stdout
        if as_json:
            print_row(self.to_dict(), as_json=True)
            return
        if output.picture is None:
            for each in self.drawings(posteriors=False):
                print(f"{each.title}\n{each.alignment.text(gold=each.gold)}\n", file=stream)
        pairs, links = len(self.text.corpus), len(self.links.source)
        name = f"{self.aligner.model.name}, {self.method}"
        print(f"{pairs:,} sentence pairs, {links:,} links ({name})", file=stream)
        if self.scores is not None:
            found = self.scores
            print(
                f"AER {found.aer:.4f}, precision {found.precision:.4f}, recall {found.recall:.4f} "
                f"on {len(found.sentence):,} sentence pairs with gold",
                file=stream,
            )


def _align(
    text: Text,
    model: Model | Aligner,
    method: Symmetrization,
    options: AlignOptions,
    show: Sequence[int],
    threads: int,
    quiet: bool,
) -> Done:
    """Trains a model on the text, or uses a trained aligner, and aligns the text."""
    from rosewood.align import Aligner, score_links
    from rosewood.align.corpus_alignment import check_gold
    from rosewood.arguments import check_whole
    from rosewood.progress import progress

    corpus, first_line = text.corpus, options.first_line
    for line in show:
        check_whole("show", line, low=1, high=len(corpus), error=AlignmentError)
    truth = None if options.gold is None else read_gold_file(options.gold)
    if truth is not None and options.gold is not None:
        check_gold(truth, corpus, first_line, options.gold)
    _warn_of_long(corpus, model.model if isinstance(model, Aligner) else model)
    if isinstance(model, Aligner):
        aligner, aligned = model, model.align_both(corpus, threads=threads)
    else:
        rounds = model.warm_up + model.iterations
        with progress(f"training {model.name}, rounds", rounds, quiet=quiet) as step:
            aligner, aligned = Aligner.fit_align(
                corpus, model, threads=threads, report=lambda _: step()
            )
    links = method(aligner, aligned, corpus, threads)
    scores = None if truth is None else score_links(links, truth, first_line=first_line)
    return Done(text, aligner, aligned, links, method.method, truth, first_line, show, scores)


def _warn_of_long(corpus: IndexedCorpus, model: Model) -> None:
    """A few lines of a broken file may take longer than all others together."""
    longest = max(int(side.lengths.max(initial=0)) for side in (corpus.source, corpus.target))
    if model.placing == "jumps" and longest > _LONG:
        warn(
            f"the longest sentence has {longest:,} words, and the time of {model.name} grows with "
            "the square: --max-words leaves such pairs out"
        )


PLUGIN = align
