"""Whole systems from text, by one command, beside Moses's default recipe.

    python -m benchmarks.system [--corpus NAME] [--replicates N] [--raw] [--threads 2] [-- OPTION …]

For each corpus `rosewood train` as people type it, then `rosewood translate` of the test set:
seconds of every stage, of the whole and of translating, peaks of memory, and BLEU.  With
--replicates the same with other seeds of tuning: the mean and the spread.  With --raw the German
captions as people write them, tokenised by us and judged as they come out.  What stands behind --
are further options of `rosewood train`, to see what they are worth.
Text: multi30k-de-en, tanaka-ja-en and tatoeba-zh-en of $ROSEWOOD_DATA (or ../shared/data); what is
missing is skipped, and said to be.  Moses is not run beside it, for it takes 9 to 38 minutes a
corpus: its figures are constants of an earlier run on two cores, see MOSES.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import sacrebleu

from benchmarks.rules import DATA, MEGABYTE, rosewood, watched


class Peer(NamedTuple):
    """What another system took and gave."""

    bleu: float
    seconds: float  # alignment, language model, rules and tuning
    translating: float  # of the test set, with loading
    memory: int  # MB, of translating


class Corpus(NamedTuple):
    """Files of a corpus: `train.de.gz`, `dev.en0.gz`, …"""

    folder: str
    source: str
    references: tuple[str, ...] = ("en",)  # of the development set and of the test set
    training: tuple[str, ...] = ("train",)
    is_raw: bool = False

    def file(self, part: str, language: str) -> Path:
        return DATA / self.folder / f"{part}.{language}.gz"

    def lines(self, part: str, language: str) -> list[str]:
        with gzip.open(self.file(part, language), "rt", encoding="utf-8", newline="\n") as stream:
            return [line.removesuffix("\n") for line in stream]


CORPORA = (
    Corpus("multi30k-de-en", "de"),
    Corpus("tanaka-ja-en", "ja", training=("train", "devtest")),
    Corpus("tatoeba-zh-en", "zh", ("en0", "en1", "en2", "en3"), ("train", "devtest")),
)
RAW = Corpus("multi30k-de-en-raw", "de", is_raw=True)

# Moses's default recipe on 2 cores, November 2026: fast_align both ways, grow-diag-final-and;
# KenLM, 5-grams; hier-mslr-bidirectional-fe; MERT on 100-best lists, 12 rounds at most; stacks of
# 100.  It had the 1,000 devtest pairs of Japanese and Chinese among its training data, so we have
# them, too.
MOSES = {
    "multi30k-de-en": Peer(40.37, 2285.0, 58.8, 916),
    "tanaka-ja-en": Peer(27.42, 1280.0, 33.1, 656),
    "tatoeba-zh-en": Peer(35.78, 556.0, 18.2, 333),
}


HEAD = f"{'train s':>10}{'MB':>7}{'translate s':>13}{'MB':>7}{'dev':>8}{'test BLEU':>11}"


class Trained(NamedTuple):
    """One run of ours."""

    bleu: float
    signature: str
    wall: float  # of the whole command
    translating: float
    memory: int  # bytes, of training
    translating_memory: int
    stages: dict[str, float]  # seconds of each
    rules: int
    dev: float  # the score of the development set, as the run itself tells it


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    names = [corpus.folder for corpus in CORPORA]
    parser.add_argument("--corpus", choices=names, action="append", help="repeatable; else all")
    parser.add_argument("--replicates", type=int, default=1, help="runs with seeds from 1 on")
    parser.add_argument("--raw", action="store_true", help="German captions as people write them")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("more", nargs="*", help="options of rosewood train, behind --")
    options = parser.parse_args()
    if os.environ.get("MOSES"):
        print("$MOSES is set, but Moses is not run here: its figures are those of an earlier run")
    chosen = [each for each in CORPORA if options.corpus is None or each.folder in options.corpus]
    for corpus in [RAW] if options.raw else chosen:
        if not corpus.file("train", corpus.source).exists():
            print(f"{corpus.folder} is skipped: it is not in {DATA}; set ROSEWOOD_DATA")
            continue
        measure(corpus, options.replicates, options.threads, options.more)


def measure(corpus: Corpus, replicates: int, threads: int, more: Sequence[str]) -> None:
    """A row for each seed, then all of them beside Moses."""
    print(f"\n{corpus.folder}")
    runs = []
    for seed in range(1, max(1, replicates) + 1):
        with tempfile.TemporaryDirectory() as folder:
            runs.append(trained(corpus, Path(folder), seed, threads, more))
        if seed == 1:
            first = runs[0]
            each = ", ".join(f"{name} {spent:.1f}" for name, spent in first.stages.items())
            print(f"  {first.rules:,} rules; seconds of stages: {each}")
            print(f"  BLEU is {first.signature}")
            head = (
                f"{'train s':>10}{'MB':>7}{'translate s':>13}{'MB':>7}{'dev':>8}{'test BLEU':>11}"
            )
            print(f"{'':24}{head}")
        print(f"{f'  rosewood, seed {seed}':24}{row(runs[-1])}")
    summary(corpus, runs)


def row(run: Trained) -> str:
    return (
        f"{run.wall:10.1f}{run.memory / MEGABYTE:7.0f}{run.translating:13.2f}"
        f"{run.translating_memory / MEGABYTE:7.0f}{run.dev:8.2f}{run.bleu:11.2f}"
    )


def summary(corpus: Corpus, runs: Sequence[Trained]) -> None:
    """The mean of all seeds, and what it is beside Moses."""
    bleu = statistics.mean(run.bleu for run in runs)
    wall = statistics.mean(run.wall for run in runs)
    if len(runs) > 1:
        spread = statistics.stdev(run.bleu for run in runs)
        print(f"  mean of {len(runs)} seeds: {bleu:.2f}, standard deviation {spread:.2f}")
    peer = MOSES.get(corpus.folder)
    if peer is None:
        return
    told = f"{peer.seconds:10.1f}{'':7}{peer.translating:13.2f}{peer.memory:7}{'':8}"
    print(f"{'  Moses, its recipe':24}{told}{peer.bleu:11.2f}")
    print(f"  {bleu - peer.bleu:+.2f} BLEU; trained {peer.seconds / wall:.0f}x as fast")


def training_files(corpus: Corpus) -> list[object]:
    """The files of a corpus as options of `rosewood train`."""
    dev = [corpus.file("dev", name) for name in (corpus.source, *corpus.references)]
    further = [part for file in dev[2:] for part in ("--dev-reference", file)]
    pairs = [
        part
        for name in corpus.training
        for part in (
            "--source", corpus.file(name, corpus.source), "--target", corpus.file(name, "en")
        )
    ]  # fmt: skip
    return [*pairs, "--dev", *dev[:2], *further]


def trained(corpus: Corpus, place: Path, seed: int, threads: int, more: Sequence[str]) -> Trained:
    """Train, translate, and judge what comes out with sacreBLEU."""
    model, told = place / "model", place / "told"
    text = [] if corpus.is_raw else ["--pretokenized"]
    command = rosewood(
        "train", *training_files(corpus), *text, "--on-bad-line", "skip",
        "--threads", threads, "--seed", seed, "--quiet", "--json", "-o", model, *more,
    )  # fmt: skip
    begin = time.perf_counter()
    with told.open("wb") as stream:
        subprocess.run(command, check=True, stdout=stream)
    wall = time.perf_counter() - begin
    facts: dict[str, Any] = json.loads(told.read_text(encoding="utf-8"))
    output = place / "output"
    source = corpus.file("test", corpus.source)
    spent = watched(
        rosewood("translate", model, source, "--threads", threads, "--quiet", "-o", output), place
    )
    said = output.read_text(encoding="utf-8").split("\n")[:-1]
    references = [corpus.lines("test", name) for name in corpus.references]
    # Words that are there already are not cut again.
    metric = sacrebleu.BLEU() if corpus.is_raw else sacrebleu.BLEU(tokenize="none", force=True)
    score = metric.corpus_score(said, references).score
    return Trained(
        score,
        str(metric.get_signature()),
        wall,
        spent.wall,
        max(stage["memory"] for stage in facts["stages"]),
        spent.memory,
        {stage["name"]: stage["seconds"] for stage in facts["stages"]},
        facts["rules"],
        next((each["value"] for each in facts["scores"] if each["on"] == "dev"), float("nan")),
    )


if __name__ == "__main__":
    main()
