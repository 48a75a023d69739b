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

from os import PathLike, fspath

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
    "RosewoodError",
    "RuleError",
    "SemiringError",
    "TextError",
    "TrainingError",
    "TuningError",
]


class RosewoodError(Exception):
    """Base of every error raised on purpose."""


class ForestError(RosewoodError):
    """A forest, or what was asked of it, is not valid."""


class CycleError(ForestError):
    """A cycle that is not made of unary edges, or whose closure does not exist."""


class EmptyForestError(ForestError):
    """A distribution was asked of a forest whose derivations all have weight zero."""


class SemiringError(RosewoodError):
    """An operation that the semiring does not have."""


class CorpusError(RosewoodError):
    """A corpus, or what was asked of it, is not valid; what is wrong in files is a FormatError."""


class AlignmentError(RosewoodError):
    """A word alignment, or what was asked of it, is not valid."""


class LanguageModelError(RosewoodError):
    """A language model, or what was asked of it, is not valid; for files, a FormatError."""


class RuleError(RosewoodError):
    """Rules, or what was asked of them, are not valid."""


class DecodingError(RosewoodError):
    """A decoder, or what it is to translate, is not valid."""


class MetricError(RosewoodError):
    """A metric, or what is to be scored, is not valid."""


class TextError(RosewoodError):
    """A tokeniser, or what else is done to raw text, is not valid."""


class TrainingError(RosewoodError):
    """A training run, or what it is to make, is not valid."""


class TuningError(RosewoodError):
    """Settings, candidates or weights that cannot be tuned, with the reason."""


class FormatError(RosewoodError):
    """A file or a text cannot be read; `file`, `line` and `reason` say where and why."""

    def __init__(
        self, reason: str, *, file: str | PathLike[str] | None = None, line: int | None = None
    ) -> None:
        self.reason = reason
        self.file = None if file is None else fspath(file)
        self.line = line
        place = told_path(self.file or "<text>")
        if line is not None:
            place += f":{line}"
        super().__init__(f"{place}: {reason}")

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.reason, self.file, self.line))


class DamagedFileError(FormatError):
    """A binary file is truncated, altered, or of another kind or version."""


class MissingPackageError(FormatError):
    """A model needs a package that is not installed; the reason says which one to install."""


def told_path(path: str | PathLike[str]) -> str:
    """A path as text that can be written anywhere: bytes of it that are no UTF-8 as escapes."""
    return fspath(path).encode(errors="backslashreplace").decode()


def _rebuild(
    kind: type[FormatError], reason: str, file: str | None, line: int | None
) -> FormatError:
    return kind(reason, file=file, line=line)
