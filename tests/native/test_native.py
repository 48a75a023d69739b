"""Tests in C++ of native code that Python does not reach directly.

A program for each file of this folder; what Python reaches through `rosewood._core` is tested in
Python.  To run one by hand: `build/native-tests/tests/native/bits`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.processes import LONGEST

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
IS_SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")  # by `make sanitize`
BUILD = ROOT / "build" / ("native-tests-sanitized" if IS_SANITIZED else "native-tests")
PROGRAMS = sorted(path.stem for path in HERE.glob("*.cpp"))


def _tool(name: str) -> str | None:
    """A program of this environment, or one on the path."""
    return shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)


def _done(command: list[str]) -> subprocess.CompletedProcess[str]:
    settings = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    return subprocess.run(
        command, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False, timeout=LONGEST,
    )  # fmt: skip


def _build(cmake: str, ninja: str) -> None:
    how = [f"-DCMAKE_MAKE_PROGRAM={ninja}", "-DROSEWOOD_NATIVE_TESTS=ON"]
    how.append(f"-DROSEWOOD_SANITIZE={'ON' if IS_SANITIZED else 'OFF'}")
    configure = [cmake, "-S", str(ROOT), "-B", str(BUILD), "-G", "Ninja", *how]
    configured = _done(configure)
    if configured.returncode:  # the folder is of another place or compiler: begin anew
        shutil.rmtree(BUILD, ignore_errors=True)
        configured = _done(configure)
    assert configured.returncode == 0, configured.stdout
    built = _done([cmake, "--build", str(BUILD)])
    assert built.returncode == 0, built.stdout


@pytest.fixture(scope="module")
def programs(tmp_path_factory) -> Path:
    """The folder of the programs; one worker of pytest builds them, the others wait for it."""
    compilers = (os.environ.get("CXX"), "c++", "g++", "clang++", "cl")
    if not any(name and shutil.which(name.split()[0]) for name in compilers):
        pytest.skip("there is no C++ compiler")
    cmake, ninja = _tool("cmake"), _tool("ninja")
    assert cmake, "cmake is missing: pip install --group test"
    assert ninja, "ninja is missing: pip install --group test"
    common = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        common = common.parent
    begun, ended = common / "native-tests-begun", common / "native-tests-ended"
    try:
        begun.mkdir()
    except FileExistsError:
        limit = time.monotonic() + LONGEST
        while not ended.exists():
            assert time.monotonic() < limit, "the other worker did not finish the build"
            time.sleep(0.05)
    else:
        try:
            _build(cmake, ninja)
        finally:
            ended.mkdir()
    return BUILD / "tests" / "native"


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(programs, name):
    done = _done([str(programs / name)])
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout
