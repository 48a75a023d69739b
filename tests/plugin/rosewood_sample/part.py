"""A bundle part in one file: notes of whoever made the model."""

from __future__ import annotations

from rosewood.errors import DamagedFileError
from rosewood.model.registry import PartType


def read(part):
    text = part.path.read_text(encoding="utf-8")
    if not text.endswith("\n"):
        raise DamagedFileError("the last line has no end", file=part.path, code="file.damaged")
    return text


NOTES = PartType("notes", "text", "Notes on the model.", open=read, verify=read, optional=True)
