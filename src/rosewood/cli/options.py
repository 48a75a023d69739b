"""What verbs of long work share: a file of options, settings of learners, outputs, resuming."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from rosewood.arguments import check_flag, check_number, check_text, check_type, check_whole
from rosewood.cli.common import bad_option, bad_value, warn
from rosewood.errors import FormatError, RosewoodError, RuleError, TuningError
from rosewood.settings import ExactText, Setting, Settings, setting
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.journal import Journal


LEARNING, FILES = "Learning", "Files"  # panels of --help
CONFIG_HELP = "Options from a JSON or TOML table of their long names; what is typed wins."


class ConfigError(FormatError):
    """A fault of usage in a file of options: the exit code is that of other faults of usage."""

    exit_code = 2


def load_config(context: typer.Context, path: Path | None) -> Path | None:
    """Options from a file become the defaults of this command; what is typed still wins."""
    if path is None:
        return None
    known = {_spelling(each): each for each in context.command.params if each.opts[0][0] == "-"}
    names = sorted(set(known) - {"config", "help"})
    found: dict[str, Any] = {}
    for name, value in _table(path).items():
        option = known.get(name.replace("_", "-"))
        if option is None or name == "config":
            raise ConfigError(
                f"unknown option {name!r}: expected one of {', '.join(names)}",
                file=path, code="argument.unknown", argument=name, expected=names,
            )  # fmt: skip
        try:
            plain = _plain(f"option {name!r}", value, option, path)
            option.process_value(context, plain)
        except RosewoodError as error:
            raise error.restated(str(error), ConfigError, file=path, argument=name) from None
        except typer.BadParameter as error:
            raise ConfigError(
                f"option {name!r}: {error.message}",
                file=path, code=getattr(error, "code", "argument.value"),
                argument=name, value=value,
            ) from None  # fmt: skip
        if str(option.name) in found:
            reason = f"option {name!r} is given twice, with - and with _"
            raise ConfigError(reason, file=path, code="argument.duplicate", argument=name)
        found[str(option.name)] = plain
    context.default_map = {**(context.default_map or {}), **found}
    return path


def _spelling(option: Any) -> str:
    """How an option is called in a file: its long name, without the dashes."""
    return str(max(option.opts, key=len)).lstrip("-")


def _table(path: Path) -> dict[str, Any]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a name occurs twice")
        return dict(pairs)

    text = path.read_bytes()
    try:
        if path.suffix == ".toml":
            import tomllib

            table: Any = tomllib.loads(text.decode())
        else:
            table = json.loads(text.decode(), object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        kind = "TOML" if path.suffix == ".toml" else "JSON"
        raise FormatError(f"not {kind}: {error}", file=path, code="file.format") from error
    if not isinstance(table, dict):
        reason = "expected a table of option names and values"
        raise FormatError(reason, code="file.kind", file=path)
    return table


@dataclass(frozen=True)
class NamedValue:
    """A value in a table of a file of options, such as `set`."""

    name: str
    value: Any
    option: str
    file: Path

    def located(self, error: RosewoodError) -> RosewoodError | None:
        """The error with the file, where it is about this value."""
        is_value = error.argument == self.name and error.value == self.value
        if not is_value and (error.code, error.value) != ("argument.unknown", self.name):
            return None
        return error.restated(f"{self.option}: {error}", ConfigError, file=self.file)


def as_given(value: str | NamedValue) -> str | NamedValue:
    """The parser of options that take name=value, or a table in a file."""
    return value


def _plain(name: str, value: Any, option: Any, path: Path) -> Any:
    """A value as it would be typed, of the type that the option has."""
    if getattr(option, "is_flag", False):
        return check_flag(name, value, error=RosewoodError)
    if not getattr(option, "multiple", False) and option.nargs == 1:
        return _word(name, value, option)
    if isinstance(value, dict) and getattr(option.type, "func", None) is as_given:
        for key, each in value.items():
            _listed(f"{name}, {key!r},", each)  # its type is good
        return [NamedValue(key, each, name, path) for key, each in value.items()]
    if isinstance(value, dict):  # a table is a list of name=value
        return [f"{key}={_listed(f'{name}, {key!r},', each)}" for key, each in value.items()]
    return [_word(name, each, option) for each in (value if isinstance(value, list) else [value])]


def _listed(name: str, value: Any) -> str:
    each = [_scalar(name, one) for one in (value if isinstance(value, list) else [value])]
    return ",".join(each)


def _scalar(name: str, value: Any) -> str:
    check_type(name, value, str | int | float, "a text or a number", error=RosewoodError)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _word(name: str, value: Any, option: Any) -> str:
    parser = getattr(option.type, "func", None)
    setting = getattr(parser, "setting", None)
    if setting is not None and not (value == "none" and setting.types_none):
        setting._replace(name=name).check(value, RosewoodError)
    elif parser not in (None, as_given):  # it reads sizes such as 2G, and plain numbers
        check_type(name, value, str | int, "a text or a whole number", error=RosewoodError)
    elif option.type.name.startswith("int"):
        check_whole(name, value, error=RosewoodError)
    elif option.type.name.startswith("float"):
        check_number(name, value, error=RosewoodError)
    else:
        check_text(name, value, error=RosewoodError)
    return _listed(name, value)


def merged(
    context: typer.Context, param: typer.CallbackParam, typed: list[Any] | None
) -> list[Any] | None:
    """name=value as they were typed, and those of the file whose names were not typed."""

    def name(each: str | NamedValue) -> str:
        return each.name if isinstance(each, NamedValue) else each.partition("=")[0]

    names = set(map(name, typed or ()))
    from_file = (context.default_map or {}).get(str(param.name)) or ()
    return [*(each for each in from_file if name(each) not in names), *typed] if typed else typed


@dataclass(frozen=True, kw_only=True)
class AlignmentFile(Settings):
    """The links of an aligned corpus."""

    error = RuleError

    alignment: PathName = setting(
        help="Links, one line per pair: i-j, source word and target word, counted from 0; .gz, .xz "
        "and .zst too; - is standard input.",
        group=FILES,
        short="a",
    )


def parser_of(each: Setting) -> Callable[[Any], Any]:
    """Reads what is typed for a setting; bad values are faults of usage."""

    def parse(text: Any) -> Any:
        try:
            return each.read(str(text), RosewoodError)
        except RosewoodError as error:
            raise bad_option(f"{text!r}, expected {error.expected}", error.code) from None

    parse.setting = each  # type: ignore[attr-defined]  # for --config
    return parse


def cores(threads: int | None) -> int:
    """This many, or all that this process may use."""
    if threads is not None:
        return threads
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def named_values(given: Sequence[str | NamedValue] | None, what: str = "--set") -> dict[str, Any]:
    """name=value of an option that may be repeated; values of a file have their types."""
    found: dict[str, Any] = {}
    for text in given or ():
        if isinstance(text, NamedValue):
            is_text = isinstance(text.value, str)
            found[text.name] = ExactText(text.value) if is_text else text.value
            continue
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise bad_value(TuningError, what, text, "name=value")
        if name in found:
            reason = f"{what} {text}: {name} is given twice"
            raise TuningError(reason, code="argument.duplicate", argument=what, value=name)
        found[name] = value
    return found


def check_files(
    outputs: Mapping[str, PathName | None],
    inputs: Sequence[PathName | None],
    model: Path | None = None,
) -> None:
    """Before any work: can the outputs be written, and does no file or stream serve twice?

    Nor is anything put into the folder of a model, which would have a file that is not its own.
    """
    if sum(str(path) == "-" for path in inputs) > 1:
        reason = "standard input (-) can be read only once"
        raise TuningError(reason, code="argument.conflict", value="-")
    seen: dict[Path, str] = {}
    for option, name in outputs.items():
        if name is None or str(name) == "-":
            continue
        path = Path(name)
        refused = partial(_refused, option, path)
        if path.is_dir():
            raise refused("expected a file, found a folder", "file.kind")
        try:
            whole = path.resolve()
        except (OSError, RuntimeError):  # Python 3.11 and 3.12 raise the latter
            raise refused("this link leads nowhere", "file.missing") from None
        if not path.parent.is_dir():
            raise refused(f"there is no folder {str(path.parent)!r}", "file.missing")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise refused("no permission to write this file", "file.permission")
        if model is not None and whole.is_relative_to(model.resolve()):
            raise refused("outputs cannot be in the folder of the model", "argument.conflict")
        if whole in seen:
            raise refused(f"{seen[whole]} writes to the same file", "argument.duplicate")
        seen[whole] = option
        for other in inputs:
            if other is not None and path.is_file() and Path(other).resolve() == whole:
                raise refused("this file is also an input and would be overwritten", "file.exists")


def check_ending(option: str, file: PathName | None, *endings: str) -> None:
    """Before any work: does the name of an output end with one of these?"""
    if file is not None and Path(file).suffix.lower() not in endings:
        expected = " or ".join(endings)
        raise FormatError(
            f"{option}: expected a name that ends with {expected}",
            file=file, code="argument.value", argument=option, expected=expected,
        )  # fmt: skip


def _refused(option: str, path: PathName, reason: str, code: str) -> FormatError:
    return FormatError(f"{option}: {reason}", file=path, code=code, argument=option)


def check_folder(
    option: str, folder: PathName, marker: str, files: Iterable[PathName | None]
) -> None:
    """Before any work: can this folder be written, and is nothing lost if one is there already?"""
    from rosewood import output

    if str(folder) == "-":
        raise _refused(option, folder, "expected a folder, not standard output", "argument.value")
    output.check_folder(folder, marker=marker)
    output.check_apart(folder, [file for file in files if file is not None and str(file) != "-"])


@contextmanager
def goes_on(
    given: PathName | None, output: PathName | None, *, quiet: bool = False
) -> Iterator[Journal]:
    """A journal beside the output for the time of the work, or one that was asked for and stays."""
    from rosewood.journal import Journal

    place = None if given is None else Path(given)
    if given is None and output is not None and _is_ordinary(Path(output)):
        place = Path(f"{output}.journal")
    is_new = place is None or not place.exists()
    journal = Journal(place)
    if len(journal) and not quiet:
        warn(
            f"{place}: {len(journal)} finished pieces of work found: what belongs to this command "
            "is not done again"
        )
    try:
        yield journal
    except KeyboardInterrupt:
        if place is not None and len(journal):
            warn(f"{len(journal)} finished pieces of work are in {place}: "
                 "the same command goes on from there")  # fmt: skip
        raise
    except RosewoodError:
        if is_new:  # it would end in the same way again
            journal.remove()
        raise
    if given is None:
        journal.remove()


def _is_ordinary(path: Path) -> bool:
    """Whether it is a file, or will be one: no stream and no device."""
    return str(path) != "-" and (path.is_file() or not path.exists())
