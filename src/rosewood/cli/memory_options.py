"""Options of long work: memory, temporary files and the folder to resume from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rosewood.cli.common import bad_option
from rosewood.resources import LEAST_MEMORY, MOST_MEMORY

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
        expected = "a size such as 500M or 2G"
        raise bad_option(f"{text!r}, expected {expected}", "argument.type") from None
    if not LEAST_MEMORY <= size <= MOST_MEMORY:
        expected = f"a size from {LEAST_MEMORY >> 20}M to {MOST_MEMORY >> 40}T"
        raise bad_option(f"{text!r}, expected {expected}", "argument.range")
    return size


Temporary = Annotated[Path | None, typer.Option(
    "--temporary", metavar="FOLDER", show_default="the system's",
    help="Folder for temporary files.",
)]  # fmt: skip
Work = Annotated[Path | None, typer.Option(
    "--work", metavar="FOLDER", rich_help_panel="Work", show_default="OUTPUT.work",
    help="Folder for intermediate files; the same command resumes from there.",
)]  # fmt: skip
