"""Findings: what looks wrong with the input or the result of training, and probably is.

A finding is shown at once and kept in the notes of the model; with `strict` it is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rosewood.errors import TrainingError


@dataclass(frozen=True)
class Finding:
    """Something that looks wrong: `code` names its kind and stays the same, `message` explains it.

    Other fields say where: the file, the line from which on, the argument, what was found.
    """

    code: str
    message: str
    file: str | None = None
    line: int | None = None
    argument: str | None = None
    value: Any = None
    expected: Any = None

    def __str__(self) -> str:
        return self.message

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


FindingCallback = Callable[[Finding], object]


def check_strict(findings: Sequence[Finding], strict: bool) -> None:
    """Raise the first finding as an error, the others on lines of their own, if `strict` is on."""
    if not findings or not strict:
        return
    first = findings[0]
    what = "this is a warning" if len(findings) == 1 else "these are warnings"
    # The command shows the code of an error at the end of its first line.
    others = (f"\n{each.message} [{each.code}]" for each in findings[1:])
    raise TrainingError(
        f"{first.message} (strict: without it {what}){''.join(others)}",
        code=first.code, file=first.file, line=first.line,
        argument=first.argument, value=first.value, expected=first.expected,
    )  # fmt: skip
