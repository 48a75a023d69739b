"""Arrays by name in one file (NumPy's npz), which appears whole or not at all."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from rosewood.errors import FormatError
from rosewood.output import whole_file
from rosewood.shared_types import PathName


def write_arrays(path: PathName, **arrays: Any) -> None:
    """Arrays by name as one file (NumPy's npz), which appears whole or not at all."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    with whole_file(path) as stream:
        stream.write(buffer.getvalue())


def read_arrays(path: PathName, what: str, names: tuple[str, ...]) -> dict[str, Any]:
    """Arrays by name of a file; it must have these."""
    try:
        with Path(path).open("rb") as stream, np.load(stream, allow_pickle=False) as found:
            return {name: found[name] for name in names}
    except FileNotFoundError:
        raise
    except Exception as error:  # whatever NumPy and zipfile raise for damaged files
        reason = f"it is not a file of {what}: {error}"
        raise FormatError(reason, file=path, code="file.format") from error
