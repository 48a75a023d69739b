"""Options of long work: how much memory it may use, and where what does not fit is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["MaxMemory", "Temporary", "Work", "memory_size"]

_PANEL = "Work"  # of --help
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
        raise typer.BadParameter(f"{text!r} is no size: want 500M, 2G, …") from None
    if size < 1 << 20:
        raise typer.BadParameter(f"{text!r} is too little: want 1M at least")
    if size > 1 << 60:
        raise typer.BadParameter(f"{text!r} is more than there is")
    return size


MaxMemory = Annotated[
    int,
    typer.Option(
        "--max-memory",
        metavar="SIZE",
        parser=memory_size,
        show_default="2G",
        help="Memory for the data of this command, such as 500M or 4G; what does not fit goes to "
        "temporary files.",
    ),
]
Temporary = Annotated[
    Path | None,
    typer.Option(
        "--temporary",
        metavar="FOLDER",
        show_default="the system's",
        help="Where those files are, while they are needed.",
    ),
]
Work = Annotated[
    Path | None,
    typer.Option(
        "--work",
        metavar="FOLDER",
        rich_help_panel=_PANEL,
        show_default="OUTPUT.work",
        help="Where what does not fit into memory is sorted; a command that was stopped goes on "
        "from there.",
    ),
]
