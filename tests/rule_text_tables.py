"""Phrase tables and grammars as small texts, for tests of formats: read and written in memory."""

from __future__ import annotations

import io

import numpy as np

from rosewood.rules import Gap, RuleTable
from rosewood.rules.formats import export_grammar, export_moses, import_grammar, import_moses

PHRASES = """\
das haus ||| the house ||| 0.5 0.25 0.125 1 ||| 0-0 1-1 ||| 4 8 2 ||| |||
das haus ||| house ||| 1 0 0.75 0.5 ||| 1-0 ||| 6 8 6 ||| |||
haus ||| house ||| 1 1 1 1 ||| 0-0 ||| 3 3 3 ||| |||
"""
REORDERING = """\
das haus ||| the house ||| 0.6 0.2 0.2 0.5 0.25 0.25
haus ||| house ||| 0.8 0.1 0.1 1 0 0
weg ||| way ||| 0.8 0.1 0.1 1 0 0
"""
X1, X2 = Gap("X", 1), Gap("X", 2)


def stream(text: str) -> io.BytesIO:
    return io.BytesIO(text.encode())


def phrases(text: str, folder, **more) -> RuleTable:
    import_moses(stream(text), folder, **more)
    return RuleTable.open(folder)


def grammar(text: str, folder, format, **more) -> RuleTable:
    import_grammar(stream(text), folder, format=format, **more)
    return RuleTable.open(folder)


def written(table: RuleTable, format: str | None = None, **more) -> str:
    """A phrase table, or a grammar."""
    out = io.BytesIO()
    if format is None:
        export_moses(table, out, **more)
    else:
        export_grammar(table, out, format=format, **more)
    return out.getvalue().decode()


def near(value: float) -> float:
    return float(np.float32(value))
