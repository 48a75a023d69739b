"""Options of a verb from the fields of its settings.

    def train(settings: TrainingSettings, *, output: Output, …) -> None: …

A parameter whose type is a `Settings` class becomes an option for each of its fields: name, type,
bounds, choices, default and help are the field's.  The function gets an object of the class.  With
`Annotated[dict[str, Any], Typed(SearchSettings)]` it gets the values that were typed, by name: for
settings that differ from those of a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass
from inspect import Parameter, Signature, signature
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import typer

from rosewood.cli.memory_options import memory_size
from rosewood.cli.options import (
    NamedValue,
    as_given,
    load_config,
    merged,
    named_values,
    parser_of,
)
from rosewood.errors import RosewoodError
from rosewood.settings import Setting, Settings, settings_of, shown_default

Verb = Callable[..., None]


@dataclass(frozen=True)
class Typed:
    """Marks a parameter that gets only the settings that were typed."""

    settings: type | tuple[type, ...]  # of several classes: what one or more of them have
    names: tuple[str, ...] = ()  # of some settings; without, of all
    default_text: str | None = None  # what --help shows as the default of each


def with_settings(verb: Verb) -> Verb:
    """The verb with an option for each field of its settings."""
    hints = get_type_hints(verb, include_extras=True)
    parameters: list[Parameter] = []
    groups: dict[str, tuple[Typed, type | None]] = {}  # by parameter; of what an object is made
    for each in signature(verb).parameters.values():
        hint = hints.get(each.name, Any)
        marks = [mark for mark in get_args(hint)[1:] if isinstance(mark, Typed)]
        if isinstance(hint, type) and issubclass(hint, Settings):
            groups[each.name] = (Typed(hint), hint)
        elif get_origin(hint) is Annotated and marks:
            groups[each.name] = (marks[0], None)
        else:
            parameters.append(each.replace(annotation=hint, kind=Parameter.KEYWORD_ONLY))
            continue
        typed = groups[each.name][0]
        parameters += [_parameter(one, typed, _parser) for one in _fields(typed)]
    if not groups:
        return verb

    def call(**values: Any) -> None:
        tables = [
            one
            for each in values.values()
            if isinstance(each, list | tuple)
            for one in each
            if isinstance(one, NamedValue)
        ]
        try:
            run(values)
        except RosewoodError as error:
            for each in tables:
                if (located := each.located(error)) is not None:
                    raise located from error
            raise

    def run(values: dict[str, Any]) -> None:
        for name, (typed, makes) in groups.items():
            own = {each.name: values.pop(each.name) for each in _fields(typed)}
            given = {
                each.name: _value(each, own[each.name])
                for each in _fields(typed)
                if own[each.name] is not None
            }
            values[name] = makes(**given) if makes else given
        verb(**values)

    call.__name__, call.__doc__, call.__module__ = verb.__name__, verb.__doc__, verb.__module__
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return call


def _fields(typed: Typed) -> Iterator[Setting]:
    kinds = typed.settings if isinstance(typed.settings, tuple) else (typed.settings,)
    found: dict[str, Setting] = {}
    for each in (one for kind in kinds for one in settings_of(kind)):
        same = found.setdefault(each.name, each)
        if same.default != each.default:
            told = " or ".join(map(shown_default, (same.default, each.default)))
            found[each.name] = same._replace(facts={**same.facts, "default_text": told})
    yield from (each for name, each in found.items() if not typed.names or name in typed.names)


class _Value(NamedTuple):
    """A value that was typed: None is one, too."""

    value: Any


def _value(each: Setting, typed: Any) -> Any:
    if each.kind is dict:
        return named_values(typed, f"--{each.option}")
    return typed.value if isinstance(typed, _Value) else typed


def _parameter(each: Setting, typed: Typed, parser: Callable[[Setting], Any]) -> Parameter:
    """The option of a setting, as Typer takes it."""
    option = f"--{each.option}" if len(each.option) > 1 else f"-{each.option}"
    more: dict[str, Any] = {
        "help": _help(each),
        "rich_help_panel": each.facts.get("group"),
        "show_default": _shown_default(each, typed),
    }
    hint: Any = Any
    if each.kind is bool:
        hint = bool | None
        option += f"/--no-{each.option}" if each.default is True else ""
    else:
        more["metavar"] = each.facts.get("metavar") or _metavar(each)
    if each.kind is PathLike and not each.may_be_number:
        hint = Path | None
    elif each.kind is tuple and each.length is not None and not each.has_numbers:
        hint = tuple[(Path,) * each.length] | None  # type: ignore[misc]
    elif each.kind is tuple and not each.has_numbers:
        hint = list[Path if each.items is PathLike else str] | None  # type: ignore[misc]
    elif each.kind is dict:
        hint = list[Any] | None
        more |= {"callback": merged, "parser": as_given}
    elif each.kind is not bool:
        more["parser"] = memory_size if each.name == "max_memory" else parser(each)
    if each.name == "config":  # it gives the other options their defaults
        more |= {"is_eager": True, "callback": load_config}
    names = [option, *([f"-{each.facts['short']}"] if each.facts.get("short") else [])]
    annotation = Annotated[hint, typer.Option(*names, **more)]
    default = Parameter.empty if each.default is MISSING else None
    return Parameter(each.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def option_of(settings: type, name: str, **changes: Any) -> Any:
    """The type of a verb's parameter that is one setting; its default is the function's.

    Facts such as `help` may differ.
    """
    (each,) = _fields(Typed(settings, (name,)))
    each = each._replace(facts={**each.facts, **changes})
    return _parameter(each, Typed(settings), parser_of).annotation


def _shown_default(each: Setting, typed: Typed) -> str | bool:
    """The default in --help; False: none is shown, as Typer says of what is required."""
    told = typed.default_text or each.facts.get("default_text")
    if told is not None or each.default is MISSING:
        return told or False
    is_nothing = not each.default and each.kind in (bool, PathLike, tuple, dict)
    return False if is_nothing else shown_default(each.default)


def _parser(each: Setting) -> Callable[[str], _Value]:
    read = parser_of(each)

    def parse(text: str) -> _Value:
        return _Value(read(text))

    parse.setting = each  # type: ignore[attr-defined]
    return parse


def _help(each: Setting) -> str:
    """The help of a setting, and its choices where they are not a few words of the help."""
    if each.facts.get("known") is not None:
        return f"{each.help} Known: {', '.join(each.facts['known']())}."
    words = set(re.findall(r"[\w+-]+", each.help))
    if not each.choices or each.facts.get("metavar") or words >= set(each.choices):
        return each.help
    return f"{each.help} Choices: {', '.join(each.choices)}."


def _metavar(each: Setting) -> str:
    kind = "NAME" if each.choices else _METAVARS[each.kind]
    words = [] if each.choices else list(each.words)
    if each.has_numbers:
        return "N,N,…"
    if each.kind in (PathLike, tuple):
        return "FILE" if PathLike in (each.kind, each.items) else kind
    return "|".join([kind, *words, *(["none"] if each.types_none else [])])


_METAVARS = {
    bool: "", int: "N", float: "NUMBER", str: "TEXT", PathLike: "FILE", tuple: "TEXT",
    dict: "NAME=VALUE",
}  # fmt: skip
