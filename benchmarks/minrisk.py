"""Minimum risk on forests of a whole corpus: a pass over them, their memory, the second stage.

    python -m benchmarks.minrisk [--forests 25000] [--features 20000] [--work FOLDER]
    python -m benchmarks.minrisk --only pass|size|translate

Pass: the phrase decoder's forests of training sentences, as `rosewood train --second-stage ngrams`
writes them: its score and n-grams as features.  One pass computes the risk (linear BLEU, by exact
4-gram states) and its gradient for all features, reading forests from disk; beside it, reading them
and running inside on them.  Goal: at most twice as long.

Size: whole forests of the decoder, unpruned, some of them again and again until there are so many
and so many gigabytes.  In a process of its own, one step of minimum risk; its memory, without files
that are mapped.  Goal: within 6 GB.

Translate: both decoders with and without a second stage of so many n-grams, in turns.  Goal: at
most 1.5 times as long.

Text: multi30k-de-en of $ROSEWOOD_DATA (or ../shared/data); without it the phrasebook.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.memory import most_held
from benchmarks.sparse import Models, in_turns, models_of, text
from rosewood.decode import HieroDecoder, PhraseDecoder
from rosewood.decode.second_stage import SecondStageDecoder
from rosewood.forest import ForestSet, ForestSetWriter, NgramFeatures, SecondStage
from rosewood.learn import TuningSet
from rosewood.learn.learner import SAMPLE
from rosewood.learn.losses import edge_losses
from rosewood.learn.objective import Objective, Terms
from rosewood.learn.second_stage import ScoredForest, SecondStageSettings, write_second_forests
from rosewood.metrics import parse_metric

METRIC = "bleu:tokenize=none"
MEMORY = 2 << 30  # for forests, as `rosewood train` has it by default
DISTINCT = 500  # forests that are searched for the measurement of size


def decoded(decoder: Any, threads: int, count: int, pairs: int) -> Iterator[ScoredForest]:
    """Forests of training sentences, with references."""
    train = text(pairs)[0][:count]
    found = decoder.search_all([pair.source for pair in train], threads=threads)
    for number, (pair, each) in enumerate(zip(train, found, strict=True)):
        if not each.forest.is_empty:
            info = {"id": str(number), "refs": [pair.target]}
            yield ScoredForest(each.forest, each.forest.score(decoder.theta()), info)


def ngrams_of(count: int, pairs: int) -> NgramFeatures:
    """The most frequent words and pairs of words of the training text."""
    return NgramFeatures.count((pair.target for pair in text(pairs)[0]), min_count=2, most=count)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the clock and of the processor, the least of three times."""
    found = []
    for _ in range(3):
        begin, busy = time.perf_counter(), time.process_time()
        work()
        found.append((time.perf_counter() - begin, time.process_time() - busy))
    return min(a for a, _ in found), min(b for _, b in found)


def measure_pass(made: Models, options: argparse.Namespace, work: Path) -> None:
    """A pass of the objective beside reading and inside."""
    path = work / "second.rwf"
    features = ngrams_of(options.features, options.pairs)
    begin = time.perf_counter()
    decoder = PhraseDecoder(made.phrases, made.language_model)
    found = decoded(decoder, options.threads, options.forests, options.pairs)
    write_second_forests(path, found, features, SecondStageSettings())
    print(f"searched, pruned and written in {time.perf_counter() - begin:.0f} s")
    forests = ForestSet(path)
    edges, size = int(forests.num_edges.sum()), path.stat().st_size
    print(
        f"{len(forests):,} forests, {edges:,} edges, {len(features):,} n-grams, {size / 1e9:.2f} GB"
    )
    theta = features.theta(1.0, np.zeros(len(features)))

    def inside() -> None:
        for number in range(len(forests)):
            forest = forests.read(number)
            forest.inside(forest.score(theta))

    inside()  # checks each forest, which happens once
    base, busy = timed(inside)
    print(f"{'read and inside':32} {base:8.2f} s {busy:8.2f} s of one core")
    begin = time.perf_counter()
    tuning = TuningSet(forests, parse_metric(METRIC), threads=1, max_memory=MEMORY)
    losses = edge_losses(
        tuning, tuning.candidates(theta, 100, SAMPLE), "linear", max_edges=10_000_000
    )
    print(f"{'refined, with losses, once':32} {time.perf_counter() - begin:8.2f} s")
    for threads in range(1, options.threads + 1):
        objective = Objective(
            losses.batches, np.ones(len(theta)), threads=threads, word_gain=losses.word_gain,
            brevity=0.5,
        )  # fmt: skip
        spent, own = timed(partial(objective, theta, Terms(risk=1.0)))
        print(
            f"{f'risk and gradient, {threads} threads':32} {spent:8.2f} s {own:8.2f} s of one core"
            f" {spent / base:6.2f} {own / busy:6.2f} times"
        )


_IMPORTS = """
import numpy as np
from rosewood.forest import ForestSet
from rosewood.learn import MinimumRisk, TuningSet
from rosewood.metrics import parse_metric
"""
_LEARN = """
tuning = TuningSet(
    ForestSet(sys.argv[1]), parse_metric("bleu:tokenize=none"), max_memory=int(sys.argv[2]),
    threads=int(sys.argv[3]),
)
MinimumRisk(iterations=1).fit(tuning, np.ones(len(tuning.features)))
"""


def measure_size(made: Models, options: argparse.Namespace, work: Path) -> None:
    """The memory of learning from so many forests, so many gigabytes."""
    decoder = PhraseDecoder(made.phrases, made.language_model)
    some = list(decoded(decoder, options.threads, DISTINCT, options.pairs))
    mean = sum(forest.dense.nbytes for forest, _, _ in some) / len(some)
    print(f"{len(some)} forests of {mean / 1e6:.2f} MB of features each, on average")
    path = work / "large.rwf"
    begin = time.perf_counter()
    space, words = decoder.features, some[0].forest.vocabulary
    with ForestSetWriter(path, features=space, vocabulary=words) as writer:
        for number in range(options.forests):
            forest, _, info = some[number % len(some)]
            writer.append(forest, info)
    spent = time.perf_counter() - begin
    size = path.stat().st_size
    print(f"{options.forests:,} forests, {size / 1e9:.1f} GB, written in {spent:.0f} s")
    begin = time.perf_counter()
    held = most_held(_IMPORTS, _LEARN, path, MEMORY, options.threads)
    spent = time.perf_counter() - begin
    print(f"one step of minimum risk: {held / 1e9:.2f} GB of memory, {spent:.0f} s")
    path.unlink()


def measure_translate(made: Models, options: argparse.Namespace) -> None:
    """Both decoders with a second stage beside the same ones without."""
    features = ngrams_of(options.features, options.pairs)
    weights = 0.05 * np.random.default_rng(1).normal(size=len(features))
    second = SecondStage(features, weights)
    for kind, table in ((PhraseDecoder, made.phrases), (HieroDecoder, made.grammar)):
        plain: Any = kind(table, made.language_model)
        decoders = {
            "plain": plain, "the same again": kind(table, made.language_model),
            f"{len(features):,} n-grams": SecondStageDecoder(plain, second),
        }  # fmt: skip
        works = {
            name: partial(_translate, decoder, made.sentences) for name, decoder in decoders.items()
        }
        in_turns(f"{kind.__name__}.translate", works, len(made.sentences))


def _translate(decoder: Any, sentences: list[str]) -> None:
    for _ in decoder.translate(sentences):
        pass


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--forests", type=int, default=25_000)
    parser.add_argument("--features", type=int, default=20_000)
    parser.add_argument("--sentences", type=int, default=200, help="that are translated")
    parser.add_argument("--pairs", type=int, default=25_000, help="of the phrasebook")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--work", type=Path, help="a folder with room for forests")
    parser.add_argument("--only", choices=["pass", "size", "translate"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.work) as folder:
        work = Path(folder)
        made = models_of(work, options.pairs, options.sentences)
        if options.only in (None, "pass"):
            measure_pass(made, options, work)
        if options.only in (None, "translate"):
            measure_translate(made, options)
        if options.only in (None, "size"):
            measure_size(made, options, work)


if __name__ == "__main__":
    main()
