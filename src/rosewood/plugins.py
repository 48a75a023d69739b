"""What other packages add: modules that they announce as entry points are imported."""

from __future__ import annotations

from importlib.metadata import entry_points

from rosewood.errors import RosewoodError

__all__ = ["load_plugins"]


def load_plugins(group: str) -> None:
    """Import all entry points of a group; a module that declares something registers it."""
    for point in entry_points(group=group):
        try:
            point.load()
        except Exception as error:  # somebody's code
            package = point.dist.name if point.dist is not None else "its package"
            raise RosewoodError(
                f"entry point {point.name!r} of {group!r} ({point.value}) cannot be imported: "
                f"{error!r}; repair or uninstall {package}"
            ) from error
