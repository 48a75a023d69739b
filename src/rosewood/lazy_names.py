"""Packages whose names load when they are first asked for: importing them costs nothing.

    if TYPE_CHECKING:
        from rosewood.rules.table import RuleTable
    __all__ = ["RuleTable"]
    __getattr__, __dir__ = lazy_names(__name__)

Where a name comes from is read from the imports of the package's own source, so that it is written
once, for type checkers too.  A name must differ from those of the package's modules.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from inspect import getsource
from typing import Any


def lazy_names(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package."""
    homes: dict[str, str] = {}

    def load(name: str) -> Any:
        module = sys.modules[package]
        if name in module.__all__:
            if not homes:
                for each in ast.walk(ast.parse(getsource(module))):
                    if isinstance(each, ast.ImportFrom) and each.module:
                        homes.update((one.name, each.module) for one in each.names)
            value = getattr(import_module(homes[name]), name)
            setattr(module, name, value)
            return value
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load, lambda: sorted(sys.modules[package].__all__)
