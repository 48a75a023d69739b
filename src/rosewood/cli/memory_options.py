"""Options of long work: memory, temporary files and the folder to resume from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def memory_size(text: str | int) -> int:
    """Bytes, of a size such as 500M or 2G."""
    if isinstance(text, int):
        return text
    digits = text.strip().upper().removesuffix("B").rstrip("I")
    unit = digits[-1:] if digits[-1:] in _UNITS else ""
    try:
        size = int(float(digits.removesuffix(unit)) * _UNITS[unit])
    except (ValueError, OverflowError):
        raise typer.BadParameter(f"{text!r}, expected a size such as 500M or 2G") from None
    if not 1 << 20 <= size <= 1 << 60:
        raise typer.BadParameter(f"{text!r}, expected a size from 1M to 1048576T")
    return size


MaxMemory = Annotated[int, typer.Option(
    "--max-memory", metavar="SIZE", parser=memory_size, show_default="2G",
    help="Memory limit of the data, such as 500M or 4G; the rest goes to temporary files.",
)]  # fmt: skip
Temporary = Annotated[Path | None, typer.Option(
    "--temporary", metavar="FOLDER", show_default="the system's",
    help="Folder for temporary files.",
)]  # fmt: skip
Work = Annotated[Path | None, typer.Option(
    "--work", metavar="FOLDER", rich_help_panel="Work", show_default="OUTPUT.work",
    help="Folder for intermediate files; the same command resumes from there.",
)]  # fmt: skip
