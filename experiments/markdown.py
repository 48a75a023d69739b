"""Tables and pages in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def joined(parts: Iterable[str]) -> str:
    """Parts of a page with an empty line between them."""
    return "\n".join(part.strip("\n") + "\n" for part in parts if part)


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = [head, ["---", *("---:" for _ in head[1:])], *rows]
    return "\n".join(f"| {' | '.join(each)} |" for each in lines) + "\n"
