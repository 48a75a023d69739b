"""Tables and pages in Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

DECODERS = {"hiero": "hierarchical decoder", "phrase": "phrase decoder"}


def joined(parts: Iterable[str]) -> str:
    """Parts of a page with an empty line between them."""
    return "\n".join(part.strip("\n") + "\n" for part in parts if part)


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = [head, ["---", *("---:" for _ in head[1:])], *rows]
    return "\n".join(f"| {' | '.join(each)} |" for each in lines) + "\n"


def score(values: Sequence[float]) -> str:
    """The mean over seeds, and their standard deviation."""
    mean = f"{statistics.mean(values):.2f}"
    return mean if len(values) < 2 else f"{mean} ± {statistics.stdev(values):.2f}"


def number(value: float | None, digits: int) -> str:
    """A number, where there is one."""
    return "–" if value is None else f"{value:.{digits}f}"


def about_sets(found: Mapping[str, Any], more: Sequence[str] = ()) -> str:
    """A paragraph on test sets and seeds; `more` comes between them."""
    references, distinct = found["references"]["test"], found["distinct_references"]["test"]
    several = ""
    if references > 1:
        several = (
            f" The test set has {references} references; {100 * distinct:.0f} % of its sentences "
            "have more than one that is distinct, so gains from several references are smaller "
            "than the number suggests."
        )
    seeds = f"{len(found['seeds'])} seed{'s' if len(found['seeds']) > 1 else ''}"
    facts = [f"{found['sentences']['test']:,} test sentences", *more, seeds]
    return f"{', '.join(facts)}; commit {found.get('commit') or '–'}.{several}\n"


def not_run(absent: Iterable[tuple[str, Sequence[str]]]) -> str:
    """The section of what is missing, each with its place."""
    rows = [f"* {where}: {', '.join(names)}" for where, names in absent if names]
    return "## Not run\n\n" + "\n".join(rows) + "\n" if rows else ""
