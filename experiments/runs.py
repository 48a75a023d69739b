"""Systems of a corpus that share their work folder: trained once, and what they say."""

from __future__ import annotations

import json
import resource
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.corpora import Corpus, lines_of, rosewood, train


@dataclass(frozen=True)
class Run:
    """What all runs of a corpus and a decoder share."""

    corpus: Corpus
    decoder: str
    work: Path
    rounds: int
    threads: int
    quick: bool = False  # few settings and passes, to try it

    @property
    def folder(self) -> Path:
        """Where models and what is known of them are."""
        return self.work / self.decoder

    def train(self, name: str, seed: int, *more: object) -> dict[str, Any]:
        """Train and tune a model, unless it was done; what `rosewood train` told."""
        model = self.model(name, seed)

        def run() -> dict[str, Any]:
            before = _processor_seconds()
            told = train(
                self.corpus, self.work, model, self.threads, "--decoder", self.decoder,
                "--rounds", self.rounds, "--seed", seed, *more,
            )  # fmt: skip
            return told | {"processor_seconds": _processor_seconds() - before}

        return stored(model.with_suffix(".trained.json"), run)

    def model(self, name: str, seed: int) -> Path:
        """The folder of a model."""
        return self.folder / f"{name}-{seed}.model"


def _processor_seconds() -> float:
    """What all commands have used that were run so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def outcome(
    run: Run, name: str, seed: int, told: dict[str, Any], parts: Sequence[str]
) -> dict[str, Any]:
    """How a model translates parts; its score on dev and seconds of tuning, from what was told."""
    model = run.model(name, seed)
    tuned = [each for each in told["stages"] if each["name"] in ("tune", "boost", "second")]
    source = {part: lines_of(run.corpus.file(part, run.corpus.source)) for part in parts}
    return {
        "said": {part: translated(model, lines) for part, lines in source.items()},
        "seconds": None
        if all(each["was_done"] for each in tuned)
        else told.get("processor_seconds"),
        "dev": next((each["value"] for each in told["scores"] if each["on"] == "dev"), None),
    }


def stage_of(told: dict[str, Any], name: str) -> dict[str, Any]:
    """A stage by its name, of what `rosewood train` told."""
    found: dict[str, Any] = next(each for each in told["stages"] if each["name"] == name)
    return found


def stored(file: Path, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What a file has; it is made first if it is missing."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_json(file, make())
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return found


def write_json(file: Path, found: Any) -> None:
    """Write a file whole or not at all."""
    aside = file.with_suffix(".part")
    aside.write_text(json.dumps(found, ensure_ascii=False), "utf-8")
    aside.rename(file)


def translated(model: Path, source: list[str]) -> list[str]:
    """Lines, as a model translates them."""
    text, output = model.with_suffix(".in"), model.with_suffix(".out")
    text.write_text("".join(f"{line}\n" for line in source), "utf-8")
    command = rosewood("translate", model, text, "--quiet", "-o", output)
    subprocess.run(command, check=True)
    return lines_of(output)


def references_of(corpus: Corpus, part: str) -> list[list[str]]:
    """The references of each sentence of a held-out part."""
    return [list(each) for each in zip(*map(lines_of, corpus.references(part)), strict=True)]
