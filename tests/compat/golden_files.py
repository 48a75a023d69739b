"""Golden files of decoding: sentences of the phrasebook, and what other programs found for them."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "golden"


@cache
def sentences() -> list[str]:
    return (GOLDEN / "decode" / "source").read_text(encoding="utf-8").splitlines()


def packed(name: str) -> str:
    """The text of a compressed file."""
    return gzip.decompress((GOLDEN / name).read_bytes()).decode()
