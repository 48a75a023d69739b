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

Its help is the first line of the docstring of the class or function, else of its module.

A broken package is an error (`plugin.broken`) where its thing is used, and nowhere else.  Our own
names cannot be replaced; a name that two packages announce is an error (`plugin.duplicate`) where
it is used.  Both are reported once on standard error.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import Field
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from rosewood.errors import RosewoodError

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

T = TypeVar("T")
_FAULTS = ("plugin.broken", "plugin.duplicate")


class Registry(Mapping[str, T], Generic[T]):
    """What is known under the names of a package's files and of a group of entry points."""

    finds_packages: ClassVar[bool] = True  # False: only files of ours, as in our documents

    def __init__(
        self,
        package: str,
        group: str,
        what: str,
        error: type[RosewoodError] = RosewoodError,
        has: tuple[str, ...] = (),
        subclass_of: str | None = None,
        instance_of: str | None = None,
    ) -> None:
        """`what` is what errors call a thing: "learner"; `has` are attributes it must have.

        `subclass_of` and `instance_of` are classes, such as "rosewood.learn.learner:Learner", which
        are imported when the first thing is.
        """
        self.package, self.group, self.what, self.error = package, group, what, error
        self._has, self._subclass_of, self._instance_of = has, subclass_of, instance_of
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

    @property
    def _points(self) -> dict[str, list[EntryPoint]]:
        return self._announced if self.finds_packages else {}

    @cached_property
    def _announced(self) -> dict[str, list[EntryPoint]]:
        """Entry points of other packages by name; more than one where packages disagree."""
        found: dict[str, dict[str, EntryPoint]] = defaultdict(dict)
        if _may_announce(self.group, tuple(sys.path)):
            for each in _announced(self.group):
                found[each.name].setdefault(each.value, each)
        for name, points in sorted(found.items()):
            packages = _packages(points.values())
            if name in self._files:
                _report(f"{self.what} {name!r} of {packages} is ignored: Rosewood has its own")
            elif len(points) > 1:
                _report(f"{packages} both add the {self.what} {name!r}: uninstall one of them")
        names = sorted(set(found) - set(self._files))
        return {name: list(found[name].values()) for name in names}

    def own_names(self) -> tuple[str, ...]:
        """Names of our own files."""
        return tuple(self._files)

    def names(self) -> tuple[str, ...]:
        """All names: ours, then those of other packages."""
        return tuple(dict.fromkeys([*self._files, *self._points, *self._added]))

    def help(self, name: str) -> str:
        """One line about a thing.  Ours are not imported for it."""
        if name in self._files and name not in self._added:
            return _help_of_file(self._files[name])
        thing: Any = self[name]
        if not isinstance(thing, type | FunctionType) and name in self._points:
            thing = sys.modules.get(self._points[name][0].module)
        return first_line(getattr(thing, "__doc__", None))

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
            points = self._points.get(name, [])
            if name not in self._files and not points:
                raise self.error(
                    f"unknown {self.what} {name!r}: expected one of {', '.join(self.names())}",
                    code="argument.unknown",
                    argument=self.what,
                    value=name,
                    expected=self.names(),
                )
            if len(points) > 1:
                raise RosewoodError(
                    f"{_packages(points)} both add the {self.what} {name!r}: uninstall one of them",
                    code="plugin.duplicate",
                    argument=name,
                    value=tuple(each.value for each in points),
                )
            try:
                thing = points[0].load() if points else self._own(name)
                self._check(thing)
            except MemoryError:
                raise
            except (Exception, SystemExit) as error:  # somebody's code
                raise self.broken(name, error) from error
            self._loaded[name] = thing
        return self._loaded[name]

    def broken(self, name: str, error: BaseException) -> RosewoodError:
        """The error for a thing that cannot be used: it names the file or the package."""
        fault = str(error) if type(error) is _Fault else repr(error)
        points = self._points.get(name)
        if points and name not in self._files:
            place, file = f"{points[0].value} of {_packages(points)}", None
            fault += f"; repair or uninstall {_packages(points)}"
        else:
            file = self._files.get(name)
            place = str(file)
        return RosewoodError(
            f"{self.what} {name!r} cannot be used: {place}: {fault}",
            code="plugin.broken",
            argument=name,
            value=points[0].value if points else None,
            file=file,
        )

    def _own(self, name: str) -> Any:
        file = self._files[name]
        if not _stem(file).isidentifier():
            raise _Fault("rename it: a name has letters, digits and _, and no digit first")
        module = import_module(f"{self.package}.{_stem(file)}")
        if not hasattr(module, "PLUGIN"):
            raise _Fault("it has no PLUGIN")
        return module.PLUGIN

    def _check(self, thing: Any) -> None:
        if self._subclass_of is not None:
            kind = _imported(self._subclass_of)
            if not isinstance(thing, type) or not issubclass(thing, kind):
                raise _Fault(f"{thing!r} is not a subclass of {kind.__name__}")
            _check_class(thing)
        for each in thing if isinstance(thing, tuple) else (thing,):
            if self._instance_of is not None:
                kind = _imported(self._instance_of)
                if not isinstance(each, kind):
                    raise _Fault(f"{each!r} is not a {kind.__name__}")
            for attribute in self._has:
                if not hasattr(each, attribute):
                    raise _Fault(f"{each!r} has no {attribute}")

    def working(self) -> Iterator[tuple[str, T]]:
        """All things but those of broken packages, which are reported."""
        for name in self.names():
            try:
                thing = self[name]
            except RosewoodError as error:
                if error.code not in _FAULTS:
                    raise
                _report(str(error), error.code)
            else:
                yield name, thing

    def __contains__(self, name: object) -> bool:
        return name in self._added or name in self._files or name in self._points

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.names())


class _Fault(Exception):
    """Why a thing cannot be used, in words of ours."""


def first_line(text: object) -> str:
    """The first line of a docstring; empty where there is none."""
    return text.strip().partition("\n")[0] if isinstance(text, str) else ""


def _help_of_file(file: Path) -> str:
    """The first line of a module's docstring, comments before it left out."""
    with file.open(encoding="utf-8", errors="replace") as stream:
        for line in stream:
            text = line.strip()
            for quotes in ('r"""', '"""', "'''"):
                text = text.removeprefix(quotes).removesuffix(quotes)
            if text and not line.startswith("#"):
                return text.strip()
    return ""


def _stem(file: Path) -> str:
    return file.parent.name if file.name == "__init__.py" else file.stem


def _name(file: Path) -> str:
    return _stem(file).replace("_", "-")


def _imported(path: str) -> type:
    module, _, name = path.partition(":")
    found: type = getattr(import_module(module), name)
    return found


def _check_class(kind: type) -> None:
    """Refuse a class that cannot be made: methods or the decorator @dataclass are missing."""
    from rosewood.settings import settings_of

    if missing := sorted(getattr(kind, "__abstractmethods__", ())):
        raise _Fault(f"{kind.__name__} does not define {', '.join(missing)}")
    if any(isinstance(value, Field) for value in vars(kind).values()):
        raise _Fault(f"{kind.__name__} has settings: write @dataclass(frozen=True) above it")
    settings_of(kind)


@cache
def _report(fault: str, code: str = "plugin.duplicate") -> None:
    """Write a line to standard error, once."""
    print(f"rosewood: {fault} [{code}]", file=sys.stderr)


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
            try:
                if wanted in file.read_bytes():
                    return True
            except OSError:  # nobody can install from it, either
                continue
    return False


def _announced(group: str) -> Iterator[EntryPoint]:
    """The entry points of a group; packages whose list is damaged are reported."""
    from importlib.metadata import distributions

    seen = set()
    for package in distributions():
        name = ""
        try:
            if f"[{group}]" not in (package.read_text("entry_points.txt") or ""):
                continue
            name = _package_name(package)
            if name in seen:  # another place of the path has a second copy
                continue
            seen.add(name)
            yield from [each for each in package.entry_points if each.group == group]
        except Exception as error:
            reason = f"package {name}: entry_points.txt cannot be read: {error!r}"
            _report(f"{reason}; repair or uninstall it", "plugin.broken")


def _package_name(package: Distribution | None) -> str:
    try:
        return str(package.name) if package is not None else "without a name"
    except Exception:  # it has no METADATA
        return "without a name"


def _packages(points: Iterable[EntryPoint]) -> str:
    """The packages that entry points come from."""
    names = sorted(_package_name(each.dist) for each in points)
    return f"package{'s' if len(names) > 1 else ''} {' and '.join(names)}"
