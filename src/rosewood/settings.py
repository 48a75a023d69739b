"""Settings: dataclass fields with a default, bounds, choices and help, and nothing else.

    @dataclass(frozen=True)
    class LoopSettings(Settings):
        error = TuningError

        rounds: int = setting(6, "Tuning rounds.", low=1)
        metric: str = setting("bleu", "Metric to tune for.", choices=METRICS)
        limit: int | None = setting(100, "Pops per stack; none is no limit.", low=1)

Validation, command-line options (`cli/options_from_settings.py`), `--config`, keywords of Python
and tables of the documents (`settings_table`) are made from these fields.  A type is bool, int,
float, str, PathName, a Literal of texts, a tuple of str, PathName, int or float, of any length or
of a fixed one, dict[str, Any], or one of them with None; PathName | int is a path or a
number.  Paths become str; one path will do for tuple[PathName, ...].  Numbers of a tuple are typed
with commas between them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache
from inspect import get_annotations
from os import PathLike, fspath
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, NamedTuple, Self, Union, get_args, get_origin
from typing import get_type_hints as type_hints

from rosewood.arguments import (
    bounds,
    check_choice,
    check_flag,
    check_known,
    check_number,
    check_text,
    check_type,
    check_whole,
    one_of,
    refused,
)
from rosewood.errors import RosewoodError

_KINDS = {
    bool: "true or false", int: "a whole number", float: "a number", str: "a text",
    PathLike: "a path", dict: "a table",
}  # fmt: skip
_ITEMS = {str: "texts", PathLike: "paths", int: "whole numbers", float: "numbers"}
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
Choices = Collection[str] | Callable[[], Collection[str]]


def setting(
    default: Any = MISSING,
    help: str = "",
    *,
    low: float | None = None,
    high: float | None = None,
    choices: Choices | None = None,
    group: str | None = None,
    default_text: str | None = None,
    metavar: str | None = None,
    option: str | None = None,
    short: str | None = None,
    known: Callable[[], Collection[str]] | None = None,
    types_none: bool = True,
) -> Any:
    """A field of settings.

    `choices` may be a function or a registry, so that naming them costs nothing.  `group` is the
    panel of --help, where it is not that of the class (empty: none); `default_text` replaces a
    default that explains nothing; `option` is the option's name where it is not the field's,
    `short` its letter.  `known` are names to list in the help.  Without `types_none` a setting may
    be None, but nobody types `none`.
    """
    more: dict[str, Any] = {
        "help": help, "low": low, "high": high, "choices": choices, "group": group,
        "default_text": default_text, "metavar": metavar, "option": option,
        "short": short, "known": known, "types_none": types_none,
    }  # fmt: skip
    if isinstance(default, list | dict):
        made = type(default)(default)
        return field(default_factory=lambda: type(made)(made), metadata=more)
    return field(default=default, metadata=more)


def setting_of(cls: type, name: str, default: Any = ..., more: str = "", **changes: Any) -> Any:
    """The same field as in other settings; `more` is added to its help.

    A default and facts such as `group` or `low` may differ.
    """
    same = cls.__dataclass_fields__[name]  # type: ignore[attr-defined]
    facts = {**same.metadata, **changes}
    facts["help"] = f"{facts['help']} {more}".rstrip()
    return field(default=same.default if default is ... else default, metadata=facts)


class ExactText(str):
    """A text that `Settings.from_values` does not read as a number: in a file that has both."""

    __slots__ = ()


class Setting(NamedTuple):
    """A field of settings, with its type taken apart."""

    name: str
    kind: type  # bool, int, float, str, PathLike, tuple or dict
    words: tuple[str, ...]  # texts that are values besides, as "auto"
    may_be_none: bool
    default: Any
    facts: Mapping[str, Any]
    items: type = str  # of a tuple: str, PathLike, int or float
    length: int | None = None  # of a tuple; None: any
    may_be_number: bool = False  # besides a path

    @property
    def has_numbers(self) -> bool:
        """Whether it is a tuple of numbers."""
        return self.items in (int, float)

    @property
    def option(self) -> str:
        """The option of the command line, without dashes."""
        return str(self.facts.get("option") or self.name.replace("_", "-"))

    @property
    def help(self) -> str:
        return str(self.facts.get("help", ""))

    @property
    def types_none(self) -> bool:
        """Whether None is typed as `none`."""
        return self.may_be_none and bool(self.facts.get("types_none", True))

    @property
    def choices(self) -> tuple[str, ...]:
        """The values it may have; empty: any of its type."""
        given = self.facts.get("choices")
        if given is None:
            return () if self.kind is not str else self.words
        return tuple(given() if callable(given) and not isinstance(given, Mapping) else given)

    @property
    def expected(self) -> str:
        """What its values are, for people."""
        none = ["none"] if self.types_none else []
        if self.choices:
            return one_of(dict.fromkeys([*self.choices, *self.words, *none]))
        if self.kind is tuple:
            whole = f"{self.length or 'a list of'} {_ITEMS[self.items]}"
        else:
            whole = _KINDS[self.kind]
            whole = f"a whole number or {whole}" if self.may_be_number else whole
        within = bounds(self.facts.get("low"), self.facts.get("high"))
        return ", ".join([f"{whole} {within}".rstrip(), *self.words, *none])

    def check(self, value: Any, error: type[RosewoodError]) -> Any:
        """Return the value, or raise an error with the expected values."""
        if (value is None and self.may_be_none) or (isinstance(value, str) and value in self.words):
            return value
        try:
            return self._checked(value, error)
        except RosewoodError as fault:
            told = refused(self.name, fault.value, self.expected, fault.code, error)
            raise told from None

    def _checked(self, value: Any, error: type[RosewoodError]) -> Any:
        low, high = self.facts.get("low"), self.facts.get("high")
        if self.kind is bool:
            return check_flag(self.name, value, error=error)
        if self.kind is int:
            return check_whole(self.name, value, low=low, high=high, error=error)
        if self.kind is float:
            return check_number(self.name, value, low=low, high=high, error=error)
        if self.kind is PathLike:
            if self.may_be_number and isinstance(value, int):
                return check_whole(self.name, value, low=low, high=high, error=error)
            return fspath(check_type(self.name, value, str | PathLike, self.expected, error=error))
        if self.kind is tuple:
            return self._check_list(value, error)
        if self.kind is dict:
            if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
                raise self._refused(value, error)
            return dict(value)
        if self.choices:
            return check_choice(self.name, value, self.choices, error=error)
        return check_text(self.name, value, error=error)

    def _check_list(self, value: Any, error: type[RosewoodError]) -> tuple[Any, ...]:
        if self.items is PathLike and self.length is None and isinstance(value, str | PathLike):
            value = (value,)
        is_list = isinstance(value, Sequence) and not isinstance(value, str | bytes)
        if not is_list or self.length not in (None, len(value)):
            raise self._refused(value, error)
        if self.has_numbers:
            one = self._replace(kind=self.items, words=(), may_be_none=False)
            return tuple(self.items(one.check(each, error)) for each in value)
        may_be = (str, PathLike) if self.items is PathLike else str
        if not all(isinstance(each, may_be) for each in value):
            raise self._refused(value, error)
        return tuple(map(fspath, value))

    def read(self, text: str, error: type[RosewoodError]) -> Any:
        """The value of a text, as it is typed or written in a file of settings."""
        if isinstance(text, ExactText) and text != "none":
            return self.check(str(text), error)
        if self.may_be_number and text.isascii() and text.isdecimal():
            return self.check(int(text), error)
        if self.kind is PathLike or (self.kind is tuple and not self.has_numbers):
            return self.check(text, error)
        is_free_text = self.kind is str and not self.choices
        if text == "none" and self.types_none and not is_free_text:
            return None
        if text in self.words or self.kind is str:
            return self.check(text, error)
        try:
            if self.kind is bool:
                return _FLAGS[text.lower()]
            if text.isascii() and "_" not in text:
                if self.has_numbers:
                    parts = text.replace(",", " ").split()
                    return self.check([self.items(part) for part in parts], error)
                if self.kind in (int, float):
                    return self.check(self.kind(text), error)
        except (KeyError, ValueError, OverflowError):
            pass
        raise self._refused(text, error)

    def _refused(self, value: Any, error: type[RosewoodError]) -> RosewoodError:
        return refused(self.name, value, self.expected, "argument.type", error)


@dataclass(frozen=True)
class Settings:
    """Base of settings: checked when they are made, and made from tables of values."""

    error: ClassVar[type[RosewoodError]] = RosewoodError
    group: ClassVar[str | None] = None  # panel of --help of the fields that the class declares

    def __post_init__(self) -> None:
        for each in settings_of(type(self)):
            value = getattr(self, each.name)
            checked = each.check(value, self.error)
            if checked is not value:
                object.__setattr__(self, each.name, checked)

    @classmethod
    def from_values(cls, values: Mapping[str, Any], what: str = "setting") -> Self:
        """By their names, or those of their options; texts are read as what the setting is."""
        check_type("settings", values, Mapping, "a table of names and values", error=cls.error)
        known = {each.name: each for each in settings_of(cls)}
        names = setting_names(cls)
        named: dict[str, Any] = {}
        for given, value in values.items():
            name = names.get(given, given)
            check_known(what, [name], known, error=cls.error)
            if name in named:
                reason = f"{name} is given twice, once as {known[name].option}"
                raise cls.error(reason, code="argument.duplicate", argument=name, value=value)
            named[name] = known[name].read(value, cls.error) if isinstance(value, str) else value
        return cls(**named)

    def to_dict(self) -> dict[str, Any]:
        """All values by name, for JSON."""
        values = {each.name: getattr(self, each.name) for each in settings_of(type(self))}
        copy: dict[type, Callable[[Any], Any]] = {tuple: list, dict: dict}
        return {n: copy.get(type(v), lambda same: same)(v) for n, v in values.items()}


def settings_of(cls: type) -> tuple[Setting, ...]:
    """The settings of a dataclass, in their order; fields without help are not settings."""
    return _settings_of(cls)


def setting_names(cls: type) -> dict[str, str]:
    """The settings of a dataclass by all that they are called: their names, and their options."""
    known = [each.name for each in settings_of(cls)]
    options = {each.option: each.name for each in settings_of(cls)}
    return {**options, **{name: name for name in known}}


def check_setting(cls: type[Settings], name: str, value: Any) -> Any:
    """A value of one setting, checked as in an object of the class."""
    (each,) = (each for each in settings_of(cls) if each.name == name)
    return each.check(value, cls.error)


@cache
def _settings_of(cls: Any) -> tuple[Setting, ...]:
    hints = type_hints(cls)
    groups = {
        name: getattr(base, "group", None)
        for base in reversed(cls.__mro__)
        for name in get_annotations(base)
    }
    return tuple(
        _setting(each, hints[each.name], groups[each.name])
        for each in fields(cls)
        if each.init and "help" in each.metadata
    )


def _setting(each: Field[Any], hint: Any, group: str | None) -> Setting:
    kinds: list[Any] = []
    words: list[str] = []
    items: tuple[Any, ...] = ()
    for part in _parts(hint):
        if get_origin(part) is Literal:
            words += [str(word) for word in get_args(part)]
        elif part is not NoneType:
            kinds.append(get_origin(part) or part)
            items = get_args(part) if kinds[-1] is tuple else items
    kind = kinds[0] if kinds else str
    for wider in (float, PathLike):  # int | float is float, str | PathLike[str] a path
        kind = wider if wider in kinds else kind
    if kind not in (*_KINDS, tuple):
        raise TypeError(f"the setting {each.name} has the type {hint}, which settings cannot have")
    item = items[0] if items else str
    if any(get_origin(part) is PathLike for part in _parts(item)):
        item = PathLike
    default = each.default if each.default_factory is MISSING else each.default_factory()
    own = each.metadata.get("group")
    facts = {**each.metadata, "group": (group if own is None else own) or None}
    return Setting(
        each.name, kind, tuple(words), NoneType in _parts(hint), default, facts,
        items=item,
        length=None if ... in items or not items else len(items),
        may_be_number=kind is PathLike and int in kinds,
    )  # fmt: skip


def _parts(hint: Any) -> Iterator[Any]:
    if get_origin(hint) in (Union, UnionType):
        for part in get_args(hint):
            yield from _parts(part)
    else:
        yield hint


def settings_table(settings: type | Sequence[Setting]) -> str:
    """The settings of a class, or some settings, as a table in Markdown, for documents."""
    rows = ["| setting | default | values | |", "| --- | --- | --- | --- |"]
    for each in settings_of(settings) if isinstance(settings, type) else settings:
        default = each.facts.get("default_text") or shown_default(each.default)
        cells = [f"`{each.name}`", default, each.expected, each.help]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def shown_default(value: Any) -> str:
    """A default as people read it."""
    if value is MISSING:
        return "required"
    if value is None or value == () or value == {}:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(map(shown_default, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
