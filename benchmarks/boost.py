"""Boosting: one round beside LightGBM where it is installed, and trees inside the decoders.

    python -m benchmarks.boost [--rows 10000000] [--columns 190] [--leaves 2,8] [--threads 1,2]
    python -m benchmarks.boost --only decode [--sentences 200]
    python -m benchmarks.boost --only memory [--edges 1000000]

One round of a tree over binned columns: both get the same bins (as numbers), targets, leaves and
threads.  The first round of Rosewood also sums the weights of rows by bin, which later rounds know;
ratios are those of later rounds.  LightGBM has `force_col_wise`, the faster of its two ways here,
and its own bundling of columns is off, so that all columns are read.
Two kinds of columns: all with 255 bins, and one in ten with 255, the others with two, as indicators
have.  Goal: at least as fast.

Memory: trees learnt from the risk of forests on disk, of so many edges and half as many; what is
held in memory besides files that are mapped, by edge.  Goal: about 200 bytes an edge.

Decoding: both decoders with and without 25 trees of two leaves, in turns.  The trees are so small
that translations stay the same, so that search does the same work.  Goal: at most 10 % slower.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.memory import most_held
from benchmarks.sparse import in_turns, models_of
from rosewood import _core
from rosewood.arrays import FloatArray
from rosewood.corpus import Vocabulary
from rosewood.decode import HieroDecoder, PhraseDecoder
from rosewood.forest import BoostedTrees, FeatureSpace, Forest, ForestSetWriter, Split, Tree


def least(work: Callable[[], object], times: int = 3) -> float:
    """The least of several times by the clock, in seconds."""
    best = float("inf")
    for _ in range(times):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def columns_of(rows: int, columns: int, *, indicators: bool) -> tuple[Any, Any, FloatArray]:
    """Bins by column, how many each has, and targets that some of them explain."""
    random = np.random.default_rng(1)
    bins = np.empty((columns, rows), dtype=np.uint8)
    counts = np.full(columns, 255, dtype=np.int32)
    for place in range(columns):
        bins[place] = random.integers(0, 255, rows, dtype=np.uint8)
        if indicators and place % 10:
            bins[place] = bins[place] < 8
            counts[place] = 2
    target = random.normal(size=rows)
    target += (bins[0] > 100) + 1.5 * (bins[10] > 60) * (bins[20] > 180)
    return bins, counts, target


def lightgbm_round(bins: Any, target: FloatArray, leaves: int, threads: int) -> float | None:
    """Seconds of the first round of LightGBM; None where it is not installed."""
    try:
        import lightgbm
    except ImportError:
        return None
    shared = {
        "max_bin": 255, "min_data_in_bin": 1, "enable_bundle": False, "feature_pre_filter": False,
        "num_threads": threads, "verbose": -1,
    }  # fmt: skip
    data = lightgbm.Dataset(bins.T.astype(np.float32), label=target, params=shared)
    data.construct()
    more = {"objective": "regression", "num_leaves": leaves, "min_data_in_leaf": 20,
            "force_col_wise": True, "boost_from_average": False}  # fmt: skip
    best = float("inf")
    for _ in range(3):
        booster = lightgbm.Booster({**shared, **more}, data)
        best = min(best, least(booster.update, 1))
    return best


TREES = 25
_TINY = 1e-9  # values of trees that change no translation


def some_trees(names: tuple[str, ...], *, in_context: bool, linear: bool) -> BoostedTrees:
    """Trees of two leaves on columns of the option alone, or on those of the search as well."""
    random = np.random.default_rng(1)
    of_context = {name for name in names if name.startswith(("lm", "distortion", "reorder"))}
    chosen = [name for name in names if in_context or name not in of_context]
    trees = []
    for number in range(TREES):
        column = str(random.choice(sorted(of_context) if in_context and number % 2 else chosen))
        factors = (str(random.choice(chosen)),) if linear else ()
        trees.append(Tree(
            (Split(0, column, float(random.normal(-2.0, 2.0))),),
            (float(_TINY * random.normal()), float(_TINY * random.normal())), factors,
        ))  # fmt: skip
    return BoostedTrees(names, tuple(trees))


def measure_decoding(sentences: int, pairs: int) -> None:
    """Both decoders, with and without trees."""
    with tempfile.TemporaryDirectory() as folder:
        made = models_of(Path(folder), pairs, sentences)
        for kind, table in ((PhraseDecoder, made.phrases), (HieroDecoder, made.grammar)):
            plain = kind(table, made.language_model)
            names = plain.features.dense
            decoders = {"without trees": plain, "the same again": kind(table, made.language_model)}
            for in_context in (False, True):
                for linear in (False, True):
                    name = f"{TREES} {'linear' if linear else 'constant'} trees"
                    name += ", in context" if in_context else ", of options"
                    trees = some_trees(tuple(names), in_context=in_context, linear=linear)
                    weights = {**plain.weights, "boost": 1.0}
                    decoders[name] = kind(table, made.language_model, trees=trees, weights=weights)
            works = {
                name: partial(_translate, decoder, made.sentences)
                for name, decoder in decoders.items()
            }
            in_turns(f"{kind.__name__}.translate", works, len(made.sentences))


def _translate(decoder: Any, sentences: list[str]) -> None:
    for _ in decoder.translate(sentences):
        pass


FOREST_EDGES = 300
_IMPORTS = """
import numpy as np
from rosewood.forest import ForestSet
from rosewood.learn import BoostSettings, TuningSet, boost_trees
from rosewood.metrics import parse_metric
"""
_LEARN = """
tuning = TuningSet(ForestSet(sys.argv[1]), parse_metric("bleu:tokenize=none"), max_memory=64 << 20)
theta = np.zeros(len(tuning.features))
theta[0] = 1.0
boost_trees(tuning, theta, BoostSettings(loss="risk", rounds=2, leaves=8, k=2))
"""


def write_forests(path: Path, edges: int, columns: int) -> None:
    """Lattices of words, a few of which are written again and again."""
    random = np.random.default_rng(1)
    space = FeatureSpace([f"f{i}" for i in range(columns)])
    words = Vocabulary([f"w{i}" for i in range(200)])
    choices = 2  # exact n-gram states make few more edges of them
    steps = FOREST_EDGES // choices
    made = []
    for _ in range(50):
        said = random.integers(0, len(words), (steps, choices))
        count = 1 + steps * choices
        forest = Forest(
            np.concatenate([[0], 1 + choices * np.arange(steps + 1)]), np.arange(-1, count).clip(0),
            np.repeat(np.arange(steps), choices), features=space,
            dense=random.normal(size=(count, columns)), vocabulary=words,
            yield_start=np.concatenate([[0], 2 * np.arange(count)]),
            yield_symbol=np.column_stack([np.full(said.size, -1), said.ravel()]).ravel(),
        )  # fmt: skip
        made.append((forest, " ".join(words[int(w)] for w in said[:, 0])))
    with ForestSetWriter(path, features=space, vocabulary=words) as out:
        for number in range(edges // FOREST_EDGES):
            forest, reference = made[number % len(made)]
            out.append(forest, {"refs": [reference]})


def measure_memory(edges: int, columns: int) -> None:
    """Bytes by edge, from two sizes: what does not grow is left out."""
    print(f"trees from the risk of forests on disk, {columns} columns")
    held = []
    for count in (edges // 2, edges):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "forests.rwf"
            write_forests(path, count, columns)
            held.append(most_held(_IMPORTS, _LEARN, path))
        print(f"{count:12,} edges {held[-1] / 2**20:10.0f} MB")
    print(f"{(held[1] - held[0]) / (edges - edges // 2):12.0f} bytes an edge")


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, default=190)
    parser.add_argument("--leaves", default="2,8")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=20_000, help="of the phrasebook")
    parser.add_argument("--only", choices=["round", "decode", "memory"])
    parser.add_argument("--edges", type=int, default=1_000_000, help="of the forests on disk")
    options = parser.parse_args()
    if options.only in (None, "decode"):
        measure_decoding(options.sentences, options.pairs)
    if options.only in (None, "memory"):
        measure_memory(options.edges, options.columns)
    if options.only in (None, "round"):
        measure_rounds(options)


def measure_rounds(options: argparse.Namespace) -> None:
    """Rounds of both kinds of columns."""
    print(f"one round over {options.rows:,} rows × {options.columns} columns, seconds")
    print(
        f"{'columns':12} {'leaves':>6} {'threads':>7} {'first':>9} {'Rosewood':>9} "
        f"{'LightGBM':>9} {'ratio':>6}"
    )
    none = np.empty(0)
    for kind in ("255 bins", "indicators"):
        bins, counts, target = columns_of(
            options.rows, options.columns, indicators=kind == "indicators"
        )
        weight = np.ones(options.rows)
        for leaves in map(int, options.leaves.split(",")):
            for threads in map(int, options.threads.split(",")):
                data = _core.BinnedColumns(bins, counts, threads)
                begin = time.perf_counter()
                known = _core.sum_curves(data, weight, None, threads)
                spent = time.perf_counter() - begin
                own = least(partial(
                    _core.grow_tree, data, target, weight, none, leaves, 20.0, 0.0, threads, known
                ))  # fmt: skip
                peer = lightgbm_round(bins, target, leaves, threads)
                told = f"{'–':>9} {'–':>6}" if peer is None else f"{peer:9.2f} {peer / own:6.2f}"
                print(f"{kind:12} {leaves:6} {threads:7} {spent + own:9.2f} {own:9.2f} {told}")


if __name__ == "__main__":
    main()
