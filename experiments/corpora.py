"""Tokenised corpora by name or folder, and the aligned corpus that all parts share.

    corpus = find_corpus("tatoeba-zh-en", data)         # a folder of `data`
    corpus = find_corpus("my/texts-de-en", data)        # any folder: train.de, train.en, dev.de, …
    aligned = prepare(corpus, work, threads)            # cleaned, indexed and aligned once

Files may be packed with gzip.  Several references are en0, en1, …
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rosewood.align import Links
from rosewood.corpus import IndexedCorpus
from rosewood.pipeline.model_stages import read_links

DATA = Path(os.environ.get("ROSEWOOD_DATA") or Path(__file__).parents[1] / "../shared/data")
# The Japanese and the Chinese corpus are small: where nothing is chosen on their second test set,
# it is trained on, as in the benchmarks of whole systems.
_TRAINING = {"tanaka-ja-en": ("train", "devtest"), "tatoeba-zh-en": ("train", "devtest")}


@dataclass(frozen=True)
class Corpus:
    """Files of a corpus: train.de.gz, dev.en0.gz, …"""

    name: str
    folder: Path
    source: str
    target: str
    training: tuple[str, ...] = ("train",)

    def file(self, part: str, language: str) -> Path:
        """A file, packed or not."""
        packed = self.folder / f"{part}.{language}.gz"
        return packed if packed.exists() else self.folder / f"{part}.{language}"

    def references(self, part: str) -> list[Path]:
        """The references of a held-out part."""
        several = [self.file(part, f"{self.target}{n}") for n in range(10)]
        return [each for each in several if each.exists()] or [self.file(part, self.target)]

    def training_options(self) -> list[object]:
        """What `rosewood train` is told of the text."""
        pairs: list[object] = []
        for part in self.training:
            pairs += ["--source", self.file(part, self.source)]
            pairs += ["--target", self.file(part, self.target)]
        first, *further = self.references("dev")
        more = [each for file in further for each in ("--dev-reference", file)]
        dev = ["--dev", self.file("dev", self.source), first, *more]
        return [*pairs, *dev, "--pretokenized", "--on-bad-line", "skip"]


class Aligned(NamedTuple):
    """The training pairs as numbers, and their links."""

    corpus: IndexedCorpus
    links: Links
    rules: Path  # the folder of the rule table
    facts: dict[str, Any]


def find_corpus(name: str, data: Path, *, keep_devtest: bool = False) -> Corpus:
    """A corpus by its name in `data`, or by its folder; languages end the folder's name.

    With `keep_devtest`, the second test set is there and is not trained on.
    """
    folder = data / name if (data / name).is_dir() else Path(name)
    if not folder.is_dir():
        raise SystemExit(f"there is no corpus {name!r} in {data}: set ROSEWOOD_DATA or give --data")
    languages = folder.resolve().name.split("-")[-2:]
    if len(languages) != 2:
        raise SystemExit(f"{folder}: expected a name that ends in its languages, as in texts-de-en")
    short = folder.resolve().name
    parts = ("train",) if keep_devtest else _TRAINING.get(short, ("train",))
    made = Corpus(short, folder, *languages, parts)
    for part in (*made.training, "dev", "test", *(("devtest",) if keep_devtest else ())):
        for file in (made.file(part, made.source), made.references(part)[0]):
            if not file.exists():
                raise SystemExit(f"{file} is missing")
    return made


def lines_of(file: Path) -> list[str]:
    """The lines of a text."""
    raw = file.read_bytes()
    text = (gzip.decompress(raw) if file.suffix == ".gz" else raw).decode()
    return text.removesuffix("\n").split("\n")


def rosewood(*arguments: object) -> list[str]:
    """The command with arguments."""
    return [sys.executable, "-m", "rosewood", *map(str, arguments)]


def train(corpus: Corpus, work: Path, model: Path, threads: int, *more: object) -> dict[str, Any]:
    """Run `rosewood train` with the work folder that all runs share; what it tells."""
    work.mkdir(parents=True, exist_ok=True)
    command = rosewood(
        "train", *corpus.training_options(), "--work", work / "stages", "--threads", threads,
        "--quiet", "--json", "--overwrite", "--report", model.with_suffix(".html"), "-o", model,
        *more,
    )  # fmt: skip
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def prepare(corpus: Corpus, work: Path, threads: int) -> Aligned:
    """Clean, index and align the training text, unless the work folder has it."""
    note = work / "aligned.json"
    if not note.exists():
        told = train(
            corpus, work, work / "untuned", threads, "--reordering", "lexicalized", "--tune", "none"
        )  # fmt: skip
        keys = {each["name"]: each["key"] for each in told["stages"]}
        seconds = {each["name"]: each["seconds"] for each in told["stages"]}
        note.write_text(
            json.dumps({"keys": keys, "pairs": told["pairs"], "seconds": seconds}), "utf-8"
        )
    facts = json.loads(note.read_text("utf-8"))
    place = {name: stage_folder(work, name, key) for name, key in facts["keys"].items()}
    text = IndexedCorpus.open(place["tokenise"] / "corpus")
    return Aligned(text, read_links(place["align"]), place["extract"] / "rules", facts)


def stage_folder(work: Path, name: str, key: str) -> Path:
    """The folder of a finished stage."""
    (found,) = (
        each
        for each in (work / "stages").glob(f"{name}-*")
        if key.startswith(each.name[len(name) + 1 :])
    )
    return found
