"""Tests in C++ of native code that Python does not reach directly.

The `.cpp` files of this folder are one program, linked with the core that the Python module is made
of; what Python reaches through `rosewood._core` is tested in Python.  `make test` builds it
before it starts the tests; whoever runs pytest alone has it built here, if it is out of date.

    python -m tests.native.test_native                            # builds it
    build/WHEEL_TAG/tests/native/native_tests align.cpp           # runs the tests of a file
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.processes import LONGEST

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
IS_SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")  # by `make sanitize`


def _tool(name: str) -> str | None:
    """A program of this environment, or one on the path."""
    return shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)


def _done(command: list[str]) -> subprocess.CompletedProcess[str]:
    settings = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    return subprocess.run(
        command, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False, timeout=LONGEST,
    )  # fmt: skip


def _folder_of_module() -> Path | None:
    """The folder in which the Python module was built, if it can be built in again."""
    tag = "sanitize" if IS_SANITIZED else f"cp{sys.version_info[0]}{sys.version_info[1]}-*"
    for cache in (ROOT / "build").glob(f"{tag}/CMakeCache.txt"):
        values = dict(re.findall(r"^(\w+):\w+=(.*)$", cache.read_text("utf-8"), re.MULTILINE))
        tools = (values.get("CMAKE_MAKE_PROGRAM", ""), values.get("CMAKE_COMMAND", ""))
        if values.get("CMAKE_HOME_DIRECTORY") == ROOT.as_posix() and all(map(shutil.which, tools)):
            return cache.parent
    return None


def _build() -> Path:
    """Builds the program and returns its path."""
    cmake, ninja = _tool("cmake"), _tool("ninja")
    assert cmake, "cmake is missing: pip install --group test"
    assert ninja, "ninja is missing: pip install --group test"
    folder = _folder_of_module()
    if folder is None:  # the package was installed from elsewhere: the core is compiled, too
        folder = ROOT / "build" / ("native-tests-sanitized" if IS_SANITIZED else "native-tests")
        how = [f"-DCMAKE_MAKE_PROGRAM={ninja}", "-DROSEWOOD_NATIVE_TESTS=ON"]
        how.append(f"-DROSEWOOD_SANITIZE={'ON' if IS_SANITIZED else 'OFF'}")
        configure = [cmake, "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", *how]
        configured = _done(configure)
        if configured.returncode:  # the folder is of another place or compiler: begin anew
            shutil.rmtree(folder, ignore_errors=True)
            configured = _done(configure)
        assert configured.returncode == 0, configured.stdout
    built = _done([cmake, "--build", str(folder), "--target", "native_tests"])
    assert built.returncode == 0, built.stdout
    return folder / "tests" / "native" / "native_tests"


@pytest.mark.slow
def test_native_code():
    compilers = (os.environ.get("CXX"), "c++", "g++", "clang++", "cl")
    if not any(name and shutil.which(name.split()[0]) for name in compilers):
        pytest.skip("there is no C++ compiler")
    done = _done([str(_build())])
    assert done.returncode == 0, done.stdout
    for source in HERE.glob("*.cpp"):
        is_run = f"passed {source.name}: " in done.stdout
        assert is_run != (source.name == "check.cpp"), f"{source.name} has no tests"


def test_every_header_of_the_core_is_tested():
    """A header that no binding includes has a test in C++ that includes it."""
    core = ROOT / "core"
    headers = {path.relative_to(core).as_posix() for path in core.rglob("*.hpp")}
    users = [*(ROOT / "bind").glob("*.?pp"), *HERE.glob("*.?pp")]
    included = {
        name
        for path in users
        for name in re.findall(r'^#include "(.+)"', path.read_text("utf-8"), re.MULTILINE)
    }
    assert not headers - included


if __name__ == "__main__":
    print(_build())
