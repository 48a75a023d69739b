"""Subtitles of the web (WebVTT): the texts of cues; identifiers, times, styles and notes stay."""

from __future__ import annotations

from functools import partial

from rosewood.documents.document import DocumentFormat
from rosewood.documents.subtitles import read_subtitles

PLUGIN = DocumentFormat(partial(read_subtitles, is_vtt=True), endings=(".vtt",))
