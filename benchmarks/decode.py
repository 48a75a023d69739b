"""The decoders beside `moses`, `moses2` and cdec, in one run, and what their limits cost.

    python -m benchmarks.decode [--only peers|threads|cost|hiero] [--sentences 1000]
                                [--plots FOLDER]

peers    The same table, language model, weights and limits (6 words of distortion, 20 options a
         span): seconds with loading and without, memory, the mean score of the model.  For each
         peer, the quickest of our searches whose mean score is at least as high: how many times as
         many sentences a second, and on how many sentences the score is at least theirs.
threads  Sentences a second and memory, by threads.
cost     Milliseconds a sentence and scores against pops, the length of sentences and the limit of
         distortion; with --plots pictures of them, too.
hiero    The hierarchical decoder beside `moses` with a chart and cdec (benchmarks/decode_hiero.py).
Moses takes part where its programs are in $MOSES/bin or on the PATH: `moses` with compact tables,
`moses2` with a probing table.  Loading is what a sentence alone takes.  Text: multi30k-de-en of
$ROSEWOOD_DATA (or ../shared/data), its test set; without it the phrasebook.  The models are our
own, aligned, extracted and estimated first; the weights are those of a tuned system.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks import decode_hiero
from benchmarks.decode_runs import (
    HEAD,
    MEGABYTE,
    Measured,
    Models,
    Trial,
    beside,
    length_chart,
    lines_of,
    measured,
    save_plots,
    say,
)
from benchmarks.moses_decoder import MosesModel, program, tuned
from benchmarks.plots import Panel, chart
from benchmarks.rules import CORPUS, DATA, corpus
from rosewood.decode import PhraseDecoder, SearchSettings
from rosewood.lm import Model
from rosewood.rules import RuleTable

DISTORTION, OPTIONS = 6, 20
POPS = (50, 60, 75, 100, 200, 300, 400, 600, 1000)  # ours
PEER_POPS = (100, 400, 1000)
STACKS = (100,)  # of Moses's full search
REPEATS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=["peers", "threads", "cost", "hiero"])
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=2, help="threads of the second column")
    parser.add_argument("--repeat", type=int, default=REPEATS)
    parser.add_argument("--plots", type=Path, help="a folder for pictures")
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)  # one run of ours: see `ours`
    options = parser.parse_args()
    if options.work:
        translate(*options.work)
        return
    if options.only in (None, "hiero"):
        decode_hiero.compare(options.sentences, options.threads, options.repeat, options.plots)
    if options.only == "hiero":
        return
    with tempfile.TemporaryDirectory() as folder:
        models = build(Path(folder), options.sentences, options.threads)
        if options.only in (None, "peers"):
            peers(models, options.threads, options.repeat)
        if options.only in (None, "threads"):
            by_threads(models, options.threads, options.repeat)
        if options.only in (None, "cost"):
            cost(models, options.repeat, options.plots)


# -- models ----------------------------------------------------------------------------------------


def build(place: Path, count: int, threads: int) -> Models:
    """Our own table and language model of the training text, and sentences of the test set."""
    source, target, links = corpus(place, threads)
    sides = []
    for language in ("de", "en"):
        if (DATA / CORPUS).exists():
            text = gzip.decompress((DATA / CORPUS / f"test.{language}.gz").read_bytes()).decode()
        else:
            text = (place / "book" / f"test.{language}").read_text(encoding="utf-8")
        sides.append(text.splitlines()[:count])
    lines, references = sides
    models = Models.of(place, lines, [references])
    models.learn(source, target, links)
    return models


def decoder_of(models: Models, settings: SearchSettings) -> PhraseDecoder:
    table, model = RuleTable.open(models.rules), Model.open(models.language_model)
    return PhraseDecoder(table, model, weights=tuned("mslr"), settings=settings)


def settings_of(pops: int) -> SearchSettings:
    """The limits that all decoders have, and so many pops."""
    return SearchSettings(
        pop_limit=pops, stack_size=pops, distortion_limit=DISTORTION, option_limit=OPTIONS
    )


# -- decoders --------------------------------------------------------------------------------------


def translate(folder: str, pops: str, threads: str) -> None:
    """One run of ours, in a process of its own: standard input to scores and words."""
    say(decoder_of(Models.at(folder), settings_of(int(pops))), int(threads))


def ours(models: Models, pops: int, threads: int, repeat: int) -> Measured:
    work = ("--work", models.place, pops, threads)
    command = [sys.executable, "-m", "benchmarks.decode", *map(str, work)]
    return measured(f"rosewood, {pops} pops", command, threads, models, repeat)


def theirs(models: Models, threads: int, repeat: int) -> Iterator[Measured]:
    """Every peer that is there."""
    model = MosesModel.export(
        RuleTable.open(models.rules),
        models.kenlm(),
        tuned("mslr"),
        models.place / "moses",
        distortion_limit=DISTORTION,
        option_limit=OPTIONS,
    )
    for name, form in (("moses2", "probing"), ("moses", "compact")):
        if program(name) is None:
            print(f"{name} takes no part: it is neither in $MOSES/bin nor on the PATH")
            continue
        if not model.has_form(form):
            print(f"{name} takes part with text tables: programs for {form} ones are missing")
            form = "text"
        searches = [(f"{name}, {pops} pops", cube(pops)) for pops in PEER_POPS]
        if name == "moses":
            searches += [(f"moses, stacks of {size}", ("-s", size)) for size in STACKS]
        for told, asked in searches:
            for number in sorted({1, threads}):
                command = model.command(name, form, number, *asked)
                yield measured(told, command, number, models, repeat)


def cube(pops: int) -> tuple[object, ...]:
    return ("-search-algorithm", 1, "-cbp", pops, "-s", pops)


# -- comparisons -----------------------------------------------------------------------------------


def peers(models: Models, threads: int, repeat: int) -> None:
    print(f"\n{HEAD}")
    own = []
    for number in sorted({1, threads}):
        for pops in POPS:
            own.append(ours(models, pops, number, repeat))
            print(own[-1].row(models.references))
    for other in theirs(models, threads, repeat):
        print(other.row(models.references))
        beside(own, other)


def by_threads(models: Models, threads: int, repeat: int, pops: int = 400) -> None:
    print(f"\n{HEAD}")
    alone = None
    number = 1
    while number <= threads:
        found = ours(models, pops, number, repeat)
        alone = alone or found
        print(found.row(models.references))
        if number > 1:
            each = (found.whole.memory - alone.whole.memory) / (number - 1)
            print(
                f"  {alone.seconds / found.seconds:.2f}x as quick as one thread; "
                f"{each / MEGABYTE:.1f} MB for each further thread"
            )
            same = found.whole[:2] == alone.whole[:2]
            print(f"  the same translations: {'yes' if same else 'NO'}")
        number *= 2


# -- what limits cost ------------------------------------------------------------------------------


def cost(models: Models, repeat: int, plots: Path | None) -> None:
    sentences = models.sentences()
    some = sentences[:: max(1, len(sentences) // 200)]
    decoder = decoder_of(models, settings_of(400))
    charts = {
        "pops": by_pops(decoder, some, repeat),
        "length": by_length(decoder, sentences, repeat),
        "distortion": by_distortion(decoder, some, repeat),
    }
    save_plots(charts, plots)


def by_pops(decoder: PhraseDecoder, sentences: Sequence[str], repeat: int) -> str:
    trials = [
        Trial("cube pruning", size, settings_of(size), sentences)
        for size in (10, 25, 50, 100, 200, 400, 1000, 2000, 5000)
    ]
    for size in (10, 25, 50, 100, 200):
        full = replace(settings_of(size), search="full", pop_limit=None)
        trials.append(Trial("full expansion", size, full, sentences))
    what = "pops, or hypotheses a stack"
    milliseconds, scores = lines_of(what, decoder, trials, repeat)
    panels = [Panel("ms a sentence", milliseconds, is_log=True), Panel("mean score", scores)]
    return chart("Cost of the beam", what, panels, is_log=True)


def by_length(decoder: PhraseDecoder, sentences: Sequence[str], repeat: int) -> str:
    settings = {pops: settings_of(pops) for pops in (100, 400)}
    return length_chart("Cost of length", decoder, sentences, settings, repeat)


def by_distortion(decoder: PhraseDecoder, sentences: Sequence[str], repeat: int) -> str:
    trials = [
        Trial(f"{pops} pops", limit, replace(settings_of(pops), distortion_limit=limit), sentences)
        for pops in (100, 400, 1000)
        for limit in (0, 1, 2, 3, 4, 6, 8, 10, 15)
    ]
    what = "limit of distortion, in words"
    milliseconds, scores = lines_of(what, decoder, trials, repeat)
    panels = [Panel("ms a sentence", milliseconds), Panel("mean score", scores)]
    return chart("Cost of the limit of distortion", what, panels)


if __name__ == "__main__":
    main()
