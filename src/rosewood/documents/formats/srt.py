"""Subtitles of SubRip (SRT): the texts of cues; numbers and times stay."""

from __future__ import annotations

from rosewood.documents.document import DocumentFormat
from rosewood.documents.subtitles import read_subtitles

PLUGIN = DocumentFormat(read_subtitles, endings=(".srt",))
