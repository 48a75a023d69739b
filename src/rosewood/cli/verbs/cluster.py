"""Put words into classes by the words beside them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.common import (
    conflict,
    name_of,
    named_rows,
    needs,
    print_row,
    print_table,
    source_of,
    target_of,
    warn,
)
from rosewood.cli.memory_options import Work
from rosewood.cli.options import FILES, check_files
from rosewood.cli.options_from_settings import Typed
from rosewood.cli.run_options import JsonObject, ThreadedRun
from rosewood.corpus.clusters_settings import ClusterSettings
from rosewood.errors import CorpusError
from rosewood.settings import Settings, setting, setting_of
from rosewood.shared_settings import SharedSettings
from rosewood.shared_types import PathName, StopOrSkip

if TYPE_CHECKING:
    from rosewood.corpus import WordClasses

Texts = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[TEXT]…",
        help="Text, one sentence per line, words separated by spaces, .gz .xz .zst too; - is "
        "standard input.",
    ),
]
_SHOWN = 10  # words of a class
_NAMES = ("sentences", "words", "types", "rare_types", "bigrams", "objective", "perplexity")


@dataclass(frozen=True, kw_only=True)
class ClusterOptions(Settings):
    """What is read besides text, and what is written."""

    error = CorpusError
    group = FILES

    output: PathName | None = setting(None, "File for the classes.", short="o")
    text: PathName | None = setting(
        None, "Write lines `word<TAB>class`, as mkcls does; - is standard output."
    )
    load: PathName | None = setting(
        None, "Read a file of classes instead of learning them: one that -o wrote, or lines "
        "`word class` of another program.",
    )  # fmt: skip
    on_bad_line: StopOrSkip = setting_of(
        SharedSettings, "on_bad_line", more="stop, or skip it and count it.",
        metavar="stop|skip",
    )  # fmt: skip
    show: int | None = setting(
        None, "Print this many of the largest classes with their most frequent words.",
        low=1, group="", metavar="N", types_none=False,
    )  # fmt: skip


def cluster(
    options: ClusterOptions,
    settings: Annotated[dict[str, Any], Typed(ClusterSettings)],
    run: ThreadedRun,
    texts: Texts = None,
    work: Work = None,
    json: JsonObject = False,
) -> None:
    """Learn word classes from text: words with similar neighbours share a class.

    rosewood cluster train.en.gz --classes 50 -o en.classes

    rosewood cluster --load en.classes --show 10
    """
    check_files({"-o": options.output, "--text": options.text},
                [*(texts or []), options.load, run.config])  # fmt: skip
    has_no_result = options.output is None and options.text is None and options.show is None
    if options.load is not None:
        for name in settings:
            raise conflict(CorpusError, f"--{name.replace('_', '-')}", "--load")
        if texts:
            raise conflict(CorpusError, "TEXT", "--load")
        if has_no_result:
            raise needs(CorpusError, "--load", "--show, -o or --text")
        classes = _loaded(options.load)
    elif has_no_result:
        raise needs(CorpusError, "cluster", "-o FILE, --text FILE or --show N")
    else:
        classes = _learned(texts or [Path("-")], settings, run, work, options)
    if options.output is not None:
        classes.save(options.output)
    if options.text is not None:
        classes.write_text(target_of(options.text))
    _report(classes, options, as_json=json, quiet=run.quiet)


def _learned(
    texts: list[Path],
    typed: dict[str, Any],
    run: ThreadedRun,
    work: Path | None,
    options: ClusterOptions,
) -> WordClasses:
    from rosewood.corpus.clusters import WordClasses
    from rosewood.corpus.clusters_learning import learn
    from rosewood.corpus.indexed import IndexedText
    from rosewood.output import check_apart
    from rosewood.progress import progress, progress_of_parts

    settings = ClusterSettings(**typed)
    if work is None and options.output is not None:
        work = Path(f"{options.output}.work")
    if work is not None:
        check_apart(work, [path for path in (*texts, options.output) if path and str(path) != "-"])
    skipped: list[str] = []
    with progress("reading lines", quiet=run.quiet) as step:
        text = IndexedText.from_files(
            [source_of(each) for each in texts],
            skipped=skipped if options.on_bad_line == "skip" else None,
            step=step,
        )
    if skipped:
        warn(f"{len(skipped)} bad lines were left out; the first: {skipped[0]}")
    if len(text.ids) == 0:
        names = ", ".join(map(name_of, texts))
        raise CorpusError(f"{names}: there are no words", code="file.empty", file=names)
    try:
        with progress_of_parts(quiet=run.quiet) as told:
            found = learn(text, settings, threads=run.cores, work=work, told=told)
    except KeyboardInterrupt:
        if work is not None and work.exists():
            warn(f"{work}: the same command resumes from there")
        raise
    if found.went_on and not run.quiet:
        warn(f"{work}: resumed from there")
    if not found.facts["is_converged"] and not run.quiet:
        warn(f"words still moved in round {settings.rounds}: more --rounds may give better classes")
    return WordClasses.of_learned(found)


def _loaded(file: PathName) -> WordClasses:
    """Classes of a file of either kind."""
    from rosewood.corpus.clusters import WordClasses
    from rosewood.corpus.clusters_files import is_ours

    return WordClasses.load(file) if is_ours(file) else WordClasses.read_text(file)


def _report(classes: WordClasses, options: ClusterOptions, *, as_json: bool, quiet: bool) -> None:
    """Sizes, and the largest classes if they are asked for."""
    row: dict[str, Any] = {"classes": classes.num_classes, "known_words": len(classes)}
    row |= {name: classes.facts[name] for name in _NAMES if name in classes.facts}
    if "history" in classes.facts:
        row["rounds"] = len(classes.history[1:])
    shown = [] if options.show is None else classes.largest(options.show)
    if as_json:
        if options.show is None:
            row["history"] = classes.history
        else:
            row["largest"] = [
                {"class": number, "words": int(classes.sizes[number - 1]),
                 "occurrences": int(classes.occurrences[number - 1]),
                 "examples": classes.words_of(number, _SHOWN)}
                for number in shown
            ]  # fmt: skip
        print_row(row, as_json=True)
        return
    if options.text != "-" and not quiet:
        print_table([*named_rows(row)])
    if shown:
        rows = [
            [str(number), f"{classes.sizes[number - 1]:,}", f"{classes.occurrences[number - 1]:,}",
             " ".join(classes.words_of(number, _SHOWN))]
            for number in shown
        ]  # fmt: skip
        print_table(
            [["class", "words", "occurrences", "most frequent words"], *rows], right=[0, 1, 2]
        )


PLUGIN = cluster
