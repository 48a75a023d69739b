"""Results by corpus: one JSON file each, from which the page is made without the data."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

_LIST = re.compile(r"\[\s+([^][{}]*?)\s+\]")  # without lists in it


def add_result(
    folder: Path, corpus: str, part: str, found: dict[str, Any], about: dict[str, Any]
) -> Path:
    """Put a part into the file of a corpus; other parts stay."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{corpus}.json"
    whole = json.loads(file.read_text("utf-8")) if file.exists() else {}
    whole |= {"corpus": corpus, **about, part: found}
    text = json.dumps(whole, ensure_ascii=False, indent=1)
    aside = file.with_suffix(".part")
    aside.write_text(_joined(text) + "\n", "utf-8")
    aside.replace(file)
    return file


def read_results(folder: Path) -> list[dict[str, Any]]:
    """All corpora that have results, by name."""
    return [json.loads(each.read_text("utf-8")) for each in sorted(folder.glob("*.json"))]


def findings(folder: Path) -> str:
    """Conclusions that somebody wrote about these results."""
    file = folder / "findings.md"
    return file.read_text("utf-8") if file.exists() else ""


def _joined(text: str) -> str:
    """JSON with lists of numbers on one line each."""
    return _LIST.sub(lambda found: f"[{' '.join(found[1].split())}]", text)


def commit() -> str | None:
    """The commit that is measured, where there is one."""
    told = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=Path(__file__).parent, capture_output=True
    )
    return told.stdout.decode().strip() or None
