"""Numbers that are kept do not depend on the processor.

BLAS adds in another order on another one, and NumPy has other routines for exp and log.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from rosewood.arrays import rounded

# NumPy has an exp and a log of its own for some processors, and others for those that lack these.
SIMD = " ".join(np.show_config(mode="dicts")["SIMD Extensions"].get("found", []))
# OpenBLAS takes the routines of a processor by this name (on x86; elsewhere there is one kind).
_COMPUTED = """
import json
import sys
from pathlib import Path
import numpy as np
from rosewood.learn.candidates import least_squares
from rosewood.model.confidence import Confidence
from tests.lists import planted
from tests.unit.test_stage_versions import outputs

tuning = planted(np.linspace(-1.0, 2.0, 12), lists=100, noise=1.0, seed=3)
candidates = tuning.candidates(np.ones(len(tuning.features)), 20)
gains = tuning.metric.sentence_gains(candidates.statistics)
random = np.random.default_rng(5)
posterior = random.random(3000)
right = random.random(3000) < posterior**1.5
found = Confidence.calibrated(2.0, posterior, random.random(3000) < 0.1, right)
kept = [least_squares(candidates, gains).tolist(), found.to_dict(), outputs(Path(sys.argv[1]))]
print(json.dumps(kept))
"""


@pytest.mark.slow
def test_kept_numbers_are_those_of_other_processors(tmp_path):
    names = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES")
    kept = {name: value for name, value in os.environ.items() if name not in names}
    found = []
    for kind, without in (("Prescott", SIMD), ("Sandybridge", ""), ("", SIMD), ("", "")):
        setting = dict(zip(names, (kind, without), strict=True))
        made = subprocess.run(
            [sys.executable, "-c", _COMPUTED, tmp_path / str(len(found))], check=True,
            env={**kept, **{name: value for name, value in setting.items() if value}},
            stdout=subprocess.PIPE,
        )  # fmt: skip
        found.append(json.loads(made.stdout))
    assert all(each == found[0] for each in found)


def test_rounding_keeps_leading_bits():
    values = np.array([0.0, 1.0, -1.0 / 3.0, 1e300, 5e-320, 2.0**24 + 1.0])
    near = rounded(values, 24)
    np.testing.assert_allclose(near, values, rtol=2.0**-24)
    assert near[-1] == 2.0**24
    np.testing.assert_array_equal(rounded(near, 24), near)
    np.testing.assert_array_equal(rounded(-near, 24), -near)
