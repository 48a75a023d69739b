"""What `rosewood train` does with what was typed, and what it tells at the end."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from rosewood.cli.common import print_row, print_table, warn

if TYPE_CHECKING:
    from pathlib import Path

    from rosewood.pipeline import Trained, TrainingSettings

__all__ = ["settings_of", "tell"]

_CHANGES = {"replaced": "the model that was there was replaced", "none": "it has not changed"}


def settings_of(typed: dict[str, Any]) -> TrainingSettings:
    """Settings by their names; None is what was not typed."""
    from rosewood.pipeline import TrainingSettings

    return TrainingSettings.from_values({n: v for n, v in typed.items() if v is not None})


def tell(made: Trained, *, as_json: bool, quiet: bool) -> None:
    """What was found, where it is, and what to do next."""
    facts = {stage.name: stage.facts for stage in made.stages}
    clean = facts["clean"]
    pairs = {"seen": clean["seen"], "train": facts["tokenise"]["kept"]}
    pairs |= {name: clean[name] for name in ("dev", "test")}
    sizes = {"model": _size(made.folder), "report": _size(made.report), "work": _size(made.work)}
    if as_json:
        print_row(
            {
                "model": str(made.folder),
                "change": made.change,
                "report": str(made.report),
                "work": str(made.work),
                "bytes": sizes,
                "pairs": pairs,
                "rules": facts["extract"]["rules"],
                "scores": made.scores,
                "notes": made.notes,
                "stages": [
                    {
                        "name": stage.name,
                        "key": stage.key,
                        "was_done": stage.was_done,
                        "seconds": stage.seconds,
                        "memory": stage.memory,
                    }
                    for stage in made.stages
                ],
            },
            as_json=True,
        )
        return
    for note in made.notes:
        warn(note)
    done = [stage.name for stage in made.stages if stage.was_done]
    if done and not quiet:
        warn(f"done before, in {made.work}: {', '.join(done)}")
    if made.change in _CHANGES:
        warn(f"{made.folder}: {_CHANGES[made.change]}")
    rows = [
        ["pairs", f"{pairs['train']:,} to train on, {pairs['dev']:,} for development, "
                  f"{pairs['test']:,} to test on, of {pairs['seen']:,}"],
        ["rules", f"{facts['extract']['rules']:,}"],
    ]  # fmt: skip
    for each in made.scores:
        rows.append([f"{each['name']}, {each['on']}", f"{each['value']:.2f}  {each['signature']}"])
    for name, path in (("model", made.folder), ("report", made.report), ("work", made.work)):
        rows.append([name, f"{path}  ({sizes[name] / 1e6:,.1f} MB)"])
    print_table(rows)
    if not quiet:
        warn(f"next: rosewood translate {shlex.quote(str(made.folder))} < input > output")


def _size(path: Path) -> int:
    """Bytes of a file, or of all files of a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(each.stat().st_size for each in path.rglob("*") if each.is_file())
