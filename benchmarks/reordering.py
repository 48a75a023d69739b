"""Classifiers of orientations: the size of the papers, and peers at equal held-out error.

    python -m benchmarks.reordering                        # a million generated examples, peers
    python -m benchmarks.reordering --train FOLDER --held-out FOLDER      # folders of examples
    python -m benchmarks.reordering --only size [--scale 0.1]             # 47,227,789 examples

Generated examples have features by Zipf's law and labels drawn from planted weights.  Peers run if
they are installed: scikit-learn, and Vowpal Wabbit (--vw-python: an environment that has it).
Times are seconds of the processor.  Each peer's is that of its first fit, of ever more iterations,
whose held-out error is not above that of the dual; data is in memory in the peer's own form before
the clock starts, but VW reads its cache.  VW has its default steps and no penalty: another
objective, which need not reach the same error.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rosewood.reorder import DualMaxEnt, Examples, MultinomialBayes, PrimalMaxEnt, select_features

EXAMPLES, FEATURES, CLASSES = 47_227_789, 670_154, 3  # of the EMNLP paper
SLACK = 0.0005  # of an error that counts as equal
PATIENCE = 100.0  # seconds of the processor after which a peer is given up


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", choices=("size", "peers", "passes", "bayes"))
    parser.add_argument("--scale", type=float, default=1.0, help="of the papers' size")
    parser.add_argument("--examples", type=int, default=1_000_000, help="generated for peers")
    parser.add_argument("--train", type=Path, help="folder of examples")
    parser.add_argument("--held-out", type=Path, help="folder of examples")
    parser.add_argument("--direction", help="labels of the folders to learn")
    parser.add_argument("--sigma2", type=float, default=1.0)
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--vw-python", default=sys.executable, help="has the package vowpalwabbit")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        if options.only == "size":
            size(Path(place), options)
            return
        train, held_out = data_of(Path(place), options)
        print(f"{len(train):,} examples, {len(held_out):,} held out, {train.num_features:,} "
              f"features, {len(train.feature) / len(train):.2f} an example")  # fmt: skip
        if options.only in (None, "bayes"):
            bayes(train, held_out)
        if options.only in (None, "passes"):
            passes(train, held_out, options)
        if options.only in (None, "peers"):
            peers(Path(place), train, held_out, options)


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


def data_of(place: Path, options: argparse.Namespace) -> tuple[Examples, Examples]:
    if options.train is None:
        features = options.examples // 10
        return (
            write(place / "train", options.examples, features, 1),
            write(place / "held-out", 100_000, features, 2),
        )
    return tuple(  # type: ignore[return-value]
        labelled(Examples.open(folder), options.direction)
        for folder in (options.train, options.held_out)
    )


def labelled(examples: Examples, direction: str | None) -> Examples:
    """The same with the labels of one direction."""
    return Examples(
        examples.start, examples.feature, {"label": examples.label(direction)},
        num_features=examples.num_features, num_classes=examples.num_classes,
        count=examples.count, is_checked=True,
    )  # fmt: skip


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the processor, which others on the machine change less, and the result."""
    begin = _processor()
    found = work()
    return _processor() - begin, found


def _processor() -> float:
    used = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


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


# -- peers -----------------------------------------------------------------------------------------


def peers(place: Path, train: Examples, held_out: Examples, options: argparse.Namespace) -> None:
    seconds, model = timed(lambda: DualMaxEnt(sigma2=options.sigma2).fit(train))
    goal = model.error(held_out) + SLACK
    print(f"{'dual, defaults':40}{seconds:8.2f} s         held-out error "
          f"{100 * (goal - SLACK):.2f} %, {model.passes_} passes, gap "
          f"{model.gap_ / model.objective_:.4f}")  # fmt: skip
    optimum = DualMaxEnt(sigma2=options.sigma2, tolerance=1e-3, passes=1000).fit(train)
    goal = max(goal, optimum.error(held_out) + SLACK)  # no peer must beat the optimum
    fewest = until(
        lambda n: DualMaxEnt(sigma2=options.sigma2, passes=n, tolerance=None).fit(train),
        lambda found: found.error(held_out), goal,
    )  # fmt: skip
    ours = min(fewest, (seconds, model.passes_, goal - SLACK))
    show("dual, fewest passes", fewest, ours, goal)
    descent = until(
        lambda n: PrimalMaxEnt(sigma2=options.sigma2, passes=n).fit(train),
        lambda found: found.error(held_out), goal,
    )  # fmt: skip
    show("primal, fewest passes", descent, ours, goal)
    vowpal_wabbit(place, train, held_out, goal, ours, options.vw_python)
    scikit_learn(train, held_out, goal, ours, options)


Run = tuple[float, int, float]  # seconds, iterations, error


def until(
    fit: Callable[[int], Any], error: Callable[[Any], float], goal: float, iterations: int = 2
) -> Run:
    """The first run whose error is low enough, with ever more iterations; or the last one."""
    begun = _processor()
    while True:
        seconds, found = timed(lambda n=iterations: fit(n))  # type: ignore[misc]
        wrong = error(found)
        is_late = _processor() - begun > PATIENCE or iterations >= 1000
        if wrong <= goal or is_late:
            return seconds, iterations, wrong
        iterations += max(1, iterations // 2)


def show(name: str, run: Run, ours: Run, goal: float) -> None:
    """A run beside ours; one that was given up has no time at equal error, only a lower bound."""
    seconds, iterations, wrong = run
    ratio = f"{seconds / ours[0]:.1f}×"
    if wrong > goal:
        ratio = f">{ratio}"
    print(f"{name:40}{seconds:8.2f} s {ratio:>7} held-out error {100 * wrong:.2f} %, {iterations} "
          f"iterations{', given up' if wrong > goal else ''}", flush=True)  # fmt: skip


def scikit_learn(
    train: Examples, held_out: Examples, goal: float, ours: Run, options: argparse.Namespace
) -> None:
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        print("scikit-learn is skipped: it is not installed")
        return
    matrix, y = matrix_of(train), train.label()
    test, truth = matrix_of(held_out), held_out.label()
    for solver in ("sag", "saga", "newton-cg", "lbfgs"):  # the fastest ones first

        def fit(n: int, solver: str = solver) -> Any:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = LogisticRegression(
                    C=options.sigma2, fit_intercept=False, solver=solver, max_iter=n, tol=1e-9
                )
                return model.fit(matrix, y)

        first = 10 if solver == "lbfgs" else 2
        found = until(fit, lambda m: 1 - m.score(test, truth), goal, first)
        show(f"scikit-learn {solver}", found, ours, goal)


def matrix_of(examples: Examples) -> Any:
    from scipy.sparse import csr_matrix

    count = np.ones(len(examples.feature)) if examples.count is None else examples.count
    return csr_matrix(
        (count.astype(float), np.array(examples.feature), examples.start.astype(np.int32)),
        shape=(len(examples), examples.num_features),
    )  # fmt: skip


def vowpal_wabbit(
    place: Path, train: Examples, held_out: Examples, goal: float, ours: Run, python: str
) -> None:
    has_it = subprocess.run([python, "-c", "import vowpalwabbit"], capture_output=True)
    if has_it.returncode != 0:
        print(f"Vowpal Wabbit is skipped: {python} has no package vowpalwabbit (--vw-python)")
        return
    files = [place / "train.vw", place / "held-out.vw"]
    for file, examples in zip(files, (train, held_out), strict=True):
        write_vw(file, examples)
    truth, model, found = held_out.label(), place / "model.vw", place / "found.vw"
    basis = f"--oaa {train.num_classes} --loss_function logistic --noconstant -b 22 --quiet"
    basis += f" -d {files[0]} -c --holdout_off"

    def run(arguments: str) -> float:
        """The seconds that it takes, without those in which Python starts."""
        done = subprocess.run([python, "-c", _VW, arguments], check=True, capture_output=True)
        return float(done.stdout.split()[-1])

    run(f"{basis} -k --passes 1")  # writes the cache
    iterations, begun = 1, _processor()
    while True:
        seconds = run(f"{basis} --passes {iterations} -f {model}")
        run(f"-t -i {model} -d {files[1]} -p {found} --quiet")
        wrong = float((np.loadtxt(found)[: len(truth)] - 1 != truth).mean())
        if wrong <= goal or _processor() - begun > PATIENCE:
            break
        iterations += max(1, iterations // 2)
    show("Vowpal Wabbit", (seconds, iterations, wrong), ours, goal)


_VW = """
import sys, time
from vowpalwabbit import Workspace
begin = time.process_time()
Workspace(sys.argv[1]).finish()
print(time.process_time() - begin)
"""


def write_vw(path: Path, examples: Examples) -> None:
    feature, start, label = (each.tolist() for each in
                             (examples.feature, examples.start, examples.label()))  # fmt: skip
    count = None if examples.count is None else examples.count.tolist()
    with path.open("w") as stream:
        for i, y in enumerate(label):
            inside = range(start[i], start[i + 1])
            words = (f"{feature[a]}" if count is None else f"{feature[a]}:{count[a]}"
                     for a in inside)  # fmt: skip
            stream.write(f"{y + 1} | {' '.join(words)}\n")


if __name__ == "__main__":
    main()
