"""Learners beside their yardsticks, in one run.

    python -m benchmarks.tune [--full] [--repeat 3] [--only lists|forests|growth|memory]

lists     Every learner on 1,000 lists of up to 100 candidates with 16 features: those of
          $ROSEWOOD_DATA (or ../shared/data), else made up from a seed.  Moses's `mert` and `kbmira`
          run on the same lists where they are installed.
forests   An objective and its gradient over 1,000 forests of 10^4 edges with 10^5 sparse features,
          beside the bare kernels in a loop.
growth    Reading candidates and tuning, in a process of its own: seconds and the most memory, for
          10^4 and 10^5 candidates, with --full 10^6.
memory    Minimum risk on packed forests, in processes of their own: seconds and the most memory
          with everything in memory and within limits.  --forests FILE has forests with references
          (`rosewood translate --forests`, --references FILE); else lattices are made up.
Times are the best of several runs, as many as fit into ten seconds.  On a machine that others use
too, look at the seconds of the processor.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import moses
from benchmarks.forest import chart, seconds
from rosewood import _core
from rosewood.arrays import FloatArray
from rosewood.corpus import Vocabulary
from rosewood.forest import FeatureSpace, Forest, ForestSet, ForestSetWriter
from rosewood.learn import L1, Annealed, Mert, MinimumRisk, Mira, Pro
from rosewood.learn.batches import batches_of
from rosewood.learn.learner import Fit, Learner
from rosewood.learn.objective import Objective, Terms
from rosewood.learn.tuning_set import TuningSet
from rosewood.metrics import parse_metric
from rosewood.rerank import (
    CandidateList,
    forest_set,
    read_candidates,
    write_candidates,
    write_forest_set,
)

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("ROSEWOOD_DATA") or ROOT / "../shared/data") / "nbest-de-en"
METRIC = parse_metric("bleu:tokenize=none")
FEATURES = 16
RESTARTS = 20
CORES = os.cpu_count() or 1
PARTS = ("lists", "forests", "growth", "memory")
ENOUGH = 10.0  # seconds after which nothing is measured again

# For those who do not have Moses: its commit 34452895 on nbest-de-en, on one core of an AMD EPYC.
MEASURED = (
    "On nbest-de-en mert -n 20 took 27.3 s (dev 41.19, test 40.25), kbmira 1.46 s (40.80, 40.44), "
    "where Rosewood's mert took 1.4 s and mira 0.12 s"
)


# -- lists ----------------------------------------------------------------------------------------


def made_up_lists(count: int, size: int, seed: int) -> Iterator[CandidateList]:
    """References of frequent and rare words, and candidates that have some of them wrong.

    How many are right shows in half of the features, in each with a planted weight, its own unit
    and noise; the other half is noise alone.
    """
    plan = np.random.default_rng(seed)
    words = np.array([f"w{i}" for i in range(5000)], dtype=object)
    frequency = 1.0 / np.arange(1, len(words) + 1)
    frequency /= frequency.sum()
    planted = np.where(np.arange(FEATURES) % 2, 0.0, plan.uniform(-4, 4, FEATURES))
    unit = 10.0 ** plan.uniform(-1, 1.5, FEATURES)
    names = tuple(f"f{i}" for i in range(FEATURES))
    for number in range(count):
        random = np.random.default_rng([seed, number])
        reference = words[random.choice(len(words), random.integers(6, 22), p=frequency)]
        wrong = random.random((size, len(reference))) < random.uniform(0, 0.7, (size, 1))
        others = words[random.choice(len(words), wrong.shape, p=frequency)]
        said = np.where(wrong, others, reference)
        left_out = random.random(wrong.shape) < 0.1
        right = (~wrong & ~left_out).mean(axis=1)
        noise = random.normal(size=(size, FEATURES))
        dense = unit * (planted * right[:, None] + noise + random.normal(size=FEATURES))
        yield CandidateList(
            id=str(number),
            texts=tuple(" ".join(row[~gone]) for row, gone in zip(said, left_out, strict=True)),
            names=names,
            dense=np.round(dense, 4),
            references=(" ".join(reference),),
        )


def dev_and_test() -> tuple[list[CandidateList], list[CandidateList], str]:
    """Lists to tune on, lists to test on, and what they are."""
    files = [DATA / f"{part}.jsonl.gz" for part in ("dev", "test")]
    if all(path.exists() for path in files):
        dev, test = (list(read_candidates(path)) for path in files)
        return dev, test, DATA.name
    lists = list(made_up_lists(2000, 100, seed=1))
    return lists[:1000], lists[1000:], "made up, for there is no nbest-de-en in $ROSEWOOD_DATA"


class Timed(NamedTuple):
    fit: Fit
    seconds: float
    processor: float


def timed(learner: Learner, tuning: TuningSet, repeat: int) -> Timed:
    """The best of several runs."""
    best, spent = None, 0.0
    for _ in range(repeat):
        begin, worked = time.perf_counter(), time.process_time()
        fit = learner.fit(tuning, np.ones(len(tuning.features)), seed=1)
        now = Timed(fit, time.perf_counter() - begin, time.process_time() - worked)
        best = now if best is None or now.processor < best.processor else best
        spent += now.seconds
        if spent > ENOUGH:
            break
    assert best is not None
    return best


def measure_lists(repeat: int) -> None:
    dev, test, told = dev_and_test()
    count = sum(map(len, dev))
    print(f"{len(dev)} lists, {count} candidates, {len(dev[0].names)} features: {told}")
    begin = time.perf_counter()
    tuning = TuningSet(forest_set(dev), METRIC)
    print(f"forests and statistics of them: {time.perf_counter() - begin:.2f} s\n")
    heldout = TuningSet(forest_set(test), METRIC)
    all_cores = TuningSet(tuning.forests, METRIC, tuning.references, threads=CORES)

    def show(name: str, used: tuple[float, float], dev: float, test: float, more: str = "") -> None:
        print(
            f"{name:24}{used[0]:>10.3f}{used[1]:>12.3f}{dev:>9.2f}{test:>9.2f}  {more}", flush=True
        )

    print(f"{'':24}{'seconds':>10}{'processor':>12}{'dev':>9}{'test':>9}")
    learners: dict[str, Learner] = {
        "mert": Mert(restarts=RESTARTS), "mira": Mira(), "pro": Pro(), "l1": L1(),
        "mr": MinimumRisk(), "mr-da": Annealed(),
    }  # fmt: skip
    ours: dict[str, Timed] = {}
    for name, learner in learners.items():
        done = ours[name] = timed(learner, tuning, repeat)
        show(name, done[1:], done.fit.score, heldout.score(done.fit.theta))
        if name == "mert" and CORES > 1:
            done = timed(learner, all_cores, repeat)
            same = "" if np.array_equal(done.fit.theta, ours["mert"].fit.theta) else "not the same!"
            name = f"mert, {CORES} threads"
            show(name, done[1:], done.fit.score, heldout.score(done.fit.theta), same)
    if moses.missing():
        print(f"\nMoses: no {', '.join(moses.missing())} on the PATH. {MEASURED}\n")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        moses.prepare(dev, folder)
        peers: list[tuple[str, str, Callable[[], moses.Run]]] = [
            ("Moses mert", "mert", lambda: moses.mert(folder, FEATURES, restarts=RESTARTS)),
            ("Moses kbmira", "mira", lambda: moses.kbmira(folder, FEATURES)),
        ]
        for peer, beside, run in peers:
            found = run()
            for _ in range(repeat - 1 if found.seconds < ENOUGH else 0):
                found = min(found, run(), key=lambda each: each.processor)
            ratio = found.processor / ours[beside].processor
            more = f"{ratio:.1f} times {beside}, by processor"
            show(peer, found[1:], tuning.score(found.theta), heldout.score(found.theta), more)
    print()


# -- forests --------------------------------------------------------------------------------------

SPARSE, NON_ZEROS, EDGES = 100_000, 10, 10_000


def made_up_forests(count: int) -> list[Forest]:
    """Charts of 10^4 edges, ten of 10^5 features an edge."""
    space = FeatureSpace([], map(str, range(SPARSE)))
    band = SPARSE // NON_ZEROS
    made = []
    for number in range(count):
        random = np.random.default_rng([2, number])
        bare = chart(10, 23, random)
        # One feature from each of ten ranges: increasing, as a forest wants them.
        ids = random.integers(0, band, (bare.num_edges, NON_ZEROS), dtype=np.int32)
        ids += np.arange(0, SPARSE, band, dtype=np.int32)
        made.append(
            Forest(
                bare.edge_start,
                bare.tail_start,
                bare.tail,
                features=space,
                feat_start=np.arange(0, ids.size + 1, NON_ZEROS),
                feat_id=ids.ravel(),
                feat_value=random.random(ids.size),
            )
        )
    return made


def measure_forests(count: int, repeat: int) -> None:
    forests = made_up_forests(count)
    edges = sum(forest.num_edges for forest in forests)
    print(f"{count} forests, {edges} edges, {SPARSE} sparse features, {NON_ZEROS} an edge")
    random = np.random.default_rng(3)
    theta = random.normal(size=SPARSE) / NON_ZEROS
    loss = random.random(edges)
    batches = batches_of(forests, loss=loss)
    largest = max(forest.num_edges for forest in forests)
    weight, q, covariance = (np.empty(largest) for _ in range(3))
    gradient = np.empty(SPARSE)

    def bare() -> None:
        """What nobody can do without: the kernels, on buffers that are there already."""
        gradient.fill(0.0)
        first = 0
        for forest in forests:
            n = forest.num_edges
            _core.edge_scores(forest.feature_view, theta, weight[:n])
            _core.edge_conditionals(forest.view, weight[:n], q[:n])
            _core.edge_covariances(forest.view, q[:n], loss[first : first + n], covariance[:n])
            _core.add_features(forest.feature_view, covariance[:n], gradient)
            first += n

    def objective(threads: int, terms: Terms) -> Callable[[], tuple[float, FloatArray]]:
        made = Objective(batches, np.ones(SPARSE), threads=threads)
        return lambda: made(theta, terms)

    risk, annealed = Terms(risk=1.0), Terms(risk=1.0, entropy=-0.5)
    yardstick = seconds(bare, repeat)
    _, found = objective(1, risk)()
    apart = float(np.abs(found - gradient).max() / np.abs(gradient).max())
    print(f"{'bare kernels':40}{yardstick:>10.3f} s{1e9 * yardstick / edges:>9.1f} ns an edge")
    for name, threads, terms in (
        ("risk and gradient", 1, risk),
        (f"risk and gradient, {CORES} threads", CORES, risk),
        ("risk and entropy and gradient", 1, annealed),
    ):
        used = seconds(objective(threads, terms), repeat)
        goal = " (goal: ≤ 1.5)" if name == "risk and gradient" else ""
        print(f"{name:40}{used:>10.3f} s{used / yardstick:>9.2f} times bare kernels{goal}")
    print(f"{'gradients differ by':40}{apart:>10.1e}\n", flush=True)


# -- growth ---------------------------------------------------------------------------------------


def read_and_tune(path: Path) -> dict[str, float]:
    """Candidates of a file to weights: seconds of each step, and the most memory."""
    row: dict[str, float] = {}
    begin = time.perf_counter()

    def step(name: str) -> None:
        nonlocal begin
        row[name] = time.perf_counter() - begin
        begin = time.perf_counter()

    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        forests: ForestSet = write_forest_set(read_candidates(path), Path(folder) / "lists.rwf")
        step("read")
        tuning = TuningSet(forests, METRIC)
        step("statistics")
        start = np.ones(len(tuning.features))
        Mira().fit(tuning, start, seed=1)
        step("mira")
        found = Mert(restarts=RESTARTS).fit(tuning, start, seed=1)
        step("mert")
        passes = sum(int(each["passes"]) for each in found.history)
        row["mert, a pass"] = row["mert"] / passes
    row["MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return row


def measure_growth(sizes: Sequence[int]) -> None:
    print("a file of candidates to weights, in one thread; seconds")
    rows = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "candidates.jsonl"
            write_candidates(made_up_lists(size // 100, 100, seed=4), path)
            command = [sys.executable, "-m", "benchmarks.tune", "--measure", str(path)]
            done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
            rows.append(json.loads(done.stdout))
    names = list(rows[0])
    print(f"{'candidates':>12}" + "".join(f"{name:>14}" for name in names))
    for size, row in zip(sizes, rows, strict=True):
        print(f"{size:>12.0e}" + "".join(f"{row[name]:>14.4g}" for name in names))
    growth = "".join(f"{rows[-1][n] / rows[-2][n]:>14.1f}" for n in names) if rows[1:] else ""
    print(f"{'growth':>12}{growth}   (goal: about 10; memory under 2000 MB at 1e+06)")


# -- memory ---------------------------------------------------------------------------------------

LATTICES, STEPS, CHOICES, WIDTH = 1000, 12, 3, 17


def write_lattices(path: Path) -> None:
    """Lattices of words, one right among some wrong ones at each place, with dense features."""
    space = FeatureSpace([f"f{i}" for i in range(WIDTH)])
    words = Vocabulary([f"w{i}" for i in range(1000)])
    edges = 1 + STEPS * CHOICES
    with ForestSetWriter(path, features=space, vocabulary=words) as out:
        for number in range(LATTICES):
            random = np.random.default_rng([5, number])
            said = random.integers(0, len(words), (STEPS, CHOICES))
            dense = random.standard_normal((edges, WIDTH))
            dense[1::CHOICES, 0] += 1.0
            forest = Forest(
                np.concatenate([[0], 1 + CHOICES * np.arange(STEPS + 1)]),
                np.arange(-1, edges).clip(0),
                np.repeat(np.arange(STEPS), CHOICES),
                features=space,
                dense=dense,
                vocabulary=words,
                yield_start=np.concatenate([[0], 2 * np.arange(edges)]),
                yield_symbol=np.stack([np.full(said.size, -1), said.ravel()], axis=1).ravel(),
            )
            out.append(forest, {"refs": [" ".join(words[int(w)] for w in said[:, 0])]})


def fit_within(path: Path, references: Path | None, limit: int) -> dict[str, float | str]:
    """A fit of minimum risk: seconds, memory, and the weights."""
    begin = time.perf_counter()
    lines = None if references is None else references.read_text().splitlines()
    refs = None if lines is None else [[line] for line in lines]
    tuning = TuningSet(ForestSet(path), METRIC, refs, max_memory=limit)
    fit = MinimumRisk(iterations=5).fit(tuning, np.ones(len(tuning.features)), seed=1)
    return {
        "seconds": time.perf_counter() - begin,
        "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "weights": fit.theta.tobytes().hex(),
    }


def measure_memory(path: Path | None, references: Path | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        if path is None:
            path = Path(folder) / "lattices.rwf"
            write_lattices(path)
        size = path.stat().st_size >> 20
        print(f"minimum risk on {len(ForestSet(path))} forests in a file of {size} MB")
        rows = []
        for limit in (1 << 40, 2 << 30, 400 << 20, 100 << 20):
            command = [sys.executable, "-m", "benchmarks.tune", "--forests", str(path)]
            command += ["--within", str(limit)]
            command += [] if references is None else ["--references", str(references)]
            done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
            rows.append(json.loads(done.stdout))
            same = "" if rows[-1]["weights"] == rows[0]["weights"] else "  other weights!"
            name = "in memory" if limit == 1 << 40 else f"max_memory {limit >> 20} MB"
            print(f"{name:24}{rows[-1]['seconds']:>10.1f} s{rows[-1]['MB']:>10.0f} MB{same}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--full", action="store_true", help="10^6 candidates too")
    parser.add_argument("--repeat", type=int, default=3, help="runs, of which the best counts")
    parser.add_argument("--only", choices=PARTS, help="one part of it")
    parser.add_argument("--forests", type=Path, help="a forest set to measure memory on")
    parser.add_argument("--references", type=Path, help="its references, one a line")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--within", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.within is not None:
        print(json.dumps(fit_within(options.forests, options.references, options.within)))
        return
    if options.measure is not None:
        print(json.dumps(read_and_tune(options.measure)))
        return
    parts: dict[str, Callable[[], None]] = {
        "lists": lambda: measure_lists(options.repeat),
        "forests": lambda: measure_forests(1000, options.repeat),
        "growth": lambda: measure_growth([10**4, 10**5, *([10**6] if options.full else [])]),
        "memory": lambda: measure_memory(options.forests, options.references),
    }
    for name, part in parts.items():
        if options.only in (None, name):
            part()


if __name__ == "__main__":
    main()
