"""Training runs for tests: the phrasebook in files, quick settings, all bytes of a folder."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from rosewood.corpus.phrasebook import Phrasebook

# A learner of few rounds, a narrow search: what is tested is the run, not the model.
QUICK: dict[str, Any] = {
    "aligner": "model1", "lm_order": 2, "max_phrase": 3, "tune": "mert", "rounds": 2, "nbest": 5,
    "set": {"restarts": 2}, "pop_limit": 10, "option_limit": 5,
}  # fmt: skip


def write_book(folder: Path, languages: str = "en-de", **sizes: int) -> Path:
    """train.en, train.de and the like: raw text, so many pairs of each part."""
    folder.mkdir(exist_ok=True)
    for name, text in _book(languages, **sizes).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@cache
def _book(languages: str, **sizes: int) -> dict[str, str]:
    """The texts of those files: many tests have the same ones."""
    endings = languages.split("-")
    parts = zip(("train", "dev", "test"), Phrasebook(languages, seed=1).split(**sizes), strict=True)
    return {
        f"{name}.{ending}": "".join(f"{pair.raw()[side]}\n" for pair in part)
        for name, part in parts
        for side, ending in enumerate(endings)
        if part
    }


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if not path.is_dir()
    }


def write_contents(folder: Path, files: dict[str, bytes]) -> None:
    """A folder with these files, as `contents` gives them."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def flags(settings: dict[str, Any]) -> list[str]:
    """Settings as `rosewood train` takes them."""
    said: list[str] = []
    for name, value in settings.items():
        option = f"--{name.replace('_', '-')}"
        if name == "set":
            said += [text for each in value.items() for text in ("--set", "=".join(map(str, each)))]
        elif value is True:
            said.append(option)
        else:
            said += [option, str(value)]
    return said


def stage_notes(work: Path) -> dict[str, bytes]:
    """The notes of all stages that are done in a work folder, which tell when they were."""
    return {path.parent.name: path.read_bytes() for path in sorted(work.glob("*/stage.json"))}


def stage_folder(work: Path, name: str) -> Path:
    """The folder of the only stage of this name."""
    (found,) = (path.parent for path in work.glob(f"{name}-*/stage.json"))
    return found


def stage_facts(work: Path, name: str) -> dict[str, Any]:
    """What that stage tells of its work."""
    facts: dict[str, Any] = json.loads((stage_folder(work, name) / "stage.json").read_bytes())
    return facts["facts"]


def in_a_process(
    place: Path, *arguments: str, code: str | None = None
) -> subprocess.CompletedProcess[str]:
    """`rosewood` in a process of its own, or some code that calls it."""
    how = ["-m", "rosewood"] if code is None else ["-c", code]
    return subprocess.run(
        [sys.executable, *how, *arguments], cwd=place, text=True, capture_output=True, check=False
    )
