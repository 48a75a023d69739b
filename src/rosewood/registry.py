"""Things by name: one file each in a package of ours, or an entry point of another package.

    LEARNERS = Registry("rosewood.learn.learners", "rosewood.learners", "learner", TuningError)
    LEARNERS.names()            # ("l1", "mert", "mr-da", …): nothing is imported
    LEARNERS.help("mert")       # the first line of the module's docstring: nothing is imported
    LEARNERS["mert"]            # the object called PLUGIN of rosewood/learn/learners/mert.py

A file is called as what it adds, with underscores for hyphens, and begins with its docstring;
files whose names begin with an underscore add nothing.  Another package announces what it adds as
an entry point of the group, by its name:

    [project.entry-points."rosewood.learners"]
    mine = "my_package.mine:MyLearner"

Its help is the first line of the docstring of the object.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rosewood.errors import RosewoodError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """What is known under the names of a package's files and of a group of entry points."""

    def __init__(
        self,
        package: str,
        group: str,
        what: str,
        error: type[RosewoodError] = RosewoodError,
        has: tuple[str, ...] = (),
    ) -> None:
        """`what` is what errors call a thing: "learner"; `has` are attributes it must have."""
        self.package, self.group, self.what, self.error = package, group, what, error
        self._has = has
        self._loaded: dict[str, T] = {}
        self._added: dict[str, T] = {}

    @cached_property
    def _files(self) -> dict[str, Path]:
        spec = find_spec(self.package)
        folders = () if spec is None else spec.submodule_search_locations or ()
        found = [
            each
            for folder in folders
            for each in (*Path(folder).glob("[!_]*.py"), *Path(folder).glob("[!_]*/__init__.py"))
        ]
        return dict(sorted((_name(each), each) for each in found))

    @cached_property
    def _points(self) -> dict[str, EntryPoint]:
        if not _may_announce(self.group, tuple(sys.path)):
            return {}
        from importlib.metadata import entry_points

        found = sorted(entry_points(group=self.group), key=lambda each: each.name)
        return {each.name: each for each in found}

    def names(self) -> tuple[str, ...]:
        """All names: ours, then those of other packages."""
        return tuple(dict.fromkeys([*self._files, *self._points, *self._added]))

    def help(self, name: str) -> str:
        """One line about a thing.  Ours are not imported for it."""
        if name in self._files and name not in self._added:
            with self._files[name].open(encoding="utf-8") as stream:
                return stream.readline().strip().removeprefix('"""').removesuffix('"""')
        return first_line(getattr(self[name], "__doc__", None))

    def helps(self) -> dict[str, str]:
        """One line for each name; the error for those of broken packages."""
        found = {}
        for name in self.names():
            try:
                found[name] = self.help(name)
            except RosewoodError as error:
                found[name] = str(error)
        return found

    @contextmanager
    def adding(self, name: str, thing: T) -> Iterator[None]:
        """With a thing of this process besides, or in place of another: for tests and notebooks."""
        before = dict(self._added)
        self._added[name] = thing
        try:
            yield
        finally:
            self._added = before

    def __getitem__(self, name: str) -> T:
        """The thing; raises the registry's error for a name that is not known."""
        if name in self._added:
            return self._added[name]
        if name not in self._loaded:
            if name in self._files:
                self._loaded[name] = self._checked(name, self._own(name), self._files[name].name)
            elif name in self._points:
                point = self._points[name]
                self._loaded[name] = self._checked(name, _load(point), point.value)
            else:
                raise self.error(
                    f"unknown {self.what} {name!r}: expected one of {', '.join(self.names())}",
                    code="argument.unknown",
                    argument=self.what,
                    value=name,
                    expected=self.names(),
                )
        return self._loaded[name]

    def _own(self, name: str) -> Any:
        file = self._files[name]
        if not _stem(file).isidentifier():
            fault = f"rename it to {_stem(file).replace('-', '_')}.py"
        else:
            module = import_module(f"{self.package}.{_stem(file)}")
            if hasattr(module, "PLUGIN"):
                return module.PLUGIN
            fault = "it has no PLUGIN"
        reason = f"{self.what} {name!r}: {fault}"
        raise RosewoodError(reason, code="plugin.broken", argument=name, file=file)

    def _checked(self, name: str, thing: Any, place: str) -> T:
        for each in thing if isinstance(thing, tuple) else (thing,):
            for attribute in self._has:
                if not hasattr(each, attribute):
                    reason = f"{place} is not a {self.what}: it has no {attribute}"
                    raise RosewoodError(
                        reason, code="plugin.broken", argument=name, value=thing, expected=attribute
                    )
        found: T = thing
        return found

    def working(self) -> Iterator[tuple[str, T]]:
        """All things but those of broken packages."""
        for name in self.names():
            try:
                yield name, self[name]
            except RosewoodError as error:
                if error.code != "plugin.broken":
                    raise

    def __contains__(self, name: object) -> bool:
        return name in self._added or name in self._files or name in self._points

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.names())


def first_line(text: str | None) -> str:
    """The first line of a docstring; empty where there is none."""
    return (text or "").strip().partition("\n")[0]


def _stem(file: Path) -> str:
    return file.parent.name if file.name == "__init__.py" else file.stem


def _name(file: Path) -> str:
    return _stem(file).replace("_", "-")


@cache
def _may_announce(group: str, path: tuple[str, ...]) -> bool:
    """Whether an installed package may have entry points of a group.

    importlib.metadata knows for certain, but takes longer to import than everything else that
    `rosewood --help` needs.
    """
    wanted = f"[{group}]".encode()
    for folder in map(Path, path):
        if folder.is_file():  # an archive: not looked into here
            return True
        for file in folder.glob("*.*-info/entry_points.txt"):
            if wanted in file.read_bytes():
                return True
    return False


def _load(point: EntryPoint) -> Any:
    try:
        return point.load()
    except Exception as error:  # somebody's code
        package = point.dist.name if point.dist is not None else "its package"
        raise RosewoodError(
            f"entry point {point.name!r} of {point.group!r} ({point.value}) cannot be imported: "
            f"{error!r}; repair or uninstall {package}",
            code="plugin.broken",
            argument=point.name,
            value=point.value,
        ) from error
