"""Packages whose names load when they are first used.

    __all__ = ["Trained", "train"]
    __getattr__, __dir__ = lazy_names(__name__, {"training": ("Trained", "train")})

Importing such a package, or a light module of it, loads none of the others.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazy_names"]


def lazy_names(
    package: str, names: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package, from the public names of each of its modules."""
    homes = {name: module for module, some in names.items() for name in some}

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    return get, lambda: sorted(homes)
