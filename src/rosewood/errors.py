"""Every exception the package raises on purpose.

    RosewoodError                 catch this to catch them all
    ├── ForestError               a forest, or what was asked of it, is not valid
    │   ├── CycleError            a cycle that is not made of unary edges, or cannot be summed
    │   └── EmptyForestError      a distribution was asked of a forest without derivations
    ├── SemiringError             an operation the semiring does not have
    ├── CorpusError               a corpus, or what was asked of it, is not valid
    ├── AlignmentError            a word alignment, or what was asked of it, is not valid
    ├── LanguageModelError        a language model, or what was asked of it, is not valid
    ├── RuleError                 rules, or what was asked of them, are not valid
    ├── ReorderingError           examples, or a classifier of orientations, are not valid
    ├── DecodingError             a decoder, or what it is to translate, is not valid
    ├── MetricError               a metric, or what is to be scored, is not valid
    ├── TextError                 a tokeniser, or what else is done to raw text, is not valid
    ├── TrainingError             a training run, or what it is to make, is not valid
    ├── TuningError               settings, candidates or weights that cannot be tuned
    └── FormatError               a file or a text cannot be read: carries file, line and reason
        ├── DamagedFileError      a binary file is truncated, altered or of another kind
        └── MissingPackageError   a model needs a package that is not installed

Native kernels throw the same classes.  Wrong types and shapes of Python arguments are reported as
ForestError too: the reason says which argument, and what was expected.
"""

from __future__ import annotations

from os import fspath
from typing import Any

from rosewood.shared_types import PathName

__all__ = [
    "AlignmentError",
    "CorpusError",
    "CycleError",
    "DamagedFileError",
    "DecodingError",
    "EmptyForestError",
    "ForestError",
    "FormatError",
    "LanguageModelError",
    "MetricError",
    "MissingPackageError",
    "ReorderingError",
    "RosewoodError",
    "RuleError",
    "SemiringError",
    "TextError",
    "TrainingError",
    "TuningError",
]


class RosewoodError(Exception):
    """Base of every error raised on purpose.

    `code` names the kind of fault and stays the same when messages change: programs and tests ask
    for it.  `argument` is the argument, setting, option or field that is wrong, `value` what it
    was and `expected` what it should be; `file` and `line` say where.  Fields that do not apply are
    None.  docs/errors.md lists all codes.
    """

    code: str = "error"

    def __init__(
        self,
        message: str = "",
        *,
        code: str | None = None,
        argument: str | None = None,
        value: object = None,
        expected: object = None,
        file: PathName | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code
        self.argument, self.value, self.expected = argument, value, expected
        self.file = None if file is None else fspath(file)
        self.line = line

    def restated(
        self, message: str, kind: type[RosewoodError] | None = None, **changed: Any
    ) -> RosewoodError:
        """The same fault with another message, and as another class: other fields stay."""
        return (kind or type(self))(message, **{**self._fields(), **changed})

    def _fields(self) -> dict[str, Any]:
        names = ("code", "argument", "value", "expected", "file", "line")
        return {name: getattr(self, name) for name in names}

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self._message(), self._fields()))

    def _message(self) -> str:
        return str(self)


class ForestError(RosewoodError):
    """A forest, or what was asked of it, is not valid."""

    code = "forest"


class CycleError(ForestError):
    """A cycle that is not made of unary edges, or whose closure does not exist."""

    code = "forest.cycle"


class EmptyForestError(ForestError):
    """A distribution was asked of a forest whose derivations all have weight zero."""

    code = "forest.empty"


class SemiringError(RosewoodError):
    """An operation that the semiring does not have."""

    code = "semiring"


class CorpusError(RosewoodError):
    """A corpus, or what was asked of it, is not valid; what is wrong in files is a FormatError."""

    code = "corpus"


class AlignmentError(RosewoodError):
    """A word alignment, or what was asked of it, is not valid."""

    code = "alignment"


class LanguageModelError(RosewoodError):
    """A language model, or what was asked of it, is not valid; for files, a FormatError."""

    code = "lm"


class RuleError(RosewoodError):
    """Rules, or what was asked of them, are not valid."""

    code = "rules"


class ReorderingError(RosewoodError):
    """Examples, or a classifier of orientations, are not valid; for files, a FormatError."""

    code = "reordering"


class DecodingError(RosewoodError):
    """A decoder, or what it is to translate, is not valid."""

    code = "decoding"


class MetricError(RosewoodError):
    """A metric, or what is to be scored, is not valid."""

    code = "metric"


class TextError(RosewoodError):
    """A tokeniser, or what else is done to raw text, is not valid."""

    code = "text"


class TrainingError(RosewoodError):
    """A training run, or what it is to make, is not valid."""

    code = "training"


class TuningError(RosewoodError):
    """Settings, candidates or weights that cannot be tuned, with the reason."""

    code = "tuning"


class FormatError(RosewoodError):
    """A file or a text cannot be read; `file`, `line` and `reason` say where and why."""

    code = "file.format"

    def __init__(
        self,
        reason: str,
        *,
        file: PathName | None = None,
        line: int | None = None,
        **fields: Any,
    ) -> None:
        self.reason = reason
        place = told_path("<text>" if file is None or file == "" else file)
        if line is not None:
            place += f":{line}"
        super().__init__(f"{place}: {reason}", file=file, line=line, **fields)

    def _message(self) -> str:
        return self.reason


class DamagedFileError(FormatError):
    """A binary file is truncated, altered, or of another kind or version."""

    code = "file.damaged"


class MissingPackageError(FormatError):
    """A model needs a package that is not installed; the reason says which one to install."""

    code = "package.missing"


def told_path(path: PathName) -> str:
    """A path as text that can be written anywhere: bytes of it that are no UTF-8 as escapes."""
    return fspath(path).encode(errors="backslashreplace").decode()


def _rebuild(kind: type[RosewoodError], message: str, fields: dict[str, Any]) -> RosewoodError:
    return kind(message, **fields)
