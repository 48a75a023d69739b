"""Classifiers of orientations: the size of the papers, and peers at equal held-out error.

    python -m benchmarks.reordering                        # a million generated examples, peers
    python -m benchmarks.reordering --corpus multi30k-de-en               # a million real events
    python -m benchmarks.reordering --corpus tanaka-ja-en --only decoding
    python -m benchmarks.reordering --only size [--scale 0.1]             # 47,227,789 examples

Generated examples have features by Zipf's law and labels drawn from planted weights.  Real ones are
the events of a corpus of $ROSEWOOD_DATA with Rosewood's features, backward, three classes; a tenth
of the sentences is held out.  Peers run if they are installed: scikit-learn, and Vowpal Wabbit
(--vw-python: an environment that has it); see benchmarks/reordering_peers.py.  Times are seconds of
the processor, but for the papers' size.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from experiments.reordering import translation
from experiments.reordering.corpora import DATA, Corpus, find_corpus, lines_of, prepare
from experiments.reordering.orientations import read_events

from benchmarks import reordering_peers
from benchmarks.reordering_peers import timed
from rosewood.reorder import DualMaxEnt, Examples, MultinomialBayes, PrimalMaxEnt, select_features
from rosewood.reorder.settings import SIGMA2

EXAMPLES, FEATURES, CLASSES = 47_227_789, 670_154, 3  # of the EMNLP paper
SYSTEMS = ("lexicalized", "bayes", "maxent", "both")  # whose decoding is timed
REPEATS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", choices=("size", "peers", "passes", "bayes", "decoding"))
    parser.add_argument("--scale", type=float, default=1.0, help="of the papers' size")
    parser.add_argument("--examples", type=int, default=1_000_000, help="at most, for peers")
    parser.add_argument("--corpus", help="name or folder of a tokenised corpus")
    parser.add_argument("--work", type=Path, help="folder in which the corpus is kept aligned")
    parser.add_argument("--sigma2", type=float, help="1; of real events Rosewood's default")
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--vw-python", default=sys.executable, help="has the package vowpalwabbit")
    options = parser.parse_args()
    if options.sigma2 is None:
        options.sigma2 = SIGMA2 if options.corpus else 1.0
    with tempfile.TemporaryDirectory() as place:
        if options.only == "size":
            size(Path(place), options)
            return
        corpus = find_corpus(options.corpus, DATA) if options.corpus else None
        if options.only != "decoding":
            classifiers(Path(place), corpus, options)
        if corpus is not None and options.only in (None, "decoding"):
            decoding(options.work or Path(place), corpus, options)


def classifiers(place: Path, corpus: Corpus | None, options: argparse.Namespace) -> None:
    if corpus is None:
        train, held_out = made_up(place, options.examples)
    else:
        train, held_out = real(options.work or place, corpus, options)
    print(f"{len(train):,} examples, {len(held_out):,} held out, {train.num_features:,} "
          f"features, {len(train.feature) / len(train):.2f} an example; σ² = {options.sigma2:g}",
          flush=True)  # fmt: skip
    if options.only in (None, "bayes"):
        bayes(train, held_out)
    if options.only in (None, "passes"):
        passes(train, held_out, options)
    if options.only in (None, "peers"):
        reordering_peers.compare(place, train, held_out, options.sigma2, options.vw_python)


# -- data ------------------------------------------------------------------------------------------


def generated(
    examples: int, features: int, seed: int, block: int = 1 << 18
) -> Iterator[tuple[Any, Any, Any]]:
    """Blocks of offsets, features and labels: 3 to 11 features each, frequent ones first."""
    random = np.random.default_rng(seed)
    planted = np.random.default_rng(0).normal(size=(features, CLASSES)).astype(np.float32) * 1.2
    planted[:, 0] += 0.5  # most phrases are monotone
    for begin in range(0, examples, block):
        rows = min(block, examples - begin)
        start = np.zeros(rows + 1, np.int64)
        np.cumsum(2 + random.geometric(0.28, rows).clip(1, 9), out=start[1:])
        feature = (features ** random.random(start[-1])).astype(np.int32) - 1
        scores = np.add.reduceat(planted[feature], start[:-1])
        noise = random.gumbel(size=scores.shape).astype(np.float32)
        yield start, feature, (scores + noise).argmax(axis=1).astype(np.uint8)


def write(folder: Path, examples: int, features: int, seed: int) -> Examples:
    with Examples.writer(folder, num_classes=CLASSES, num_features=features) as writer:
        for block in generated(examples, features, seed):
            writer.append(*block)
    return Examples.open(folder)


def made_up(place: Path, examples: int) -> tuple[Examples, Examples]:
    """Generated examples, and more of their kind."""
    features = examples // 10
    return (
        write(place / "train", examples, features, 1),
        write(place / "held-out", 100_000, features, 2),
    )


def real(work: Path, corpus: Corpus, options: argparse.Namespace) -> tuple[Examples, Examples]:
    """Events of nine tenths of the sentences of a corpus, no more than asked for; of the rest."""
    place = work / corpus.name
    events = read_events(prepare(corpus, place, options.threads), place, "rosewood")
    held_out = np.isin(events.sentence, np.unique(events.sentence)[::10])
    train = events.examples.take(np.flatnonzero(~held_out)[: options.examples])
    return train, events.examples.take(np.flatnonzero(held_out))


# -- the papers' size ------------------------------------------------------------------------------


def size(place: Path, options: argparse.Namespace) -> None:
    examples, features = (round(options.scale * n) for n in (EXAMPLES, FEATURES))
    seconds, train = timed(lambda: write(place / "train", examples, features, 1))
    write(place / "held-out", 200_000, features, 2)
    print(f"{examples:,} examples, {features:,} features: {len(train.feature):,} entries; "
          f"generated in {seconds:.0f} s", flush=True)  # fmt: skip
    arguments = [place, options.sigma2, options.shards, options.threads]
    subprocess.run([sys.executable, "-c", _SIZE, *map(str, arguments)], check=True)


_SIZE = """
import resource, sys, time
from pathlib import Path
from rosewood.reorder import DualMaxEnt, Examples, MultinomialBayes
place = Path(sys.argv[1])
def status(name):
    text = Path("/proc/self/status").read_text() if Path("/proc/self/status").exists() else ""
    found = [line.split()[1] for line in text.splitlines() if line.startswith(name)]
    return int(found[0]) / 2**20 if found else float("nan")
begin = time.perf_counter()
train, held_out = (Examples.open(place / name) for name in ("train", "held-out"))
print(f"opened and checked in {time.perf_counter() - begin:.1f} s", flush=True)
begin = time.perf_counter()
bayes = MultinomialBayes(alpha=1.5, threads=int(sys.argv[4])).fit(train)
seconds = time.perf_counter() - begin
print(f"Bayes, one pass: {seconds:.1f} s, {len(train) / seconds / 1e6:.1f} million examples/s, "
      f"held-out error {100 * bayes.error(held_out):.2f} %", flush=True)
begin = time.perf_counter()
model = DualMaxEnt(sigma2=float(sys.argv[2]), shards=int(sys.argv[3]), threads=int(sys.argv[4]))
model.fit(train)
seconds = time.perf_counter() - begin
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(f"dual: {seconds:.0f} s, {model.passes_} passes, gap {model.gap_ / model.objective_:.4f} of "
      f"the objective, held-out error {100 * model.error(held_out):.2f} %")
print(f"peak memory {most:.2f} GB with mapped files; now {status('RssAnon'):.2f} GB without")
print("active share of each pass, %:", *(f"{100 * share:.1f}" for share in model.active_share_))
"""


# -- one pass, a hundred passes --------------------------------------------------------------------


def bayes(train: Examples, held_out: Examples) -> None:
    for inference, alpha in (("map", 1.5), ("full", 0.5)):
        runs = [
            timed(
                lambda i=inference, a=alpha: (  # type: ignore[misc]
                    MultinomialBayes(alpha=a, inference=i).fit(train)
                )
            )
            for _ in range(3)
        ]
        best, model = min(runs, key=lambda run: run[0])
        print(f"Bayes {inference}: {len(train) / best / 1e6:.1f} million examples/s in one thread; "
              f"held-out error {100 * model.error(held_out):.2f} %")  # fmt: skip
    for threshold in (0.001, 0.01):
        mask = select_features(train, threshold=threshold).mask
        model = MultinomialBayes(alpha=1.5).fit(train.with_features(mask))
        print(f"  mutual information from {threshold}: {100 * mask.mean():.1f} % of the features, "
              f"error {100 * model.error(held_out.with_features(mask)):.2f} %")  # fmt: skip


def passes(train: Examples, held_out: Examples, options: argparse.Namespace) -> None:
    models = {
        "primal, 100 passes": PrimalMaxEnt(sigma2=options.sigma2, passes=100),
        "dual, 100 passes, the paper's steps": DualMaxEnt(
            sigma2=options.sigma2, passes=100, tolerance=None, step="halving"
        ),
        "dual, 100 passes, exact steps": DualMaxEnt(
            sigma2=options.sigma2, passes=100, tolerance=None
        ),
    }
    first = None
    for name, model in models.items():
        seconds, _ = timed(lambda m=model: m.fit(train))  # type: ignore[misc]
        first = first or seconds
        print(f"{name:40}{seconds:8.2f} s {first / seconds:6.1f}×  objective "
              f"{model.objective_:.6g}, held-out error {100 * model.error(held_out):.2f} %",
              flush=True)  # fmt: skip


# -- decoding --------------------------------------------------------------------------------------


def decoding(work: Path, corpus: Corpus, options: argparse.Namespace) -> None:
    """Whole systems by turns: what each reordering model costs a sentence, and its size."""
    place = work / corpus.name
    prepare(corpus, place, options.threads)
    source = lines_of(corpus.file("test", corpus.source))
    models = {}
    for name in ("none", *SYSTEMS):
        translation.trained(corpus, place, name, 1, options.threads)
        models[name] = translation.model_folder(place, name, 1)
    spent: dict[str, list[float]] = {name: [] for name in SYSTEMS}
    for _ in range(REPEATS):
        for name in SYSTEMS:
            output = place / "benchmark.out"
            whole = translation.translated(models[name], source, output)[1]
            loading = translation.translated(models[name], source[:1], output)[1]
            spent[name].append(whole - loading)
    base = statistics.median(spent["lexicalized"])
    plain = translation.model_bytes(models["none"])["rules"]
    print(f"{corpus.name}, {len(source):,} sentences, one thread, median of {REPEATS} by turns")
    for name in SYSTEMS:
        own, size = statistics.median(spent[name]), translation.model_bytes(models[name])
        more = size["rules"] - plain + size["reorder"]
        print(f"{name:16}{1000 * own / len(source):8.2f} ms a sentence {own / base:6.2f}× "
              f"({min(spent[name]):.2f} to {max(spent[name]):.2f} s), {more / 1e6:.2f} MB "
              "more than without a reordering model", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
