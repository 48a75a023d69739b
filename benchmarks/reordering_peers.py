"""The dual beside scikit-learn and Vowpal Wabbit: time to an equal held-out error.

Times are seconds of the processor.  Each peer's is that of its first fit, of ever more iterations,
whose held-out error is not above that of the dual by more than `SLACK`; data is in memory in the
peer's own form before the clock starts, but VW reads its cache.  VW has one-against-all
regressions, with several rates of learning and strengths of penalty; its best counts.
"""

from __future__ import annotations

import resource
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosewood.reorder import DualMaxEnt, Examples, PrimalMaxEnt

SLACK = 0.0005  # of an error that counts as equal
PATIENCE = 100.0  # seconds of the processor after which a peer is given up
VW_RATES = (0.5, 0.1, 0.02, 2.0)  # the first is its default
VW_PENALTIES = (0.0, 1e-7, 1e-6)


class Run(NamedTuple):
    """A fit: what it took and how good it is."""

    seconds: float
    iterations: int
    error: float


def processor_seconds() -> float:
    """Of this process and of those that it waited for."""
    used = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the processor, which others on the machine change less, and the result."""
    begin = processor_seconds()
    found = work()
    return processor_seconds() - begin, found


def compare(
    place: Path, train: Examples, held_out: Examples, sigma2: float, vw_python: str
) -> None:
    """Print our classifiers and the peers."""
    seconds, model = timed(lambda: DualMaxEnt(sigma2=sigma2).fit(train))
    default = Run(seconds, model.passes_, model.error(held_out))
    optimum = DualMaxEnt(sigma2=sigma2, tolerance=1e-3, passes=1000).fit(train)
    # Where stopping early is better than the optimum, peers need not stop as early as we do.
    goal = max(default.error, optimum.error(held_out)) + SLACK
    fewest = until(
        lambda n: DualMaxEnt(sigma2=sigma2, passes=n, tolerance=None).fit(train),
        lambda found: found.error(held_out), goal,
    )  # fmt: skip
    ours = min(fewest, default)
    print(f"held-out error to reach: {100 * goal:.2f} %")
    show("dual, defaults", default, ours, goal)
    show("dual, fewest passes", fewest, ours, goal)
    descent = until(
        lambda n: PrimalMaxEnt(sigma2=sigma2, passes=n).fit(train),
        lambda found: found.error(held_out), goal,
    )  # fmt: skip
    show("primal, fewest passes", descent, ours, goal)
    scikit_learn(train, held_out, goal, ours, sigma2)
    vowpal_wabbit(place, train, held_out, goal, ours, vw_python)


def until(
    fit: Callable[[int], Any], error: Callable[[Any], float], goal: float, iterations: int = 1
) -> Run:
    """The first run whose error is low enough, with ever more iterations; or the last one."""
    begun = processor_seconds()
    while True:
        seconds, found = timed(lambda n=iterations: fit(n))  # type: ignore[misc]
        run = Run(seconds, iterations, error(found))
        is_late = processor_seconds() - begun > PATIENCE or iterations >= 1000
        if run.error <= goal or is_late:
            return run
        iterations += max(1, iterations // 2)


def show(name: str, run: Run, ours: Run, goal: float) -> None:
    """A run beside ours; one that was given up has no time at equal error, only a lower bound."""
    ratio = f"{run.seconds / ours.seconds:.1f}×"
    is_worse = run.error > goal
    print(
        f"{name:44}{run.seconds:8.2f} s {'>' * is_worse + ratio:>7} held-out error "
        f"{100 * run.error:.2f} %, {run.iterations} iterations{', given up' * is_worse}",
        flush=True,
    )


# -- scikit-learn ----------------------------------------------------------------------------------


def scikit_learn(
    train: Examples, held_out: Examples, goal: float, ours: Run, sigma2: float
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
                    C=sigma2, fit_intercept=False, solver=solver, max_iter=n, tol=1e-9
                )
                return model.fit(matrix, y)

        run = until(fit, lambda m: 1 - m.score(test, truth), goal)
        show(f"scikit-learn {solver}", run, ours, goal)


def matrix_of(examples: Examples) -> Any:
    from scipy.sparse import csr_matrix

    count = np.ones(len(examples.feature)) if examples.count is None else examples.count
    return csr_matrix(
        (count.astype(float), np.array(examples.feature), examples.start.astype(np.int32)),
        shape=(len(examples), examples.num_features),
    )  # fmt: skip


# -- Vowpal Wabbit ---------------------------------------------------------------------------------


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

    def learned(rate: float, penalty: float, iterations: int) -> Run:
        spent = run(f"{basis} -l {rate} --l2 {penalty} --passes {iterations} -f {model}")
        run(f"-t -i {model} -d {files[1]} -p {found} --quiet")
        wrong = float((np.loadtxt(found)[: len(truth)] - 1 != truth).mean())
        return Run(spent, iterations, wrong)

    run(f"{basis} -k --passes 1")  # writes the cache
    grid = [(rate, penalty) for rate in VW_RATES for penalty in VW_PENALTIES]
    best: tuple[Run, tuple[float, float]] | None = None
    for iterations in (1, 2, 3, 5, 8, 12, 20):
        runs = [(learned(*setting, iterations), setting) for setting in grid]
        reached = [each for each in runs if each[0].error <= goal]
        best = min(
            reached or [*runs, *([best] if best else [])],
            key=lambda each: each[0].seconds if reached else each[0].error,
        )
        if reached:
            break
        # Those that are far behind will not catch up.
        runs.sort(key=lambda each: each[0].error)
        grid = [setting for _, setting in runs[: max(3, len(runs) // 2)]]
    assert best is not None
    label = f"Vowpal Wabbit, rate {best[1][0]:g}, penalty {best[1][1]:g}"
    show(label, best[0], ours, goal)


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
