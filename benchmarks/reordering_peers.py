"""Our classifiers beside scikit-learn and Vowpal Wabbit: time to an equal held-out error.

Times are seconds of the processor.  Each peer's is that of its first fit, of ever more iterations,
whose held-out error is not above that of the dual by more than `SLACK`; data is in memory in the
peer's own form before the clock starts, but VW reads its cache.  VW has one-against-all
regressions, with several rates of learning and strengths of penalty; its best counts.
Where a few steps have less held-out error than the optimum, that tells who is fast to a bad fit: so
the time to an objective within `NEAR` of the smallest one is shown, too, but for VW, whose
objective is another one.
"""

from __future__ import annotations

import resource
import subprocess
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosewood.reorder import DualMaxEnt, Examples, PrimalMaxEnt

SLACK = 0.0005  # of an error that counts as equal
NEAR = 0.01  # of an objective that counts as equal
PATIENCE = 100.0  # seconds of the processor after which a peer is given up
VW_RATES = (0.5, 0.1, 0.02, 2.0)  # the first is its default
VW_PENALTIES = (0.0, 1e-7, 1e-6)


class Run(NamedTuple):
    """A fit: what it took and how good it is."""

    seconds: float
    iterations: int
    value: float  # its held-out error or its objective


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
    optimum = DualMaxEnt(sigma2=sigma2, tolerance=1e-3, passes=1000).fit(train)
    # Where stopping early is better than the optimum, peers need not stop as early as we do.
    goal = max(model.error(held_out), optimum.error(held_out)) + SLACK
    print(f"held-out error to reach: {100 * goal:.2f} %")
    default = Run(seconds, model.passes_, model.error(held_out))
    fits = {**_ours(train, sigma2), **_scikit_learn(train, sigma2)}
    _table(fits, lambda w: _error(held_out, w), goal, "held-out error", {"dual, defaults": default})
    vowpal_wabbit(place, train, held_out, goal, vw_python)
    least = (1 + NEAR) * (optimum.objective_ - optimum.gap_)
    print(f"objective to reach: {least:.6g}")
    default = Run(seconds, model.passes_, model.objective_)
    _table(
        fits, lambda w: _objective(train, w, sigma2), least, "objective",
        {"dual, defaults": default},
    )  # fmt: skip


Fit = Callable[[int], Any]  # weights after so many iterations, a row for each class


def _ours(train: Examples, sigma2: float) -> dict[str, Fit]:
    return {
        "dual, fewest passes": lambda n: (
            DualMaxEnt(sigma2=sigma2, passes=n, tolerance=None).fit(train).coef_
        ),
        "primal, fewest passes": lambda n: PrimalMaxEnt(sigma2=sigma2, passes=n).fit(train).coef_,
    }


def _scores(examples: Examples, weights: Any) -> Any:
    scores = np.asarray(matrix_of(examples) @ weights.T)
    return scores if scores.shape[1] > 1 else np.hstack([-scores, scores])


def _error(examples: Examples, weights: Any) -> float:
    return float((_scores(examples, weights).argmax(axis=1) != examples.label()).mean())


def _objective(examples: Examples, weights: Any, sigma2: float) -> float:
    scores, label = _scores(examples, weights), examples.label()
    log_sums = np.logaddexp.reduce(scores, axis=1)
    loss = (log_sums - scores[np.arange(len(label)), label]).sum()
    return float(loss + np.square(weights).sum() / (2 * sigma2))


def _table(
    fits: dict[str, Fit], measure: Callable[[Any], float], goal: float, what: str,
    known: dict[str, Run],
) -> None:  # fmt: skip
    """All runs, the fastest of ours being 1."""
    runs = {**known, **{name: until(fit, measure, goal) for name, fit in fits.items()}}
    ours = [run for name, run in runs.items() if "scikit" not in name and run.value <= goal]
    best = min(ours, default=runs["dual, defaults"])
    for name, run in runs.items():
        show(name, run, best, goal, what)


def until(fit: Fit, measure: Callable[[Any], float], goal: float) -> Run:
    """The first run whose value is low enough, with ever more iterations; or the last one."""
    begun, iterations = processor_seconds(), 1
    while True:
        seconds, found = timed(lambda n=iterations: fit(n))  # type: ignore[misc]
        run = Run(seconds, iterations, measure(found))
        is_late = processor_seconds() - begun > PATIENCE or iterations >= 1000
        if run.value <= goal or is_late:
            return run
        iterations += max(1, iterations // 2)


def show(name: str, run: Run, ours: Run | None, goal: float, what: str = "held-out error") -> None:
    """A run beside ours; one that was given up has no time at equal value, only a lower bound."""
    ratio = "" if ours is None else f"{run.seconds / ours.seconds:.1f}×"
    is_worse = run.value > goal
    value = f"{100 * run.value:.2f} %" if what == "held-out error" else f"{run.value:.6g}"
    print(
        f"{name:44}{run.seconds:8.2f} s {'>' * is_worse + ratio:>7} {what} {value}, "
        f"{run.iterations} iterations{', given up' * is_worse}",
        flush=True,
    )


# -- scikit-learn ----------------------------------------------------------------------------------


def _scikit_learn(train: Examples, sigma2: float) -> dict[str, Fit]:
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        print("scikit-learn is skipped: it is not installed")
        return {}
    matrix, y = matrix_of(train), train.label()

    def fit(n: int, solver: str) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LogisticRegression(
                C=sigma2, fit_intercept=False, solver=solver, max_iter=n, tol=1e-9
            )
            return model.fit(matrix, y).coef_

    return {
        f"scikit-learn {solver}": partial(fit, solver=solver)
        for solver in ("lbfgs", "newton-cg", "sag", "saga")
    }


def matrix_of(examples: Examples) -> Any:
    from scipy.sparse import csr_matrix

    count = np.ones(len(examples.feature)) if examples.count is None else examples.count
    return csr_matrix(
        (count.astype(float), np.array(examples.feature), examples.start.astype(np.int32)),
        shape=(len(examples), examples.num_features),
    )  # fmt: skip


# -- Vowpal Wabbit ---------------------------------------------------------------------------------


def vowpal_wabbit(
    place: Path, train: Examples, held_out: Examples, goal: float, python: str
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
        reached = [each for each in runs if each[0].value <= goal]
        best = min(
            reached or [*runs, *([best] if best else [])],
            key=lambda each: each[0].seconds if reached else each[0].value,
        )
        if reached:
            break
        # Those that are far behind will not catch up.
        runs.sort(key=lambda each: each[0].value)
        grid = [setting for _, setting in runs[: max(3, len(runs) // 2)]]
    assert best is not None
    label = f"Vowpal Wabbit, rate {best[1][0]:g}, penalty {best[1][1]:g}"
    show(label, best[0], None, goal)


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
