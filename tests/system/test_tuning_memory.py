"""5,000 forests tuned within 500 MB, with the same result as in memory.

The limit is RLIMIT_AS, on all addresses of the process: what is mapped counts too, so forests and
scratch files must be read piece by piece.  Kept in memory, they do not fit: that is tested as well.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.lists import lattice

from rosewood.corpus import Vocabulary
from rosewood.forest import FeatureSpace, ForestSet, ForestSetWriter

pytestmark = pytest.mark.slow

COUNT = 5_000
LIMIT = 500 << 20
ROOT = Path(__file__).parents[2]
CHILD = """
import resource, sys
path, memory, limit = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if limit:
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
import numpy as np
from rosewood.forest import ForestSet
from rosewood.learn import MinimumRisk, TuningSet
from rosewood.metrics import parse_metric
tuning = TuningSet(ForestSet(path), parse_metric("bleu:tokenize=none"), max_memory=memory)
fit = MinimumRisk(iterations=1, k=2).fit(tuning, np.ones(len(tuning.features)), seed=1)
print(fit.theta.tobytes().hex(), fit.score.hex())
"""


@pytest.fixture(scope="module")
def forests(tmp_path_factory) -> Path:
    """5,000 lattices with 600 dense features: 320 MB."""
    path = tmp_path_factory.mktemp("large") / "forests.rwf"
    space = FeatureSpace([f"f{i}" for i in range(600)], [f"s:{i}" for i in range(100)])
    words = Vocabulary([f"w{i}" for i in range(200)])
    with ForestSetWriter(path, features=space, vocabulary=words) as out:
        made = [lattice(number, space, words, length=10, choices=2) for number in range(100)]
        for number in range(COUNT):
            forest, reference = made[number % len(made)]
            out.append(forest, {"refs": [reference]})
    return path


def tuned(path: Path, *, memory: int, limit: int = 0) -> subprocess.CompletedProcess:
    """A fit in a process of its own."""
    command = [sys.executable, "-c", CHILD, str(path), str(memory), str(limit)]
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # each has a stack
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, **threads}, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip


@pytest.mark.longest
def test_forests_on_disk_are_tuned_as_in_memory(forests):
    small = tuned(forests, memory=64 << 20, limit=LIMIT)
    assert small.returncode == 0, small.stderr
    large = tuned(forests, memory=1 << 40)
    assert large.returncode == 0, large.stderr
    assert small.stdout == large.stdout
    assert np.isfinite(np.frombuffer(bytes.fromhex(small.stdout.split()[0]))).all()


def test_in_memory_they_do_not_fit(forests):
    """So the limit is one that makes a difference."""
    assert len(ForestSet(forests)) == COUNT
    found = tuned(forests, memory=1 << 40, limit=LIMIT)
    assert found.returncode != 0
    assert "MemoryError" in found.stderr or "bad_alloc" in found.stderr
