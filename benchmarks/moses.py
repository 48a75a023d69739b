"""Moses's tuning programs as a peer: `extractor`, `mert` and `kbmira`, where they are on the PATH.

Nothing of Moses is here; lists are written in its n-best form and its programs are run on them,
with the settings of its own scripts: equal weights to start from, random starts between 0 and 1.
`kbmira` leaves out duplicates, but compares a candidate with itself (`operator==` of
FeatureDataIterator.cpp): built with a Boost whose sets do not store hashes, such as 1.74, it keeps
a fifth of nbest-de-en.  The build to compare with has `item2` there.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rosewood.arrays import FloatArray
from rosewood.rerank import CandidateList

PROGRAMS = ("extractor", "mert", "kbmira")


class Run(NamedTuple):
    """What a program found, in how many seconds, and how many of them a processor worked."""

    theta: FloatArray
    seconds: float
    processor: float


def missing() -> list[str]:
    """Programs that are not on the PATH."""
    return [name for name in PROGRAMS if shutil.which(name) is None]


def prepare(lists: Sequence[CandidateList], folder: Path) -> float:
    """Write the lists and have `extractor` count n-grams; its seconds."""
    references, nbest = [], []
    for number, each in enumerate(lists):
        (reference,) = each.references
        references.append(reference + "\n")
        for text, row in zip(each.texts, each.dense.tolist(), strict=True):
            features = " ".join(f"F{i}= {value}" for i, value in enumerate(row))
            nbest.append(f"{number} ||| {text} ||| {features} ||| 0\n")
    (folder / "reference").write_text("".join(references), encoding="utf-8")
    (folder / "nbest").write_text("".join(nbest), encoding="utf-8")
    count = len(lists[0].names)
    rows = (["1"] * count, ["0"] * count, ["1"] * count)  # the start, and bounds of random ones
    (folder / "init.opt").write_text("".join(" ".join(row) + "\n" for row in rows))
    return _run(folder, ["extractor", "-r", "reference", "-n", "nbest", *_data()])[0]


def mert(folder: Path, features: int, *, restarts: int, seed: int = 1) -> Run:
    """`mert`, on one thread."""
    command = ["mert", "-d", str(features), "-n", str(restarts), "-r", str(seed)]
    used = _run(folder, [*command, "--threads", "1", "--ifile", "init.opt", *_data()])
    theta = np.array((folder / "weights.txt").read_text().split(), dtype=np.float64)
    return Run(theta, *used)


def kbmira(folder: Path, features: int, *, seed: int = 1) -> Run:
    """`kbmira`, with its own settings."""
    command = ["kbmira", "-r", str(seed), "-d", "init.opt", "-o", "kbmira.txt"]
    used = _run(folder, [*command, *_data()])
    theta = np.zeros(features)
    for line in (folder / "kbmira.txt").read_text().splitlines():
        name, value = line.split()
        theta[int(name.removeprefix("F"))] = float(value)
    return Run(theta, *used)


def _data() -> list[str]:
    return ["-S", "score.data", "-F", "feature.data"]


def _run(folder: Path, command: list[str]) -> tuple[float, float]:
    """Seconds, and seconds of the processor."""
    before, begin = _processor(), time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr[-500:]}")
    return time.perf_counter() - begin, _processor() - before


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
