"""The phrase-based decoder beside `moses` and `moses2`, in one run, and what its limits cost.

    python -m benchmarks.decode [--only peers|threads|cost] [--sentences 1000] [--plots FOLDER]

peers    The same table, language model, weights and limits (6 words of distortion, 20 options a
         span): seconds with loading and without, memory, the mean score of the model.  For each
         peer, the quickest of our searches whose mean score is at least as high: how many times as
         many sentences a second, and on how many sentences the score is at least theirs.
threads  Sentences a second and memory, by threads.
cost     Milliseconds a sentence and scores against pops, the length of sentences and the limit of
         distortion; with --plots pictures of them, too.
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
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import sacrebleu

from benchmarks.moses_decoder import MosesModel, Run, program, quietly, timed, tuned
from benchmarks.plots import Panel, chart
from benchmarks.rules import CORPUS, DATA, corpus, rosewood, run
from rosewood.decode import PhraseDecoder, SearchSettings
from rosewood.lm import Model
from rosewood.rules import RuleTable

ORDER = 5  # of the language model
DISTORTION, OPTIONS = 6, 20
POPS = (50, 60, 75, 100, 200, 300, 400, 600, 1000)  # ours
PEER_POPS = (100, 400, 1000)
STACKS = (100,)  # of Moses's full search
ENOUGH = 1e-4  # scores are told with few digits
REPEATS = 3
LEAST = 0.01  # seconds: a difference of two runs says nothing finer
MEGABYTE = 1 << 20


class Models(NamedTuple):
    """What all decoders work with, in one folder."""

    place: Path
    source: Path  # sentences to translate
    first: Path  # one of them
    references: list[str]

    @property
    def rules(self) -> Path:
        return self.place / "rules"

    @property
    def arpa(self) -> Path:
        return self.place / "lm.arpa"

    @property
    def language_model(self) -> Path:
        return self.place / "lm.rlm"

    def sentences(self) -> list[str]:
        return self.source.read_text(encoding="utf-8").splitlines()

    def decoder(self, settings: SearchSettings) -> PhraseDecoder:
        table, model = RuleTable.open(self.rules), Model.open(self.language_model)
        return PhraseDecoder(table, model, weights=tuned("mslr"), settings=settings)


class Measured(NamedTuple):
    """A decoder's whole run, and the same for one sentence, which is mostly loading."""

    name: str
    threads: int
    whole: Run
    first: Run

    @property
    def seconds(self) -> float:
        return max(LEAST, self.whole.wall - self.first.wall)

    @property
    def processor(self) -> float:
        return max(LEAST, self.whole.processor - self.first.processor)

    @property
    def score(self) -> float:
        return float(np.mean(self.whole.scores))

    def row(self, references: Sequence[str]) -> str:
        words = {"tokenize": "none", "force": True}  # they are words already
        bleu = sacrebleu.corpus_bleu(self.whole.texts, [references], **words).score
        return (
            f"{self.name:26}{self.threads:8}{self.whole.wall:9.2f}{self.seconds:9.2f}{self.processor:9.2f}"
            f"{len(references) / self.seconds:9.0f}{self.whole.memory / MEGABYTE:7.0f}"
            f"{self.score:12.5f}{bleu:7.2f}"
        )


HEAD = (
    f"{'':26}{'threads':>8}{'wall s':>9}{'- load':>9}{'proc. s':>9}{'sent./s':>9}{'MB':>7}"
    f"{'mean score':>12}{'BLEU':>7}"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=["peers", "threads", "cost"])
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=2, help="threads of the second column")
    parser.add_argument("--repeat", type=int, default=REPEATS)
    parser.add_argument("--plots", type=Path, help="a folder for pictures")
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)  # one run of ours: see `ours`
    options = parser.parse_args()
    if options.work:
        translate(*options.work)
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
    (place / "test").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    (place / "first").write_text(lines[0] + "\n", encoding="utf-8")
    models = Models(place, place / "test", place / "first", references)
    run(rosewood("extract", source, target, "--alignment", links, "-o", models.rules, "--quiet"))
    run(rosewood("lm", "estimate", "--order", ORDER, target, "-o", models.language_model,
                 "--arpa", models.arpa, "--quiet"))  # fmt: skip
    words = sum(len(line.split()) for line in lines) / len(lines)
    rules = len(RuleTable.open(models.rules))
    print(f"{rules:,} rules; {len(lines)} sentences of {words:.1f} words")
    return models


def settings_of(pops: int) -> SearchSettings:
    """The limits that all decoders have, and so many pops."""
    return SearchSettings(
        pop_limit=pops, stack_size=pops, distortion_limit=DISTORTION, option_limit=OPTIONS
    )


# -- decoders --------------------------------------------------------------------------------------


def translate(folder: str, pops: str, threads: str) -> None:
    """One run of ours, in a process of its own: standard input to scores and words."""
    place = Path(folder)
    decoder = Models(place, place, place, []).decoder(settings_of(int(pops)))
    lines = sys.stdin.read().splitlines()
    for found in decoder.translate(lines, threads=int(threads)):
        print(f"{found.score:.6f} {found.text}")


def ours(models: Models, pops: int, threads: int, repeat: int) -> Measured:
    work = ("--work", models.place, pops, threads)
    command = [sys.executable, "-m", "benchmarks.decode", *map(str, work)]
    return measured(f"rosewood, {pops} pops", command, threads, models, repeat)


def theirs(models: Models, threads: int, repeat: int) -> Iterator[Measured]:
    """Every peer that is there."""
    binary = models.place / "kenlm"
    if build_binary := program("build_binary"):
        quietly(build_binary, models.arpa, binary)
    model = MosesModel.export(
        RuleTable.open(models.rules),
        binary if binary.exists() else models.arpa,
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


def measured(
    name: str, command: Sequence[str], threads: int, models: Models, repeat: int
) -> Measured:
    """The best of some runs."""
    whole = [timed(command, models.source) for _ in range(repeat)]
    first = [timed(command, models.first) for _ in range(repeat)]
    quickest = [min(runs, key=lambda run: run.wall) for runs in (whole, first)]
    return Measured(name, threads, *quickest)


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
        good = [
            each
            for each in own
            if each.threads == other.threads and each.score >= other.score - ENOUGH
        ]
        if not good:
            print("  no search of ours has a mean score as high")
            continue
        best = min(good, key=lambda each: each.processor)
        more = np.array(best.whole.scores) >= np.array(other.whole.scores) - 1e-3
        print(
            f"  {best.name}: {other.seconds / best.seconds:.1f}x the sentences a second, "
            f"{other.whole.wall / best.whole.wall:.1f}x with loading, "
            f"{other.processor / best.processor:.1f}x by processors' time; "
            f"{best.whole.memory / other.whole.memory:.2f} of the memory; "
            f"score at least theirs on {more.mean():.1%}"
        )


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
    decoder = models.decoder(settings_of(400))
    charts = {
        "pops": by_pops(decoder, some, repeat),
        "length": by_length(decoder, sentences, repeat),
        "distortion": by_distortion(decoder, some, repeat),
    }
    if plots is not None:
        plots.mkdir(parents=True, exist_ok=True)
        for name, picture in charts.items():
            (plots / f"decode-{name}.svg").write_text(picture, encoding="utf-8")
        print(f"pictures: {plots}")


class Trial(NamedTuple):
    """A point of a chart: a line's name, a place on it, and what is to be measured."""

    name: str
    x: float
    settings: SearchSettings
    sentences: Sequence[str]


Lines = dict[str, list[tuple[float, float]]]


def lines_of(
    what: str,
    decoder: PhraseDecoder,
    trials: Sequence[Trial],
    repeat: int,
    *,
    by_word: bool = False,
) -> tuple[Lines, Lines]:
    """Milliseconds a sentence on one thread, and the mean score of a sentence or a source word."""
    print(f"\n{what:34}{'ms a sentence':>15}{'mean score':>13}")
    milliseconds: Lines = {}
    scores: Lines = {}
    for name, x, settings, sentences in trials:
        limited = decoder.with_settings(settings)
        times, total = [], 0.0
        for _ in range(repeat):
            begin = time.perf_counter()
            total = sum(found.score for found in limited.translate(sentences))
            times.append(time.perf_counter() - begin)
        took = min(times) * 1e3 / len(sentences)
        score = total / (
            sum(len(line.split()) for line in sentences) if by_word else len(sentences)
        )
        print(f"{name:24}{x:10g}{took:15.3f}{score:13.5f}")
        milliseconds.setdefault(name, []).append((x, took))
        scores.setdefault(name, []).append((x, score))
    return milliseconds, scores


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
    """The same words cut into sentences of some lengths."""
    words = " ".join(sentences).split()[:3200]
    trials = []
    for length in (5, 10, 20, 40, 80, 160, 320):
        cut = [" ".join(words[at : at + length]) for at in range(0, len(words), length)]
        trials += [Trial(f"{pops} pops", length, settings_of(pops), cut) for pops in (100, 400)]
    what = "words of a sentence"
    milliseconds, scores = lines_of(what, decoder, trials, repeat, by_word=True)
    panels = [
        Panel("ms a sentence", milliseconds, is_log=True),
        Panel("mean score of a source word", scores),
    ]
    return chart("Cost of length", what, panels, is_log=True)


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
