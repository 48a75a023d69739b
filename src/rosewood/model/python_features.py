"""Features written in Python as a part of models: import path, package, version and settings.

    feature, record = make_feature('my_features.length:Longer{"least": 3}')
    record = describe_feature(feature)                            # what a bundle keeps
    [feature] = load_features([record], file="model/features.json")

A bundle has no code.  Loading imports modules by name from installed packages and constructs the
classes named: dataclasses with their recorded fields, others without arguments.  Whatever does not
declare `names` or `template` and `__call__` is not constructed.  Import paths name code that runs:
load models with features from sources you would install a package from.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from functools import lru_cache, reduce
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rosewood.decode.plugins import FEATURES
from rosewood.errors import (
    DamagedFileError,
    DecodingError,
    FormatError,
    MissingPackageError,
    RosewoodError,
)
from rosewood.journal import fingerprint
from rosewood.output import whole_file
from rosewood.shared_types import PathName

_FORMAT, _VERSION = "rosewood-features", 1
_IMPORT = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*\Z")


@dataclass(frozen=True)
class FeatureRecord:
    """What a bundle keeps of a feature.

    `package` is the distribution (its name on PyPI) that the module belongs to, None if it belongs
    to none; `version` is that of the package, or the attribute `version` of the class.
    """

    feature: str  # package.module:Name
    package: str | None = None
    version: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def requirement(self) -> str | None:
        """What to `pip install`."""
        if self.package is None or self.version is None:
            return self.package
        return f"{self.package}=={self.version}"


def make_feature(text: str) -> tuple[Any, FeatureRecord]:
    """A feature and its record, from the name of one of `FEATURES` or `package.module:Name`.

    Settings may follow in braces, as JSON: fields of a dataclass.
    """
    path, brace, rest = text.partition("{")
    path = path.strip()
    try:
        settings = json.loads(brace + rest) if brace else {}
    except (ValueError, RecursionError) as error:
        raise _refused(
            f"feature {text!r}: settings are not a JSON object: {error}", "feature.settings", text
        ) from None
    if ":" not in path:
        found = FEATURES[path]
        made = _constructed(path, found, settings)
        return made, describe_feature(made)
    if not _IMPORT.match(path):
        raise _refused(f"feature {text!r}: expected package.module:Name", "argument.value", text)
    try:
        found = _imported(path)
    except ImportError as error:
        raise _refused(
            f"feature {path!r}: {error}; install its package, or add its folder to PYTHONPATH",
            "feature.import",
            path,
        ) from error
    made = _constructed(path, found, settings)
    return made, describe_feature(made, path)


def describe_feature(feature: object, path: str | None = None) -> FeatureRecord:
    """Import path, package, version and settings of a feature, so that it can be made again.

    `path` is where its class is imported from; the module that defines it unless given.
    """
    kind = type(feature)
    path = path or f"{kind.__module__}:{kind.__qualname__}"
    try:
        is_found = bool(_IMPORT.match(path)) and _imported(path) is kind
    except ImportError:
        is_found = False
    if not is_found or path.startswith("__main__:"):
        raise _refused(
            f"feature {path!r} cannot be part of a model: its class cannot be imported from a "
            "module by its name",
            "feature.import",
            path,
        )
    settings: dict[str, Any] = {}
    if is_dataclass(feature) and not isinstance(feature, type):
        own = {each.name for each in fields(feature) if each.init}
        settings = {name: value for name, value in asdict(feature).items() if name in own}
    try:
        settings = json.loads(json.dumps(settings, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise _refused(
            f"feature {path!r}: settings are not JSON values: {error}", "feature.settings", path
        ) from error
    _constructed(path, kind, settings)  # whatever cannot be made again is refused now
    package = _package(path.partition(":")[0])
    version = getattr(kind, "version", None)
    version = version if isinstance(version, str) else None
    return FeatureRecord(path, package, _installed(package) if package else version, settings)


def feature_code(feature: object) -> str | None:
    """Hash of the module that defines a feature; None for Rosewood's own and where it has no text.

    Versions are often not raised while a feature is being developed.
    """
    module = type(feature).__module__
    if module.partition(".")[0] == "rosewood":
        return None
    try:
        return fingerprint(inspect.getsource(import_module(module)))
    except (ImportError, OSError, TypeError):
        return None


def load_features(records: Iterable[FeatureRecord], *, file: PathName) -> tuple[Any, ...]:
    """Import and construct features; `file` is the one in a bundle that has their records.

    A package that is not installed is a MissingPackageError that says what to install.
    """
    made = []
    for record in records:
        _check_outside(record, Path(file))
        try:
            found = _imported(record.feature)
        except ImportError as error:
            raise MissingPackageError(
                _missing(record, error),
                code="package.missing", argument=record.feature, value=record.package, file=file,
            ) from error  # fmt: skip
        except Exception as error:  # importing runs somebody's code
            reason = f"importing feature {record.feature!r} failed: {error!r}"
            raise FormatError(
                reason, code="feature.import", argument="feature", value=record.feature, file=file
            ) from error
        try:
            made.append(_constructed(record.feature, found, record.settings))
        except RosewoodError as error:
            raise error.restated(str(error), FormatError, file=file) from error
    return tuple(made)


def version_notes(records: Iterable[FeatureRecord]) -> list[str]:
    """Features whose package is missing or has another version than the model was written with."""
    notes = []
    for record in records:
        if record.package is None:
            continue
        now = _installed(record.package)
        if now is None:
            notes.append(
                f"feature {record.feature!r}: {record.package} is not installed: pip install "
                f"{record.requirement}"
            )
        elif now != record.version:
            notes.append(
                f"feature {record.feature!r}: the model was trained with {record.package} "
                f"{record.version}, and {now} is installed"
            )
    return notes


# -- files -----------------------------------------------------------------------------------------


def write_records(path: Path, records: Iterable[FeatureRecord]) -> None:
    """Write records as JSON."""
    table = {"format": _FORMAT, "version": _VERSION, "features": [asdict(each) for each in records]}
    with whole_file(path) as stream:
        stream.write(json.dumps(table, indent=1, ensure_ascii=False).encode() + b"\n")


def read_records(path: Path) -> tuple[FeatureRecord, ...]:
    """Read what `write_records` wrote; anything else is refused, and nothing is imported."""

    def damaged(reason: str, code: str, **fields: Any) -> DamagedFileError:
        return DamagedFileError(reason, code=code, file=path, **fields)

    try:
        table = json.loads(path.read_bytes())
        is_ours, version, rows = table["format"] == _FORMAT, table["version"], table["features"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise damaged(f"it is not a list of features: {error}", "file.format") from error
    if not is_ours:
        raise damaged("it is not a list of features", "file.format")
    if version != _VERSION:
        reason = f"its format version is {version}, this release reads {_VERSION}"
        raise damaged(reason, "file.version", value=version)
    records = []
    for row in rows if isinstance(rows, list) else [rows]:
        try:
            records.append(FeatureRecord(**row))
        except TypeError as error:
            reason = f"it has a damaged feature: {error}"
            raise damaged(reason, "file.damaged", argument="features", value=row) from error
    for each in records:
        good = {
            "feature": isinstance(each.feature, str) and _IMPORT.match(each.feature),
            "package": isinstance(each.package, str | None),
            "version": isinstance(each.version, str | None),
            "settings": isinstance(each.settings, dict),
        }
        if wrong := [name for name in good if not good[name]]:
            reason = f"it has a damaged feature: {each.feature!r}"
            raise damaged(reason, "file.damaged", argument=wrong[0], value=getattr(each, wrong[0]))
    return tuple(records)


# -- importing -------------------------------------------------------------------------------------


def _imported(path: str) -> Any:
    """The object of an import path; ImportError where there is none."""
    module, _, name = path.partition(":")
    found = import_module(module)
    try:
        return reduce(getattr, name.split("."), found)
    except AttributeError:
        raise ImportError(f"module {module!r} has no {name!r}", name=module) from None


def _constructed(path: str, kind: Any, settings: Mapping[str, Any]) -> Any:
    """A feature of this class; classes that do not declare themselves as features are refused."""
    from rosewood.decode.features import check_feature  # decoders import this room, too

    declared = {*dir(kind), *(getattr(kind, "__dataclass_fields__", ()))}
    if not isinstance(kind, type) or not {"names", "template"} & declared:
        raise _refused(
            f"feature {path!r} is not a feature: expected a class with `names` or `template`",
            "feature.class",
            path,
        )
    if "__call__" not in declared:
        raise _refused(
            f"feature {path!r} is not a feature: it has no __call__", "feature.no-call", path
        )
    known = {each.name for each in fields(kind) if each.init} if is_dataclass(kind) else set()
    if not isinstance(settings, Mapping) or not set(settings) <= known:
        listed = ", ".join(sorted(known)) or "none, since it is no dataclass"
        raise _refused(
            f"feature {path!r}: settings are {settings!r}, known ones are: {listed}",
            "feature.settings",
            path,
        )
    try:
        made = kind(**settings)
        check_feature(made)
    except Exception as error:  # somebody's code
        if isinstance(error, RosewoodError) and error.argument in settings:
            raise error.restated(f"feature {path!r}: {error}", DecodingError) from error
        raise _refused(
            f"feature {path!r} cannot be constructed: {error}", "feature.construction", path
        ) from error
    return made


def _refused(message: str, code: str, feature: str) -> DecodingError:
    return DecodingError(message, code=code, argument="feature", value=feature)


def _check_outside(record: FeatureRecord, file: Path) -> None:
    """Refuse a module that would be imported from the folder of the model itself."""
    top = record.feature.partition(":")[0].partition(".")[0]
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):
        return  # importing says what is wrong
    if spec is None:
        return
    places = [spec.origin, *(spec.submodule_search_locations or ())]
    folder = file.resolve().parent
    if any(each and Path(each).resolve().is_relative_to(folder) for each in places):
        reason = (
            f"feature {record.feature!r} would be imported from the folder of the model; only "
            "installed packages are imported"
        )
        raise FormatError(
            reason, code="feature.place", argument="feature", value=record.feature, file=file
        )


def _missing(record: FeatureRecord, error: ImportError) -> str:
    what = f"feature {record.feature!r} cannot be imported ({error})"
    if record.package is not None:
        return f"{what}: pip install {record.requirement}"
    module = record.feature.partition(":")[0].partition(".")[0]
    return (
        f"{what}: the model was trained with a module {module!r} that no installed package had; "
        "install it, or add its folder to PYTHONPATH"
    )


def _package(module: str) -> str | None:
    """The distribution that a module belongs to; by its files where a namespace has several."""
    top = module.partition(".")[0]
    found = sorted(set(_distributions(_search_path()).get(top, [])))
    if not found and _installed(top) is not None:  # editable installs list no modules
        return top
    if len(found) > 1:
        file = module.replace(".", "/")
        ours = {f"{file}.py", f"{file}/__init__.py"}
        found = [
            each for each in found if ours & set(map(str, metadata.files(each) or ()))
        ] or found
    return found[0] if found else None


def _search_path() -> tuple[tuple[str, int], ...]:
    """Where packages are looked for; changes when one is installed there."""
    folders = map(Path, sys.path)
    return tuple((str(each), each.stat().st_mtime_ns) for each in folders if each.is_dir())


@lru_cache(maxsize=1)
def _distributions(_: tuple[tuple[str, int], ...]) -> Mapping[str, list[str]]:
    """The distributions of each top-level module; to read their lists of files takes 0.1 s."""
    return metadata.packages_distributions()


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
