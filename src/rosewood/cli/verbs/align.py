"""Align the words of a corpus; save, load and apply word aligners."""

from __future__ import annotations

import json as json_text
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import tee
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from rosewood.cli.aligning import Text, read_gold_file, read_text
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
from rosewood.cli.drawings import Drawing, check_picture, gold_of, is_svg, write_picture
from rosewood.cli.options import (
    FILES,
    LEARNING,
    Config,
    Threads,
    check_files,
    check_folder,
    cores,
)
from rosewood.errors import AlignmentError, FormatError
from rosewood.settings import Settings, setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.align import Aligned, Aligner, Gold, Links, LinkScores, Preparation
    from rosewood.align.models import Model
    from rosewood.corpus import IndexedCorpus

__all__ = ["PLUGIN"]

_DRAWING = "Drawing"  # a panel of --help
_LEAST = 0.01  # smaller posteriors are not written
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
                for row in _posterior_rows(done.aligner, corpus, threads):
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
    if output.picture is not None and is_svg(output.picture) and len(show) > 1:
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


class Symmetrization(NamedTuple):
    """How two directions become one alignment."""

    method: str
    order: str
    least: float | None = None  # of posteriors

    @classmethod
    def parse(cls, text: str, order: str) -> Symmetrization:
        """As it is typed: a method, a direction, or threshold:0.4."""
        from rosewood.align import ORDERS, SYMMETRIZATIONS
        from rosewood.arguments import check_choice

        check_choice("order", order, ORDERS, error=AlignmentError)
        method, _, value = text.partition(":")
        if method == "threshold":
            try:
                least = float(value)
            except ValueError:
                least = 0.0
            if not 0 < least <= 1:
                raise AlignmentError(
                    f"symmetrize is {text!r}, expected threshold:P with P above 0 and up to 1",
                    code="argument.range", argument="symmetrize", value=text,
                )  # fmt: skip
            return cls(text, order, least)
        known = (*SYMMETRIZATIONS, "forward", "backward", "threshold:P")
        check_choice("symmetrize", text, known, error=AlignmentError)
        return cls(method, order)

    def __call__(
        self, aligner: Aligner, aligned: Aligned, corpus: IndexedCorpus, threads: int
    ) -> Links:
        from rosewood.align import threshold

        if self.least is not None:
            one, other = tee(aligner.posteriors(corpus, threads=threads))
            both = (each.forward for each in one), (each.backward for each in other)
            return threshold(*both, how="geometric", at=self.least)
        if self.method in ("forward", "backward"):
            return aligned.forward if self.method == "forward" else aligned.backward
        return aligned.symmetrize(self.method, order=self.order, threads=threads)


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
    from rosewood.arguments import check_whole
    from rosewood.progress import progress

    corpus, first_line = text.corpus, options.first_line
    for line in show:
        check_whole("show", line, low=1, high=len(corpus), error=AlignmentError)
    truth = None if options.gold is None else _gold_for(corpus, options.gold, first_line)
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


def _gold_for(corpus: IndexedCorpus, file: PathName, first_line: int | None) -> Gold:
    """Gold links that fit the corpus; others are refused before anything is trained."""
    gold = read_gold_file(file)
    begin = (first_line or 1) - 1
    is_short = begin + len(gold) > len(corpus)
    if is_short or (first_line is None and len(gold) != len(corpus)):
        hint = "--first-line must say at which line of the corpus it begins"
        raise FormatError(
            f"it has {len(gold):,} lines, the corpus has {len(corpus):,}"
            + (f" from line {first_line} on too few" if first_line else f": {hint}"),
            code="file.mismatch", file=file, argument="--first-line", value=first_line,
        )  # fmt: skip
    if not gold.is_aligned.any():
        raise FormatError("there are no links in it", code="file.empty", file=file)
    part = corpus.part(begin, begin + len(gold))
    beyond = gold.links.beyond(part.source.lengths, part.target.lengths)
    if beyond is not None:
        raise FormatError(beyond[1], code="line.value", file=file, line=beyond[0] + 1)
    return gold


def _posterior_rows(
    aligner: Aligner, corpus: IndexedCorpus, threads: int
) -> Iterator[list[list[float]]]:
    """[i, j, forward, backward] of likely links, sentence by sentence."""
    import numpy as np

    for both in aligner.posteriors(corpus, threads=threads):
        rows, columns = np.nonzero(np.maximum(both.forward, both.backward) >= _LEAST)
        forward, backward = (
            np.round(each[rows, columns].astype(float), 4).tolist() for each in both
        )
        found = zip(rows.tolist(), columns.tolist(), forward, backward, strict=True)
        yield [list(each) for each in found]


PLUGIN = align
