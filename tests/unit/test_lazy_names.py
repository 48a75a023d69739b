"""Packages load their names when they are asked for."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules

import pytest

PACKAGES = ["rosewood.decode", "rosewood.model", "rosewood.rules"]
LIGHT = ["rosewood.decode.settings", "rosewood.rules.settings"]


@pytest.mark.parametrize("name", PACKAGES)
def test_all_names_are_there_and_none_is_that_of_a_module(name):
    package = import_module(name)
    assert dir(package) == sorted(package.__all__)
    for each in package.__all__:
        getattr(package, each)
    assert not {each.name for each in iter_modules(package.__path__)} & set(package.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        _ = package.nothing


@pytest.mark.parametrize("name", [*PACKAGES, *LIGHT])
def test_importing_costs_nothing(name):
    code = f"import sys, {name}; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
